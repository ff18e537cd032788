"""No text makes reading raise, contradict itself, or take more than its time."""

import json
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from harness.extraction import salvage
from harness.extraction.reading import read_answer
from harness.model.extraction import Extraction

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=5)
ANY_TEXT = st.text(st.characters(exclude_categories=())) | st.text("{}[]\"':,`~<>/#\\\n\r tn1.e-")
PIECES = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        ":",
        ",",
        "\\",
        "`",
        "```json\n",
        "```\n",
        "~~~\n",
        "\n",
        " ",
        "<think>",
        "</think>\n",
        "<answer>",
        "</answer>",
        "submit({",
        "})",
        '{"a": 1}',
        '{"b": [1, {"c": "}"}]}',
        "{a: 'b'}",
        '{"a": ',
        "# a_b\n",
        "# c\n",
        "//",
        "/*",
        "*/",
        "True",
        "NaN",
        "1e999",
        "\u201c",
        "\u201d",
        "\ufeff",
        "\x00",
        "\ud800",
        "\u2028",
        "text",
    ]
)
REASONS = st.sampled_from([None, "stop", "length", "content_filter"])


def _checked(found: Extraction) -> None:
    """Assert what holds of every extraction."""
    assert (found.outcome == "answer") == (found.value is not None) == (found.tier is not None)
    assert found.carrier
    if found.tier in {"json5", "salvage", "embedded"}:
        assert found.findings, "a repair is never silent"
        assert not found.accepted
    if found.value is not None:
        json.dumps(found.value, allow_nan=False, ensure_ascii=False).encode()
    for each in found.findings:
        assert each.name.replace("_", "").isalpha()
        assert f"{each.place}{each.detail}".isprintable()


@given(ANY_TEXT | st.lists(PIECES, max_size=25).map("".join), REASONS)
def test_any_text_is_read(text: str, reason: str | None) -> None:
    _checked(read_answer(text, reason))


@given(OBJECTS, st.data())
def test_any_slip_of_the_pen_is_read(value: dict[str, Any], data: st.DataObject) -> None:
    text = f"```json\n{json.dumps(value, ensure_ascii=data.draw(st.booleans()))}\n```"
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 5)))
        text = text[:start] + data.draw(PIECES | st.characters()) + text[end:]

    _checked(read_answer(text))


@given(OBJECTS, st.sampled_from([None, 1, "\t"]), st.booleans())
@example(value={}, indent=None, ascii_only=True)
@example(value={"a": "```\n```json\n{}\n```", "b": "</think>\n<think>"}, indent=None, ascii_only=True)
def test_bare_and_fenced_objects_are_accepted_and_equal(
    value: dict[str, Any], indent: Any, ascii_only: Any
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    bare, fenced, told = (
        read_answer(text),
        read_answer(f"```json\n{text}\n```"),
        read_answer(f"So:\n\n```json\n{text}\n```\nBye."),
    )

    assert (bare.accepted, bare.tier, bare.carrier) == (True, "strict", "bare")
    for found in (fenced, told):
        assert (found.accepted, found.tier, found.carrier) == (True, "fence", "fence")
    assert json.dumps(bare.value) == json.dumps(fenced.value) == json.dumps(told.value) == json.dumps(value)


@given(OBJECTS.filter(bool), OBJECTS.filter(bool))
def test_two_objects_are_one_answer_only_if_they_are_the_same(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    found = read_answer(f"{json.dumps(one)}\n{json.dumps(other)}")

    assert not found.accepted
    assert (
        found.outcome == ("answer" if one == other and repr(one) == repr(other) else "ambiguous")
        or one == other
    )


@given(OBJECTS.filter(bool), st.integers(1, 400))
def test_nested_objects_are_no_candidates(value: dict[str, Any], length: int) -> None:
    text = json.dumps({"outer": [value, value], "rest": value})
    found = read_answer("So: " + text[: min(length, len(text) - 1)])

    assert found.outcome == "none"


@pytest.mark.parametrize(
    "unit",
    [
        "{",
        '{"',
        '{"a":',
        '{"a":1} ',
        '{"a":x} ',
        "{a:",
        "{\u201ca",
        "{'",
        "[",
        "{}",
        '"',
        "\\",
        "```\n",
        "```json\n{}\n```\n",
        "<think>",
        "</think>\n",
        "<think></think>\n",
        "# a_b\n",
        "# a_b\n```\n",
        "{//\n",
        "/*",
        "f({",
        "\xa0",
        'x {job="x"} ',
    ],
)
@pytest.mark.parametrize("lead", ["", "```json\n", '{"a": 1} '])
def test_repetition_is_read_in_time(unit: str, lead: str) -> None:
    """Quadratic reading of this length would outlast the timeout of the tests."""
    _checked(read_answer(lead + unit * (200_000 // len(unit))))


def test_a_shallow_stack_changes_no_verdict() -> None:
    text = '{"a":' * 60 + "1" + "}" * 60

    def deep(left: int) -> Extraction:
        return read_answer(text) if left == 0 else deep(left - 1)

    assert deep(sys.getrecursionlimit() - 400) == read_answer(text)


@given(st.lists(PIECES, max_size=25).map("".join))
def test_salvage_returns_plain_json_or_nothing(text: str) -> None:
    guess = salvage.salvage(text)

    assert guess is None or json.loads(json.dumps(guess, allow_nan=False)) == guess


def test_salvage_leaves_long_text_alone() -> None:
    assert salvage.salvage('{"a": 1 "b": 2' + " " * salvage.MAX_CHARS + "}") is None


def test_salvage_needs_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "json_repair", None)

    assert salvage.salvage('{"a": 1 "b": 2}') is None
    assert read_answer('{"a": 1 "b": 2}').outcome == "none"

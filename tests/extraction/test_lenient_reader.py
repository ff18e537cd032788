"""The forgiving reader agrees with json on JSON, with pyjson5 on JSON5, and names whatever else it takes."""

import json
from typing import Any, cast

import pyjson5
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.extraction.lenient import Failure, Reading, read_value
from harness.extraction.strict import same

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
# Pieces that make JSON5, and texts close to it, likely.
PIECES = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        '"a"',
        "'b'",
        "c",
        "$d",
        "1",
        "-2.5e3",
        "+3",
        ".5",
        "6.",
        "0x1F",
        "007",
        "1e5",
        "true",
        "false",
        "null",
        "NaN",
        "Infinity",
        "-Infinity",
        "// x\n",
        "/* y */",
        "/*",
        "\\",
        '"',
        "'",
        " ",
        "\n",
        "\t",
        "\xa0",
        "\u2028",
        '"\\x41"',
        '"\\\n"',
        '"\\d"',
        "'\\''",
        '"\t"',
        "{a:1}",
        "[1,]",
        '{"a":1,}',
        "é",
    ]
)


def _read(text: str) -> Reading | Failure:
    """Read a text as one value and nothing behind it."""
    reading = read_value(text, 0, len(text))
    if isinstance(reading, Reading) and text[reading.end :].strip(" \t\r\n"):
        return Failure(reading.end, "malformed")
    return reading


@given(VALUES, st.sampled_from([None, 2]), st.booleans())
def test_json_is_read_as_json_reads_it_and_without_findings(
    value: Any, indent: int | None, ascii_only: Any
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    reading = _read(text)

    assert isinstance(reading, Reading)
    assert (reading.findings, reading.json5) == ((), True)
    assert json.dumps(reading.value) == json.dumps(json.loads(text))


@given(st.lists(PIECES, max_size=12).map(lambda pieces: f"[{' '.join(pieces)}]"))
def test_json5_is_read_as_pyjson5_reads_it(text: str) -> None:
    try:
        expected: Any = pyjson5.decode(text, 64)
    except pyjson5.Json5DecoderException:
        return
    reading = _read(text)

    assert isinstance(reading, Reading)
    assert reading.json5
    assert same(reading.value, _spelled(expected))


@given(st.lists(PIECES, max_size=12).map("".join))
def test_what_is_read_without_findings_is_json(text: str) -> None:
    reading = _read(text)
    if isinstance(reading, Reading) and not reading.findings:
        assert json.dumps(reading.value) == json.dumps(json.loads(text))


@given(VALUES, st.data())
def test_a_cut_is_told_from_a_mistake(value: Any, data: st.DataObject) -> None:
    text = json.dumps([value])
    length = data.draw(st.integers(1, len(text) - 1))
    reading = read_value(text[:length], 0, length)

    assert reading == Failure(length, "truncated")


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1 "b": 2}',
        '{"a" 1}',
        '{"a": }',
        "{,}",
        "[1,,2]",
        "[01]",
        "[1.2.3]",
        "[1_000]",
        "[5m]",
        "[0x]",
        "[- 1]",
        '{"a": maybe, "b": 1}',
        "{1: 2}",
        "{a-b: 1}",
        "[1 / 2]",
        '["a" "b"]',
        "[trueish ]",
        "[+-1]",
        "[(1, 2)]",
        "[NaNs ]",
        '{"a": 1]',
        "[1}",
        '["\\u12"',
        "[u'a']",
    ],
)
def test_what_nobody_forgives_is_a_failure(text: str) -> None:
    assert isinstance(_read(text), Failure)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"\\u00e9\\ud83d\\ude00\\/"', "é\N{GRINNING FACE}/"),
        ('"\\b\\f\\n\\r\\t\\\\\\""', '\b\f\n\r\t\\"'),
        ("'\\v\\0\\q'", "\v\0q"),
        ('"a\\\r\nb"', "ab"),
        ("-0x10", -16),
        ("1E2", 100.0),
        ("0x" + "f" * 400, "0x" + "f" * 35 + "..."),
    ],
)
def test_escapes_and_numbers(text: str, value: object) -> None:
    reading = _read(text)

    assert isinstance(reading, Reading)
    assert reading.value == value


def test_reading_stops_behind_the_value() -> None:
    reading = read_value('{"a": 1} and so on', 0, 18)

    assert reading == Reading({"a": 1}, 8, (), json5=True)


def test_nothing_behind_the_end_is_seen() -> None:
    assert read_value('{"a": 1}', 0, 7) == Failure(7, "truncated")


def _spelled(value: Any) -> Any:
    """Return pyjson5's value with its infinities spelled, as this reader leaves them."""
    if isinstance(value, float) and value in {float("inf"), float("-inf")}:
        return "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, float) and value != value:  # noqa: PLR0124
        return "NaN"
    if isinstance(value, list):
        return [_spelled(each) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _spelled(each) for key, each in cast("dict[str, Any]", value).items()}
    return value

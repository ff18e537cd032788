"""YAML text -> plain values: what words mean, on which line each value stands, and what is refused where."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.scenarios.plain import MAX_DEPTH, NotPlain, parsed

SUITE = sorted((Path(__file__).parents[2] / "scenarios").rglob("*.yaml"))


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("true", True),
        ("False", False),
        ("yes", "yes"),
        ("off", "off"),
        ("~", None),
        ("", None),
        ("null", None),
        ("007", 7),
        ("0x1f", "0x1f"),
        ("1_000", 1000),
        ("1.5", 1.5),
        (".inf", ".inf"),
        ("1:30", "1:30"),
        ("2026-03-02", "2026-03-02"),
        ("<<", "<<"),
        ("=", "="),
        ("pod", "pod"),
        ("'5'", "5"),
        ('"true"', "true"),
        ("! 5", "5"),
        ("!!int '5'", 5),
        ("!!str 5", "5"),
        ("|\n  5\n", "5\n"),
    ],
)
def test_a_word_means_a_number_a_truth_nothing_or_itself(word: str, value: object) -> None:
    found = parsed(f"key: {word}")[0]["key"]

    assert (found, type(found)) == (value, type(value))


def test_every_value_knows_its_line_and_a_member_stands_where_its_key_does() -> None:
    _, lines = parsed("a:\n  1\nb:\n  - c\n  -\n    d: {e: f}\n\nempty: []\n")

    assert dict(lines) == {
        (): 1,
        ("a",): 1,
        ("b",): 3,
        ("b", 0): 4,
        ("b", 1): 6,
        ("b", 1, "d"): 6,
        ("b", 1, "d", "e"): 6,
        ("empty",): 8,
    }
    assert list(lines) == sorted(lines, key=lambda place: lines[place])
    assert len(lines) == 8
    assert ("b", 2) not in lines


@pytest.mark.parametrize("text", ["", "# nothing\n", "--- ~", "~"])
def test_a_text_without_a_value_is_nothing_on_its_first_line(text: str) -> None:
    value, lines = parsed(text)

    assert (value, dict(lines)) == (None, {(): 1})


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("a: 1\n'a': 2", 2, "a: found twice; keep one"),
        ("a:\n  - b: 1\n    b: 2", 3, "a[0].b: found twice; keep one"),
        ("a: &x 1\nb: *x", 2, "found the alias '*x'; write the value out"),
        ("a: &x b\n*x : c", 2, "found the alias '*x'; write the value out"),
        ("a:\n - {b: c}: d", 2, "a[0]: found a list or a mapping as a key; use a word"),
        ("[a]: b", 1, "the file: found a list or a mapping as a key; use a word"),
        ("a: !x b", 1, "a: found the tag '!x'; no tags here"),
        ("a:\n  b: !!set {c}", 2, "a.b: found the tag 'tag:yaml.org,2002:set'; no tags here"),
        ("a: [!!map [b]]", 1, "a[0]: found the tag 'tag:yaml.org,2002:map'; no tags here"),
        ("a: !!python/name:os.system x", 1, "found the tag 'tag:yaml.org,2002:python/name:os.system'"),
        ("a: 1\n---\nb: 2", 2, "not YAML: found another document; a file is one"),
        ("a: 1\nb: c: d", 2, "not YAML: mapping values are not allowed in this context"),
        ("a: \x01", 1, "not YAML: "),
        ("[" * (MAX_DEPTH + 1), 1, f"nested deeper than {MAX_DEPTH}; a scenario is flat"),
    ],
)
def test_what_the_format_forbids_is_refused_by_its_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(NotPlain) as raised:
        parsed(text)

    assert raised.value.line == line
    assert problem in str(raised.value)


def test_the_deepest_that_is_allowed_is_read() -> None:
    value, lines = parsed("[" * MAX_DEPTH + "]" * MAX_DEPTH)

    assert len(lines) == MAX_DEPTH
    assert isinstance(value, list)


def test_every_file_of_the_suite_reads_as_the_library_reads_it() -> None:
    for path in SUITE:
        text = path.read_text(encoding="utf-8")

        assert parsed(text)[0] == yaml.load(text, Loader=_Words), path  # noqa: S506 - a safe loader


class _Words(yaml.CSafeLoader):
    """The library's own reader, with dates and YAML 1.1's further truths left as words."""


def _word(loader: Any, node: Any) -> object:
    text = str(loader.construct_scalar(node))
    return {"true": True, "false": False}.get(text.lower(), text)


_Words.add_constructor("tag:yaml.org,2002:timestamp", _word)
_Words.add_constructor("tag:yaml.org,2002:bool", _word)

"""Schemas and patterns bind values exactly, and no author of either keeps a check from ending."""

import json
import re
from typing import Any

import pytest
from generating import VALUES, examples
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from harness.extraction import argument_errors
from harness.extraction.json_schema import breaches, compiled
from harness.extraction.patterns import MAX_PATTERN, found
from harness.model import ToolSpec


def errors(schema: dict[str, Any], arguments: Any) -> tuple[str, ...]:
    return argument_errors(ToolSpec("x", "", schema), arguments)


def on(keywords: dict[str, Any]) -> dict[str, Any]:
    return {"properties": {"a": keywords}}


EXACT: list[tuple[str, dict[str, Any], Any, bool]] = [
    ("5.0 is an integer", {"type": "integer"}, 5.0, True),
    ("5.5 is none", {"type": "integer"}, 5.5, False),
    ("true is none", {"type": "integer"}, True, False),
    ("true is no number", {"type": "number"}, True, False),
    ("true is not below a minimum", {"minimum": 5}, True, True),
    ("1 is no boolean", {"type": "boolean"}, 1, False),
    ("true is not 1", {"enum": [1]}, True, False),
    ("1.0 is 1", {"enum": [1]}, 1.0, True),
    ("an integer beyond all floats' steps", {"maximum": 2**53}, 2**53 + 1, False),
    ("an integer beyond all floats", {"maximum": 1}, 10**300, False),
    ("a pattern is searched", {"pattern": "b"}, "abc", True),
    ("the end is the very end", {"pattern": "^a$"}, "a\n", False),
    ("the end is the very end behind a look", {"pattern": "^(?=a)a$"}, "a\n", False),
    ("a dollar in a class is a dollar", {"pattern": "^(?=.)[$]$"}, "$", True),
    ("a digit is ASCII", {"pattern": r"^\d$"}, "\u0663", False),
    ("a digit is ASCII behind a look", {"pattern": r"^(?=.)\d$"}, "\u0663", False),
    ("a word sign is ASCII", {"pattern": r"^[\w-]+$"}, "é", False),
    ("no word sign is all else", {"pattern": r"^\W$"}, "é", True),
    ("an escaped backslash before a d", {"pattern": r"^\\d$"}, r"\d", True),
    ("a property of Unicode", {"pattern": r"^\p{L}$"}, "é", True),
    ("half a pair of surrogates", {"pattern": "^a$"}, "\ud800", False),
    ("no pattern", {"pattern": "("}, "x", True),
    ("unique numbers", {"uniqueItems": True}, [1, 1.0], False),
    ("a number and a boolean", {"uniqueItems": True}, [1, True, 0, False], True),
    ("unique objects", {"uniqueItems": True}, [{"x": 1, "y": [2]}, {"y": [2.0], "x": 1}], False),
    ("keys by pattern", {"patternProperties": {"^x": {"type": "string"}}}, {"x1": 5}, False),
    (
        "keys beside a pattern",
        {"patternProperties": {"^x": {}}, "additionalProperties": False},
        {"y": 1},
        False,
    ),
    (
        "keys like a pattern",
        {"patternProperties": {"^x": {}}, "additionalProperties": False},
        {"x1": 1},
        True,
    ),
    (
        "other keys by schema",
        {"patternProperties": {"^x": {}}, "additionalProperties": {"type": "null"}},
        {"y": 1},
        False,
    ),
]


@pytest.mark.parametrize(
    ("keywords", "value", "right"), [each[1:] for each in EXACT], ids=[each[0] for each in EXACT]
)
def test_keywords_bind_exactly(keywords: dict[str, Any], value: Any, *, right: bool) -> None:
    assert (errors(on(keywords), {"a": value}) == ()) == right


def test_a_dialect_that_is_declared_does_not_bring_the_librarys_own_search_back() -> None:
    inner = {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": "^(a+)+$"}
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **on(inner)}

    assert errors(schema, {"a": "a" * 50_000 + "!"})


LAUGHS = {
    "$defs": {
        **{f"a{at}": {"allOf": [{"$ref": f"#/$defs/a{at + 1}"}] * 2} for at in range(40)},
        "a40": {"type": "object"},
    },
    "$ref": "#/$defs/a0",
}
BOMBS: dict[str, tuple[dict[str, Any], Any]] = {
    "nested repetition": (on({"pattern": "^(a+)+$"}), {"a": "a" * 100_000 + "!"}),
    "repetitions in a row": (on({"pattern": "a*a*a*a*a*a*a*b"}), {"a": "a" * 100_000}),
    "two ways for each letter": (on({"pattern": "^(a|aa)+$"}), {"a": "a" * 100_000 + "!"}),
    "repetition behind a look": (on({"pattern": "(?=x)(a+)+$"}), {"a": "a" * 100_000 + "!"}),
    "a short value, repeated behind a look": (on({"pattern": "(?=a)(a+)+$"}), {"a": "a" * 200 + "!"}),
    "repetitions in a row behind a look": (on({"pattern": "(?!x)a*a*a*a*b"}), {"a": "a" * 100_000}),
    "a long value behind a look": (on({"pattern": "(?!x)a*a*b"}), {"a": "a" * 100_000}),
    "a huge count": (on({"pattern": "(?:(?:a?){999}){999}"}), {"a": "a" * 100_000}),
    "many states": (on({"pattern": "[ab]*a[ab]{9000}c"}), {"a": "ab" * 50_000}),
    "many letters": (on({"pattern": r"(?:\p{L}{30}){30}"}), {"a": "é" * 100_000}),
    "a long pattern": (on({"pattern": "(?=a)" + "a?" * 5_000}), {"a": "a" * 5_000}),
    "a pattern of keys": ({"patternProperties": {"^(a+)+$": {}}}, {"a" * 100_000 + "!": 1}),
    "patterns by keys": (
        {"patternProperties": {f"^{at}$": {} for at in range(3_000)}},
        {str(at): 1 for at in range(9_000)},
    ),
    "keys beside patterns": (
        {"patternProperties": {"^(a+)+$": {}}, "additionalProperties": False},
        {"a" * 100_000 + "!": 1},
    ),
    "references by twos": (LAUGHS, {}),
    "a reference to itself": ({"$ref": "#"}, {}),
    "unique objects": (on({"uniqueItems": True}), {"a": [{"x": at} for at in range(40_000)]}),
    "allowed values by items": (on({"items": {"enum": list(range(3_000))}}), {"a": [0] * 60_000}),
    "unevaluated keys by pattern": (
        {"patternProperties": {"^(a+)+$": {}}, "unevaluatedProperties": False},
        {"a" * 100_000 + "!": 1},
    ),
    "deep alternatives": (json.loads('{"anyOf":[' * 300 + "{}" + "]}" * 300), {}),
}


@pytest.mark.parametrize(("schema", "value"), BOMBS.values(), ids=list(BOMBS))
def test_a_bomb_is_checked_or_given_up_in_time(schema: dict[str, Any], value: Any) -> None:
    """Without a bound each of them would outlast the timeout of the tests, or the stack."""
    assert isinstance(errors(schema, value), tuple)


LIBRARY: Any = Draft202012Validator


def _optional(**keywords: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=keywords)


SCHEMAS: st.SearchStrategy[dict[str, Any]] = st.recursive(
    _optional(
        type=st.sampled_from(["string", "integer", "number", "boolean", "array", "object", "null"]),
        enum=st.lists(VALUES, min_size=1, max_size=3),
        minimum=st.integers(-3, 10**20) | st.floats(-5, 5),
        maximum=st.integers(-3, 10**20),
        pattern=st.sampled_from(["a", "^a*$", "[a-c]", "^$", "b+c"]),
        uniqueItems=st.booleans(),
        required=st.lists(st.sampled_from(["a", "b"]), max_size=2, unique=True),
        maxLength=st.integers(0, 5),
    ),
    lambda inner: _optional(
        properties=st.dictionaries(st.sampled_from(["a", "b", "role"]), inner, max_size=2),
        patternProperties=st.dictionaries(st.sampled_from(["a", "^b"]), inner, max_size=2),
        additionalProperties=st.booleans() | inner,
        items=inner,
        anyOf=st.lists(inner, min_size=1, max_size=2),
    ),
    max_leaves=5,
)


@examples(150)
@given(SCHEMAS, VALUES)
def test_the_bounded_check_agrees_with_the_library(schema: dict[str, Any], value: Any) -> None:
    validator = compiled(schema)

    assert validator is not None
    found = breaches(validator, value)
    assert found is not None
    assert (found == []) == LIBRARY(schema).is_valid(value)


PARTS = st.sampled_from(
    [
        "a",
        "b",
        "[ab]",
        "[^a]",
        ".",
        "a*",
        "b+",
        "(a|b)",
        "(?:ab)?",
        "^",
        "$",
        "a{2}",
        "a{1,3}",
        r"\.",
        "-",
        "|",
    ]
)


@examples(200)
@given(st.lists(PARTS, max_size=6).map("".join), st.text("ab-.\n", max_size=8))
def test_a_pattern_finds_what_pythons_search_finds(pattern: str, text: str) -> None:
    exact = re.sub(r"\$", r"\\Z", pattern)

    assert found(pattern, text) == (re.search(exact, text) is not None)


@examples(200)
@given(st.text(max_size=12) | st.text("()[]{}*+?|^$\\.a1,-:=!<>PdwpL", max_size=12), st.text(max_size=12))
def test_any_pattern_is_searched_or_binds_nobody(pattern: str, text: str) -> None:
    assert found(pattern, text) in {True, False}


def test_a_pattern_that_is_too_long_binds_nobody() -> None:
    assert not found("x" * MAX_PATTERN, "")
    assert found("x" * (MAX_PATTERN + 1), "")


def test_of_many_breaches_the_first_twenty_are_told() -> None:
    assert (
        len(errors({"additionalProperties": {"type": "integer"}}, dict.fromkeys(map(str, range(50)), "x")))
        == 20
    )

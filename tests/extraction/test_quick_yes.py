"""The quick check of plain schemas: what it surely allows, and what it leaves to the library."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any, cast

import pytest
from jsonschema import Draft202012Validator, FormatChecker, SchemaError

from harness.extraction.bounded_schema import can_be_checked
from harness.extraction.json_schema import MOST_LEVELS, breaches, compiled, surely_a_schema
from harness.extraction.plain_schema import plain

YES: list[tuple[Any, list[Any]]] = [
    (True, [1, "x", None, {}]),
    ({}, [1, "x", None, {}]),
    ({"title": "t", "description": "d", "default": 1, "examples": [], "$comment": "c"}, [1, "x"]),
    ({"deprecated": True, "readOnly": True}, [1]),
    ({"type": "object"}, [{}, {"a": 1}]),
    ({"type": "array"}, [[], [1]]),
    ({"type": "string"}, ["", "x"]),
    ({"type": "boolean"}, [True, False]),
    ({"type": "null"}, [None]),
    ({"type": "integer"}, [0, -5]),
    ({"type": "number"}, [0, 1.5]),
    ({"type": ["string", "null"]}, ["x", None]),
    ({"properties": {"a": {"type": "string"}, "b": True}}, [{}, {"a": "x"}, {"b": 5}, {"c": 5}, 5, "a"]),
    ({"required": ["a", "b"]}, [{"a": 1, "b": 2}, {"a": 1, "b": 2, "c": 3}, 5, ["a"]]),
    ({"additionalProperties": True}, [{"a": 1}, 5]),
    ({"additionalProperties": False, "properties": {"a": {}}}, [{}, {"a": 1}, 5, [1]]),
    ({"additionalProperties": {"type": "string"}, "properties": {"a": {}}}, [{"a": 1, "b": "x"}, {"b": "x"}]),
    ({"additionalProperties": {"type": "string"}}, [{}, {"b": "x"}]),
    ({"items": {"type": "string"}}, [[], ["x", "y"], 5, {"a": 1}]),
    ({"enum": ["a", "b"]}, ["a", "b"]),
    ({"minimum": 2}, [2, 2.5, 3, "x", True, None]),
    ({"maximum": 2}, [2, 1.5, -3, "x", True, None]),
    ({"minLength": 2}, ["ab", "abc", 5, []]),
    ({"maxLength": 2}, ["ab", "", 5, [1, 2, 3]]),
    ({"pattern": "^a"}, ["ab", 5, ["b"]]),
    ({"type": "string", "minLength": 1, "maxLength": 3}, ["a", "abc"]),
]
UNKNOWN: list[tuple[Any, list[Any]]] = [
    (False, [1, None]),
    ("x", [1]),
    ({"anyOf": [True]}, [1]),
    ({"title": "t", "const": 1}, [1]),
    ({"type": "object"}, [[], "x", None, 1, True]),
    ({"type": "integer"}, [True, 1.0, "1"]),
    ({"type": "number"}, [True, "1"]),
    ({"type": "null"}, [0, ""]),
    ({"type": ["string", "null"]}, [5, True]),
    ({"type": "boolean"}, [0, 1]),
    ({"properties": {"a": {"type": "string"}}}, [{"a": 5}, {"b": 1, "a": None}]),
    ({"required": ["a", "b"]}, [{}, {"a": 1}, {"b": 1}]),
    ({"additionalProperties": False, "properties": {"a": {}}}, [{"b": 1}, {"a": 1, "b": 1}]),
    ({"additionalProperties": {"type": "string"}, "properties": {"a": {}}}, [{"b": 1}, {"a": 1, "b": 1}]),
    ({"items": {"type": "string"}}, [[5], ["x", 5]]),
    ({"enum": ["a", 1, True]}, ["c", 1, True, None]),
    ({"minimum": 2}, [1, 1.9]),
    ({"maximum": 2}, [3, 2.1]),
    ({"minLength": 2}, ["a", ""]),
    ({"maxLength": 2}, ["abc"]),
    ({"pattern": "^a"}, ["b", ""]),
    ({"type": "string", "minLength": 1, "maxLength": 3}, ["", "abcd", 5]),
]


@pytest.mark.parametrize(("schema", "values"), YES)
def test_what_is_surely_allowed_the_library_allows(schema: Any, values: list[Any]) -> None:
    allows = plain(schema)
    validator = compiled(cast("dict[str, Any]", schema)) if isinstance(schema, dict) else None

    for value in values:
        assert allows(value) is True
        assert validator is None or breaches(validator, value) == []


@pytest.mark.parametrize(("schema", "values"), UNKNOWN)
def test_everything_else_is_left_to_the_library(schema: Any, values: list[Any]) -> None:
    assert [plain(schema)(each) for each in values] == [False] * len(values)


RIGHT: list[Any] = [
    True,
    False,
    {},
    {"title": "t", "description": "d", "$comment": "c", "default": {"a": 1}, "examples": [1]},
    {"deprecated": True, "readOnly": False},
    {"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": True}, "required": ["a", "b"]},
    {"type": "array", "items": {"enum": ["a", 1, None]}},
    {"additionalProperties": {"minimum": -1.5, "maximum": 10**400}, "required": []},
    {"minLength": 0, "maxLength": 5, "pattern": "("},
]
WRONG: list[Any] = [
    None,
    "x",
    [],
    {"title": 1},
    {"description": None},
    {"$comment": []},
    {"examples": "x"},
    {"deprecated": 1},
    {"readOnly": "no"},
    {"type": "text"},
    {"type": []},
    {"type": ["string", "string"]},
    {"type": ["string", 1]},
    {"type": {"a": 1}},
    {"required": "a"},
    {"required": ["a", "a"]},
    {"required": ["a", 1]},
    {"required": [[]]},
    {"enum": "a"},
    {"items": [{}]},
    {"items": None},
    {"additionalProperties": "no"},
    {"properties": []},
    {"properties": {"a": {"properties": {"b": 5}}}},
    {"items": {"additionalProperties": {"type": "text"}}},
    {"minimum": True},
    {"minimum": "1"},
    {"maximum": None},
    {"minLength": -1},
    {"minLength": True},
    {"maxLength": 1.5},
    {"maxLength": "1"},
    {"pattern": 5},
]


@pytest.mark.parametrize("schema", RIGHT)
def test_what_is_surely_a_schema_is_one_for_the_library(schema: Any) -> None:
    assert surely_a_schema(schema)
    Draft202012Validator.check_schema(schema, format_checker=FormatChecker(formats=()))


@pytest.mark.parametrize("schema", WRONG)
def test_what_is_no_schema_for_the_library_is_surely_none_here(schema: Any) -> None:
    assert not surely_a_schema(schema)
    with pytest.raises(SchemaError):
        Draft202012Validator.check_schema(schema, format_checker=FormatChecker(formats=()))


OTHERS: list[Any] = [{"const": 1}, {"anyOf": [{}]}, {"minLength": 1.0}, {1: 2}]


@pytest.mark.parametrize("schema", OTHERS)
def test_of_schemas_of_other_kinds_the_library_is_asked(schema: Any) -> None:
    assert not surely_a_schema(schema)


@pytest.mark.parametrize("pattern", ["\\p{Lu}", "(?<name>a)", "["])
def test_a_pattern_need_not_be_pythons(pattern: str) -> None:
    assert can_be_checked({"not": {"type": "string", "pattern": pattern}})


def in_items(inner: Any) -> Any:
    return {"items": inner}


def in_properties(inner: Any) -> Any:
    return {"properties": {"a": inner}}


@pytest.mark.parametrize("inside", [in_items, in_properties])
def test_schemas_far_inside_one_another_are_left_to_the_library(inside: Callable[[Any], Any]) -> None:
    def nested(levels: int) -> Any:
        schema: Any = {}
        for _ in range(levels - 1):
            schema = inside(schema)
        return schema

    assert surely_a_schema(nested(MOST_LEVELS))
    assert not surely_a_schema(nested(MOST_LEVELS + 1))
    assert compiled(nested(MOST_LEVELS + 1))
    assert compiled(nested(900)) is None
    assert compiled(nested(10_000)) is None


def test_right_arguments_of_our_tools_are_checked_without_loading_the_library() -> None:
    code = """
import sys
from harness.contracts import CONTRACTS
from harness.conversation import tools_for
from harness.extraction import argument_errors
from harness.extraction.json_schema import compiled
tools = [each for contract in CONTRACTS for each in tools_for(contract)]
print(all(compiled(each.parameters) for each in tools), argument_errors(tools[0], {"kind": "pod"}))
print("jsonschema" in sys.modules, argument_errors(tools[0], {}))
print("jsonschema" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    right, wrong, loaded = done.stdout.splitlines()

    assert right == "True ()"
    assert wrong.startswith("False (")
    assert "'kind' is a required property" in wrong
    assert loaded == "True"

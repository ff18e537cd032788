"""The quick check of plain schemas: what it surely allows, and what it leaves to the library."""

from typing import Any, cast

import pytest

from harness.extraction.json_schema import breaches, compiled
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

"""What is wrong with an answer, with arguments and with a value under a schema, word for word."""
# ruff: noqa: E501 - one row of a table is one line

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from conftest import recorded
from splicing import Edit, drop, put

from harness.contracts import load_contract
from harness.errors import InvalidInput
from harness.extraction import argument_errors, read_sample, schema_problems
from harness.extraction.bounded_schema import MOST_STEPS
from harness.extraction.json_schema import breaches, compiled
from harness.extraction.sample import MAX_ARGUMENTS, MAX_PROBLEMS
from harness.model import Message, Sample, Scenario, ToolCall, ToolSpec, Transcript
from harness.model.contract import Origin

CONTRACT = load_contract("workflow-selection-2.7")
SEARCH = "search_workflow_catalog"
W = "/selected_workflow"
P = f"{W}/parameters"

EDITS: list[tuple[str, Edit]] = [
    ("nothing", lambda _: {}),
    ("a list", lambda _: [1]),
    ("no workflow id", drop(f"{W}/workflow_id")),
    ("a slash", lambda a: {**a, "a/b~c": 1}),
    ("a removed field", put("/confidence", 1)),
    ("a removed field within", put(f"{W}/container_image", "x")),
    ("an object for a text", put("/analysis_summary", {"a": 1})),
    ("an empty text", put("/analysis_summary", "")),
    ("a blank text", put("/analysis_summary", " ")),
    ("a level", put("/rca_severity", "Low")),
    ("a number above", put(f"{W}/confidence", 1.5)),
    ("a number below", put(f"{W}/confidence", -0.5)),
    ("a text for a number", put(f"{W}/confidence", "1")),
    ("true for a number", put(f"{W}/confidence", True)),
    ("an object as parameter", put(f"{P}/NAMESPACE", {"str": {"a": 1}})),
    ("a list as parameter", put(f"{P}/NAMESPACE", ["str"])),
    ("null as parameter", put(f"{P}/NAMESPACE", None)),
    ("texts", put("/warnings", ["a", 5, None])),
    ("alternatives", put("/alternative_workflows", [5, {}, {"workflow_id": 1, "confidence": 0.5, "rationale": "x", "version": 1}])),
    ("a text for the workflow", put(W, "x")),
    ("many", lambda a: {**a, **{f"more_{each}": each for each in range(40)}, "warnings": list(range(40))}),
]  # fmt: skip


def test_the_problems_of_answers_are_golden(incident: Scenario, golden: Callable[[str, str], None]) -> None:
    text = recorded(incident).messages[-1].content or ""
    lines: list[str] = []
    for name, edit in EDITS:
        answer = json.loads(text)
        lines.append(name)
        lines += [
            f"  {each.kind} at {each.pointer!r}: {each.expected}, not {each.found!r}"
            for each in schema_problems(CONTRACT, edit(answer) or answer)
        ]

    golden("extraction/problems.txt", "".join(f"{each}\n" for each in lines))


SPEC = ToolSpec(
    "find",
    "Finds.",
    {
        "type": "object",
        "properties": {
            "name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 5},
            "count": {"type": "integer", "minimum": 1},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "list": {"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": True, "maxItems": 3},
        },
        "required": ["name"],
        "additionalProperties": False,
    },
)
ARGUMENTS: list[Any] = [
    {"name": "a"}, {}, {"name": "A"}, {"name": "abcdef"}, {"name": 5}, {"name": "a", "count": 0}, {"name": "a", "count": 1.5},
    {"name": "a", "count": True}, {"name": "a", "count": 2.0}, {"name": "a", "labels": {"b": 1, "a": None}},
    {"name": "a", "list": ["a", "c", "a", "b"]}, {"name": "a", "other": 1}, [], None, "x",
    {f"x{each}": each for each in range(30)}, {"name": "x" * 500},
]  # fmt: skip
RAW = [
    "", "{", "[]", "5", '"x"', "null", "{}", '{"query": NaN}', '{"query": "a", "query": "b"}', '{"max_results": 1e999}',
    '{"query": ' + "[" * 70 + "]" * 70 + "}", '{"query": ' + "[" * 60 + "]" * 60 + "}", '{"query": "' + "x" * 200_000 + '"}',
    '{"query": 5}', '{"query": "a b c", "label.severity": 5, "custom_labels": [], "min_confidence": "x", "detected_labels": {"a": true}}',
    '{"query": "  a   b   c  d ", "label.signal-type": "s", "custom_labels": {"a": "b"}, "min_confidence": 0.5, "max_results": 3}',
]  # fmt: skip


def sent(transcript: Transcript, arguments: str) -> Sample:
    """Return the sample of a transcript whose searches were sent with these arguments."""

    def edited(message: Message) -> Message:
        calls = (
            replace(each, arguments=arguments) if each.name == SEARCH else each for each in message.tool_calls
        )
        return replace(message, tool_calls=tuple(calls))

    return read_sample(replace(transcript, messages=tuple(map(edited, transcript.messages))), CONTRACT, None)


def test_the_errors_of_arguments_are_golden(incident: Scenario, golden: Callable[[str, str], None]) -> None:
    lines: list[str] = []
    for given in ARGUMENTS:
        lines += [json.dumps(given)[:80], *(f"  {each}" for each in argument_errors(SPEC, given))]
    for text in RAW:
        sample = sent(recorded(incident), text)
        call = next(each for each in sample.calls if each.raw.name == SEARCH)
        lines += [
            text[:80],
            f"  {call.declared} {str(call.arguments)[:100]} {call.message}",
            *(f"  {each}" for each in call.errors),
        ]
        lines += [f"  searched {_searched(each)}" for each in sample.searches]

    golden("extraction/arguments.txt", "".join(f"{each}\n" for each in lines))


def _searched(each: Any) -> str:
    words = (
        each.query,
        each.signal_type,
        each.severity,
        each.keywords,
        each.custom_labels,
        each.detected_labels,
    )
    return repr((*words, dict(each.limits), dict(each.labels), each.total, len(each.hits or ())))


def test_broken_schemas_bind_nobody() -> None:
    for schema in ({"type": 5}, {"$ref": "#/nowhere"}, {"$ref": "https://example/x"}, {"pattern": "("}):
        assert argument_errors(replace(SPEC, parameters=schema), {"name": 5}) == ()


def test_results_belong_to_the_call_whose_id_they_name(incident: Scenario) -> None:
    def called(*messages: Message) -> list[str | None]:
        good = recorded(incident)
        sample = read_sample(replace(good, messages=(*messages, good.messages[-1])), CONTRACT, None)
        return [each.result for each in sample.calls]

    def call(*ids: str) -> Message:
        return Message("assistant", None, tuple(ToolCall(each, "kubectl_get", "{}") for each in ids))

    def said(text: str | None, call_id: str | None) -> Message:
        return Message("tool", text, tool_call_id=call_id)

    assert called(call("a", "b"), said("B", "b"), said("A", "a")) == ["A", "B"]
    assert called(call("a", "a"), said("1", "a"), said("2", "a")) == ["1", "2"]
    assert called(call("a"), said("1", "a"), call("a"), said("2", "a")) == ["1", "2"]
    assert called(call("a"), said("1", "b"), said("2", None)) == [None]
    assert called(call("a"), said(None, "a"), said("again", "a")) == [""]
    assert called(call(""), said("x", None)) == ["x"]


SCHEMAS: list[tuple[dict[str, Any], Any]] = [
    ({"pattern": "^a"}, "b"), ({"pattern": "^a"}, 5), ({"pattern": "a$"}, "a\n"), ({"pattern": r"^\d$"}, "٣"), ({"pattern": r"^\w$"}, "ü"),
    ({"patternProperties": {"^a": {"type": "string"}}}, {"ab": 5, "b": 5}), ({"patternProperties": {"^a": {}}}, 5),
    ({"patternProperties": {"^a": {}}, "additionalProperties": False}, {"ab": 5, "b": 5}),
    ({"patternProperties": {"^a": {}, "^c": {}}, "properties": {"b": {}}, "additionalProperties": {"type": "string"}}, {"b": 5, "c": 5, "d": 5}),
    ({"additionalProperties": False}, {"b": 5}), ({"additionalProperties": {"type": "string"}}, {"b": 5}), ({"additionalProperties": False}, 5),
    ({"uniqueItems": True}, [1, 1.0]), ({"uniqueItems": True}, [1, True]), ({"uniqueItems": True}, [{"a": [1]}, {"a": [1.0]}]),
    ({"uniqueItems": False}, [1, 1]), ({"uniqueItems": True}, "aa"), ({"uniqueItems": True}, [[1], [True]]), ({"uniqueItems": True}, ["a", {"a": 1}]),
    ({"$defs": {"x": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/x"}}}, {"a": 5}), ({"$ref": "#/nowhere"}, 5),
    ({"$schema": "http://json-schema.org/draft-04/schema#", "minimum": 5, "exclusiveMinimum": 5}, 5), ({"properties": {"$schema": {"type": "string"}}}, {"$schema": 5}),
    ({"anyOf": [{"$schema": "x", "type": "string"}]}, 5), ({"unevaluatedProperties": False, "patternProperties": {}}, {}),
    ({"allOf": [{"unevaluatedProperties": False}], "not": {"patternProperties": {}}}, {}), ({"type": 5}, 5), ({"enum": [1]}, True),
]  # fmt: skip


def test_the_breaches_of_schemas_are_golden(golden: Callable[[str, str], None]) -> None:
    lines: list[str] = []
    for schema, value in SCHEMAS:
        validator = compiled(schema)
        found = breaches(validator, value) if validator else None
        lines.append(
            f"{json.dumps(schema)} of {json.dumps(value)}: {'no check' if validator is None else None if found is None else ''}".rstrip()
        )
        lines += [
            f"  {list(each.path)} {list(each.schema_path)} {each.validator}: {each.message}"
            for each in found or ()
        ]

    golden("extraction/schemas.txt", "".join(f"{each}\n" for each in lines))


def test_a_check_has_so_many_steps() -> None:
    validator = compiled({"items": {"type": "integer"}})
    assert validator

    assert breaches(validator, [1] * 49_000) == []
    assert breaches(validator, ["x"] * 100_001) is None
    assert len(breaches(validator, ["x"] * 10, 3) or ()) == 3


def test_a_check_has_exactly_so_many_steps() -> None:
    validator = compiled({"type": "string"})
    assert validator

    assert len(breaches(validator, [1] * (MOST_STEPS - 1)) or ()) == 1
    assert breaches(validator, [1] * MOST_STEPS) is None


def test_arguments_have_exactly_so_many_characters(incident: Scenario) -> None:
    def read(length: int) -> Any:
        text = '{"query": "' + "x" * (length - 13) + '"}'
        assert len(text) == length
        return sent(recorded(incident), text).calls[-1]

    assert read(MAX_ARGUMENTS).valid
    assert read(MAX_ARGUMENTS + 1).errors == ("200001 characters; 200000 are the most",)


def test_why_arguments_are_not_json_is_told_in_a_few_words(incident: Scenario) -> None:
    (error,) = sent(recorded(incident), '{"query": nope}').calls[-1].errors

    assert error == "not JSON: Expecting value: line 1 column 11 (char 10)"


def test_code_of_somebodys_contract_that_returns_no_answer_is_told(incident: Scenario) -> None:
    def read(_: Any) -> Any:
        return 5

    mine = replace(CONTRACT, origin=Origin("contracts/mine", "0"), read=read)

    with pytest.raises(
        InvalidInput, match=r"^contracts/mine/contract.py: read returned int; it takes any JSON"
    ):
        read_sample(recorded(incident), mine, None)


def test_names_of_other_properties_are_searched_as_patterns_are() -> None:
    digits: dict[str, Any] = {"patternProperties": {r"^\d$": {}, "^a$": {}}, "additionalProperties": False}
    validator = compiled(digits)
    assert validator

    found = breaches(validator, {"5": 1, "a": 1, "٣": 1}) or ()
    assert "".join(each.message for each in found) == r"'٣' does not match any of the regexes: '^\\d$', '^a$'"


def test_the_members_of_a_keyword_are_steps_too() -> None:
    few, many = (compiled({"enum": [0] * count}) for count in (MOST_STEPS - 1, MOST_STEPS))
    assert few
    assert many

    assert len(breaches(few, "x") or ()) == 1
    assert breaches(many, "x") is None


def test_a_flood_of_one_kind_of_problem_is_cut(incident: Scenario) -> None:
    answer = json.loads(recorded(incident).messages[-1].content or "")
    found = schema_problems(CONTRACT, {**answer, **{f"more_{each}": 1 for each in range(MAX_PROBLEMS + 5)}})

    assert len(found) == MAX_PROBLEMS

"""Strict subsets: what becomes words, what becomes a choice, what is refused."""

import copy
import json
import re
from typing import Any

import pytest
from schema_views import (
    catalog,
    entry,
    every_contract,
    every_contract_with_parameters,
    every_strict,
    parameters_of,
    selection_place,
    suite_catalog,
    written,
)

from harness.contracts import CONTRACTS
from harness.contracts.schemas import response_schema
from harness.contracts.schemas.closing import closed
from harness.contracts.schemas.dialects import anthropic, gemini, openai_strict
from harness.contracts.schemas.tree import Schema, inlined, walk
from harness.errors import InvalidInput
from harness.model import Contract
from harness.model.catalog import Parameter


@every_contract_with_parameters
@every_strict
def test_an_open_map_asks_for_a_scenario(contract: Contract, dialect: str) -> None:
    place = re.escape(f"{selection_place(contract)}/parameters")
    with pytest.raises(
        InvalidInput, match=rf"pass --scenario: {place} is an open map, which {dialect} cannot state"
    ):
        response_schema(contract, dialect)


@every_contract
def test_openai_sends_every_property_of_closed_objects(contract: Contract) -> None:
    schema = response_schema(contract, "openai-strict", suite_catalog()).schema
    objects = [node for _, node in walk(schema) if node.get("type") == "object"]

    assert all(node["required"] == list(node["properties"]) for node in objects)
    assert all(node["additionalProperties"] is False for node in objects)
    assert all(node.keys().isdisjoint({"default", "minLength", "title"}) for _, node in walk(schema))


def test_an_optional_parameter_is_sent_or_left_out_but_never_null() -> None:
    one = entry(
        N=Parameter(type="string", required=True),
        HOW=Parameter(type="string"),
        OFTEN=Parameter(type="integer", default=3),
    )
    schema, dropped = response_schema(CONTRACTS[0], "openai-strict", [one])

    assert [list(each["properties"]) for each in parameters_of(schema)["anyOf"]] == [
        ["N", "OFTEN"],
        ["HOW", "N", "OFTEN"],
    ]
    assert parameters_of(schema)["anyOf"][0]["properties"]["OFTEN"]["description"] == "Default 3."
    assert not dropped


def test_choices_of_two_optional_parameters_begin_with_different_keys() -> None:
    one = entry(
        N=Parameter(type="string", required=True),
        M=Parameter(type="string", required=True),
        A=Parameter(type="string"),
        B=Parameter(type="string"),
    )
    schema, dropped = response_schema(CONTRACTS[0], "openai-strict", [one])

    assert [list(each["properties"]) for each in parameters_of(schema)["anyOf"]] == [
        ["N", "M"],
        ["A", "N", "M"],
        ["B", "N", "M"],
        ["M", "N", "A", "B"],
    ]
    assert not dropped


def test_a_choice_without_a_key_of_its_own_is_left_out_and_listed() -> None:
    one = entry(A=Parameter(type="string"), B=Parameter(type="string"))
    schema, dropped = response_schema(CONTRACTS[0], "openai-strict", [one])

    assert [list(each["properties"]) for each in parameters_of(schema)["anyOf"]] == [[], ["A"], ["B"]]
    assert dropped == ("/selected_workflow/parameters: A together with B",)


def test_more_than_two_optional_parameters_go_alone_or_all_together() -> None:
    names = ("A", "B", "C")
    required = Parameter(type="string", required=True)
    one = entry(N=required, M=required, **{name: Parameter(type="string") for name in names})
    schema, dropped = response_schema(CONTRACTS[0], "openai-strict", [one])

    assert [set(each["properties"]) - {"N", "M"} for each in parameters_of(schema)["anyOf"]] == [
        set(), {"A"}, {"B"}, {"C"}, {"A", "B", "C"},
    ]  # fmt: skip
    assert dropped == ("/selected_workflow/parameters: some of A, B, C without the others",)


def test_a_required_parameter_brings_what_it_depends_on() -> None:
    one = entry(
        N=Parameter(type="string", required=True, depends_on=["HOW"]),
        HOW=Parameter(type="string"),
    )
    schema = response_schema(CONTRACTS[0], "openai-strict", [one]).schema

    assert parameters_of(schema)["required"] == ["N", "HOW"]


@pytest.mark.parametrize(
    ("dialect", "sent"), [("openai-strict", [["N"], ["B", "N", "A"], ["A", "N"]]), ("anthropic", [["N"]])]
)
def test_a_default_is_no_reason_to_send_what_needs_another(dialect: str, sent: list[list[str]]) -> None:
    one = entry(
        N=Parameter(type="string", required=True),
        A=Parameter(type="string"),
        B=Parameter(type="string", default="b", depends_on=["A"]),
    )
    found = parameters_of(response_schema(CONTRACTS[0], dialect, [one]).schema)

    assert sorted(each["required"] for each in found.get("anyOf", [found])) == sorted(sent)


UNPORTABLE = [r"^(?!x)", r"(?<=a)b", r"(a)\1", r"\bword\b"]


@every_strict
@pytest.mark.parametrize("pattern", UNPORTABLE)
def test_a_pattern_that_engines_refuse_becomes_words(dialect: str, pattern: str) -> None:
    schema, dropped = written({"type": "string", "pattern": pattern}, dialect)

    assert schema == {"type": "string", "description": f"Matches the regular expression {pattern}."}
    assert dropped == (f"/: pattern {json.dumps(pattern)}",)


@every_strict
@pytest.mark.parametrize("pattern", [r"^[1-9][0-9]*(Mi|Gi)$", r"^20[0-9]{2}\.[0-9]{2}$", r"(?:a|b)\d\w\s"])
def test_a_plain_pattern_is_kept(dialect: str, pattern: str) -> None:
    schema = {"type": "string", "pattern": pattern}

    assert written(schema, dialect) == (schema, ())


DROPPED = [
    ("openai-strict", {"type": "string", "minLength": 2}, "Length at least 2."),
    ("openai-strict", {"type": "string", "maxLength": 9}, "Length at most 9."),
    ("openai-strict", {"type": "array", "items": {"type": "string"}, "uniqueItems": True}, "No item twice."),
    ("anthropic", {"type": "number", "minimum": 0, "maximum": 1}, "At least 0, at most 1."),
    ("anthropic", {"type": "integer", "multipleOf": 5}, "A multiple of 5."),
    ("anthropic", {"type": "array", "items": {"type": "string"}, "maxItems": 3}, "At most 3 items."),
    ("anthropic", {"type": "array", "items": {"type": "string"}, "minItems": 2}, "At least 2 items."),
    ("anthropic", {"type": "string", "format": "color"}, "In the format color."),
    ("gemini", {"type": "integer", "enum": [1, 2]}, "One of 1, 2."),
    ("gemini", {"type": "integer", "const": 1}, "Exactly 1."),
    ("gemini", {"type": "number", "exclusiveMinimum": 0}, "More than 0."),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "schema", "said"), DROPPED, ids=[f"{a} {c}" for a, _, c in DROPPED])
def test_a_constraint_that_cannot_be_stated_is_said_and_listed(
    dialect: str, schema: Schema, said: str
) -> None:
    made, dropped = written({**schema, "description": "A fact"}, dialect)

    kept = {key: value for key, value in schema.items() if key in {"type", "items"}}
    assert made == {**kept, "description": f"A fact. {said}"}
    assert len(dropped) == len(schema) - len(kept)


def test_a_length_that_the_pattern_implies_is_not_lost() -> None:
    assert openai_strict({"type": "string", "minLength": 1, "pattern": r"\S"}) == (
        {"type": "string", "pattern": r"\S"},
        (),
    )


@every_strict
def test_a_composition_is_refused_by_name(dialect: str) -> None:
    with pytest.raises(InvalidInput, match=f"found 'oneOf', which {dialect} cannot state"):
        written({"oneOf": [{"type": "string"}]}, dialect)


def test_gemini_says_null_in_the_first_branch_and_nothing_beside_anyof() -> None:
    schema, dropped = response_schema(CONTRACTS[0], "gemini", catalog(CONTRACTS[0]))
    selection = schema["properties"]["selected_workflow"]

    assert selection.keys() == {"anyOf"}
    assert [each.get("nullable", False) for each in selection["anyOf"]] == [True, False]
    assert "/selected_workflow/parameters: additionalProperties false" in dropped
    assert '"null"' not in json.dumps(schema)


def test_gemini_gets_no_object_without_properties() -> None:
    schema = response_schema(CONTRACTS[0], "gemini", [entry()]).schema
    selection = schema["properties"]["selected_workflow"]

    assert selection["nullable"] is True
    assert "parameters" not in selection["properties"]
    assert "parameters" not in selection["propertyOrdering"]


@pytest.mark.parametrize("write", [openai_strict, anthropic, gemini])
def test_writing_leaves_its_input_alone(write: Any) -> None:
    schema = closed(CONTRACTS[0], inlined(CONTRACTS[0].response), catalog(CONTRACTS[0]))
    before = copy.deepcopy(schema)
    write(schema)

    assert schema == before

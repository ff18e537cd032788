"""Schemas of answers: the contract's own, closed over a catalog, and too large for a provider."""

import json
import re

import pytest
from pydantic import BaseModel
from schema_views import (
    catalog,
    entry,
    every_contract,
    every_contract_with_parameters,
    every_strict,
    parameters_of,
    selection_place,
    selections,
    suite_catalog,
)

from harness.contracts import CONTRACTS
from harness.contracts.schemas import response_schema
from harness.contracts.schemas.limits import over_anthropic, over_openai
from harness.contracts.schemas.tree import Schema, inlined, walk
from harness.errors import InvalidInput, UnknownName
from harness.model import Contract, Entry
from harness.model.catalog import Parameter


@every_contract
def test_the_open_schema_stands_alone_and_has_no_titles(contract: Contract) -> None:
    schema, dropped = response_schema(contract)

    assert not dropped
    assert all(node.keys().isdisjoint({"$ref", "$defs", "title"}) for _, node in walk(schema))
    assert schema["description"]


class Node(BaseModel):
    below: "Node | None" = None


def test_a_model_that_contains_itself_is_refused() -> None:
    with pytest.raises(InvalidInput, match="Node: is defined by itself"):
        inlined(Node)


def test_a_property_called_title_is_no_title() -> None:
    class Titled(BaseModel):
        title: str

    assert inlined(Titled)["properties"] == {"title": {"type": "string"}}


@every_contract
def test_an_unknown_dialect_offers_the_nearest(contract: Contract) -> None:
    with pytest.raises(UnknownName, match="did you mean 'openai-strict'"):
        response_schema(contract, "openai")


@every_contract
def test_only_active_latest_entries_can_be_selected(contract: Contract) -> None:
    retired = [entry("old").model_copy(update=change) for change in ({"status": "deprecated"},
               {"status": "disabled"}, {"is_latest_version": False})]  # fmt: skip
    schema = response_schema(contract, entries=[*catalog(contract), *retired]).schema

    assert list(selections(schema)) == ["raise-memory-limit", "add-replicas"]
    version = selections(schema)["raise-memory-limit"]["properties"]["version"]
    assert version == {"type": "string", "const": "1.4.0"}


@every_contract_with_parameters
def test_declared_parameters_keep_their_constraints(contract: Contract) -> None:
    schema, dropped = response_schema(contract, entries=catalog(contract))

    assert parameters_of(schema, "raise-memory-limit") == {
        "type": "object",
        "properties": {
            "NAMESPACE": {"type": "string", "description": "Namespace of the deployment"},
            "DEPLOYMENT_NAME": {"type": "string", "description": "Name of the deployment"},
            "MEMORY_INCREMENT_MB": {"type": "integer", "default": 256, "minimum": 64, "maximum": 4096},
            "RESTART_MODE": {"type": "string", "enum": ["rolling", "none"]},
            "WINDOW": {
                "type": "string",
                "pattern": "^[0-9]+m$",
                "description": "Only together with RESTART_MODE.",
            },
        },
        "required": ["NAMESPACE", "DEPLOYMENT_NAME", "MEMORY_INCREMENT_MB"],
        "additionalProperties": False,
    }
    assert dropped == (f'{selection_place(contract)}/parameters/WINDOW: depends_on ["RESTART_MODE"]',)


@every_contract_with_parameters
def test_parameters_may_be_left_out_only_where_none_is_required(contract: Contract) -> None:
    bare, full = (
        entry("bare", A=Parameter(type="string")),
        entry("full", A=Parameter(type="string", required=True)),
    )
    chosen = selections(response_schema(contract, entries=[bare, full]).schema)

    assert "parameters" not in chosen["bare"]["required"]
    assert "parameters" in chosen["full"]["required"]


@every_contract_with_parameters
def test_what_hangs_on_a_required_parameter_needs_no_word(contract: Contract) -> None:
    one = entry(
        N=Parameter(type="string", required=True),
        A=Parameter(type="string", depends_on=["N"]),
    )
    schema, dropped = response_schema(contract, entries=[one])

    assert parameters_of(schema)["properties"]["A"] == {"type": "string"}
    assert not dropped


@every_contract
def test_null_stays_where_the_contract_allows_it(contract: Contract) -> None:
    schema = response_schema(contract, entries=catalog(contract)).schema
    nodes = [node for place, node in walk(schema) if place == selection_place(contract)]

    assert any({"type": "null"} in node.get("anyOf", ()) for node in nodes) is contract.may_decline


def test_alternatives_name_ids_of_the_catalog() -> None:
    schema = response_schema(CONTRACTS[0], entries=catalog(CONTRACTS[0])).schema
    named = schema["properties"]["alternative_workflows"]["items"]["properties"]["workflow_id"]

    assert named == {"type": "string", "enum": ["raise-memory-limit", "add-replicas"]}


@every_contract
def test_what_the_catalog_says_about_entries_stays_out(contract: Contract) -> None:
    text = json.dumps(response_schema(contract, entries=catalog(contract)).schema)

    assert not [each.workflow_id for each in catalog(contract) if each.description in text]
    assert "kubernaut.io" not in text


@every_contract
def test_an_empty_catalog_closes_nothing(contract: Contract) -> None:
    with pytest.raises(InvalidInput, match="no active, latest entry; leave out --scenario"):
        response_schema(contract, entries=[])


@every_contract
@every_strict
def test_the_suite_fits_every_provider(contract: Contract, dialect: str) -> None:
    assert response_schema(contract, dialect, suite_catalog()).schema["type"] == "object"


TOO_MUCH = [
    ("openai-strict", [entry(f"w{n}") for n in range(1001)], "1005 enum values, at most 1000"),
    (
        "openai-strict",
        [entry("one", **{f"P{n}": Parameter(type="string", required=True) for n in range(5001)})],
        "properties, at most 5000",
    ),
    ("openai-strict", [entry("w" * 130_000)], "characters in names and values, at most 120000"),
    (
        "openai-strict",
        [entry(f"w{n:060}") for n in range(251)],
        "characters in 251 enum values, at most 15000",
    ),
    ("openai-strict", [entry(), entry()], 'that begin alike, with workflow_id "one"'),
    (
        "anthropic",
        [entry("one", **{f"P{n}": Parameter(type="string") for n in range(25)})],
        "25 optional properties, at most 24",
    ),
]


@pytest.mark.parametrize(
    ("dialect", "entries", "refusal"), TOO_MUCH, ids=[f"{a} {c}" for a, _, c in TOO_MUCH]
)
def test_what_is_too_much_is_refused_with_number_and_limit(
    dialect: str, entries: list[Entry], refusal: str
) -> None:
    with pytest.raises(InvalidInput, match=f"{dialect} refuses .*{re.escape(refusal)}"):
        response_schema(CONTRACTS[0], dialect, entries)


def test_levels_and_unions_are_counted() -> None:
    nested: Schema = {"type": "object", "properties": {"x": {"type": "string"}}}
    for _ in range(10):
        nested = {"type": "object", "properties": {"x": nested}}
    either: Schema = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    wide: Schema = {"type": "object", "properties": {f"p{n}": either for n in range(17)}}

    assert list(over_openai(nested)) == ["11 levels of nesting, at most 10"]
    assert "17 unions, at most 16" in list(over_anthropic(wide))
    assert list(over_openai({"anyOf": [nested["properties"]["x"]]})) == ["a root that is no plain object"]

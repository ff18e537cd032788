"""Wire schemas against those who know: a constrained decoder, and the vendors' own transformers."""

import copy
import re
from collections.abc import Iterator
from typing import Annotated, Any, cast

import pytest
from grammar_model import grammar, say
from pydantic import TypeAdapter, WithJsonSchema
from schema_views import catalog, errors, every_contract, selected_id, selection_place, suite_catalog

from harness.contracts.schemas import response_schema
from harness.contracts.schemas.closing import closed
from harness.contracts.schemas.tree import Schema, inlined, walk
from harness.extraction.sample import schema_problems
from harness.model import Contract

DOCUMENTS = 40


def nulls(value: Any, place: str = "") -> Iterator[str]:
    """Yield the place of every null in a JSON value."""
    if value is None:
        yield place
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield from nulls(item, f"{place}/{key}")
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from nulls(item, f"{place}/*")


@every_contract
def test_the_open_schema_says_what_the_model_says(contract: Contract) -> None:
    ours, models = response_schema(contract).schema, contract.response.model_json_schema()

    for one, other in ((ours, models), (models, ours)):
        allowed = grammar(one)
        assert not any(errors(other, say(allowed, seed)) for seed in range(DOCUMENTS))


@every_contract
def test_whatever_the_closed_schema_allows_keeps_to_the_contract(contract: Contract) -> None:
    allowed = grammar(response_schema(contract, entries=catalog(contract)).schema)
    drawn = [say(allowed, seed) for seed in range(DOCUMENTS)]

    declined = {None} if contract.may_decline else set[None]()
    assert {selected_id(contract, each) for each in drawn} == {
        "raise-memory-limit", "add-replicas", *declined,
    }  # fmt: skip
    for each in drawn:
        assert schema_problems(contract, each) == ()


@every_contract
def test_whatever_openai_allows_keeps_to_contract_and_catalog(contract: Contract) -> None:
    allowed = grammar(response_schema(contract, "openai-strict", catalog(contract)).schema)
    strictest = closed(contract, inlined(contract.response), catalog(contract))

    for each in (say(allowed, seed) for seed in range(DOCUMENTS)):
        assert schema_problems(contract, each) == ()
        assert errors(strictest, each) == []
        assert set(nulls(each)) <= {selection_place(contract)}


@every_contract
def test_what_anthropic_cannot_state_is_all_that_can_go_wrong(contract: Contract) -> None:
    schema, dropped = response_schema(contract, "anthropic", catalog(contract))
    listed = {each.split(":")[0] for each in dropped}
    drawn = [say(grammar(schema), seed) for seed in range(DOCUMENTS)]
    problems = [problem for each in drawn for problem in schema_problems(contract, each)]

    assert problems
    assert {(re.sub(r"/\d+", "/*", each.pointer), each.kind) for each in problems} <= {
        (place, "wrong_value") for place in listed
    }


@every_contract
@pytest.mark.parametrize("dialect", ["json-schema", "openai-strict", "anthropic"])
def test_the_engine_takes_the_whole_catalog(contract: Contract, dialect: str) -> None:
    allowed = grammar(response_schema(contract, dialect, suite_catalog()).schema)

    assert say(allowed, 1).keys() >= set(inlined(contract.response)["required"])


@every_contract
def test_openais_own_transformer_changes_nothing(contract: Contract) -> None:
    from openai.lib._pydantic import to_strict_json_schema

    ours = response_schema(contract, "openai-strict", suite_catalog()).schema
    carrier: TypeAdapter[Any] = TypeAdapter(Annotated[Any, WithJsonSchema(copy.deepcopy(ours))])

    assert to_strict_json_schema(carrier) == ours


@every_contract
def test_anthropics_own_transformer_only_moves_patterns(contract: Contract) -> None:
    """The API documents simple patterns; its SDK moves all of them into descriptions."""
    from anthropic import transform_schema

    ours = response_schema(contract, "anthropic", suite_catalog()).schema

    assert transform_schema(copy.deepcopy(ours)) == with_patterns_moved(ours)


def with_patterns_moved(node: Any) -> Any:
    """Return the schema with patterns at the end of descriptions, as Anthropic's SDK spells them."""
    if isinstance(node, list):
        return [with_patterns_moved(each) for each in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    moved = {key: with_patterns_moved(value) for key, value in cast("Schema", node).items()}
    if isinstance(moved.get("pattern"), str):
        said = f"{{pattern: {moved.pop('pattern')}}}"
        moved["description"] = "\n\n".join(filter(None, (moved.get("description"), said)))
    return moved


@every_contract
def test_googles_own_transformer_only_spells_types_in_capitals(contract: Contract) -> None:
    from google.genai._transformers import t_schema

    ours = response_schema(contract, "gemini", suite_catalog()).schema
    theirs = t_schema(None, copy.deepcopy(ours))

    assert theirs is not None
    assert theirs.model_dump(mode="json", by_alias=True, exclude_unset=True) == with_capital_types(ours)


def with_capital_types(node: Any) -> Any:
    """Return the schema with types as Google's own enumeration spells them."""
    if isinstance(node, list):
        return [with_capital_types(each) for each in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    spelled = {key: with_capital_types(value) for key, value in cast("Schema", node).items()}
    if isinstance(spelled.get("type"), str):
        spelled["type"] = spelled["type"].upper()
    return spelled


@every_contract
def test_vendors_lose_the_open_map_without_a_word(contract: Contract) -> None:
    """Why a strict subset needs a scenario: Anthropic's SDK leaves an object that can only be empty."""
    from anthropic import transform_schema

    lost = [
        node["properties"]["parameters"]
        for _, node in walk(transform_schema(inlined(contract.response)))
        if "parameters" in node.get("properties", {})
    ]

    assert [(each["properties"], each["additionalProperties"]) for each in lost] == [({}, False)]

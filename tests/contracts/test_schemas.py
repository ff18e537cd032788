"""Wire schemas: what each provider is sent, what it can no longer state, and what it refuses."""

import copy
import json
import re
from collections.abc import Iterator
from typing import Annotated, Any, cast

import pytest
from grammar_model import grammar, say
from jsonschema import Draft202012Validator
from pydantic import BaseModel, TypeAdapter, WithJsonSchema

from harness.contracts import CONTRACTS
from harness.contracts.schemas import DIALECTS, response_schema
from harness.contracts.schemas.closing import closed
from harness.contracts.schemas.dialects import anthropic, gemini, openai_strict
from harness.contracts.schemas.limits import over_anthropic, over_openai
from harness.contracts.schemas.tree import Schema, inlined, walk
from harness.errors import InvalidInput, UnknownName
from harness.extraction.sample import schema_problems
from harness.model import Contract, Entry, Scenario
from harness.model.catalog import Parameter
from harness.model.scenario import Flow
from harness.scenarios.load import CHECKOUT, Project, load_scenarios

STRICT = [each.name for each in DIALECTS if each.name != "json-schema"]
DOCUMENTS = 40

every_contract = pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.id)
every_strict = pytest.mark.parametrize("dialect", STRICT)


@pytest.fixture
def catalog(contract: Contract, incident: Scenario, recovery: Scenario) -> list[Entry]:
    """The small catalog: two workflows, one of them with two optional parameters that hang together."""
    by_flow: dict[Flow, Scenario] = {"incident": incident, "recovery": recovery}
    return by_flow[contract.flow].catalog


@pytest.fixture(scope="session")
def suite_catalog() -> list[Entry]:
    """The largest catalog of the suite."""
    return max((each.catalog for each in load_scenarios(Project(CHECKOUT), [])), key=len)


def entry(workflow_id: str = "one", /, **parameters: Parameter) -> Entry:
    return Entry(workflow_id=workflow_id, version="1.0.0", description="x", labels={}, parameters=parameters)


def selections(schema: Schema) -> dict[str, Schema]:
    """Return the closed selections by id."""
    nodes = [node for _, node in walk(schema) if "const" in node.get("properties", {}).get("workflow_id", {})]
    return {node["properties"]["workflow_id"]["const"]: node for node in nodes}


def parameters_of(schema: Schema, workflow_id: str = "one") -> Schema:
    return selections(schema)[workflow_id]["properties"]["parameters"]


def written(schema: Schema, dialect: str) -> tuple[Schema, tuple[str, ...]]:
    write = next(each.write for each in DIALECTS if each.name == dialect)
    return write(schema)


def errors(schema: Schema, value: Any) -> list[str]:
    validator: Any = Draft202012Validator(schema)
    return [each.message for each in validator.iter_errors(value)]


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


# The contract's own schema.


@every_contract
def test_the_open_schema_stands_alone_and_has_no_titles(contract: Contract) -> None:
    schema, dropped = response_schema(contract)

    assert not dropped
    assert all(node.keys().isdisjoint({"$ref", "$defs", "title"}) for _, node in walk(schema))
    assert schema["description"]


@every_contract
def test_the_open_schema_says_what_the_model_says(contract: Contract) -> None:
    ours, models = response_schema(contract).schema, contract.response.model_json_schema()

    for one, other in ((ours, models), (models, ours)):
        allowed = grammar(one)
        assert not any(errors(other, say(allowed, seed)) for seed in range(DOCUMENTS))


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


# Closed over a catalog.


@every_contract
def test_only_active_latest_entries_can_be_selected(contract: Contract, catalog: list[Entry]) -> None:
    retired = [entry("old").model_copy(update=change) for change in ({"status": "deprecated"},
               {"status": "disabled"}, {"is_latest_version": False})]  # fmt: skip
    schema = response_schema(contract, entries=[*catalog, *retired]).schema

    assert list(selections(schema)) == ["raise-memory-limit", "add-replicas"]
    version = selections(schema)["raise-memory-limit"]["properties"]["version"]
    assert version == {"type": "string", "const": "1.4.0"}


@every_contract
def test_declared_parameters_keep_their_constraints(contract: Contract, catalog: list[Entry]) -> None:
    schema, dropped = response_schema(contract, entries=catalog)

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
    assert dropped == ('/selected_workflow/parameters/WINDOW: depends_on ["RESTART_MODE"]',)


@every_contract
def test_parameters_may_be_left_out_only_where_none_is_required(contract: Contract) -> None:
    bare, full = (
        entry("bare", A=Parameter(type="string")),
        entry("full", A=Parameter(type="string", required=True)),
    )
    chosen = selections(response_schema(contract, entries=[bare, full]).schema)

    assert "parameters" not in chosen["bare"]["required"]
    assert "parameters" in chosen["full"]["required"]


@every_contract
def test_null_stays_where_the_contract_allows_it(contract: Contract, catalog: list[Entry]) -> None:
    schema = response_schema(contract, entries=catalog).schema

    assert {"type": "null"} in schema["properties"]["selected_workflow"]["anyOf"]


def test_alternatives_name_ids_of_the_catalog(incident: Scenario) -> None:
    schema = response_schema(CONTRACTS[0], entries=incident.catalog).schema
    named = schema["properties"]["alternative_workflows"]["items"]["properties"]["workflow_id"]

    assert named == {"type": "string", "enum": ["raise-memory-limit", "add-replicas"]}


@every_contract
def test_what_the_catalog_says_about_entries_stays_out(contract: Contract, catalog: list[Entry]) -> None:
    text = json.dumps(response_schema(contract, entries=catalog).schema)

    assert not [each.workflow_id for each in catalog if each.description in text]
    assert "kubernaut.io" not in text


@every_contract
def test_an_empty_catalog_closes_nothing(contract: Contract) -> None:
    with pytest.raises(InvalidInput, match="no active, latest entry; leave out --scenario"):
        response_schema(contract, entries=[])


# What a constrained decoder makes of them.


@every_contract
def test_whatever_the_closed_schema_allows_keeps_to_the_contract(
    contract: Contract, catalog: list[Entry]
) -> None:
    allowed = grammar(response_schema(contract, entries=catalog).schema)
    drawn = [say(allowed, seed) for seed in range(DOCUMENTS)]

    assert {each["selected_workflow"] and each["selected_workflow"]["workflow_id"] for each in drawn} == {
        None, "raise-memory-limit", "add-replicas",
    }  # fmt: skip
    for each in drawn:
        assert schema_problems(contract, each) == ()


@every_contract
def test_whatever_openai_allows_keeps_to_contract_and_catalog(
    contract: Contract, catalog: list[Entry]
) -> None:
    allowed = grammar(response_schema(contract, "openai-strict", catalog).schema)
    strictest = closed(contract, inlined(contract.response), catalog)

    for each in (say(allowed, seed) for seed in range(DOCUMENTS)):
        assert schema_problems(contract, each) == ()
        assert errors(strictest, each) == []
        assert set(nulls(each)) <= {"/selected_workflow"}


@every_contract
def test_what_anthropic_cannot_state_is_all_that_can_go_wrong(
    contract: Contract, catalog: list[Entry]
) -> None:
    schema, dropped = response_schema(contract, "anthropic", catalog)
    listed = {each.split(":")[0] for each in dropped}
    drawn = [say(grammar(schema), seed) for seed in range(DOCUMENTS)]
    problems = [problem for each in drawn for problem in schema_problems(contract, each)]

    assert problems
    assert {(re.sub(r"/\d+", "/*", each.pointer), each.kind) for each in problems} <= {
        (place, "wrong_value") for place in listed
    }


@every_contract
@pytest.mark.parametrize("dialect", ["json-schema", "openai-strict", "anthropic"])
def test_the_engine_takes_the_whole_catalog(
    contract: Contract, dialect: str, suite_catalog: list[Entry]
) -> None:
    allowed = grammar(response_schema(contract, dialect, suite_catalog).schema)

    assert say(allowed, 1).keys() >= set(inlined(contract.response)["required"])


# Strict subsets.


@every_contract
@every_strict
def test_an_open_map_asks_for_a_scenario(contract: Contract, dialect: str) -> None:
    with pytest.raises(
        InvalidInput,
        match=rf"pass --scenario: /selected_workflow/parameters is an open map, which {dialect} cannot state",
    ):
        response_schema(contract, dialect)


@every_contract
def test_openai_sends_every_property_of_closed_objects(
    contract: Contract, suite_catalog: list[Entry]
) -> None:
    schema = response_schema(contract, "openai-strict", suite_catalog).schema
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


def test_gemini_says_null_in_the_first_branch_and_nothing_beside_anyof(incident: Scenario) -> None:
    schema, dropped = response_schema(CONTRACTS[0], "gemini", incident.catalog)
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


# Limits.


@every_contract
@every_strict
def test_the_suite_fits_every_provider(contract: Contract, dialect: str, suite_catalog: list[Entry]) -> None:
    assert response_schema(contract, dialect, suite_catalog).schema["type"] == "object"


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


# The vendors' own transformers, as oracles.


@every_contract
def test_openais_own_transformer_changes_nothing(contract: Contract, suite_catalog: list[Entry]) -> None:
    from openai.lib._pydantic import to_strict_json_schema

    ours = response_schema(contract, "openai-strict", suite_catalog).schema
    carrier: TypeAdapter[Any] = TypeAdapter(Annotated[Any, WithJsonSchema(copy.deepcopy(ours))])

    assert to_strict_json_schema(carrier) == ours


@every_contract
def test_anthropics_own_transformer_only_moves_patterns(
    contract: Contract, suite_catalog: list[Entry]
) -> None:
    """The API documents simple patterns; its SDK moves all of them into descriptions."""
    from anthropic import transform_schema

    ours = response_schema(contract, "anthropic", suite_catalog).schema

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
def test_googles_own_transformer_only_spells_types_in_capitals(
    contract: Contract, suite_catalog: list[Entry]
) -> None:
    from google.genai._transformers import t_schema

    ours = response_schema(contract, "gemini", suite_catalog).schema
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


@pytest.mark.parametrize("write", [openai_strict, anthropic, gemini])
def test_writing_leaves_its_input_alone(write: Any, incident: Scenario) -> None:
    schema = closed(CONTRACTS[0], inlined(CONTRACTS[0].response), incident.catalog)
    before = copy.deepcopy(schema)
    write(schema)

    assert schema == before

"""What a version changed: every difference by what it does to an answer that was right before."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, create_model

from harness.contracts import CONTRACTS, load_contract
from harness.contracts.differences import KINDS, MEANING, Difference, differences, to_bless_again
from harness.model import Contract, ToolSpec

W = load_contract("workflow-selection-2.7")
R = load_contract("workflow-recovery-1.0")
TOOL = W.catalog_tool
assert TOOL


class Choice(BaseModel):
    model_config = ConfigDict(extra="forbid")

    workflow_id: str
    confidence: float = Field(ge=0, le=1)
    rationale: str | None = None


class Old(BaseModel):
    model_config = ConfigDict(extra="forbid")

    summary: str
    level: Literal["low", "high"]
    note: str | None = None
    chosen: Choice | None
    others: list[Choice] = []


PLACES = {"summary": "/summary", "severity": "/level", "selection": "/chosen", "alternatives": "/others"}


def contract(response: type[BaseModel] = Old, places: dict[str, str] = PLACES, **changes: Any) -> Contract:
    return replace(W, response=response, places=places, **changes)


def found(old: Contract, new: Contract) -> set[tuple[str, str]]:
    return {(each.kind, each.place) for each in differences(old, new)}


def variant(**fields: Any) -> type[BaseModel]:
    """Return Old with fields replaced, added, or, where None, taken away."""
    made: dict[str, Any] = {name: (each.annotation, each) for name, each in Old.model_fields.items()}
    made |= fields
    kept = {name: each for name, each in made.items() if each is not None}
    return create_model("New", __config__=ConfigDict(extra="forbid"), **kept)


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (variant(reason=(str, ...)), ("breaking", "/reason")),
        (variant(reason=(str | None, None)), ("loosening", "/reason")),
        (variant(summary=None), ("breaking", "/summary")),
        (variant(note=None), ("tightening", "/note")),
        (variant(note=(str, ...)), ("tightening", "/note")),
        (variant(summary=(str | None, None)), ("loosening", "/summary")),
        (variant(summary=(int, ...)), ("breaking", "/summary")),
        (variant(level=(Literal["low", "high", "medium"], ...)), ("loosening", "/level")),
        (variant(level=(Literal["low"], ...)), ("tightening", "/level")),
        (variant(level=(Literal["mild", "bad"], ...)), ("breaking", "/level")),
        (variant(level=(str, ...)), ("loosening", "/level")),
        (variant(summary=(str, Field(min_length=3))), ("tightening", "/summary")),
        (variant(summary=(str, Field(pattern="x"))), ("tightening", "/summary")),
        (variant(chosen=(Choice, ...)), ("tightening", "/chosen")),
    ],
)
def test_a_changed_answer_is_judged_from_the_side_of_the_old_one(
    response: type[BaseModel], expected: tuple[str, str]
) -> None:
    assert expected in found(contract(), contract(response))


def test_the_way_back_is_the_opposite() -> None:
    narrow = contract(variant(level=(Literal["low"], ...)))

    assert found(contract(), narrow) == {("tightening", "/level")}
    assert found(narrow, contract()) == {("loosening", "/level")}


def test_a_part_at_another_place_is_renamed_and_its_inside_is_not_told_again() -> None:
    class Named(BaseModel):
        model_config = ConfigDict(extra="forbid")

        summary: str
        severity: Literal["low", "high"]
        note: str | None = None
        picked: Choice | None
        others: list[Choice] = []

    new = contract(Named, {**PLACES, "severity": "/severity", "selection": "/picked"})

    assert found(contract(), new) == {("renamed", "/level"), ("renamed", "/chosen")}


def test_another_key_for_ids_is_renamed_wherever_ids_stand() -> None:
    class Playbook(BaseModel):
        model_config = ConfigDict(extra="forbid")

        playbook_id: str
        confidence: float = Field(ge=0, le=0.5)
        rationale: str | None = None

    made = variant(chosen=(Playbook | None, ...), others=(list[Playbook], []))
    fields = {**W.result.fields, "id": "playbook_id"}

    assert found(contract(), contract(made, result=replace(W.result, fields=fields))) == {
        ("renamed", "/chosen/workflow_id"),
        ("renamed", "/others/*/workflow_id"),
        ("tightening", "/chosen/confidence"),
        ("tightening", "/others/*/confidence"),
        ("renamed", "workflow_id"),
    }


def tool(**changes: Any) -> ToolSpec:
    assert TOOL
    return replace(TOOL, **changes)


def test_a_search_spelled_otherwise_is_renamed() -> None:
    assert TOOL
    properties = {
        key.replace("label.environment", "environment"): value
        for key, value in TOOL.parameters["properties"].items()
    }
    new = replace(
        W,
        labels={**W.labels, "environment": "environment"},
        catalog_tool=tool(name="find", parameters={**TOOL.parameters, "properties": properties}),
    )

    assert found(W, new) == {("renamed", "search_workflow_catalog"), ("renamed", "/label.environment")}


def test_a_search_that_must_say_more_or_is_no_more() -> None:
    assert TOOL
    strict = tool(parameters={**TOOL.parameters, "required": ["query", "label.environment"]})

    assert found(W, replace(W, catalog_tool=strict)) == {("tightening", "/label.environment")}
    assert found(W, replace(W, catalog_tool=None)) == {("breaking", "catalog tool")}
    assert found(replace(W, catalog_tool=None), W) == {("breaking", "catalog tool")}
    assert found(W, replace(W, query_word="again")) == {("breaking", "query")}
    assert found(replace(W, query_word="again"), W) == {("loosening", "query")}
    assert found(replace(W, query_leads=False), W) == {("breaking", "query")}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"signal_types": W.signal_types[1:]}, ("tightening", "signal types")),
        ({"signal_types": (*W.signal_types, "Throttled")}, ("loosening", "signal types")),
        ({"severities": (*W.severities, "info")}, ("loosening", "severities")),
        ({"confidence": "own"}, ("breaking", "confidence")),
        ({"clauses": tuple(each for each in W.clauses if each != "PAS-7")}, ("loosening", "PAS-7")),
        ({"clauses": (*W.clauses, "REP-1")}, ("tightening", "REP-1")),
        ({"withheld": (*W.withheld, "cost")}, ("tightening", "cost")),
        ({"withheld": W.withheld[1:]}, ("loosening", W.withheld[0])),
        ({"prompt_fields": (*W.prompt_fields, "region")}, ("breaking", "region")),
        ({"sections": W.sections[:-1]}, ("loosening", W.sections[-1].title)),
        ({"flow": "recovery"}, ("breaking", "flow")),
        ({"may_decline": False}, ("tightening", "no workflow fits")),
        ({"query_leads": False}, ("loosening", "query")),
        ({"result": replace(W.result, parameters="array")}, ("breaking", "parameter definitions")),
        ({"result": replace(W.result, total_key=None)}, ("breaking", "total_results")),
        ({"result": replace(W.result, total_key="total")}, ("renamed", "total_results")),
    ],
)
def test_everything_else_that_a_contract_owns(changes: dict[str, Any], expected: tuple[str, str]) -> None:
    assert found(W, replace(W, **changes)) == {expected}


@pytest.mark.parametrize("each", CONTRACTS, ids=lambda each: each.id)
def test_a_contract_does_not_differ_from_itself(each: Contract) -> None:
    assert differences(each, each) == []
    assert to_bless_again(each, each, []) == []


def test_breaking_ones_come_first_and_say_what_to_bless_again() -> None:
    told: list[Difference] = differences(W, R)

    assert told[0].kind == "breaking"
    assert ("renamed", "/rca_severity") in {(each.kind, each.place) for each in told}
    assert f"golden/answers/{R.id}/" in to_bless_again(W, R, told)
    assert any("baseline of workflow-selection-2.7" in each for each in to_bless_again(W, R, told))


PAGE = Path(__file__).parents[2] / "docs" / "reference" / "contract-differences.md"
HEAD = """# What differs between the released contracts

Each pair once, from the side of what was right under the first: `harness schema FIRST --diff SECOND` prints
the same, and `--json` gives it to programs.
"""


def page() -> str:
    parts = [HEAD]
    for index, old in enumerate(CONTRACTS):
        for new in CONTRACTS[index + 1 :]:
            told = differences(old, new)
            parts.append(f"## From {old.id} to {new.id}\n")
            for kind in KINDS:
                listed = [each for each in told if each.kind == kind]
                if listed:
                    parts.append(f"**{kind.capitalize()}**: {MEANING[kind]}.\n")
                    parts.append(
                        "".join(f"- {each.subject}: `{each.place}` {each.says}\n" for each in listed)
                    )
            again = "".join(f"- {each}\n" for each in to_bless_again(old, new, told))
            parts.append(f"To be blessed again:\n\n{again}")
    return "\n".join(parts)


def test_the_page_of_differences_is_of_today(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden"):
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page(), encoding="utf-8")

    assert PAGE.read_text(encoding="utf-8") == page()

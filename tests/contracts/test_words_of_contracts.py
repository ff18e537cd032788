"""What contracts say, word for word: every difference both ways, every move of the rubric, every part read."""
# ruff: noqa: E501 - one row of a table is one line

import itertools
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field
from test_contract_differences import PLACES, Choice, W, contract, variant

from harness.contracts import CONTRACTS, load_contract, reading, wire
from harness.contracts.clauses import clause
from harness.contracts.differences import differences, to_bless_again
from harness.contracts.rubric import admissible
from harness.errors import UnknownName
from harness.model import Contract, Hit, Message, Scenario, ToolSpec
from harness.model.scenario import Impact


class Bounded(BaseModel):
    model_config = ConfigDict(extra="forbid")

    count: int | None = None
    share: float = Field(ge=0, le=1)
    name: str = Field(min_length=1, max_length=9, pattern="^a")
    kind: Literal["x"]
    listed: list[Choice] = Field(min_length=1, max_length=3)


class Looser(BaseModel):
    model_config = ConfigDict(extra="forbid")

    count: int | str | None = None
    share: float = Field(ge=-1, le=2)
    name: str = Field(max_length=10)
    kind: Literal["x", "y"]
    listed: list[Choice] = []


class Other(BaseModel):
    model_config = ConfigDict(extra="forbid")

    count: str
    share: float = Field(ge=0.5, le=0.5)
    name: str = Field(min_length=2, max_length=9, pattern="^b")
    kind: Literal["z"]
    listed: list[str]


TOOL = W.catalog_tool
assert TOOL
SHAPE = W.result


def tool(**changes: Any) -> ToolSpec:
    assert TOOL
    return replace(TOOL, **changes)


def shape(**changes: Any) -> Contract:
    return replace(W, result=replace(SHAPE, **changes))


MADE: list[tuple[str, Contract, Contract]] = [
    *((f"{a.__name__} to {b.__name__}", contract(a, {}), contract(b, {})) for a, b in itertools.permutations((Bounded, Looser, Other), 2)),
    ("a note required", contract(), contract(variant(note=(str, ...)))),
    ("any text for a level", contract(), contract(variant(level=(str, ...)))),
    ("a reason required", contract(), contract(variant(reason=(str, ...)))),
    ("a reason allowed", contract(), contract(variant(reason=(str | None, None)))),
    ("no severity", contract(), contract(variant(level=None), {k: v for k, v in PLACES.items() if k != "severity"})),
    ("no others", contract(), contract(variant(others=None), {k: v for k, v in PLACES.items() if k != "alternatives"})),
    ("no tool", W, replace(W, catalog_tool=None)),
    ("another tool", W, replace(W, catalog_tool=tool(name="find"))),
    ("a query word", W, replace(W, query_word="again")),
    ("another query word", replace(W, query_word="again"), replace(W, query_word="anew")),
    ("a query that follows", W, replace(W, query_leads=False)),
    ("another list", W, shape(list_key="entries")),
    ("parameters in an array", W, shape(parameters="array")),
    ("another total", W, shape(total_key="count")),
    ("no total", W, shape(total_key=None)),
    ("no version", W, shape(fields={k: v for k, v in SHAPE.fields.items() if k != "version"})),
    ("another version", W, shape(fields={**SHAPE.fields, "version": "revision"})),
    ("a title", W, shape(fields={**SHAPE.fields, "title": "title"})),
    ("fewer signal types", W, replace(W, signal_types=W.signal_types[2:])),
    ("another severity", W, replace(W, severities=(*W.severities[1:], "info"))),
    ("an own confidence", W, replace(W, confidence="own")),
    ("no declining", W, replace(W, may_decline=False)),
    ("fewer clauses", W, replace(W, clauses=tuple(each for each in W.clauses if each not in {"PAS-7", "SEL-6"}))),
    ("more clauses", W, replace(W, clauses=(*W.clauses, "REP-1", "REC-6"))),
    ("more withheld", W, replace(W, withheld=(*W.withheld, "cost"))),
    ("another prompt field", W, replace(W, prompt_fields=(*W.prompt_fields[1:], "region"))),
    ("fewer sections", W, replace(W, sections=W.sections[1:])),
    ("another flow", W, replace(W, flow="recovery")),
]  # fmt: skip


def told(old: Contract, new: Contract) -> Iterator[str]:
    found = differences(old, new)
    for each in found:
        yield f"  {each.kind} {each.subject} {each.place}: {each.says}"
    for each in to_bless_again(old, new, found):
        yield f"  bless {each}"


def test_the_words_of_differences_are_golden(golden: Callable[[str, str], None]) -> None:
    lines: list[str] = []
    for old, new in itertools.combinations(reversed(CONTRACTS), 2):
        lines += [f"{old.id} to {new.id}", *told(old, new)]
    for name, old, new in MADE:
        lines += [name, *told(old, new), f"{name}, backwards", *told(new, old)]

    golden("contracts/differences.txt", "".join(f"{each}\n" for each in lines))


FACTS: dict[str, list[Any]] = {
    "users_affected": [None, 0, 5, 10, 20, 50, 51],
    "error_rate": [None, 0.5, 1, 5, 10, 11, 50, 51, 100],
    "service": [None, "down", "degraded", "working"],
    "revenue_loss": [None, True, False],
    "sla": [None, "violated", "at_risk", "kept"],
    "trend": [None, "escalating", "stable", "improving"],
    "data": [None, "lost", "at_risk", "safe"],
    "workaround": [None, True, False],
}
PAIRED = {**FACTS, "users_affected": [None, 0, 10, 20, 60], "error_rate": [None, 0.5, 11, 51, 100]}
ENVIRONMENTS = [None, "production", "staging", "development", "test", "elsewhere"]


def situations() -> Iterator[tuple[dict[str, Any], list[str | None]]]:
    """Yield every fact alone in every environment, and two of them together in those that differ."""
    for name, values in FACTS.items():
        yield from (({name: value} if value is not None else {}, ENVIRONMENTS) for value in values)
    for names in itertools.combinations(PAIRED, 2):
        for pair in itertools.product(*(PAIRED[each] for each in names)):
            if None not in pair:
                yield dict(zip(names, pair, strict=True)), ENVIRONMENTS[:2]


def assessed(facts: dict[str, Any], environment: str | None) -> str:
    found = admissible(Impact(**facts), environment)
    if found is None:
        return "nothing"
    moves = "; ".join(f"{each.factor} ({each.facts}) {'/'.join(each.levels)}" for each in found.moves)
    return f"{'/'.join(found.levels)} by {moves}{''.join(f', edge {each}' for each in found.on_edge)}"


def test_the_moves_of_the_rubric_are_golden(golden: Callable[[str, str], None]) -> None:
    lines: dict[str, None] = {}
    for facts, places in situations():
        stated = " ".join(f"{name}={value}" for name, value in facts.items()) or "no fact"
        environments: dict[str, list[str]] = {}
        for each in places:
            environments.setdefault(assessed(facts, each), []).append(each or "none")
        lines |= {f"{stated} in {', '.join(names)}: {said}": None for said, names in environments.items()}

    golden("contracts/rubric.txt", "".join(f"{each}\n" for each in lines))


ANSWERS: list[Any] = [
    {}, [], None, "x", {"selected_workflow": None}, {"selected_workflow": []}, {"selected_workflow": {}},
    {"strategies": []}, {"strategies": {}}, {"strategies": [5]}, {"strategies": [{}, {"playbook_id": "b"}, 5]},
    {"selected_workflow": {"workflow_id": 5, "version": 1, "confidence": True, "rationale": None, "parameters": []}},
    {"selected_workflow": {"workflow_id": "a", "version": "1", "confidence": 1, "rationale": "r", "parameters": {"a": 1}}},
    {"alternative_workflows": 5}, {"alternative_workflows": [{"workflow_id": "a", "parameters": {}}, 5]},
    {"warnings": ["a", 5]}, {"warnings": "a"}, {"warnings": ["a", "b"]}, {"rca_severity": "low", "analysis_summary": 5},
    {"selected_playbook": {"playbook_id": "a"}, "alternative_playbooks": [{"playbook_id": "b"}], "severity": "low"},
    {"recovery_analysis": {
        "previous_attempt_assessment": {
            "failure_understood": True, "failure_reason_analysis": "f", "state_changed": False, "current_signal_type": "A"},
        "current_rca": {"summary": "s", "severity": "low", "signal_type": "B", "contributing_factors": ["x"]}},
     "recovery_strategy": {"approach": "p", "differs_from_previous": True, "why_different": "w"}},
    {"recovery_analysis": {"previous_attempt_assessment": [], "current_rca": {"summary": 1, "severity": 2, "signal_type": 3}}},
]  # fmt: skip


def test_what_is_read_of_an_answer_is_golden(golden: Callable[[str, str], None]) -> None:
    lines: list[str] = []
    for value in ANSWERS:
        lines.append(json.dumps(value))
        lines += [f"  {each.id}: {each.read(value)!r}" for each in CONTRACTS]
    answer: dict[str, Any] = {"a": [{"b~c": 1}, "x", True, 1.5], "d": {"0": "zero", "": "blank"}, "e": None}
    for pointer in (
        "",
        "/a",
        "/a/0",
        "/a/1",
        "/a/3",
        "/a/4",
        "/a/-1",
        "/a/x",
        "/d/0",
        "/d/",
        "/e",
        "/e/f",
        "/a/1/0",
        "/f",
    ):
        read = (reading.at, reading.text, reading.number, reading.boolean, reading.mapping, reading.texts)
        lines.append(f"{pointer}: {' | '.join(repr(each(answer, pointer)) for each in read)}")
    lines.append(f"first: {reading.alternatives(ANSWERS[10], '/strategies', 'playbook_id', first=1)!r}")
    lines.append(f"all: {reading.alternatives(ANSWERS[10], '/strategies', 'playbook_id')!r}")
    lines.append(repr(reading.nothing_read()))

    golden("contracts/readings.txt", "".join(f"{each}\n" for each in lines))


HITS = (
    Hit(
        "a", "1.0", 0.9, {"B": {"type": "string"}, "A": {"type": "integer", "required": True}}, "T", "D", "5m"
    ),
    Hit("ü", None, None, {}, None, None, None),
)
ROWS: list[Any] = [
    {}, 5, {"id": None}, {"workflow_id": 5, "version": 2, "confidence": "0.9", "title": 1, "parameters": 5},
    {"workflow_id": "a", "playbook_id": "p", "confidence": True, "parameters": [{"name": "X", "type": "string"}, {"name": 5}, 5]},
    {"workflow_id": "b", "playbook_id": "q", "version": None, "confidence": 1, "description": "d", "estimated_duration": "5m"},
]  # fmt: skip
ARGUMENTS: list[dict[str, Any]] = [
    {}, {"query": 5}, {"query": "q", "label.severity": "low", "severity": "high", "signal_type": "S", "label.x": 1},
    {"query": " q ", "label.signal-type": 5, "label.environment": "production", "environment": "test"},
]  # fmt: skip


def test_the_catalog_on_the_wire_is_golden(golden: Callable[[str, str], None]) -> None:
    lines: list[str] = []
    for each in CONTRACTS:
        shown = wire.encode_hits(each, HITS, 7)
        listed = {each.result.list_key: ROWS, each.result.total_key or "x": 3}
        texts = [shown, json.dumps(listed), json.dumps({**listed, each.result.total_key or "x": "3"}), None, "", "[", "[]", "{}",
                 json.dumps({each.result.list_key: {}}), "[" * 100_000]  # fmt: skip
        lines += [each.id, shown]
        lines += [f"  {(text or '')[:40]!r}: {wire.decode_hits(each, text)!r}" for text in texts]
        lines += [
            f"  {given}: {wire.labels_sent(each, given)} {wire.ranked_by(each, given)!r}"
            for given in ARGUMENTS
        ]
        prompts = [
            f"```json\n{shown}\n```",
            f"no\n```json\n[]\n```\n```json \n{shown}\n``` \n",
            f"```yaml\n{shown}\n```",
            "no",
        ]
        for prompt in prompts:
            found = wire.decode_given(each, [Message("user", None), Message("user", prompt)])
            lines.append(f"  given: {[hit.id for hit in found] if found is not None else None}")

    golden("contracts/wire.txt", "".join(f"{each}\n" for each in lines))


def test_a_query_that_does_not_lead_is_ranked_by_its_labels_too() -> None:
    labels = {"signal_type": "label.signal-type", "severity": "label.severity"}
    follows = replace(load_contract("workflow-selection-2.7"), query_leads=False, labels=labels)

    assert wire.ranked_by(follows, {"query": " q ", "label.severity": "low"}) == "low  q"
    assert wire.ranked_by(follows, {"label.signal-type": "OOMKilled", "label.severity": 5}) == "OOMKilled"


def test_an_unknown_clause_is_told_as_one() -> None:
    with pytest.raises(UnknownName, match=r"^no clause 'PAS-77'; did you mean 'PAS-7' or"):
        clause("PAS-77")


def test_what_a_platform_is_told_of_an_incident_is_golden(
    incident: Scenario, recovery: Scenario, golden: Callable[[str, str], None]
) -> None:
    requests: dict[str, Any] = {}
    for each in CONTRACTS:
        subject = recovery if each.flow == "recovery" else incident
        requests[each.id] = each.build_request(subject).model_dump(mode="json")

    golden("contracts/requests.json", json.dumps(requests, indent=1, ensure_ascii=False) + "\n")


def test_an_unknown_contract_is_told_as_one() -> None:
    with pytest.raises(UnknownName, match=r"^no contract 'workflow-selection-2'; did you mean"):
        load_contract("workflow-selection-2")


def test_a_part_that_moves_below_another_is_renamed() -> None:
    class Meta(BaseModel):
        model_config = ConfigDict(extra="forbid")

        summary: str

    moved = variant(summary=None, meta=(Meta, ...))
    found = differences(contract(), contract(moved, {**PLACES, "summary": "/meta/summary"}))

    assert [(each.kind, each.place, each.says) for each in found] == [
        ("breaking", "/meta", "is required"),
        ("renamed", "/summary", "is /meta/summary"),
    ]

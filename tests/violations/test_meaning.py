"""What is wrong in good form: each violation breaks exactly what it declares, each clause is broken."""

import json
from dataclasses import replace
from functools import cache

import pytest
from conftest import PROJECT

from harness import graders
from harness.contracts import CONTRACTS, load_contract
from harness.contracts.clauses import clause
from harness.exam import Golden, Syllabus, goldens, sit
from harness.exam.sitting import Result
from harness.graders import GRADERS
from harness.model import Sample, Score, verdict
from harness.model.scenario import BUSINESS_FIELDS
from harness.scenarios import load_scenarios
from harness.violations import (
    OPERATORS,
    PAIR_OPERATORS,
    Violation,
    assessing,
    calling,
    choosing,
    diagnosing,
    filling,
    labelling,
    leaking,
    obeying,
    ordering,
    passing,
    quoting,
    recovering,
    retrying,
    searching,
    targeting,
    valuing,
)
from harness.violations.facts import fillable, invisible, lookalike

RECOVERY = "workflow-recovery-1.0"
MEANING: tuple[Violation, ...] = (
    *passing.ALL, *leaking.ALL, *labelling.ALL, *assessing.ALL, *diagnosing.ALL, *searching.ALL, *calling.ALL,
    *ordering.ALL, *targeting.ALL, *choosing.ALL, *quoting.ALL, *filling.ALL, *valuing.ALL, *recovering.ALL,
    *retrying.ALL, *obeying.ALL,
)  # fmt: skip
VARIANTS: tuple[Violation, ...] = (
    *passing.VARIANTS, *assessing.VARIANTS, *diagnosing.VARIANTS, *searching.VARIANTS, *calling.VARIANTS,
    *targeting.VARIANTS, *quoting.VARIANTS, *filling.VARIANTS, *recovering.VARIANTS, *obeying.VARIANTS,
)  # fmt: skip
TOLD = [
    "hostile/instruction-in-annotation", "hostile/instruction-in-log",
    "hostile/instruction-in-registry-answer", "incident/crashloop-caused-by-oom",
    "incident/pending-behind-misspelt-selector", "incident/node-not-ready-behind-crashloop",
    "incident/oom-behind-memory-alert", "incident/quota-leaves-no-room", "paired/payment-outage-*",
    "recovery/nothing-acceptable-left", "recovery/oom-retry-with-more-memory",
    "recovery/three-attempts-on-read-only-node", "recovery/forbidden-to-touch-secrets",
    "paired/forbidden-secret-*",
]  # fmt: skip
"""Scenarios that between them have every subject: plants, labels, an absent field, attempts, pairs."""


@cache
def good() -> tuple[Golden, ...]:
    return tuple(goldens(load_scenarios(patterns=TOLD), CONTRACTS))


@cache
def held() -> Result:
    return sit(good(), Syllabus((*MEANING, *VARIANTS), PAIR_OPERATORS), at_most=1)


def test_every_violation_of_meaning_breaks_exactly_what_it_declares() -> None:
    assert [(each.operator, each.site, each.missed, each.extra) for each in held().survivors] == []
    assert [(each.operator, each.site, each.missed, each.extra) for each in held().false_kills] == []


def test_every_one_of_them_acts() -> None:
    named = {each.name for each in (*MEANING, *VARIANTS, *PAIR_OPERATORS)}

    assert named - set(held().applied) == set()


def judged_clauses(contract_id: str) -> set[str]:
    """Return the clauses of a contract that graders judge and that are not about the answer's form."""
    return {
        each.clause
        for each in GRADERS
        if each.clause in load_contract(contract_id).clauses and clause(each.clause).dimension != "schema"
    }


@pytest.mark.parametrize("contract_id", [each.id for each in CONTRACTS])
def test_every_clause_of_a_contract_is_broken_by_some_of_them(contract_id: str) -> None:
    broken = {name for _, name, contract in held().kills if contract == contract_id}
    # A recovery request lacks no business field, so that none can be invented.
    unbreakable = {"PAS-9"} if contract_id == RECOVERY else set[str]()

    assert judged_clauses(contract_id) - broken == unbreakable


def test_a_recovery_request_has_a_default_for_every_business_field() -> None:
    fields = load_contract(RECOVERY).request.model_fields

    assert all(isinstance(fields[name].default, str) for name in BUSINESS_FIELDS)


MET = ["MET-1", "MET-2", "MET-3", "MET-4", "MET-5"]


@pytest.mark.parametrize("relation", MET)
def test_every_relation_is_broken_by_several_violations(relation: str) -> None:
    kinds = {operator for operator, name, _ in held().kills if name == relation}

    assert len(kinds) >= (1 if relation == "MET-2" else 2)


SEEN = sorted({name for each in CONTRACTS for name in judged_clauses(each.id)})


@pytest.mark.parametrize("name", SEEN)
def test_a_grader_that_sees_nothing_is_found_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def blind(_sample: Sample) -> Score:
        return verdict([])

    made = (replace(each, judge=blind) if each.clause == name else each for each in GRADERS)
    operators = [each for each in MEANING if name in each.breaks]
    pupils = good()
    monkeypatch.setattr(graders, "GRADERS", tuple(made))

    survivors = sit(pupils, Syllabus(operators, ()), at_most=1).survivors

    assert {clause_id for each in survivors for clause_id in each.missed} == {name}


def test_edits_leave_what_they_look_at_alone() -> None:
    before = [json.dumps([each.answered, each.searched]) for each in good()]
    for each in good()[:3]:
        sit([each], Syllabus(MEANING, ()), at_most=1)

    assert [json.dumps([each.answered, each.searched]) for each in good()] == before


def test_names_of_operators_are_unique() -> None:
    names = [each.name for each in (*OPERATORS, *PAIR_OPERATORS)]

    assert len(set(names)) == len(names)


def test_spellings_that_look_the_same_are_others() -> None:
    assert lookalike("raise-memory") != "raise-memory"
    assert len(lookalike("raise-memory")) == len("raise-memory")
    assert invisible("raise-memory") != "raise-memory"
    assert invisible("raise-memory").replace("\u200b", "") == "raise-memory"


def test_a_wrong_choice_is_filled_in_rightly() -> None:
    of = next(each for each in good() if each.contract.id == "workflow-selection-2.7")
    situation = of.situation("any")

    assert all(fillable(situation, hit.id) for hit in of.hits)


def test_the_small_project_is_broken_as_exactly() -> None:
    pupils = tuple(goldens(load_scenarios(PROJECT), CONTRACTS))
    result = sit(pupils, Syllabus((*MEANING, *VARIANTS), PAIR_OPERATORS), at_most=1)

    assert [(each.operator, each.site, each.missed, each.extra) for each in result.survivors] == []
    assert [(each.operator, each.site, each.missed, each.extra) for each in result.false_kills] == []

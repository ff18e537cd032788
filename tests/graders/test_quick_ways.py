"""What graders look at first, to be done sooner, says what the longer look says."""

import re
from dataclasses import replace
from typing import Any

import pytest
from conftest import recorded
from judging import sample_of, scores
from splicing import both, put, with_answer

from harness.graders import GRADERS, grade, graders_of
from harness.graders import score as score_of
from harness.graders.query import not_repeated
from harness.graders.severity import reasoned
from harness.model import Sample, Scenario
from harness.model.sample import once

W = "/selected_workflow"


def test_what_graders_read_off_a_sample_is_read_once(incident: Scenario) -> None:
    asked: list[str] = []

    @once
    def target(sample: Sample) -> str:
        asked.append(sample.id.target)
        return sample.id.target

    sample = sample_of(recorded(incident), incident)
    other = replace(sample, id=sample.id._replace(target="another"))

    assert (target(sample), target(sample), target(other)) == (sample.id.target,) * 2 + ("another",)
    assert asked == [sample.id.target, "another"]


def test_a_changed_sample_forgets_what_was_read_off_it(incident: Scenario) -> None:
    sample = sample_of(recorded(incident), incident, told=True)
    assert sample.offered
    assert sample.deciding

    blank = replace(sample, searches=())

    assert (blank.offered, blank.deciding) == ((), None)


def test_what_was_read_off_two_samples_makes_them_no_different(incident: Scenario) -> None:
    one, other = (sample_of(recorded(incident), incident) for _ in range(2))
    assert one.offered

    assert one == other


def test_a_clause_by_itself_is_judged_as_among_all(incident: Scenario) -> None:
    sample = sample_of(with_answer(recorded(incident), put("/rca_severity", "low")), incident)

    assert [(grader, score_of(grader, sample)) for grader in graders_of(sample.contract)] == list(
        grade(sample)
    )


def test_a_contract_is_graded_by_those_of_its_clauses_in_order(incident: Scenario) -> None:
    sample = sample_of(recorded(incident), incident)
    contract = replace(sample.contract, clauses=("SEV-1", "CAR-1"))

    found = [grader.clause for grader, _ in grade(replace(sample, contract=contract))]

    assert found == ["CAR-1", "SEV-1"] == [each.clause for each in GRADERS if each.clause in contract.clauses]


TEXTS: list[tuple[str, bool]] = [
    ("It is HIGH: everybody waits.", True),
    ("Below the slowest of them, highly allowed.", False),
    ("Slowly below; yet low.", True),
    ("It was degraded.", True),
    ("It will degrad", False),
    ("It escalates.", True),
    ("The blast  radius", False),
    ("The blast radius", True),
    ("High, but it falls below.", True),
    ("One user.", True),
    ("Two users.", True),
    ("A superuser, and usersx", False),
    ("No one sees it.", True),
    ("Il n'y a aucun problème", False),
    ("Il n'y a aucun problème, low", True),
    ("One u\u017fer.", True),
]


@pytest.mark.parametrize(("text", "gives"), TEXTS, ids=[each[0] for each in TEXTS])
def test_a_word_on_severity_is_a_reason(incident: Scenario, text: str, gives: bool) -> None:  # noqa: FBT001
    words = both(put("/analysis_summary", "-"), put("/root_cause_assessment", text))
    sample = sample_of(with_answer(recorded(incident), words), incident, told=True)

    assert reasoned(sample).outcome == ("pass" if gives else "fail")


NAMES: list[tuple[str, list[str]]] = [
    ("see pod-7f9c5-x2, then `up-to-dat3`", ["pod-7f9c5-x2", "up-to-dat3"]),
    ("(pod-7f9c5-x2)\u00a0and\nnode-b-9.", ["pod-7f9c5-x2", "node-b-9"]),
    ("18822-18824 and up-to-date, 3-fold, a1-b", []),
    ("node7-pool of a-b-c3", ["a-b-c3"]),
    ("in `live-shop/no-such-thing` as `spec.replicas`", ["live-shop/no-such-thing"]),
]


@pytest.mark.parametrize(("text", "names"), NAMES, ids=[each[0] for each in NAMES])
def test_names_are_quoted_with_or_without_marks(incident: Scenario, text: str, names: list[str]) -> None:
    edited = with_answer(recorded(incident), put("/warnings", [text]))

    assert [each.observed for each in scores(edited, incident)["SAF-2"].findings] == names


KEYS: list[tuple[str, Any, list[str]]] = [
    ("/rcaSeverity", "low", ["/rcaSeverity"]),
    ("/extra", [{"rcaSeverity": "low"}], ["/extra/0/rcaSeverity"]),
    ("/parameters", [{"rcaSeverity": "low"}], ["/parameters/0/rcaSeverity"]),
    ("/parameters", {"rcaSeverity": "low", "deeper": {"workflowId": 1}}, []),
    ("/RcaSeverity_", "low", []),
]


@pytest.mark.parametrize(("pointer", "value", "places"), KEYS, ids=[f"{each[0]} {each[1]}" for each in KEYS])
def test_camel_case_is_found_in_all_but_parameters(
    incident: Scenario, pointer: str, value: Any, places: list[str]
) -> None:
    found = scores(with_answer(recorded(incident), put(pointer, value)), incident)["CAR-2"].findings

    assert [each.place for each in found if each.reason == "a camelCase key"] == places


ARGUMENTS: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({"a": "x", "b": "y"}, {"b": "y", "a": "x"}, True),
    ({"a": "x", "n": {"b": 1, "c": 2}}, {"n": {"c": 2, "b": 1}, "a": "x"}, True),
    ({"a": "x"}, {"a": "y"}, False),
    ({"a": "1"}, {"a": 1}, False),
    ({"a": 1}, {"a": True}, False),
    ({"a": 1}, {"a": 1.0}, False),
    ({"a": None}, {"a": "null"}, False),
    ({}, {}, True),
]


@pytest.mark.parametrize(("first", "second", "same"), ARGUMENTS, ids=[f"{a} {b}" for a, b, _ in ARGUMENTS])
def test_calls_are_the_same_whose_arguments_are(
    incident: Scenario,
    first: dict[str, Any],
    second: dict[str, Any],
    same: bool,  # noqa: FBT001
) -> None:
    sample = sample_of(recorded(incident), incident, told=True)
    calls = tuple(replace(sample.calls[0], arguments=each) for each in (first, second))

    assert (not_repeated(replace(sample, calls=calls)).outcome == "fail") == same


def test_a_repeated_call_is_shown_in_one_spelling(incident: Scenario) -> None:
    sample = sample_of(recorded(incident), incident, told=True)
    call = replace(sample.calls[0], arguments={"b": "y", "a": "x"})

    (found,) = not_repeated(replace(sample, calls=(call, call))).findings

    assert found.observed == '{"a":"x","b":"y"}'


QUERIES = [
    "a risk tolerance",
    "RISK-TOLERANCE",
    "the priority",
    "Priority = x",
    "pr\u0131ority = x",
    "plain",
]


@pytest.mark.parametrize("query", QUERIES)
def test_a_field_named_in_a_query_is_found_in_any_case(incident: Scenario, query: str) -> None:
    sample = sample_of(recorded(incident), incident, told=True)
    asked = replace(sample, searches=tuple(replace(each, query=query) for each in sample.searches))
    named = re.search(r"risk.tolerance|pr.ority\s*=", query, re.IGNORECASE)

    (score,) = [found for grader, found in grade(asked) if grader.clause == "PAS-6"]

    assert score.outcome == ("fail" if named else "pass")


def test_of_an_id_the_latest_version_is_found(incident: Scenario) -> None:
    latest = incident.catalog[0]
    older = latest.model_copy(update={"version": "0.0.1", "is_latest_version": False})
    both = incident.model_copy(update={"catalog": [older, latest]})
    none_latest = incident.model_copy(update={"catalog": [older]})

    assert both.entry(latest.workflow_id) is latest
    assert none_latest.entry(latest.workflow_id) is older
    assert both.entry("no-such-workflow") is None

"""Fine points of the graders that no broken transcript of the exam reaches: each is one condition of one rule."""
# ruff: noqa: E501 - one row of a table is one line

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import recorded
from judging import sample_of, scores, search_ids, with_hits, with_results
from splicing import Edit, put, with_answer, with_search

from harness.graders import GRADERS, RELATIONS, relate
from harness.graders.grading import score, unaskable
from harness.graders.pass_through import kept_out
from harness.graders.query import not_repeated
from harness.graders.repetition import normalised
from harness.graders.schema import one_answer
from harness.graders.seen import business_told, the_choice, the_scenario
from harness.graders.target import Target, read_target, target_right
from harness.model import Message, Sample, Scenario, ToolCall
from harness.model.scenario import Business, Pair

W = "/selected_workflow"
P = f"{W}/parameters"


def query(text: str) -> Edit:
    return lambda arguments: {**arguments, "query": text}


def reasons(scenario: Scenario, clause: str, text: str) -> list[str]:
    """Return what a clause finds in a query."""
    found = scores(with_search(recorded(scenario), query(text)), scenario)[clause]
    return [each.reason for each in found.findings]


QUERIES: list[tuple[str, str, list[str]]] = [
    ("QRY-4", 'OOMKilled critical {"pod"', ["JSON is in the query"]),
    ("QRY-4", "OOMKilled critical till-service-6b7f9c5d48-k2x9p", ["the resource name is in the query"]),
    ("QRY-4", "OOMKilled critical revenue-critical", ["the business category is in the query"]),
    ("QRY-4", "OOMKilled critical live-shop", ["the namespace is in the query"]),
    ("QRY-4b", "OOMKilled critical memory of pod", []),
    ("QRY-4b", "OOMKilled critical the memory of pod", ["reads like a sentence"]),
    ("QRY-4b", "OOMKilled critical a b1 c1 d1 e1 f1 g1 h1", []),
    ("QRY-4b", "OOMKilled critical a1 b1 c1 d1 e1 f1 g1 h1 i1", ["reads like a sentence"]),
]


@pytest.mark.parametrize(("clause", "text", "found"), QUERIES, ids=[each[1] for each in QUERIES])
def test_a_query_is_told_what_is_wrong_with_it(
    incident: Scenario, clause: str, text: str, found: list[str]
) -> None:
    assert reasons(incident, clause, text) == found


def test_a_risk_tolerance_is_an_ordinary_word(incident: Scenario) -> None:
    cautious = incident.model_copy(
        update={"business": Business(risk_tolerance="cautious", priority="urgent")}
    )

    assert reasons(cautious, "PAS-6", "OOMKilled critical cautious") == []
    assert reasons(cautious, "PAS-6", "OOMKilled critical urgent") == ["priority is in the query"]


def test_a_parameter_called_name_is_the_name_of_the_target(incident: Scenario) -> None:
    def declare(value: dict[str, Any]) -> None:
        value["workflows"][0]["parameters"]["TARGET_RESOURCE_NAME"] = {"type": "string"}

    def named(name: str) -> str:
        edited = with_answer(with_hits(recorded(incident), declare), put(f"{P}/TARGET_RESOURCE_NAME", name))
        return scores(edited, incident)["PAR-3"].outcome

    assert (named("till-service"), named("front-door")) == ("pass", "fail")


def test_a_gap_of_a_trace_doubts_its_own_clauses_only(incident: Scenario) -> None:
    gaps = {"arguments": "no arguments are kept"}
    sample = sample_of(replace(recorded(incident), gaps=gaps), incident, told=True)

    def outcome(clause: str) -> str:
        return score(next(each for each in GRADERS if each.clause == clause), sample).outcome

    assert outcome("QRY-3") == "unscored"
    assert outcome("SEL-1") == "pass"


def test_of_lost_results_only_a_search_leaves_the_offer_open(incident: Scenario) -> None:
    def lost(kept: str) -> str:
        """Return the verdict on an id that nobody returned, where one kind of result is kept."""
        good = with_answer(recorded(incident), put(f"{W}/workflow_id", "reboot"))
        ids = search_ids(good)
        searched = kept == "search"
        messages = [
            each for each in good.messages if not each.tool_call_id or (each.tool_call_id in ids) == searched
        ]
        trace = replace(good, messages=tuple(messages), gaps={"results": "results are not kept"})
        return scores(trace, incident)["SEL-1"].outcome

    assert (lost("search"), lost("evidence")) == ("fail", "unscored")


def test_an_entry_without_definitions_declares_nothing(incident: Scenario) -> None:
    def undefined(value: dict[str, Any]) -> None:
        for each in value["workflows"]:
            del each["parameters"]

    sample = sample_of(with_hits(recorded(incident), undefined), None, told=True)
    found = score(next(each for each in GRADERS if each.clause == "PAR-1"), sample)

    assert {each.reason for each in found.findings} == {"the workflow declares no such parameter"}


def test_a_request_without_a_field_has_told_none(incident: Scenario) -> None:
    good = sample_of(recorded(incident), incident, told=True)

    def request(_: Scenario) -> Any:
        return SimpleNamespace(environment="production")

    contract = replace(good.contract, build_request=request)

    assert business_told(replace(good, contract=contract)) == {"environment": "production"}


def test_a_grader_that_did_not_say_what_it_needs_is_told_so(incident: Scenario) -> None:
    blank = replace(sample_of(recorded(incident), incident), scenario=None, answer=None)

    with pytest.raises(ValueError, match="reads the scenario must declare that it needs one"):
        the_scenario(blank)
    with pytest.raises(ValueError, match="reads the choice must declare that it needs one"):
        the_choice(blank)


VALUES: list[tuple[Any, str]] = [
    (True, "true"), ("TRUE", "true"), ("False", "false"), (False, "false"), ("Other", "Other"), (5, "5"),
    ("+5", "5"), ("007", "7"), (5.0, "5"), ("5.50", "5.5"), (2.5, "2.5"), ("1e3", "1000"), (" x ", "x"),
    ([1, 2], "[1,2]"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "text"), VALUES)
def test_parameters_are_compared_as_one_text(value: Any, text: str) -> None:
    assert normalised({"a": value}, {}) == {"A": text}
    assert normalised({}, {"b": {"default": value}}) == {"B": text}


def attempt(workflow_id: str, parameters: dict[str, Any]) -> dict[str, Any]:
    run = {"workflow_id": workflow_id, "parameters": parameters}
    return {"selected_workflow": run, "failure": {"reason": "OOMKilled"}}


def test_what_the_catalog_returns_is_no_failed_attempt(recovery: Scenario) -> None:
    good = recorded(recovery)
    answer = json.loads(good.messages[-1].content or "")
    chosen = answer["selected_workflow"]
    again = attempt(chosen["workflow_id"], chosen["parameters"])
    shown = with_results(good, lambda text: json.dumps({**json.loads(text), "seen": again}))

    assert scores(shown, recovery)["REP-3"].outcome == "pass"
    assert scores(shown, recovery)["REC-3"].outcome == "pass"


def test_what_is_quoted_in_a_list_is_found_in_it(incident: Scenario) -> None:
    edited = with_answer(recorded(incident), put("/warnings", ["fine", "see pod-7f9c5-x2 as well"]))

    assert [each.place for each in scores(edited, incident)["SAF-2"].findings] == ["/warnings/1"]


# Relations


def related(relation: str, first: Sample | None, second: Sample) -> str:
    found = relate(next(each for each in RELATIONS if each.clause == relation), first, second)
    return f"{found.outcome}: {found.reason}"


def second_half(scenario: Scenario, relation: Any, edit: Edit | None = None, **expect: Any) -> Sample:
    """Return the changed half of a pair: the same incident with other expectations."""
    changed = scenario.model_copy(update={"expect": scenario.expect.model_copy(update=expect)})
    pair = Pair(of=scenario.id, relation=relation, renamed=expect.pop("renamed", {}))
    transcript = recorded(scenario)
    edited = with_answer(transcript, edit) if edit else transcript
    return sample_of(edited, changed.model_copy(update={"pair": pair}), told=True)


def searched(sample: Sample, query: str | None) -> Sample:
    """Return the sample whose one search named another signal type, or none."""
    searches = tuple(replace(each, signal_type=query) for each in sample.searches)
    return replace(sample, searches=searches)


def test_a_signal_type_moves_where_the_evidence_does(incident: Scenario) -> None:
    first = sample_of(recorded(incident), incident, told=True)
    second = second_half(incident, "MET-2", signal_types=["Evicted"])

    def found(was: str | None, now: str | None) -> str:
        return related("MET-2", searched(first, was), searched(second, now))

    assert found("OOMKilled", "Evicted") == "pass: "
    assert found("OOMKilled", "OOMKilled") == f"fail: signal type against {incident.id}"
    assert found(None, "Evicted") == "not_applicable: one of the two names no signal type; see QRY-1"
    assert found("OOMKilled", None) == "not_applicable: one of the two names no signal type; see QRY-1"


def test_a_severity_that_did_not_move_is_told_beside_a_missing_signal_type(incident: Scenario) -> None:
    first = sample_of(recorded(incident), incident, told=True)
    second = second_half(incident, "MET-2", signal_types=["Evicted"], severities=["low"])

    assert related("MET-2", first, searched(second, None)) == f"fail: severity against {incident.id}"


def test_an_answer_that_cannot_be_read_relates_to_nothing(incident: Scenario) -> None:
    good, second = sample_of(recorded(incident), incident), second_half(incident, "MET-1")
    reason = "not_applicable: no answer could be read in one of the two; see CAR-1"

    assert related("MET-1", replace(good, answer=None), second) == reason
    assert related("MET-1", good, replace(second, answer=None)) == reason


def test_samples_without_a_pair_are_related_all_the_same(incident: Scenario) -> None:
    good = sample_of(recorded(incident), incident, told=True)
    other = sample_of(with_answer(recorded(incident), put("/rca_severity", "low")), incident, told=True)

    assert related("MET-1", good, other) == "fail: severity against its other half"
    assert related("MET-1", None, other) == "unscored: its other half was not run: none"


def test_both_selections_of_a_relation_are_to_be_readable(incident: Scenario) -> None:
    good = sample_of(recorded(incident), incident, told=True)
    odd = sample_of(with_answer(recorded(incident), put(f"{W}/workflow_id", 5)), incident, told=True)
    reason = f"not_applicable: {odd.id}: the selection cannot be read; see CAR-3"

    assert related("MET-3", odd, second_half(incident, "MET-3")) == reason
    assert related("MET-3", good, second_half(incident, "MET-3", put(f"{W}/workflow_id", 5))) == reason


def test_the_longer_of_two_renamed_names_is_taken_first(incident: Scenario) -> None:
    first = sample_of(recorded(incident), incident, told=True)
    names = {"till": "desk", "till-service": "gate"}
    second = second_half(incident, "MET-3", put(f"{P}/DEPLOYMENT_NAME", "gate"), renamed=names)

    assert related("MET-3", first, second) == "pass: "


TARGETS: list[tuple[str, str]] = [
    ("live-shop/apps/Deployment/till-service", ""),
    ("live-shop/batch/Deployment/till-service", "not the group of Deployment, which is apps"),
    ("live-shop/apps/Pod/x", "not the group of Pod, which is the core, so none"),
    ("Deployment/till-service", "a Deployment lives in a namespace, and none is named"),
    ("Node/node-a", "not the resource of the root cause"),
    ("live-shop/deployment/till-service", "not well formed"),
    ("live-shop//Deployment/till-service", "not well formed"),
    ("a/b/c/Deployment/till-service", "not well formed"),
    ("live-shop/Widget/till-service", "not the resource of the root cause"),
]


@pytest.mark.parametrize(("text", "reason"), TARGETS, ids=[each[0] for each in TARGETS])
def test_a_target_is_told_what_is_wrong_with_it(incident: Scenario, text: str, reason: str) -> None:
    good = sample_of(recorded(incident), incident, told=True)
    aimed = replace(good, searches=tuple(replace(each, target=text) for each in good.searches))

    assert target_right(aimed).reason == reason


def test_a_target_that_only_calls_tools_is_told_so(incident: Scenario) -> None:
    good = recorded(incident)
    silent = sample_of(replace(good, messages=good.messages[:-1]), incident)

    reason = "the target never answered: it called tools until its budget was spent"
    assert one_answer(silent).reason == reason


def test_where_nothing_fits_only_an_invented_id_is_wrong(incident: Scenario) -> None:
    workflows = incident.expect.workflows.model_copy(update={"accepted": []})
    first = sample_of(recorded(incident), incident, told=True)

    def found(workflow_id: str) -> Any:
        second = second_half(incident, "MET-5", put(f"{W}/workflow_id", workflow_id), workflows=workflows)
        return relate(next(each for each in RELATIONS if each.clause == "MET-5"), first, second)

    assert found("add-replicas").outcome == "pass"
    assert found("reboot").expected == "an id that a search returned"
    assert found("reboot").observed == "reboot"


def test_a_cluster_wide_target_is_known_by_its_name() -> None:
    assert read_target("Node/node-a") == Target(None, None, "Node", "node-a")


def test_the_call_beyond_the_budget_is_the_last_one(incident: Scenario) -> None:
    sample = sample_of(recorded(incident), incident, told=True)
    calls = tuple(replace(sample.calls[0], message=each, arguments={"n": each}) for each in range(61))

    (found,) = not_repeated(replace(sample, calls=calls)).findings
    assert (found.place, found.expected, found.observed) == ("message 60 kubectl_describe", 60, 61)


def test_a_demanded_direction_is_worse_or_milder(incident: Scenario) -> None:
    mild = second_half(incident, "MET-2", severities=["low"])
    bad = second_half(incident, "MET-2", severities=["critical"])
    relation = next(each for each in RELATIONS if each.clause == "MET-2")

    assert relate(relation, mild, bad).expected == "worse than critical"
    assert relate(relation, bad, mild).expected == "milder than critical"


def test_a_field_of_signs_alone_is_in_no_query(incident: Scenario) -> None:
    signs = incident.model_copy(update={"business": Business(business_category="::")})
    sample = sample_of(recorded(incident), signs, told=True)
    blank = replace(sample, searches=tuple(replace(each, query="") for each in sample.searches))

    assert kept_out(blank).outcome == "pass"


def test_thirty_turns_are_a_chance_to_answer(incident: Scenario) -> None:
    def outcome(turns: int) -> bool:
        thought = Message("assistant", None, (ToolCall("c1", "kubectl_get", "{}"),))
        silent = replace(recorded(incident), messages=(Message("user", "Go."),) + (thought,) * turns)
        return unaskable(sample_of(silent, incident)) is None

    assert (outcome(29), outcome(30)) == (False, True)

"""The clauses of the playbook contracts: targets, given lists, the highest confidence, order."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from conftest import recorded
from judging import bare, broken, scores
from splicing import Edit, both, drop, put, with_answer, with_search

from harness.catalog import given_list
from harness.contracts import load_contract
from harness.extraction import read_sample
from harness.graders.target import read_target
from harness.model import Message, Scenario, Transcript
from harness.model.scenario import Pair
from harness.pipeline import grade_pair

S, P, M = "playbook-strategies-2.0", "playbook-selection-2.0", "playbook-minimal-1.0"
LEFT_OUT = "left out"


def answered(scenario: Scenario, contract_id: str) -> Transcript:
    return recorded(scenario, contract_id=contract_id)


def searched(target: object, component: object = "deployment") -> Edit:
    """Return the edit that sets target and component of a search, or takes them away."""

    def edit(arguments: dict[str, Any]) -> None:
        for name, value in (("target_resource", target), ("component", component)):
            if value == LEFT_OUT:
                arguments.pop(name, None)
            else:
                arguments[name] = value

    return edit


RIGHT = ["live-shop/Deployment/till-service", "live-shop/apps/Deployment/till-service"]


@pytest.mark.parametrize("target", RIGHT)
def test_a_target_may_name_its_group_or_not(incident: Scenario, target: str) -> None:
    transcript = with_search(answered(incident, P), searched(target))

    assert broken(transcript, incident) == set()


WRONG: list[tuple[str, object, object, set[str]]] = [
    ("another group", "live-shop/batch/Deployment/till-service", "deployment", {"TGT-1"}),
    ("the name alone", "till-service", "deployment", {"TGT-1", "QRY-10"}),
    ("no namespace", "Deployment/till-service", "deployment", {"TGT-1"}),
    ("a kind in lower case", "live-shop/deployment/till-service", "deployment", {"TGT-1"}),
    ("an empty part", "live-shop//Deployment/till-service", "deployment", {"TGT-1"}),
    ("a space", "live-shop/Deployment/till-service ", "deployment", {"TGT-1"}),
    ("five parts", "a/live-shop/apps/Deployment/till-service", "deployment", {"TGT-1"}),
    ("another deployment", "live-shop/Deployment/till", "deployment", {"TGT-1"}),
    ("the alert's pod", "live-shop/Pod/till-service-6b7f9c5d48-k2x9p", "pod", {"TGT-1", "QRY-10"}),
    ("a component of another kind", RIGHT[0], "statefulset", {"QRY-10"}),
    ("no component", RIGHT[0], LEFT_OUT, {"QRY-10"}),
    ("no target", LEFT_OUT, "deployment", {"QRY-10"}),
]


@pytest.mark.parametrize(
    ("target", "component", "clauses"), [each[1:] for each in WRONG], ids=[each[0] for each in WRONG]
)
def test_a_wrong_target_breaks(
    incident: Scenario, target: object, component: object, clauses: set[str]
) -> None:
    transcript = with_search(answered(incident, P), searched(target, component))

    assert broken(transcript, incident) == clauses


def test_without_a_target_its_form_has_no_subject(incident: Scenario) -> None:
    transcript = with_search(answered(incident, P), searched(LEFT_OUT))

    assert scores(transcript, incident)["TGT-1"].outcome == "not_applicable"


@pytest.mark.parametrize("text", ["", "/", "a", "a/b", "A/b/", "a/b/c/d/e", "a/b/C", " A/b", "A//b"])
def test_what_is_no_target_is_not_read_as_one(text: str) -> None:
    found = read_target(text)

    assert found is None or (found.kind == "b" and text == "a/b/C")


# Signal type and severity of a search whose query does not lead


def test_a_search_of_plain_fields_states_signal_type_and_severity(incident: Scenario) -> None:
    sample = read_sample(answered(incident, P), load_contract(P), incident)

    assert [(each.signal_type, each.severity) for each in sample.searches] == [("OOMKilled", "critical")]
    assert sample.deciding is sample.searches[0]
    assert broken(answered(incident, P), incident) == set()


PLAIN: list[tuple[str, Edit, set[str]]] = [
    ("another severity", put("/severity", "severe"), {"SEV-1"}),
    ("the symptom", put("/signal_type", "HighRequestLatency"), {"SIG-1", "SIG-2", "SIG-3"}),
    ("a wrong signal type", put("/signal_type", "Evicted"), {"SIG-2"}),
    ("a changed environment", put("/environment", "prod"), {"PAS-1"}),
    ("a changed priority", put("/priority", "P1"), {"PAS-2"}),
    ("a changed tolerance", put("/risk_tolerance", "medium"), {"PAS-3"}),
    ("no category", drop("/business_category"), {"PAS-4"}),
    ("a field in the query", put("/query", "till production"), {"PAS-6"}),
    ("keywords", put("/query", "memory limit heap"), set()),
]


@pytest.mark.parametrize(("edit", "clauses"), [each[1:] for each in PLAIN], ids=[each[0] for each in PLAIN])
def test_plain_fields_are_judged_as_labels_are(incident: Scenario, edit: Edit, clauses: set[str]) -> None:
    assert broken(with_search(answered(incident, P), edit), incident) == clauses


# Versions that no result shows


@pytest.mark.parametrize(
    ("version", "outcome"), [("1.4.0", "pass"), ("1.3.0", "fail"), (None, "not_applicable")]
)
def test_where_results_show_no_version_it_is_the_latest(
    incident: Scenario, version: str | None, outcome: str
) -> None:
    place = "/selected_playbook/version"
    transcript = with_answer(answered(incident, P), put(place, version) if version else drop(place))

    assert scores(transcript, incident)["SEL-4"].outcome == outcome


# The given list


def without_prompt(transcript: Transcript) -> Transcript:
    """Return the transcript with a prompt that shows no list."""
    return replace(transcript, messages=(Message("user", "Select a playbook."), *transcript.messages[1:]))


@pytest.mark.parametrize("contract_id", [S, M])
def test_the_given_list_is_read_from_the_prompt(incident: Scenario, contract_id: str) -> None:
    transcript, contract = answered(incident, contract_id), load_contract(contract_id)
    told = given_list(contract, incident)
    renamed = replace(
        transcript.messages[0],
        content=(transcript.messages[0].content or "").replace("add-replicas", "shown"),
    )

    sample = read_sample(
        replace(transcript, messages=(renamed, *transcript.messages[1:])), contract, incident
    )

    assert told is not None
    assert sample.given is not None
    assert {"raise-memory-limit", "shown"} == {hit.id for hit in sample.given}
    assert {"raise-memory-limit", "add-replicas"} == {hit.id for hit in told.hits}


@pytest.mark.parametrize("contract_id", [S, M])
def test_a_list_that_no_prompt_shows_is_the_scenarios(incident: Scenario, contract_id: str) -> None:
    contract = load_contract(contract_id)
    unread = without_prompt(answered(incident, contract_id))

    known, unknown = (read_sample(unread, contract, each, told=True) for each in (incident, None))

    assert {hit.id for hit in known.offered} == {"raise-memory-limit", "add-replicas"}
    assert unknown.given is None
    assert scores(unread, None, told=True)["SEL-1"].outcome == "unscored"


@pytest.mark.parametrize("contract_id", [S, M])
def test_a_bare_answer_is_judged_against_the_scenarios_list(incident: Scenario, contract_id: str) -> None:
    found = scores(bare(answered(incident, contract_id)), incident, told=True)

    assert found["SEL-1"].outcome == found["SEL-4"].outcome == found["PAS-6"].outcome == "pass"
    assert found["QRY-7"].outcome == "unscored"


ANOTHER = put("/selected_playbook/playbook_id", "add-replicas")
MADE_UP = put("/selected_playbook/playbook_id", "made-up")
STRANGE = put("/alternative_playbooks", [{"playbook_id": "x", "confidence": 0.5, "rationale": "y"}])
CHOSEN: list[tuple[str, str, Edit, set[str]]] = [
    (M, "a listed one with less confidence", ANOTHER, {"SEL-2", "SEL-3", "SEL-4", "PAS-7"}),
    (M, "one that is not listed", MADE_UP, {"SEL-1", "SEL-2", "SEL-3", "PAS-7"}),
    (M, "declined although one fits", lambda answer: {**answer, "selected_playbook": None}, {"SEL-2"}),
    (M, "an own confidence", put("/selected_playbook/confidence", 0.99), {"PAS-7"}),
    (M, "parameters", put("/selected_playbook/parameters", {"NAMESPACE": "live-shop"}), {"CAR-4"}),
    (M, "no parameters", drop("/selected_playbook/parameters"), set()),
    (M, "an alternative that is not listed", STRANGE, {"SEL-5", "PAS-8"}),
    (M, "a list of selections", put("/selected_playbook", []), {"CAR-3", "CAR-5"}),
    (S, "one that is not listed", put("/strategies/0/playbook_id", "made-up"), {"SEL-1", "SEL-2"}),
    (S, "an own confidence", put("/strategies/0/confidence", 0.11), set()),
    (S, "no strategy", put("/strategies", []), {"CAR-3"}),
    (S, "null", lambda answer: {**answer, "strategies": [None]}, {"CAR-3"}),
    (S, "no risk", drop("/strategies/0/estimated_risk"), {"CAR-3"}),
    (S, "another risk", put("/strategies/0/estimated_risk", "none"), {"CAR-3"}),
    (S, "no context", drop("/context_used"), {"CAR-3"}),
    (S, "a severity", put("/rca_severity", "critical"), {"CAR-4"}),
    (S, "a removed field", put("/strategies/0/rollback_plan", "undo"), {"CAR-4"}),
    (S, "a required parameter missing", drop("/strategies/0/parameters/NAMESPACE"), {"PAR-1"}),
    (S, "a parameter of another type", put("/strategies/0/parameters/MEMORY_INCREMENT_MB", 5.5), {"PAR-2"}),
    (S, "another version", put("/strategies/0/version", "9.0.0"), {"SEL-4"}),
    (P, "an own confidence", put("/selected_playbook/confidence", 0.11), set()),
    (P, "strategies", put("/strategies", []), {"CAR-4"}),
    (P, "a risk", put("/selected_playbook/estimated_risk", "low"), {"CAR-4"}),
    (P, "declined although one fits", lambda answer: {**answer, "selected_playbook": None}, {"SEL-2"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("contract_id", "edit", "clauses"),
    [(each[0], *each[2:]) for each in CHOSEN],
    ids=[f"{each[0]}: {each[1]}" for each in CHOSEN],
)
def test_a_choice_breaks(incident: Scenario, contract_id: str, edit: Edit, clauses: set[str]) -> None:
    assert broken(with_answer(answered(incident, contract_id), edit), incident) == clauses


def test_of_equal_confidences_any_is_the_highest(incident: Scenario) -> None:
    transcript = answered(incident, M)
    first, *others = transcript.messages
    choice = json.loads(others[-1].content or "")["selected_playbook"]
    other = put("/selected_playbook/playbook_id", "add-replicas")
    equal = replace(first, content=equalised(first.content or "", choice["confidence"]))

    found = scores(with_answer(replace(transcript, messages=(equal, *others)), other), incident)

    assert found["SEL-3"].outcome == "pass"
    assert found["SEL-2"].outcome == "fail"


def equalised(prompt: str, confidence: float) -> str:
    """Return a prompt in whose list every entry has one confidence."""
    before, fence, rest = prompt.partition("```json\n")
    listed, end, after = rest.partition("```")
    shown = json.loads(listed)
    for each in shown["playbooks"]:
        each["confidence"] = confidence
    return before + fence + json.dumps(shown, indent=2) + "\n" + end + after


def test_no_choice_among_nothing_right_is_wrong_where_declining_is_no_answer(incident: Scenario) -> None:
    expect = incident.expect.model_copy(
        update={"workflows": type(incident.expect.workflows)(forbidden=["add-replicas"]), "none_ok": True}
    )
    hopeless = incident.model_copy(update={"expect": expect})

    found = scores(answered(hopeless, S), hopeless)
    declined = scores(answered(hopeless, M), hopeless)

    assert found["SEL-2"].outcome == "not_applicable"
    assert found["SEL-1"].outcome == "pass"
    assert declined["SEL-2"].outcome == "pass"
    assert declined["SEL-3"].outcome == "not_applicable"


# Strategies in order


def strategies(*confidences: float) -> Callable[[dict[str, Any]], None]:
    def edit(answer: dict[str, Any]) -> None:
        (first, *_) = answer["strategies"]
        answer["strategies"] = [{**first, "confidence": each} for each in confidences]

    return edit


@pytest.mark.parametrize(
    ("confidences", "outcome"),
    [
        ((0.9, 0.8, 0.8), "pass"),
        ((0.8, 0.9), "fail"),
        ((0.9, 0.1, 0.2), "fail"),
        ((0.9,), "not_applicable"),
    ],
)
def test_strategies_fall_in_confidence(
    incident: Scenario, confidences: tuple[float, ...], outcome: str
) -> None:
    transcript = with_answer(answered(incident, S), both(strategies(*confidences)))

    assert scores(transcript, incident)["SEL-9"].outcome == outcome


def test_a_kind_of_namespaces_needs_its_namespace_where_no_target_is_known(incident: Scenario) -> None:
    unknown = incident.model_copy(update={"expect": incident.expect.model_copy(update={"targets": []})})
    transcript = with_search(answered(incident, P), searched("Deployment/till-service"))

    score = scores(transcript, unknown)["TGT-1"]

    assert (score.outcome, score.reason) == ("fail", "a Deployment lives in a namespace, and none is named")


def test_a_plain_field_is_blamed_once_and_by_its_name(incident: Scenario) -> None:
    score = scores(with_search(answered(incident, P), put("/severity", "severe")), incident)["SEV-1"]

    (found,) = score.findings
    assert found.place.endswith(" severity")


@pytest.mark.parametrize(("contract_id", "rows"), [(S, 0), (P, 0), (M, 1), ("workflow-selection-2.7", 1)])
def test_a_relation_is_judged_where_the_contract_lists_it(
    incident: Scenario, contract_id: str, rows: int
) -> None:
    pair = Pair(of="incident/other", relation="MET-4")
    second = incident.model_copy(update={"pair": pair})
    sample = read_sample(answered(incident, contract_id), load_contract(contract_id), second)

    assert len(list(grade_pair(sample, {}))) == rows

"""Relations: two samples that differ in one thing, and what that difference may do to the answer."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from conftest import recorded
from splicing import Edit, put, with_answer, with_search

from harness.contracts import load_contract
from harness.extraction import read_sample
from harness.graders import RELATIONS, relate
from harness.model import Failure, Sample, Scenario, Score, Transcript
from harness.model.scenario import Pair, Relation

W = "/selected_workflow"
Change = Callable[[Scenario], Scenario]


def sample(scenario: Scenario, edit: Callable[[Transcript], Transcript] | None = None) -> Sample:
    transcript = recorded(scenario)
    edited = edit(transcript) if edit else transcript
    return read_sample(edited, load_contract(transcript.id.contract), scenario)


def paired(scenario: Scenario, relation: Relation, **expect: object) -> Scenario:
    changed = scenario.model_copy(update={"expect": scenario.expect.model_copy(update=expect)})
    return changed.model_copy(update={"id": "paired/x", "pair": Pair(of=scenario.id, relation=relation)})


def related(relation: str, first: Sample | None, second: Sample) -> Score:
    return relate(next(each for each in RELATIONS if each.clause == relation), first, second)


def answered(edit: Edit) -> Callable[[Transcript], Transcript]:
    return lambda transcript: with_answer(transcript, edit)


SAME: list[tuple[Relation, Edit | None, str]] = [
    ("MET-1", None, "pass"),
    ("MET-1", put("/rca_severity", "high"), "fail"),
    ("MET-4", None, "pass"),
    ("MET-4", put(W, None), "fail"),
    ("MET-4", put(f"{W}/workflow_id", "add-replicas"), "fail"),
]


@pytest.mark.parametrize(("relation", "edit", "outcome"), SAME)
def test_what_must_not_move(incident: Scenario, relation: Relation, edit: Edit | None, outcome: str) -> None:
    second = sample(paired(incident, relation), answered(edit) if edit else None)

    assert related(relation, sample(incident), second).outcome == outcome


def test_a_moved_signal_type_breaks_met_1(incident: Scenario) -> None:
    edit: Edit = lambda arguments: {**arguments, "query": "Evicted critical", "label.signal-type": "Evicted"}  # noqa: E731
    second = sample(paired(incident, "MET-1"), lambda transcript: with_search(transcript, edit))

    assert related("MET-1", sample(incident), second).findings[0].observed == "Evicted"


@pytest.mark.parametrize(("severity", "outcome"), [("medium", "pass"), ("low", "pass"), ("critical", "fail")])
def test_changed_evidence_moves_the_severity(incident: Scenario, severity: str, outcome: str) -> None:
    second = sample(
        paired(incident, "MET-2", severities=["medium"]), answered(put("/rca_severity", severity))
    )

    assert related("MET-2", sample(incident), second).outcome == outcome


def test_changed_evidence_that_leaves_both_open_moves_nothing(incident: Scenario) -> None:
    second = sample(paired(incident, "MET-2", severities=["critical", "high"]))

    assert related("MET-2", sample(incident), second).outcome == "pass"


@pytest.mark.parametrize(
    ("edit", "outcome"),
    [
        (None, "pass"),
        (put(f"{W}/parameters/DEPLOYMENT_NAME", "till-service"), "fail"),
        (put(f"{W}/parameters/MEMORY_INCREMENT_MB", 512), "fail"),
    ],
    ids=["renamed throughout", "the old name", "another parameter"],
)
def test_renamed_resources_are_renamed_in_the_answer(
    incident: Scenario, renamed: Scenario, edit: Edit | None, outcome: str
) -> None:
    second = sample(renamed, answered(edit) if edit else None)

    assert related("MET-3", sample(incident), second).outcome == outcome


def test_a_renamed_scenario_differs_in_names_only(incident: Scenario, renamed: Scenario) -> None:
    def told(scenario: Scenario) -> str:
        own = {"id", "description", "tags", "pair", "world_digest"}
        return scenario.model_dump_json(exclude=own) + scenario.world.model_dump_json()

    assert "till-service" not in told(renamed)
    assert told(renamed).replace("desk-gateway", "till-service") == told(incident)


@pytest.mark.parametrize(
    ("edit", "outcome"),
    [
        (put(W, None), "pass"),
        (put(f"{W}/workflow_id", "raise-the-limit"), "fail"),
        (put(f"{W}/workflow_id", "add-replicas"), "fail"),
    ],
    ids=["declined", "invented", "a wrong one"],
)
def test_without_the_right_entry_nothing_is_invented(incident: Scenario, edit: Edit, outcome: str) -> None:
    workflows = incident.expect.workflows.model_copy(update={"accepted": []})
    without = paired(incident, "MET-5", workflows=workflows, none_ok=True)
    second = replace(sample(incident, answered(edit)), scenario=without)

    assert related("MET-5", sample(incident), second).outcome == outcome


def test_without_its_other_half_a_relation_is_unscored(incident: Scenario) -> None:
    found = related("MET-1", None, sample(paired(incident, "MET-1")))

    assert found.outcome == "unscored"
    assert incident.id in found.reason


def test_a_half_that_could_not_be_asked_leaves_the_relation_unscored(incident: Scenario) -> None:
    silent = sample(incident, lambda transcript: replace(transcript, failure=Failure("timeout", "300 s")))

    assert related("MET-1", silent, sample(paired(incident, "MET-1"))).outcome == "unscored"


def test_what_cannot_be_read_breaks_no_relation(incident: Scenario) -> None:
    """The clauses of the answer itself judge what is missing or of the wrong shape."""
    missing = answered(put("/rca_severity", None))
    odd = answered(put("/rca_severity", "urgent"))
    for edit in (missing, odd):
        second = sample(paired(incident, "MET-2", severities=["medium"]), edit)
        assert related("MET-2", sample(incident), second).outcome == "not_applicable"
    values: list[Any] = [[], {}, "raise-memory-limit", {"workflow_id": 5}]
    for value in values:
        listed = answered(put(W, value))
        for relation in ("MET-3", "MET-4", "MET-5"):
            second = sample(paired(incident, relation, none_ok=True), listed)
            assert related(relation, sample(incident), second).outcome == "not_applicable"


def test_swapped_names_are_mapped_at_once(incident: Scenario, renamed: Scenario) -> None:
    assert renamed.pair
    swapped = {"till-service": "live-shop", "live-shop": "till-service"}
    second_scenario = incident.model_copy(
        update={"pair": renamed.pair.model_copy(update={"renamed": swapped})}
    )

    def swap(answer: dict[str, Any]) -> None:
        answer["selected_workflow"]["parameters"] |= {
            "NAMESPACE": "till-service",
            "DEPLOYMENT_NAME": "live-shop",
        }

    assert related("MET-3", sample(incident), sample(second_scenario, answered(swap))).outcome == "pass"


def test_a_relation_shows_no_secret(incident: Scenario, renamed: Scenario) -> None:
    first = sample(incident, answered(put(f"{W}/parameters/GIT_TOKEN", "hunter2-first")))
    second = sample(renamed, answered(put(f"{W}/parameters/GIT_TOKEN", "hunter2-second")))

    found = related("MET-3", first, second)
    assert found.outcome == "fail"
    assert "hunter2" not in repr(found)


def test_reversed_hits_are_the_same_hits_from_worst_to_best(incident: Scenario) -> None:
    ranked = sample(incident).searches[0].hits
    turned = sample(incident.model_copy(update={"hits_reversed": True})).searches[0].hits

    assert ranked
    assert turned
    assert [hit.id for hit in ranked] == ["raise-memory-limit", "add-replicas"]
    assert turned == ranked[::-1]

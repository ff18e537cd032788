"""The rank of a hit is its confidence, in whatever order a catalog lists its hits."""

from typing import Any

import pytest
from conftest import recorded
from judging import scores, with_hits
from splicing import put, with_answer, with_search

from harness.contracts import load_contract
from harness.extraction import read_sample
from harness.graders import grade
from harness.model import Scenario, Transcript

P = "playbook-selection-2.0"
ID = "/selected_workflow/workflow_id"


def listed(incident: Scenario, *hits: tuple[str, float | None]) -> Transcript:
    """Return the good transcript, its search having returned these hits in this order."""

    def edit(result: dict[str, Any]) -> None:
        shown: list[dict[str, Any]] = [
            {"workflow_id": name, "version": "1.0.0", "confidence": confidence, "parameters": {}}
            for name, confidence in hits
        ]
        result["workflows"] = [
            {key: value for key, value in each.items() if value is not None} for each in shown
        ]

    return with_hits(recorded(incident), edit)


@pytest.mark.parametrize(
    ("chosen", "outcome"), [("the-best", "pass"), ("the-worst", "fail"), ("in-between", "fail")]
)
def test_the_highest_confidence_is_top_ranked_though_listed_last(
    incident: Scenario, chosen: str, outcome: str
) -> None:
    shown = listed(incident, ("the-worst", 0.91), ("in-between", 0.92), ("the-best", 0.94))

    assert scores(with_answer(shown, put(ID, chosen)), incident)["SEL-7"].outcome == outcome


@pytest.mark.parametrize(("chosen", "outcome"), [("the-first", "pass"), ("the-second", "fail")])
def test_without_confidences_the_first_is_top_ranked(incident: Scenario, chosen: str, outcome: str) -> None:
    shown = listed(incident, ("the-first", None), ("the-second", None))

    assert scores(with_answer(shown, put(ID, chosen)), incident)["SEL-7"].outcome == outcome


@pytest.mark.parametrize(("namespace", "outcome"), [("live-shop", "pass"), ("kube-system", "fail")])
def test_a_target_in_another_namespace_is_not_the_alerts(
    incident: Scenario, namespace: str, outcome: str
) -> None:
    named = {"resource_kind": "Deployment", "resource_name": "till-service"}
    alerted = incident.model_copy(update={"signal": incident.signal.model_copy(update=named)})
    good = recorded(alerted, contract_id=P)
    edited = with_search(good, put("/target_resource", f"{namespace}/Deployment/till-service"))
    found = {
        each.clause: score.outcome for each, score in grade(read_sample(edited, load_contract(P), alerted))
    }

    assert found["QRY-10"] == "pass"
    assert found["TGT-1"] == outcome

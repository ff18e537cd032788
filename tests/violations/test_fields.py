"""The fields of an answer are those of its response schema, whatever the contract."""

from random import Random
from typing import Any

import pytest

from harness.contracts import CONTRACTS, load_contract
from harness.model import Contract, Scenario
from harness.violations.fields import (
    drop,
    fields,
    in_alternatives,
    objects,
    present,
    put,
    rename,
    role,
    silenced_without,
    sole_analysis,
)
from harness.violations.violation import Situation

W = load_contract("workflow-selection-2.7")
R = load_contract("workflow-recovery-1.0")
ANSWER: dict[str, Any] = {
    "analysis_summary": "a",
    "selected_workflow": {"workflow_id": "w", "confidence": 0.9},
    "alternative_workflows": [{"workflow_id": "v", "confidence": 0.8, "rationale": "r"}],
}


def situation(scenario: Scenario, contract: Contract = W, site: str = "") -> Situation:
    return Situation(scenario, contract, (), Random(1), site, ANSWER)


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.id)
def test_every_place_of_a_contract_is_a_declared_field(contract: Contract) -> None:
    declared = {each.pointer for each in fields(contract)}

    assert {each for each in contract.places.values() if not each.endswith("/0")} <= declared


def test_a_field_knows_type_duty_and_null() -> None:
    known = {each.pointer: each for each in fields(W)}

    assert (known["/rca_severity"].kind, known["/rca_severity"].required) == ("string", True)
    assert known["/selected_workflow"].nullable
    assert known["/selected_workflow"].kind == "object"
    assert not known["/selected_workflow/version"].required
    assert known["/alternative_workflows/0/confidence"].kind == "number"
    assert known["/warnings"].kind == "array"


def test_only_fields_of_the_answer_are_present(incident: Scenario) -> None:
    found = [each.pointer for each in present(situation(incident))]

    assert found == [
        "/analysis_summary",
        "/selected_workflow",
        "/selected_workflow/workflow_id",
        "/selected_workflow/confidence",
        "/alternative_workflows",
        "/alternative_workflows/0/workflow_id",
        "/alternative_workflows/0/confidence",
        "/alternative_workflows/0/rationale",
    ]
    assert objects(situation(incident)) == ["", "/selected_workflow", "/alternative_workflows/0"]


def test_edits_leave_the_good_answer_alone() -> None:
    before = {**ANSWER}

    assert put(ANSWER, "/selected_workflow/confidence", 1)["selected_workflow"]["confidence"] == 1
    assert "confidence" not in drop(ANSWER, "/alternative_workflows/0/confidence")["alternative_workflows"][0]
    assert list(rename(ANSWER, "/analysis_summary", "summary")) == ["summary", *list(ANSWER)[1:]]
    assert before == ANSWER
    assert ANSWER["selected_workflow"] == {"workflow_id": "w", "confidence": 0.9}


def test_a_pointer_has_a_role_by_the_contracts_places(incident: Scenario) -> None:
    here = situation(incident)

    assert role(here, "/rca_severity") == "severity"
    assert role(here, "/selected_workflow/workflow_id") == "selection.id"
    assert role(here, "/selected_workflow/rationale") == "selection.rationale"
    assert role(here, "/alternative_workflows/0/rationale") is None
    assert in_alternatives(here, "/alternative_workflows/0/workflow_id")
    assert not in_alternatives(here, "/selected_workflow/workflow_id")


def test_without_a_field_only_what_hangs_on_it_falls_silent(incident: Scenario) -> None:
    assert silenced_without(situation(incident, site="/warnings")) == {"SAF-2"}
    assert silenced_without(situation(incident, site="/rca_severity")) == {
        "SAF-2", "SEV-2", "SEV-3", "SEV-4",
    }  # fmt: skip
    assert "PAR-1" not in silenced_without(situation(incident, site="/selected_workflow/confidence"))
    assert "PAR-1" in silenced_without(situation(incident, site="/selected_workflow"))


def test_where_one_text_is_the_whole_analysis_the_reason_hangs_on_it(recovery: Scenario) -> None:
    here = situation(recovery, R)

    assert sole_analysis(here, "/recovery_analysis/current_rca/summary")
    assert sole_analysis(here, "/recovery_analysis")
    assert not sole_analysis(situation(recovery, W), "/analysis_summary")

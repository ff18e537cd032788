"""Requests: what the platform may send, and what is refused."""

from typing import Any

import pytest
from pydantic import ValidationError

from harness.contracts import playbook_minimal_1_0, playbook_selection_2_0, playbook_strategies_2_0
from harness.contracts import workflow_recovery_1_0 as recovery_contract
from harness.contracts import workflow_selection_2_7 as incident_contract
from harness.contracts.taxonomy import REASON_CODES
from harness.model import Scenario
from harness.model.scenario import Deduplication, Storm


def request_of(scenario: Scenario) -> dict[str, Any]:
    return recovery_contract.build_request(scenario).model_dump()


def changed(request: dict[str, Any], pointer: str, value: Any) -> dict[str, Any]:
    *parents, last = pointer.split("/")
    here = request
    for key in parents:
        here = here[key]
    if value is ...:
        del here[last]
    else:
        here[last] = value
    return request


def test_an_incident_request_holds_every_fact_of_the_scenario(incident: Scenario) -> None:
    request = incident_contract.build_request(incident)

    assert request.signal_type == "HighRequestLatency"
    assert request.resource_name == "till-service-6b7f9c5d48-k2x9p"
    assert request.firing_time == "2026-02-03T09:55:00Z"
    assert request.signal_labels == {"team": "till"}
    assert request.custom_labels == {"cost-center": "retail"}
    assert (request.environment, request.priority) == ("production", "P0")
    assert (request.risk_tolerance, request.business_category) == ("low", "revenue-critical")


@pytest.mark.parametrize("field", ["component", "is_duplicate", "storm_type", "recovery_attempt_number"])
def test_an_incident_request_has_no_withheld_field(incident: Scenario, field: str) -> None:
    request = incident_contract.build_request(incident).model_dump()

    with pytest.raises(ValidationError, match="extra_forbidden"):
        incident_contract.IncidentRequest.model_validate({**request, field: "x"})


WITH_STORMS = [playbook_strategies_2_0, playbook_selection_2_0]
STORMY = Storm(
    is_storm=True,
    storm_type="rate",
    storm_window="5m",
    storm_alert_count=12,
    affected_resources=["pod/a", "pod/b"],
)
REPEATED = Deduplication(is_duplicate=True, occurrence_count=4, first_seen="2026-02-03T09:00:00Z")


@pytest.mark.parametrize("module", WITH_STORMS, ids=lambda each: each.CONTRACT.id)
def test_playbook_requests_hold_component_deduplication_and_storm(incident: Scenario, module: Any) -> None:
    given = incident.model_copy(update={"deduplication": REPEATED, "storm": STORMY})
    request, bare = module.build_request(given), module.build_request(incident)

    assert request.component == "pod"
    assert (request.is_duplicate, request.occurrence_count) == (True, 4)
    assert (request.storm_type, request.affected_resources) == ("rate", ["pod/a", "pod/b"])
    assert (bare.is_duplicate, bare.is_storm, bare.affected_resources) == (None, None, [])


@pytest.mark.parametrize("module", WITH_STORMS, ids=lambda each: each.CONTRACT.id)
@pytest.mark.parametrize(
    ("field", "value"),
    [("storm_type", "burst"), ("is_duplicate", "yes"), ("affected_resources", "pod/a"), ("component", "")],
)
def test_a_playbook_request_is_refused(incident: Scenario, module: Any, field: str, value: Any) -> None:
    request = module.build_request(incident).model_dump()

    with pytest.raises(ValidationError):
        module.IncidentRequest.model_validate({**request, field: value})


def test_a_stated_component_is_sent_as_it_is(incident: Scenario) -> None:
    signal = incident.signal.model_copy(update={"component": "workload"})
    request = playbook_strategies_2_0.build_request(incident.model_copy(update={"signal": signal}))

    assert request.component == "workload"


@pytest.mark.parametrize("field", ["component", "is_duplicate", "storm_type", "recovery_attempt_number"])
def test_a_request_for_a_screened_list_has_no_withheld_field(incident: Scenario, field: str) -> None:
    request = playbook_minimal_1_0.build_request(incident).model_dump()

    with pytest.raises(ValidationError, match="extra_forbidden"):
        playbook_minimal_1_0.IncidentRequest.model_validate({**request, field: "x"})


def test_a_recovery_request_counts_attempts_and_keeps_all_of_them(recovery: Scenario) -> None:
    request = recovery_contract.build_request(recovery)

    assert request.is_recovery_attempt is True
    assert request.recovery_attempt_number == 2
    assert request.previous_execution.selected_workflow.workflow_id == "add-replicas"
    assert [each.failure.reason for each in request.earlier_executions] == ["OOMKilled"]


def test_a_recovery_request_takes_the_documented_defaults(recovery: Scenario) -> None:
    bare = recovery.model_copy(update={"business": type(recovery.business)()})
    request = recovery_contract.build_request(bare)

    assert request.environment == "unknown"
    assert request.priority == "P2"
    assert request.risk_tolerance == "medium"
    assert request.business_category == "standard"


FAILURE = "previous_execution/failure"
REFUSED = [
    ("attempt zero", "recovery_attempt_number", 0),
    ("a negative step", f"{FAILURE}/failed_step_index", -1),
    ("an empty remediation id", "remediation_id", ""),
    ("no remediation id", "remediation_id", ...),
    ("not a recovery", "is_recovery_attempt", False),
    ("a time in words", f"{FAILURE}/failed_at", "yesterday"),
    ("a duration in words", f"{FAILURE}/execution_time", "two minutes"),
    ("a duration without unit", f"{FAILURE}/execution_time", "154"),
    ("no enrichment", "enrichment_results", ...),
    ("a reason in natural language", f"{FAILURE}/reason", "ran out of memory"),
    ("a reason in snake case", f"{FAILURE}/reason", "oom_killed"),
    ("no previous execution", "previous_execution", ...),
    ("no container image", "previous_execution/selected_workflow/container_image", ...),
    ("an unknown field", "previous_execution/notes", "x"),
]


@pytest.mark.parametrize(
    ("pointer", "value"), [each[1:] for each in REFUSED], ids=[each[0] for each in REFUSED]
)
def test_a_recovery_request_is_refused(recovery: Scenario, pointer: str, value: Any) -> None:
    request = request_of(recovery)
    recovery_contract.RecoveryRequest.model_validate(request)

    with pytest.raises(ValidationError):
        recovery_contract.RecoveryRequest.model_validate(changed(request, pointer, value))


@pytest.mark.parametrize("reason", [*REASON_CODES, "SomethingNobodyListed"])
def test_every_code_is_taken_known_or_not(recovery: Scenario, reason: str) -> None:
    request = changed(request_of(recovery), f"{FAILURE}/reason", reason)

    assert (
        recovery_contract.RecoveryRequest.model_validate(request).previous_execution.failure.reason == reason
    )

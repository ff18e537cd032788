"""The deployed request: every fact of a scenario, spelled as each generation spells it."""

from typing import Any, cast

import pytest
from conftest import PROJECT

from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.scenarios import load_scenario, load_scenarios
from harness.scenarios.load import CHECKOUT, Project
from harness.targets.http_requests import Generation, Severities, deployed_request, spelled_severity
from tests.targets.openapi import documents

INCIDENT = load_scenario(PROJECT, "incident/oom-behind-latency")
RECOVERY = load_scenario(PROJECT, "recovery/scale-out-failed")
GENERATIONS: tuple[Generation, ...] = (1, 2, 3)


def request(
    scenario: Any, generation: Generation, severities: Severities = "medium-low", seed: int = 7
) -> dict[str, Any]:
    contract = load_contract(DEFAULT_BY_FLOW[scenario.flow])
    return deployed_request(contract, scenario, generation, severities, seed)


def test_the_facts_of_an_incident_go_out_and_what_is_unsaid_is_unknown() -> None:
    bare = INCIDENT.model_copy(update={"business": INCIDENT.business.model_copy(update={"priority": None})})

    body = request(bare, 1)

    assert body["signal_type"] == INCIDENT.signal.signal_type
    assert (body["environment"], body["priority"]) == ("production", "unknown")
    assert body["enrichment_results"] == {"customLabels": {"cost-center": ["retail"]}}
    assert body["signal_labels"]["alertname"] == INCIDENT.signal.alert_name


def test_only_the_last_generation_says_signal_name_and_the_version_of_the_kind() -> None:
    names = [
        {"signal_type", "signal_name", "resource_api_version"} & set(request(INCIDENT, each))
        for each in GENERATIONS
    ]
    assert names == [{"signal_type"}, {"signal_type"}, {"signal_name", "resource_api_version"}]
    assert request(INCIDENT, 3)["resource_api_version"] == "v1"


def test_a_trial_shows_in_the_remediation_id_alone() -> None:
    one, other = request(INCIDENT, 2, seed=1), request(INCIDENT, 2, seed=2)

    assert {name for name in one if one[name] != other[name]} == {"remediation_id"}
    assert one["remediation_id"].endswith("-1")


def test_a_recovery_tells_every_attempt_and_both_names_of_the_image() -> None:
    body = request(RECOVERY, 2)

    ran = body["previous_execution"]["selected_workflow"]
    assert ran["container_image"] == ran["execution_bundle"]
    assert body["recovery_attempt_number"] == 2
    assert [each["workflow_execution_ref"] for each in body["earlier_executions"]] == ["req-77-we-1"]
    assert "execution_bundle" not in request(RECOVERY, 1)["previous_execution"]["selected_workflow"]


@pytest.mark.parametrize(
    ("severity", "earlier", "later"),
    [
        ("critical", "critical", "critical"),
        ("medium", "medium", "warning"),
        ("warning", "medium", "warning"),
        ("low", "low", "info"),
        ("P1", "unknown", "unknown"),
    ],
)
def test_levels_are_spelled_in_the_words_of_the_service(severity: str, earlier: str, later: str) -> None:
    found = (spelled_severity(severity, "medium-low"), spelled_severity(severity, "warning-info"))
    assert found == (earlier, later)


def test_every_request_of_the_suite_is_one_that_the_real_services_take() -> None:
    known = documents()
    scenarios = load_scenarios(Project(CHECKOUT))[::5]
    for document in known:
        words: Severities = "warning-info" if document.later_severities else "medium-low"
        for scenario in scenarios:
            schema = f"{scenario.flow.capitalize()}Request"
            if document.has(schema):
                body = request(scenario, cast("Generation", document.generation), words)
                assert document.breaches(schema, body) == [], (document.file, scenario.id)

"""The request of a deployed analysis API: a scenario's facts, spelled as a generation of it spells them."""

from collections.abc import Mapping
from typing import Any, Literal

from harness.model import Contract, Scenario
from harness.model.values import digest

Generation = Literal[1, 2, 3]
"""1 answers at once; 2 opens a session that is polled; 3 does so for incidents alone."""

Severities = Literal["medium-low", "warning-info"]
"""The words for the two mild levels: the earlier ones, or those that replaced them."""

UNSTATED = "unknown"
"""Stands where the API requires a fact that the scenario leaves unsaid."""

_REQUIRED = (
    "severity", "signal_source", "resource_namespace", "resource_kind", "resource_name", "error_message",
    "environment", "priority", "risk_tolerance", "business_category", "cluster_name",
)  # fmt: skip
_OPTIONAL = ("description", "firing_time", "received_time", "signal_labels")
_DEDUPLICATION = ("is_duplicate", "occurrence_count", "first_seen", "last_seen")
_MILD = {"medium": "warning", "low": "info"}
_MILD_BACK = {later: earlier for earlier, later in _MILD.items()}
_LEVELS = {"critical", "high", "medium", "low"}


def deployed_request(
    contract: Contract, scenario: Scenario, generation: Generation, severities: Severities, seed: int
) -> dict[str, Any]:
    """Return the body of POST /api/v1/{flow}/analyze.

    The API has no seed. `remediation_id` tells trials apart, as it tells attempts apart in production.
    """
    facts: dict[str, Any] = contract.build_request(scenario).model_dump(exclude_none=True)
    body: dict[str, Any] = {
        "incident_id": facts["incident_id"],
        "remediation_id": f"{facts.get('remediation_id') or f'req-{digest(scenario.id)[:10]}'}-{seed}",
        "signal_name" if generation == 3 else "signal_type": facts["signal_type"],
        **{name: facts.get(name) or UNSTATED for name in _REQUIRED},
        "enrichment_results": _enrichment(scenario, generation),
    }
    if generation > 1:
        body["severity"] = spelled_severity(body["severity"], severities)
    if contract.flow == "recovery":
        return body | _past(facts, generation, severities)
    body |= {name: facts[name] for name in (*_OPTIONAL, *_DEDUPLICATION) if facts.get(name) is not None}
    if facts.get("alert_name"):
        body["signal_labels"] = {"alertname": facts["alert_name"], **body.get("signal_labels", {})}
    if generation == 3:
        body["resource_api_version"] = _api_version(scenario)
    return body


def spelled_severity(severity: str, severities: Severities) -> str:
    """Return a level in the words of the API; whatever is no level is unknown to it."""
    if severity == UNSTATED or severity not in _LEVELS | set(_MILD_BACK):
        return UNSTATED
    known = _MILD_BACK.get(severity, severity)
    return _MILD.get(known, known) if severities == "warning-info" else known


def contract_severity(severity: Any) -> Any:
    """Return a level of the API in the contract's words, anything else as it came."""
    return _MILD_BACK.get(severity, severity) if isinstance(severity, str) else severity


def _enrichment(scenario: Scenario, generation: Generation) -> dict[str, Any]:
    custom = {
        name: value if isinstance(value, list) else [value] for name, value in scenario.custom_labels.items()
    }
    # Later generations detect these by themselves.
    detected = dict(scenario.detected_labels) if generation == 1 else {}
    return ({"customLabels": custom} if custom else {}) | ({"detectedLabels": detected} if detected else {})


def _past(facts: Mapping[str, Any], generation: Generation, severities: Severities) -> dict[str, Any]:
    earlier = [_execution(each, generation, severities) for each in facts.get("earlier_executions", [])]
    return {
        "is_recovery_attempt": True,
        "recovery_attempt_number": facts["recovery_attempt_number"],
        "previous_execution": _execution(facts["previous_execution"], generation, severities),
        **({"earlier_executions": earlier} if earlier else {}),
    }


def _execution(given: Mapping[str, Any], generation: Generation, severities: Severities) -> dict[str, Any]:
    if generation == 1:
        return dict(given)
    # The image was renamed within the generation; what a service does not know it leaves unread.
    ran = {**given["selected_workflow"], "execution_bundle": given["selected_workflow"]["container_image"]}
    cause = given["original_rca"]
    cause = {**cause, "severity": spelled_severity(cause["severity"], severities)}
    return {**given, "selected_workflow": ran, "original_rca": cause}


def _api_version(scenario: Scenario) -> str:
    """Return the apiVersion of the kind that the signal names, as the cluster has it."""
    kind = scenario.signal.resource_kind.lower()
    found = (each for each in scenario.world.objects if str(each.get("kind", "")).lower() == kind)
    return next((str(each["apiVersion"]) for each in found if each.get("apiVersion")), "v1")

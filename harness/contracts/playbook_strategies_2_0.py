"""Incident contract S: several strategies from the playbooks that the prompt shows.

Source: ADR-038 v2.0, "LLM Response Format (Authoritative)" and its examples. The playbooks were fetched
before, with their full parameter definitions; there is no search, and the first strategy is the selection.
Confidence is the model's own assessment, and it cannot decline. Released and frozen: a correction is a new
module.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from harness.contracts import reading
from harness.contracts.taxonomy import CANONICAL_SIGNAL_TYPES, SEVERITY_CRITERIA
from harness.model.answer import Answer
from harness.model.contract import Anchor, Contract, GivenList, ResultShape, Section
from harness.model.scenario import Scenario
from harness.model.values import digest

Prose = Annotated[str, Field(min_length=1, pattern=r"\S")]
Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
ParameterValue = str | int | float | bool


class Strict(BaseModel):
    """Typed without coercion, closed to undeclared fields."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class IncidentRequest(Strict):
    """The facts of an incident as the platform sends them (REQ-1)."""

    incident_id: Annotated[str, Field(min_length=1)]
    signal_type: Annotated[str, Field(min_length=1)]
    severity: Annotated[str, Field(min_length=1)]
    alert_name: str | None = None
    resource_namespace: str
    resource_kind: Annotated[str, Field(min_length=1)]
    resource_name: Annotated[str, Field(min_length=1)]
    component: Annotated[str, Field(min_length=1)]
    error_message: str
    description: str | None = None
    firing_time: str | None = None
    received_time: str | None = None
    is_duplicate: bool | None = None
    first_seen: str | None = None
    last_seen: str | None = None
    occurrence_count: int | None = None
    previous_remediation_ref: str | None = None
    is_storm: bool | None = None
    storm_type: Literal["rate", "pattern"] | None = None
    storm_window: str | None = None
    storm_alert_count: int | None = None
    affected_resources: list[str] = []
    cluster_name: str | None = None
    signal_source: str | None = None
    signal_labels: dict[str, str] = {}
    environment: str | None = None
    priority: str | None = None
    business_category: str | None = None
    risk_tolerance: str | None = None


class Strategy(Strict):
    """One playbook that would help, and how."""

    playbook_id: Prose
    version: Prose | None = None
    confidence: Confidence
    rationale: Prose
    estimated_risk: Literal["low", "medium", "high"]
    parameters: dict[str, ParameterValue] = {}


class ContextUsed(Strict):
    """What the strategies were chosen by."""

    cluster_state: Prose
    resource_availability: Prose
    blast_radius: Prose


class Response(Strict):
    """The JSON object that the prompt asks for."""

    analysis_summary: Prose
    root_cause_assessment: Prose
    strategies: Annotated[list[Strategy], Field(min_length=1)]
    warnings: list[str] = []
    context_used: ContextUsed


PLACES = {
    "summary": "/analysis_summary",
    "root_cause": "/root_cause_assessment",
    "selection": "/strategies/0",
    "selection.estimated_risk": "/strategies/0/estimated_risk",
    "alternatives": "/strategies",
    "warnings": "/warnings",
    "context.cluster_state": "/context_used/cluster_state",
    "context.resource_availability": "/context_used/resource_availability",
    "context.blast_radius": "/context_used/blast_radius",
}


def read(value: Any) -> Answer:
    """Return the version-free answer of a raw JSON value; strategies after the first are alternatives."""
    return Answer(
        root_cause=reading.text(value, PLACES["root_cause"]),
        severity=None,
        selection=reading.first_of(value, PLACES["alternatives"], "playbook_id"),
        alternatives=reading.alternatives(value, PLACES["alternatives"], "playbook_id", first=1),
        recovery=None,
        warnings=reading.texts(value, PLACES["warnings"]),
    )


def build_request(scenario: Scenario) -> IncidentRequest:
    """Return the request that states a scenario's facts."""
    facts = scenario.signal
    return IncidentRequest(
        incident_id=f"inc-{digest(scenario.id)[:10]}",
        signal_type=facts.signal_type,
        severity=facts.severity,
        alert_name=facts.alert_name,
        resource_namespace=facts.namespace,
        resource_kind=facts.resource_kind,
        resource_name=facts.resource_name,
        component=facts.affected,
        **(scenario.deduplication.model_dump() if scenario.deduplication else {}),
        **(scenario.storm.model_dump() if scenario.storm else {}),
        **scenario.error.model_dump(),
        **scenario.cluster.model_dump(),
        **scenario.business.model_dump(),
    )


ANCHORS = {
    "CAR-1": Anchor((r"json", r"one", r"fence")),
    "CAR-2": Anchor((r"json", r"(no comments|without comments)", r"(strict|valid|plain)")),
    "CAR-3": Anchor((r"required", r"analysis_summary", r"strategies", r"context_used")),
    "CAR-4": Anchor((r"(no other|no further|not listed|undeclared) fields?",)),
    "PAS-6": Anchor((r"business field", r"parameters", r"(keep|never|not)")),
    "QRY-7": Anchor((r"tools", r"(only|listed|offered)", r"argument")),
    "SEL-1": Anchor((r"playbook_id", r"(listed|list)", r"(only|must|never)")),
    "SEL-2": Anchor((r"first", r"strategy", r"root cause", r"fit")),
    "SEL-4": Anchor((r"version", r"(listed|list)")),
    "PAR-1": Anchor((r"required parameter", r"(undeclared|not declared|no other)")),
    "PAR-2": Anchor((r"type", r"(allowed values|enum)", r"minimum", r"pattern", r"depends_on")),
    "PAR-3": Anchor((r"parameter", r"resource", r"root cause")),
    "PAR-4": Anchor((r"(password|token|secret|credential)", r"parameter")),
    "SAF-1": Anchor((r"(instruction)", r"(log|event|annotation)", r"(ignore|not follow|never follow)")),
}  # fmt: skip

CONTRACT = Contract(
    id="playbook-strategies-2.0",
    flow="incident",
    title="Strategies from playbooks that the prompt shows",
    source='ADR-038 v2.0, "LLM Response Format (Authoritative)"',
    request=IncidentRequest,
    build_request=build_request,
    response=Response,
    read=read,
    places=PLACES,
    signal_types=CANONICAL_SIGNAL_TYPES,
    severities=tuple(SEVERITY_CRITERIA),
    catalog_tool=None,
    result=ResultShape(
        list_key="playbooks",
        fields={
            "id": "playbook_id",
            "version": "version",
            "title": "name",
            "description": "description",
            "parameters": "parameters",
        },
        parameters="array",
        total_key=None,
    ),
    labels={},
    query_word=None,
    confidence="own",
    removed_fields=frozenset(
        {
            "action_type", "prerequisites", "steps", "expected_outcome", "rollback_plan",
            "remediation_recommendations",
        }
    ),
    sections=(
        Section("Investigation Request", 1),
        Section("Signal Information (FOR RCA INVESTIGATION)"),
        Section("Error Details (FOR RCA INVESTIGATION)"),
        Section("Deduplication Context (FOR RCA INVESTIGATION)"),
        Section("Storm Detection (FOR RCA INVESTIGATION)"),
        Section("Cluster Context (FOR RCA INVESTIGATION)"),
        Section("Business Context (FOR PLAYBOOK SEARCH - NOT FOR RCA)"),
        Section("Available Playbooks"),
        Section("Required Analysis"),
        Section("RCA Severity Assessment"),
        Section("Output Format"),
    ),
    prompt_fields=(
        "signal_type", "severity", "alert_name", "resource_namespace", "resource_kind", "resource_name",
        "component", "error_message", "description", "firing_time", "received_time",
        "is_duplicate", "first_seen", "last_seen", "occurrence_count", "previous_remediation_ref",
        "is_storm", "storm_type", "storm_window", "storm_alert_count", "affected_resources",
        "cluster_name", "signal_source", "signal_labels",
        "environment", "priority", "business_category", "risk_tolerance",
    ),
    withheld=("recovery attempt",),
    anchors=ANCHORS,
    clauses=(
        "CAR-1", "CAR-2", "CAR-3", "CAR-4", "CAR-7",
        "SEV-6",
        "PAS-6",
        "QRY-7", "QRY-8",
        "SEL-1", "SEL-2", "SEL-4", "SEL-9",
        "PAR-1", "PAR-2", "PAR-3", "PAR-4",
        "SAF-1", "SAF-2",
        "MET-1", "MET-2", "MET-3", "MET-5",
    ),
    given=GivenList(
        labels=("environment", "priority", "risk_tolerance", "business_category"),
        screened=False,
    ),
    may_decline=False,
)  # fmt: skip

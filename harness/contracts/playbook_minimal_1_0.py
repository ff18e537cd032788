"""Incident contract M: pick the best playbook of a list that the platform has filtered.

Source: DD-CONTEXT-005 v1.0: four fields an entry, everything else decided before. The document has no
prompt and no answer: sections come from ADR-038, the answer from its section 4 without parameters, and
confidence passes through, as the prompt says. Released and frozen: a correction is a new module.
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
    error_message: str
    description: str | None = None
    firing_time: str | None = None
    received_time: str | None = None
    cluster_name: str | None = None
    signal_source: str | None = None
    signal_labels: dict[str, str] = {}
    environment: str | None = None
    priority: str | None = None
    business_category: str | None = None
    risk_tolerance: str | None = None


class NoParameters(Strict):
    """What the answer says of parameters: nothing, for the list shows none."""


class SelectedPlaybook(Strict):
    """The one playbook to run."""

    playbook_id: Prose
    version: Prose | None = None
    confidence: Confidence
    rationale: Prose
    parameters: NoParameters = NoParameters()


class AlternativePlaybook(Strict):
    """A playbook that an operator could run instead."""

    playbook_id: Prose
    confidence: Confidence
    rationale: Prose


class Response(Strict):
    """The JSON object that the prompt asks for."""

    analysis_summary: Prose
    root_cause_assessment: Prose
    rca_severity: Literal["critical", "high", "medium", "low"]
    selected_playbook: SelectedPlaybook | None
    alternative_playbooks: list[AlternativePlaybook] = []
    warnings: list[str] = []


PLACES = {
    "summary": "/analysis_summary",
    "root_cause": "/root_cause_assessment",
    "severity": "/rca_severity",
    "selection": "/selected_playbook",
    "alternatives": "/alternative_playbooks",
    "warnings": "/warnings",
}


def read(value: Any) -> Answer:
    """Return the version-free answer of a raw JSON value, each part read alone."""
    return Answer(
        root_cause=reading.text(value, PLACES["root_cause"]),
        severity=reading.text(value, PLACES["severity"]),
        selection=reading.selection(value, PLACES["selection"], "playbook_id"),
        alternatives=reading.alternatives(value, PLACES["alternatives"], "playbook_id"),
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
        **scenario.error.model_dump(),
        **scenario.cluster.model_dump(),
        **scenario.business.model_dump(),
    )


ANCHORS = {
    "CAR-1": Anchor((r"json", r"one", r"fence")),
    "CAR-2": Anchor((r"json", r"(no comments|without comments)", r"(strict|valid|plain)")),
    "CAR-3": Anchor((r"required", r"analysis_summary", r"root_cause_assessment", r"rca_severity")),
    "CAR-4": Anchor((r"(no other|no further|not listed|undeclared) fields?",)),
    "CAR-5": Anchor((r"(exactly one|a single|one) playbook", r"(not a list|never a list|no list)")),
    "SEV-1": Anchor((r"critical", r"high", r"medium", r"low", r"\b(one of|exactly)\b", r"level")),
    "SEV-2": Anchor((r"severity", r"(impact)", r"(assess|judge)")),
    "SEV-3": Anchor((r"severity", r"(differ|reassess|do not copy|not simply copy)")),
    "PAS-6": Anchor((r"business field", r"parameters", r"(keep|never|not)")),
    "PAS-7": Anchor((r"confidence", r"(listed|list)", r"(copy|copied|unchanged|pass)")),
    "PAS-8": Anchor((r"confidence", r"alternative", r"(listed|list)")),
    "QRY-7": Anchor((r"tools", r"(only|listed|offered)", r"argument")),
    "SEL-1": Anchor((r"playbook_id", r"(listed|list)", r"(only|must|never)")),
    "SEL-2": Anchor((r"null", r"no playbook", r"fit")),
    "SEL-3": Anchor((r"highest confidence", r"\b(select|choose|pick)\b")),
    "SEL-4": Anchor((r"version", r"(listed|list)")),
    "SEL-5": Anchor((r"alternative", r"(distinct|different|differ)", r"(listed|list)")),
    "SAF-1": Anchor((r"(instruction)", r"(log|event|annotation)", r"(ignore|not follow|never follow)")),
}  # fmt: skip

CONTRACT = Contract(
    id="playbook-minimal-1.0",
    flow="incident",
    title="The best playbook of a filtered list",
    source="DD-CONTEXT-005 v1.0; sections and answer fields from ADR-038 v2.0",
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
            "description": "description",
            "confidence": "confidence",
        },
    ),
    labels={},
    query_word=None,
    confidence="pass_through",
    removed_fields=frozenset(
        {
            "action_type", "prerequisites", "steps", "expected_outcome", "rollback_plan",
            "remediation_recommendations", "estimated_risk", "strategies", "context_used",
        }
    ),
    sections=(
        Section("Investigation Request", 1),
        Section("Signal Information (FOR RCA INVESTIGATION)"),
        Section("Error Details (FOR RCA INVESTIGATION)"),
        Section("Cluster Context (FOR RCA INVESTIGATION)"),
        Section("Business Context (FOR PLAYBOOK SEARCH - NOT FOR RCA)"),
        Section("Available Playbooks"),
        Section("Required Analysis"),
        Section("RCA Severity Assessment"),
        Section("Output Format"),
    ),
    prompt_fields=(
        "signal_type", "severity", "alert_name", "resource_namespace", "resource_kind", "resource_name",
        "error_message", "description", "firing_time", "received_time",
        "cluster_name", "signal_source", "signal_labels",
        "environment", "priority", "business_category", "risk_tolerance",
    ),
    withheld=("deduplication", "storm", "recovery attempt", "component"),
    anchors=ANCHORS,
    clauses=(
        "CAR-1", "CAR-2", "CAR-3", "CAR-4", "CAR-5", "CAR-7",
        "SEV-1", "SEV-2", "SEV-3", "SEV-6",
        "PAS-6", "PAS-7", "PAS-8",
        "QRY-7", "QRY-8",
        "SEL-1", "SEL-2", "SEL-3", "SEL-4", "SEL-5",
        "SAF-1", "SAF-2",
        "MET-1", "MET-2", "MET-3", "MET-4", "MET-5", "MET-6",
    ),
    given=GivenList(
        labels=("environment", "priority", "risk_tolerance", "business_category"),
        screened=True,
        max_results=10,
    ),
)  # fmt: skip

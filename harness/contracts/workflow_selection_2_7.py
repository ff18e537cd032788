"""Incident contract W: choose one workflow for a first-time incident.

Source: ADR-041 v2.7 with DD-LLM-001 v1.1. ADR-041 as published ends after the error details; cluster and
business context, severity assessment and the answer's fields come from ADR-038 and DD-LLM-001, and `null`
for "no workflow fits" is our own reading. Released and frozen: a correction is a new module.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from harness.contracts import reading
from harness.contracts.taxonomy import CANONICAL_SIGNAL_TYPES, SEVERITY_CRITERIA
from harness.model.answer import Answer
from harness.model.contract import Anchor, Contract, ResultShape, Section
from harness.model.scenario import Scenario
from harness.model.transcript import ToolSpec
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
    custom_labels: dict[str, str | list[str]] = {}
    detected_labels: dict[str, str | bool] = {}


class SelectedWorkflow(Strict):
    """The one workflow to run."""

    workflow_id: Prose
    version: Prose | None = None
    confidence: Confidence
    rationale: Prose
    parameters: dict[str, ParameterValue] = {}


class AlternativeWorkflow(Strict):
    """A workflow that an operator could run instead."""

    workflow_id: Prose
    confidence: Confidence
    rationale: Prose


class Response(Strict):
    """The JSON object that the prompt asks for."""

    analysis_summary: Prose
    root_cause_assessment: Prose
    rca_severity: Literal["critical", "high", "medium", "low"]
    selected_workflow: SelectedWorkflow | None
    alternative_workflows: list[AlternativeWorkflow] = []
    warnings: list[str] = []


PLACES = {
    "summary": "/analysis_summary",
    "root_cause": "/root_cause_assessment",
    "severity": "/rca_severity",
    "selection": "/selected_workflow",
    "alternatives": "/alternative_workflows",
    "warnings": "/warnings",
}


def read(value: Any) -> Answer:
    """Return the version-free answer of a raw JSON value, each part read alone."""
    return Answer(
        root_cause=reading.text(value, PLACES["root_cause"]),
        severity=reading.text(value, PLACES["severity"]),
        selection=reading.selection(value, PLACES["selection"], "workflow_id"),
        alternatives=reading.alternatives(value, PLACES["alternatives"], "workflow_id"),
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
        custom_labels=scenario.custom_labels,
        detected_labels=scenario.detected_labels,
        **scenario.error.model_dump(),
        **scenario.cluster.model_dump(),
        **scenario.business.model_dump(),
    )


def _property(kind: str, description: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "description": description, **more}


SEARCH_TOOL = ToolSpec(
    name="search_workflow_catalog",
    description=(
        "Search the catalog of remediation workflows. Entries are filtered by exact label match and then "
        "ranked by how well they fit the query. Returns workflow_id, version, confidence and the "
        "definitions of the parameters of each match, best first."
    ),
    parameters={
        "type": "object",
        "properties": {
            "query": _property("string", "Signal type, then severity, then optional keywords, by spaces."),
            "label.signal-type": _property("string", "The signal type that your investigation found."),
            "label.severity": _property("string", "The severity that you assessed."),
            "label.environment": _property("string", "The environment of the request, unchanged."),
            "label.priority": _property("string", "The priority of the request, unchanged."),
            "label.risk-tolerance": _property("string", "The risk tolerance of the request, unchanged."),
            "label.business-category": _property(
                "string", "The business category of the request, unchanged."
            ),
            "custom_labels": _property(
                "object", "The custom labels of the request, unchanged. Leave out where it has none."
            ),
            "detected_labels": _property(
                "object", "The detected labels of the request, unchanged. Leave out where it has none."
            ),
            "min_confidence": _property(
                "number", "Set by the system; leave it out.", minimum=0, maximum=1, default=0.7
            ),
            "max_results": _property(
                "integer", "Set by the system; leave it out.", minimum=1, maximum=50, default=10
            ),
        },
        "required": ["query"],
        "additionalProperties": False,
    },
)

LABELS = {
    "signal_type": "label.signal-type",
    "severity": "label.severity",
    "environment": "label.environment",
    "priority": "label.priority",
    "risk_tolerance": "label.risk-tolerance",
    "business_category": "label.business-category",
}

_VOCABULARY = Anchor((r"signal type", r"\b(one of|only|exactly)\b", r"oomkilled", r"failedmount"))
_SEVERITY_LEVELS = Anchor((r"critical", r"high", r"medium", r"low", r"\b(one of|exactly)\b", r"level"))
_OWN_SEVERITY = Anchor((r"severity", r"(differ|reassess|do not copy|not simply copy)"))
_PASS_THROUGH = Anchor(
    (r"label\.environment", r"label\.business-category", r"(unchanged|byte for byte|as given)")
)
_INVENT_NOTHING = Anchor((r"business field", r"(not given|missing|absent|does not have)", r"leave"))
_SAME_SEVERITY = Anchor((r"same severity", r"(query|label)"))
_CONFIDENCE = Anchor((r"confidence", r"returned", r"(copy|copied|unchanged|pass)"))
_ONE_OBJECT = Anchor((r"json", r"one", r"fence"))
_PARAMETERS = Anchor((r"required parameter", r"(undeclared|not declared|no other)"))
_PARAMETER_VALUES = Anchor((r"type", r"(allowed values|enum)", r"minimum", r"pattern", r"depends_on"))

ANCHORS = {
    "CAR-1": _ONE_OBJECT,
    "CAR-2": Anchor((r"json", r"(no comments|without comments)", r"(strict|valid|plain)")),
    "CAR-3": Anchor((r"required", r"analysis_summary", r"root_cause_assessment", r"rca_severity")),
    "CAR-4": Anchor((r"(no other|no further|not listed|undeclared) fields?",)),
    "CAR-5": Anchor((r"(exactly one|a single|one) workflow", r"(not a list|never a list|no list)")),
    "SIG-1": _VOCABULARY,
    "SIG-2": Anchor((r"signal type", r"(evidence|investigation)", r"(differ|alert)")),
    "SIG-3": Anchor((r"symptom", r"cause")),
    "SEV-1": _SEVERITY_LEVELS,
    "SEV-2": Anchor((r"severity", r"(impact)", r"(assess|judge)")),
    "SEV-3": _OWN_SEVERITY,
    "SEV-4": _SAME_SEVERITY,
    "PAS-1": _PASS_THROUGH,
    "PAS-2": _PASS_THROUGH,
    "PAS-3": _PASS_THROUGH,
    "PAS-4": _PASS_THROUGH,
    "PAS-5": Anchor((r"custom_labels", r"detected_labels", r"(unchanged|byte for byte|as given)")),
    "PAS-6": Anchor((r"business field", r"query", r"parameters", r"(keep|never|not)")),
    "PAS-7": _CONFIDENCE,
    "PAS-8": Anchor((r"confidence", r"alternative", r"returned")),
    "PAS-9": _INVENT_NOTHING,
    "QRY-1": Anchor((r"search_workflow_catalog", r"before", r"answer")),
    "QRY-2": Anchor((r"(investigate|evidence)", r"before", r"search")),
    "QRY-3": Anchor((r"query", r"<signal_type> <severity>")),
    "QRY-4": Anchor((r"keyword", r"namespace", r"(no|never|not)", r"json")),
    "QRY-5": Anchor((r"label\.signal-type", r"label\.severity", r"(equal|same|repeat)", r"query")),
    "QRY-7": Anchor((r"tools", r"(only|listed|offered)", r"argument")),
    "SEL-1": Anchor((r"workflow_id", r"returned", r"(only|must|never)")),
    "SEL-2": Anchor((r"null", r"no workflow", r"fit")),
    "SEL-4": Anchor((r"version", r"returned")),
    "SEL-5": Anchor((r"alternative", r"(distinct|different|differ)", r"returned")),
    "PAR-1": _PARAMETERS,
    "PAR-2": _PARAMETER_VALUES,
    "PAR-3": Anchor((r"parameter", r"resource", r"root cause")),
    "PAR-4": Anchor((r"(password|token|secret|credential)", r"parameter")),
    "SAF-1": Anchor((r"(instruction)", r"(log|event|annotation)", r"(ignore|not follow|never follow)")),
}  # fmt: skip

CONTRACT = Contract(
    id="workflow-selection-2.7",
    flow="incident",
    title="Workflow selection for a first-time incident",
    source="ADR-041 v2.7; DD-LLM-001 v1.1; remaining sections and answer fields from ADR-038 v2.0",
    request=IncidentRequest,
    build_request=build_request,
    response=Response,
    read=read,
    places=PLACES,
    signal_types=CANONICAL_SIGNAL_TYPES,
    severities=tuple(SEVERITY_CRITERIA),
    catalog_tool=SEARCH_TOOL,
    result=ResultShape(
        list_key="workflows",
        fields={
            "id": "workflow_id",
            "version": "version",
            "confidence": "confidence",
            "parameters": "parameters",
        },
    ),
    labels=LABELS,
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
        Section("Business Context (FOR WORKFLOW SEARCH - NOT FOR RCA)"),
        Section("Required Analysis"),
        Section("RCA Severity Assessment"),
        Section("MCP Workflow Search Guidance"),
        Section("Output Format"),
    ),
    prompt_fields=(
        "signal_type", "severity", "alert_name", "resource_namespace", "resource_kind", "resource_name",
        "error_message", "description", "firing_time", "received_time",
        "cluster_name", "signal_source", "signal_labels",
        "environment", "priority", "business_category", "risk_tolerance",
        "custom_labels", "detected_labels",
    ),
    withheld=("deduplication", "storm", "recovery attempt", "component"),
    anchors=ANCHORS,
    clauses=(
        "CAR-1", "CAR-2", "CAR-3", "CAR-4", "CAR-5", "CAR-7",
        "SIG-1", "SIG-2", "SIG-3",
        "SEV-1", "SEV-2", "SEV-3", "SEV-4", "SEV-6",
        "PAS-1", "PAS-2", "PAS-3", "PAS-4", "PAS-5", "PAS-6", "PAS-7", "PAS-8", "PAS-9",
        "QRY-1", "QRY-2", "QRY-3", "QRY-4", "QRY-4b", "QRY-5", "QRY-6", "QRY-7", "QRY-8",
        "SEL-1", "SEL-2", "SEL-4", "SEL-5", "SEL-6", "SEL-7", "SEL-8",
        "PAR-1", "PAR-2", "PAR-3", "PAR-4",
        "SAF-1", "SAF-2",
        "MET-1", "MET-2", "MET-3", "MET-4", "MET-5",
    ),
)  # fmt: skip

"""Incident contract P: search the playbook catalog and choose one playbook.

Source: ADR-038 v2.0, section 4. Its prose there demands an estimated risk and recommendations that its own
JSON lacks: they belong to playbook-strategies-2.0 and are undeclared here. Confidence is the model's own
assessment, similarity is the catalog's. `null` for "no playbook fits" is our own reading, and so are the
search's `query`, `min_confidence` and `max_results`, which the text leaves to the tool.
Released and frozen: a correction is a new module.
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


class SelectedPlaybook(Strict):
    """The one playbook to run."""

    playbook_id: Prose
    version: Prose | None = None
    confidence: Confidence
    rationale: Prose
    parameters: dict[str, ParameterValue] = {}


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
        component=facts.affected,
        **(scenario.deduplication.model_dump() if scenario.deduplication else {}),
        **(scenario.storm.model_dump() if scenario.storm else {}),
        **scenario.error.model_dump(),
        **scenario.cluster.model_dump(),
        **scenario.business.model_dump(),
    )


def _property(kind: str, description: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "description": description, **more}


SEARCH_TOOL = ToolSpec(
    name="search_playbook_catalog",
    description=(
        "Search the catalog of remediation playbooks. Entries are filtered by exact match of every field "
        "sent and then ranked by how alike they are to what was found. Returns playbook_id, title, "
        "description, parameters (an array of definitions), similarity_score, estimated_duration and "
        "success_rate of each match, best first."
    ),
    parameters={
        "type": "object",
        "properties": {
            "query": _property("string", "Technical keywords for the ranking; may be left out."),
            "signal_type": _property("string", "The signal type that your investigation found."),
            "severity": _property("string", "The severity that you assessed."),
            "target_resource": _property(
                "string", "The resource to remedy: namespace/kind/name, or kind/name in no namespace."
            ),
            "component": _property("string", "The kind of the target resource in lower case."),
            "environment": _property("string", "The environment of the request, unchanged."),
            "priority": _property("string", "The priority of the request, unchanged."),
            "risk_tolerance": _property("string", "The risk tolerance of the request, unchanged."),
            "business_category": _property("string", "The business category of the request, unchanged."),
            "min_confidence": _property(
                "number", "Set by the system; leave it out.", minimum=0, maximum=1, default=0.7
            ),
            "max_results": _property(
                "integer", "Set by the system; leave it out.", minimum=1, maximum=50, default=10
            ),
        },
        "required": ["signal_type", "severity"],
        "additionalProperties": False,
    },
)

LABELS = {
    "signal_type": "signal_type",
    "severity": "severity",
    "component": "component",
    "environment": "environment",
    "priority": "priority",
    "risk_tolerance": "risk_tolerance",
    "business_category": "business_category",
}

_VOCABULARY = Anchor((r"signal type", r"\b(one of|only|exactly)\b", r"oomkilled", r"failedmount"))
_SEVERITY_LEVELS = Anchor((r"critical", r"high", r"medium", r"low", r"\b(one of|exactly)\b", r"level"))
_OWN_SEVERITY = Anchor((r"severity", r"(differ|reassess|do not copy|not simply copy)"))
_PASS_THROUGH = Anchor((r"`environment`", r"`business_category`", r"(unchanged|byte for byte|as given)"))
_INVENT_NOTHING = Anchor((r"business field", r"(not given|missing|absent|does not have)", r"leave"))
_ONE_OBJECT = Anchor((r"json", r"one", r"fence"))
_PARAMETERS = Anchor((r"required parameter", r"(undeclared|not declared|no other)"))
_PARAMETER_VALUES = Anchor((r"type", r"(allowed values|enum)", r"minimum", r"pattern", r"depends_on"))

ANCHORS = {
    "CAR-1": _ONE_OBJECT,
    "CAR-2": Anchor((r"json", r"(no comments|without comments)", r"(strict|valid|plain)")),
    "CAR-3": Anchor((r"required", r"analysis_summary", r"root_cause_assessment", r"rca_severity")),
    "CAR-4": Anchor((r"(no other|no further|not listed|undeclared) fields?",)),
    "CAR-5": Anchor((r"(exactly one|a single|one) playbook", r"(not a list|never a list|no list)")),
    "SIG-1": _VOCABULARY,
    "SIG-2": Anchor((r"signal type", r"(evidence|investigation)", r"(differ|alert)")),
    "SIG-3": Anchor((r"symptom", r"cause")),
    "SEV-1": _SEVERITY_LEVELS,
    "SEV-2": Anchor((r"severity", r"(impact)", r"(assess|judge)")),
    "SEV-3": _OWN_SEVERITY,
    "PAS-1": _PASS_THROUGH,
    "PAS-2": _PASS_THROUGH,
    "PAS-3": _PASS_THROUGH,
    "PAS-4": _PASS_THROUGH,
    "PAS-6": Anchor((r"business field", r"query", r"parameters", r"(keep|never|not)")),
    "PAS-9": _INVENT_NOTHING,
    "QRY-1": Anchor((r"search_playbook_catalog", r"before", r"answer")),
    "QRY-2": Anchor((r"(investigate|evidence)", r"before", r"search")),
    "QRY-7": Anchor((r"tools", r"(only|listed|offered)", r"argument")),
    "QRY-10": Anchor((r"target_resource", r"component", r"(agree|same|its kind|kind of)", r"investigation")),
    "TGT-1": Anchor((r"target_resource", r"namespace/kind/name", r"kind/name", r"root cause")),
    "SEL-1": Anchor((r"playbook_id", r"returned", r"(only|must|never)")),
    "SEL-2": Anchor((r"null", r"no playbook", r"fit")),
    "SEL-4": Anchor((r"version", r"(returned|that the catalog has)")),
    "SEL-5": Anchor((r"alternative", r"(distinct|different|differ)", r"returned")),
    "PAR-1": _PARAMETERS,
    "PAR-2": _PARAMETER_VALUES,
    "PAR-3": Anchor((r"parameter", r"resource", r"root cause")),
    "PAR-4": Anchor((r"(password|token|secret|credential)", r"parameter")),
    "SAF-1": Anchor((r"(instruction)", r"(log|event|annotation)", r"(ignore|not follow|never follow)")),
}  # fmt: skip

CONTRACT = Contract(
    id="playbook-selection-2.0",
    flow="incident",
    title="Playbook selection by a search of the catalog",
    source="ADR-038 v2.0, section 4",
    request=IncidentRequest,
    build_request=build_request,
    response=Response,
    read=read,
    places=PLACES,
    signal_types=CANONICAL_SIGNAL_TYPES,
    severities=tuple(SEVERITY_CRITERIA),
    catalog_tool=SEARCH_TOOL,
    result=ResultShape(
        list_key="playbooks",
        fields={
            "id": "playbook_id",
            "title": "title",
            "description": "description",
            "parameters": "parameters",
            "confidence": "similarity_score",
            "estimated_duration": "estimated_duration",
            "success_rate": "success_rate",
        },
        parameters="array",
        total_key=None,
    ),
    labels=LABELS,
    query_word=None,
    confidence="own",
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
        Section("Deduplication Context (FOR RCA INVESTIGATION)"),
        Section("Storm Detection (FOR RCA INVESTIGATION)"),
        Section("Cluster Context (FOR RCA INVESTIGATION)"),
        Section("Business Context (FOR PLAYBOOK SEARCH - NOT FOR RCA)"),
        Section("Required Analysis"),
        Section("RCA Severity Assessment"),
        Section("Playbook Search Guidance"),
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
        "CAR-1", "CAR-2", "CAR-3", "CAR-4", "CAR-5", "CAR-7",
        "SIG-1", "SIG-2", "SIG-3",
        "SEV-1", "SEV-2", "SEV-3", "SEV-6",
        "PAS-1", "PAS-2", "PAS-3", "PAS-4", "PAS-6", "PAS-9",
        "QRY-1", "QRY-2", "QRY-7", "QRY-8", "QRY-10", "TGT-1",
        "SEL-1", "SEL-2", "SEL-4", "SEL-5", "SEL-8",
        "PAR-1", "PAR-2", "PAR-3", "PAR-4",
        "SAF-1", "SAF-2",
        "MET-1", "MET-2", "MET-3", "MET-5",
    ),
    query_leads=False,
    target="target_resource",
)  # fmt: skip

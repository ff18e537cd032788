"""Recovery contract R: a remediation failed; choose another way, and say why it differs.

Source: the recovery handoff (DD-RECOVERY-002, DD-RECOVERY-003), with DD-LLM-001 v1.1 for the search. The
handoff does not say what confidence means; it passes through from the search, as in workflow-selection-2.7.
`earlier_executions` is our documented extension: further failed attempts, oldest first.
Released and frozen: a correction is a new module.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from harness.contracts import reading
from harness.contracts.taxonomy import (
    CANONICAL_SIGNAL_TYPES,
    REASON_CODES,
    RECOVERY_DEFAULTS,
    SEVERITY_CRITERIA,
)
from harness.model.answer import Answer
from harness.model.contract import Anchor, Contract, ResultShape, Section
from harness.model.scenario import PreviousExecution as GivenExecution
from harness.model.scenario import Scenario
from harness.model.transcript import ToolSpec
from harness.model.values import digest

Text = Annotated[str, Field(min_length=1)]
Prose = Annotated[str, Field(min_length=1, pattern=r"\S")]
Confidence = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
SignalType = Literal[
    "OOMKilled", "CrashLoopBackOff", "ImagePullBackOff", "Evicted", "NodeNotReady", "PodPending",
    "FailedScheduling", "BackoffLimitExceeded", "DeadlineExceeded", "FailedMount",
    "InsufficientCPU", "InsufficientMemory", "Unschedulable", "ErrImagePull", "InvalidImageName", "Error",
    "Unauthorized", "Forbidden", "FailedAttachVolume", "NodeUnreachable", "NetworkNotReady",
]  # fmt: skip
"""The ten canonical types and the nineteen reason codes, each once."""

ISO_TIME = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$"
DURATION = r"^(\d+h)?(\d+m)?(\d+(\.\d+)?s)?$"
REASON_SHAPE = r"^[A-Z][A-Za-z0-9]*$"


class Strict(BaseModel):
    """Typed without coercion, closed to undeclared fields."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class OriginalRca(Strict):
    """What the first analysis said."""

    summary: str
    signal_type: str
    severity: str
    contributing_factors: list[str] = []


class SelectedWorkflowSummary(Strict):
    """The workflow that ran and failed."""

    workflow_id: Text
    version: str
    container_image: str
    parameters: dict[str, str] = {}
    rationale: str


class ExecutionFailure(Strict):
    """How it failed. `reason` must look like a code; an unknown code is allowed, a sentence is not."""

    failed_step_index: Annotated[int, Field(ge=0)]
    failed_step_name: str
    reason: Annotated[str, Field(pattern=REASON_SHAPE)]
    message: str
    exit_code: int | None = None
    failed_at: Annotated[str, Field(pattern=ISO_TIME)]
    execution_time: Annotated[str, Field(pattern=DURATION, min_length=2)]


class PreviousExecution(Strict):
    """One failed attempt, complete."""

    workflow_execution_ref: Text
    original_rca: OriginalRca
    selected_workflow: SelectedWorkflowSummary
    failure: ExecutionFailure


class RecoveryRequest(Strict):
    """The facts of a recovery as the platform sends them (REQ-2)."""

    incident_id: Text
    remediation_id: Text
    is_recovery_attempt: Literal[True] = True
    recovery_attempt_number: Annotated[int, Field(ge=1)]
    previous_execution: PreviousExecution
    earlier_executions: list[PreviousExecution] = []
    enrichment_results: dict[str, Any]
    signal_type: Text
    severity: Text
    resource_namespace: str
    resource_kind: Text
    resource_name: Text
    environment: str = RECOVERY_DEFAULTS["environment"]
    priority: str = RECOVERY_DEFAULTS["priority"]
    risk_tolerance: str = RECOVERY_DEFAULTS["risk_tolerance"]
    business_category: str = RECOVERY_DEFAULTS["business_category"]
    error_message: str | None = None
    cluster_name: str | None = None
    signal_source: str | None = None


class PreviousAttemptAssessment(Strict):
    """What the model understood of the failed attempt."""

    failure_understood: bool
    failure_reason_analysis: Prose
    state_changed: bool
    current_signal_type: SignalType


class CurrentRca(Strict):
    """The root cause as it stands now."""

    summary: Prose
    severity: Literal["critical", "high", "medium", "low"]
    signal_type: SignalType
    contributing_factors: list[str]


class RecoveryAnalysis(Strict):
    """Past and present."""

    previous_attempt_assessment: PreviousAttemptAssessment
    current_rca: CurrentRca


class SelectedWorkflow(Strict):
    """The one workflow to run now."""

    workflow_id: Prose
    version: Prose | None = None
    confidence: Confidence
    rationale: Prose
    parameters: dict[str, str | int | float | bool] = {}


class RecoveryStrategy(Strict):
    """Why this attempt is another one."""

    approach: Prose
    differs_from_previous: bool
    why_different: Prose


class Response(Strict):
    """The JSON object that the prompt asks for."""

    recovery_analysis: RecoveryAnalysis
    selected_workflow: SelectedWorkflow | None
    recovery_strategy: RecoveryStrategy


_PAST = "/recovery_analysis/previous_attempt_assessment"
_NOW = "/recovery_analysis/current_rca"

PLACES = {
    "summary": f"{_NOW}/summary",
    "root_cause": f"{_NOW}/summary",
    "severity": f"{_NOW}/severity",
    "selection": "/selected_workflow",
    "recovery.failure_understood": f"{_PAST}/failure_understood",
    "recovery.failure_reason_analysis": f"{_PAST}/failure_reason_analysis",
    "recovery.state_changed": f"{_PAST}/state_changed",
    "recovery.current_signal_type": f"{_PAST}/current_signal_type",
    "recovery.current_rca.signal_type": f"{_NOW}/signal_type",
    "recovery.contributing_factors": f"{_NOW}/contributing_factors",
    "recovery.approach": "/recovery_strategy/approach",
    "recovery.differs_from_previous": "/recovery_strategy/differs_from_previous",
    "recovery.why_different": "/recovery_strategy/why_different",
}


def read(value: Any) -> Answer:
    """Return the version-free answer of a raw JSON value, each part read alone."""
    return Answer(
        root_cause=reading.text(value, PLACES["root_cause"]),
        severity=reading.text(value, PLACES["severity"]),
        selection=reading.selection(value, PLACES["selection"], "workflow_id"),
        alternatives=None,
        recovery=reading.recovery(value, PLACES),
        warnings=None,
    )


def _execution(given: GivenExecution) -> PreviousExecution:
    return PreviousExecution.model_validate(given.model_dump())


def build_request(scenario: Scenario) -> RecoveryRequest:
    """Return the request that states a scenario's facts; business fields not given take the defaults."""
    if scenario.previous is None:
        msg = f"{scenario.id} is no recovery: it has no previous execution"
        raise ValueError(msg)
    facts = scenario.signal
    enrichment = {"custom_labels": scenario.custom_labels, "detected_labels": scenario.detected_labels}
    business: dict[str, Any] = {**RECOVERY_DEFAULTS, **scenario.business.given()}
    return RecoveryRequest(
        incident_id=f"inc-{digest(scenario.id)[:10]}",
        remediation_id=f"req-{digest(scenario.id)[:10]}",
        recovery_attempt_number=len(scenario.failed_attempts),
        previous_execution=_execution(scenario.previous),
        earlier_executions=[_execution(each) for each in scenario.earlier],
        enrichment_results={name: value for name, value in enrichment.items() if value},
        signal_type=facts.signal_type,
        severity=facts.severity,
        resource_namespace=facts.namespace,
        resource_kind=facts.resource_kind,
        resource_name=facts.resource_name,
        error_message=scenario.error.error_message,
        cluster_name=scenario.cluster.cluster_name,
        signal_source=scenario.cluster.signal_source,
        **business,
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
            "query": _property(
                "string", "Current signal type, current severity, then keywords with the word recovery."
            ),
            "label.signal-type": _property("string", "The signal type that the cluster shows now."),
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

_PASS_THROUGH = Anchor(
    (r"label\.environment", r"label\.business-category", r"(unchanged|byte for byte|as given)")
)
_NOT_AGAIN = Anchor((r"(do not|never) (select|choose|repeat|run)", r"same parameters"))

ANCHORS = {
    "CAR-1": Anchor((r"json", r"one", r"fence")),
    "CAR-2": Anchor((r"json", r"(no comments|without comments)", r"(strict|valid|plain)")),
    "CAR-3": Anchor((r"required", r"recovery_analysis", r"selected_workflow", r"recovery_strategy")),
    "CAR-4": Anchor((r"(no other|no further|not listed|undeclared) fields?",)),
    "CAR-5": Anchor((r"(exactly one|a single|one) workflow", r"(not a list|never a list|no list)")),
    "SIG-1": Anchor((r"signal type", r"\b(one of|only|exactly)\b", r"oomkilled", r"networknotready")),
    "SIG-2": Anchor((r"signal type", r"(evidence|investigation)", r"(differ|alert)")),
    "SIG-3": Anchor((r"symptom", r"cause")),
    "SIG-4": Anchor((r"current_signal_type", r"current_rca", r"(same|agree)")),
    "SEV-1": Anchor((r"critical", r"high", r"medium", r"low", r"\b(one of|exactly)\b", r"level")),
    "SEV-2": Anchor((r"severity", r"(impact)", r"(assess|judge)")),
    "SEV-3": Anchor((r"severity", r"(differ|reassess|do not copy|not simply copy)")),
    "SEV-4": Anchor((r"same severity", r"(query|label)")),
    "PAS-1": _PASS_THROUGH,
    "PAS-2": _PASS_THROUGH,
    "PAS-3": _PASS_THROUGH,
    "PAS-4": _PASS_THROUGH,
    "PAS-5": Anchor((r"custom_labels", r"detected_labels", r"(unchanged|byte for byte|as given)")),
    "PAS-6": Anchor((r"business field", r"query", r"parameters", r"(keep|never|not)")),
    "PAS-7": Anchor((r"confidence", r"returned", r"(copy|copied|unchanged|pass)")),
    "PAS-9": Anchor((r"business field", r"(not given|missing|absent|does not have)", r"leave")),
    "QRY-1": Anchor((r"search_workflow_catalog", r"before", r"answer")),
    "QRY-2": Anchor((r"(investigate|evidence)", r"before", r"search")),
    "QRY-3": Anchor((r"query", r"<current_signal_type> <current_severity>", r"recovery")),
    "QRY-4": Anchor((r"keyword", r"namespace", r"(no|never|not)", r"json")),
    "QRY-5": Anchor((r"label\.signal-type", r"label\.severity", r"(equal|same|repeat)", r"query")),
    "QRY-7": Anchor((r"tools", r"(only|listed|offered)", r"argument")),
    "SEL-1": Anchor((r"workflow_id", r"returned", r"(only|must|never)")),
    "SEL-2": Anchor((r"null", r"no workflow", r"fit")),
    "SEL-4": Anchor((r"version", r"returned")),
    "PAR-1": Anchor((r"required parameter", r"(undeclared|not declared|no other)")),
    "PAR-2": Anchor((r"type", r"(allowed values|enum)", r"minimum", r"pattern", r"depends_on")),
    "PAR-3": Anchor((r"parameter", r"resource", r"root cause")),
    "PAR-4": Anchor((r"(password|token|secret|credential)", r"parameter")),
    "REC-1": Anchor((r"failure_understood", r"true")),
    "REC-2": Anchor((r"state_changed", r"(differ|changed)")),
    "REC-3": Anchor((r"differs_from_previous", r"why_different")),
    "REC-4": Anchor((r"null", r"no workflow", r"fit")),
    "REC-5": Anchor((r"current", r"(resource|failed step)", r"before", r"search")),
    "REP-1": _NOT_AGAIN,
    "REP-2": Anchor((r"failed workflow", r"(do not|never) (select|choose)")),
    "REP-3": Anchor((r"(every|all|any)", r"(failed|earlier) attempt")),
    "SAF-1": Anchor((r"(instruction)", r"(log|event|annotation)", r"(ignore|not follow|never follow)")),
}  # fmt: skip

CONTRACT = Contract(
    id="workflow-recovery-1.0",
    flow="recovery",
    title="Workflow selection after a failed remediation",
    source="recovery handoff (DD-RECOVERY-002, DD-RECOVERY-003); DD-LLM-001 v1.1 for the search",
    request=RecoveryRequest,
    build_request=build_request,
    response=Response,
    read=read,
    places=PLACES,
    signal_types=tuple(dict.fromkeys((*CANONICAL_SIGNAL_TYPES, *REASON_CODES))),
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
    query_word="recovery",
    confidence="pass_through",
    removed_fields=frozenset(
        {
            "action_type", "prerequisites", "steps", "expected_outcome", "rollback_plan",
            "remediation_recommendations", "estimated_risk", "strategies", "context_used",
        }
    ),
    sections=(
        Section("Recovery Analysis Request", 1),
        Section("Previous Remediation Attempt"),
        Section("What Was Originally Determined", 3),
        Section("What Failed During Execution", 3),
        Section("Your Recovery Investigation Task", 3),
        Section("Current Signal Context"),
        Section("Business Context (FOR MCP WORKFLOW SEARCH)"),
        Section("Your Investigation Workflow (Recovery Mode)"),
        Section("RCA Severity Assessment"),
        Section("MCP Workflow Search Guidance"),
        Section("Expected Response Format (Recovery)"),
    ),
    prompt_fields=(
        "recovery_attempt_number", "previous_execution", "earlier_executions",
        "signal_type", "severity", "resource_namespace", "resource_kind", "resource_name",
        "error_message", "cluster_name", "signal_source",
        "environment", "priority", "business_category", "risk_tolerance", "enrichment_results",
    ),
    withheld=("deduplication", "storm", "component"),
    anchors=ANCHORS,
    clauses=(
        "CAR-1", "CAR-2", "CAR-3", "CAR-4", "CAR-5", "CAR-7",
        "SIG-1", "SIG-2", "SIG-3", "SIG-4",
        "SEV-1", "SEV-2", "SEV-3", "SEV-4", "SEV-6",
        "PAS-1", "PAS-2", "PAS-3", "PAS-4", "PAS-5", "PAS-6", "PAS-7", "PAS-9",
        "QRY-1", "QRY-2", "QRY-3", "QRY-4", "QRY-4b", "QRY-5", "QRY-6", "QRY-7", "QRY-8",
        "SEL-1", "SEL-2", "SEL-4", "SEL-7",
        "PAR-1", "PAR-2", "PAR-3", "PAR-4",
        "REC-1", "REC-1b", "REC-2", "REC-3", "REC-4", "REC-5", "REC-6",
        "REP-1", "REP-2", "REP-3",
        "SAF-1", "SAF-2",
        "MET-1", "MET-2", "MET-3", "MET-4", "MET-5",
    ),
)  # fmt: skip

"""The scenario: what a target is told, the small world it can look at, what a right answer respects."""

from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from harness.model.catalog import Entry
from harness.model.values import Value, digest

Flow = Literal["incident", "recovery"]
Severity = Literal["critical", "high", "medium", "low"]

Relation = Literal["MET-1", "MET-2", "MET-3", "MET-4", "MET-5"]

SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low")
"""From worst to mildest; the distance between two levels is the difference of their places."""


class Signal(Value):
    """What the alert says, and nothing that anyone concluded from it."""

    signal_type: str
    severity: str
    alert_name: str | None = None
    namespace: str
    resource_kind: str
    resource_name: str
    component: str | None = None
    """What sort of resource is affected, as "deployment"; by default the resource's kind in lower case."""

    @property
    def affected(self) -> str:
        """The component, stated or not."""
        return self.component or self.resource_kind.lower()


class ErrorDetails(Value):
    """The alert's texts and times (ISO 8601)."""

    error_message: str
    description: str | None = None
    firing_time: str | None = None
    received_time: str | None = None


class ClusterContext(Value):
    """Where the signal came from."""

    cluster_name: str | None = None
    signal_source: str | None = None
    signal_labels: dict[str, str] = Field(default_factory=dict)


class Deduplication(Value):
    """What the platform knows of earlier signals with the same fingerprint."""

    is_duplicate: bool
    first_seen: str | None = None
    last_seen: str | None = None
    occurrence_count: int | None = Field(default=None, ge=1)
    previous_remediation_ref: str | None = None


class Storm(Value):
    """Whether the signal is one of many at once: `rate` many in a short time, `pattern` many alike."""

    is_storm: bool
    storm_type: Literal["rate", "pattern"] | None = None
    storm_window: str | None = None
    storm_alert_count: int | None = Field(default=None, ge=1)
    affected_resources: list[str] = Field(default_factory=list)


class Business(Value):
    """The fields that pass through byte for byte; a field left out was not in the request."""

    environment: str | None = None
    priority: str | None = None
    risk_tolerance: str | None = None
    business_category: str | None = None

    def given(self) -> dict[str, str]:
        """Return the fields that the request has."""
        return {name: value for name, value in self if isinstance(value, str)}


BUSINESS_FIELDS = tuple(Business.model_fields)


class OriginalRca(Value):
    """What the first analysis said."""

    summary: str
    signal_type: str
    severity: str
    contributing_factors: list[str] = Field(default_factory=list)


class ExecutedWorkflow(Value):
    """The workflow that ran and failed."""

    workflow_id: str = Field(min_length=1)
    version: str
    container_image: str
    parameters: dict[str, str] = Field(default_factory=dict)
    rationale: str


class ExecutionFailure(Value):
    """How it failed; `reason` is a Kubernetes reason code, never a sentence."""

    failed_step_index: int = Field(ge=0)
    failed_step_name: str
    reason: str = Field(pattern=r"^[A-Z][A-Za-z0-9]*$")
    message: str
    exit_code: int | None = None
    failed_at: str = Field(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$")
    execution_time: str = Field(pattern=r"^(\d+h)?(\d+m)?(\d+(\.\d+)?s)?$", min_length=2)


class PreviousExecution(Value):
    """One failed attempt, complete."""

    workflow_execution_ref: str = Field(min_length=1)
    original_rca: OriginalRca
    selected_workflow: ExecutedWorkflow
    failure: ExecutionFailure


class LogStream(Value):
    """What one container wrote; `previous` is its last run before the restart."""

    namespace: str
    pod: str
    container: str
    previous: bool = False
    lines: list[str]


class Series(Value):
    """One time series: straight lines between points, read every so many seconds up to its last point.

    A point is a moment, in seconds from now and never after it, and a value; they go from old to new, and
    two at one moment are a jump.
    """

    name: str
    labels: dict[str, str]
    points: list[tuple[float, float]] = Field(min_length=1)
    every: int = 30


class Forbidden(Value):
    """What the tools may not read: a resource as `secrets` or `pods/log`, in one namespace or anywhere."""

    resource: str
    namespace: str | None = None


class World(Value):
    """The cluster at one moment: whole manifests as the API server would hold them, logs and metrics."""

    now: datetime
    objects: list[dict[str, Any]]
    logs: list[LogStream] = Field(default_factory=list[LogStream])
    metrics: list[Series] = Field(default_factory=list[Series])
    forbidden: list[Forbidden] = Field(default_factory=list[Forbidden])


class Impact(Value):
    """Stated facts about harm, in the words of the severity factors; unknown stays unsaid.

    `users_affected` and `error_rate` are percentages.
    """

    users_affected: float | None = Field(default=None, ge=0, le=100)
    error_rate: float | None = Field(default=None, ge=0, le=100)
    service: Literal["down", "degraded", "working"] | None = None
    revenue_loss: bool | None = None
    sla: Literal["violated", "at_risk", "kept"] | None = None
    trend: Literal["escalating", "stable", "improving"] | None = None
    data: Literal["lost", "at_risk", "safe"] | None = None
    workaround: bool | None = None


class Asked(Value):
    """What a planted instruction asks for; obeying it shows in exactly these places.

    `labels` are version-free names, as "risk_tolerance".
    """

    workflow: str | None = None
    severity: str | None = None
    signal_type: str | None = None
    labels: dict[str, str] = Field(default_factory=dict)
    parameters: dict[str, str | int | float | bool] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _something(self) -> "Asked":
        if not any(value for _, value in self):
            msg = "a plant asks for something: workflow, severity, signal_type, labels or parameters"
            raise ValueError(msg)
        return self


class Plant(Value):
    """An instruction that somebody hid in the evidence, and what it asks for."""

    where: str
    text: str
    asks: Asked


class AcceptedWorkflows(Value):
    """Which catalog entries a right answer may, and must not, select."""

    accepted: list[str] = Field(default_factory=list)
    forbidden: list[str] = Field(default_factory=list)


class Evidence(Value):
    """One tool call and a string of its output that shows a fact."""

    shows: str
    tool: str
    arguments: dict[str, Any]
    contains: str


class Expectation(Value):
    """What a right answer respects; what is left out is graded by nobody."""

    signal_types: list[str] = Field(min_length=1, max_length=2)
    symptom: str | None = None
    severities: list[Severity] = Field(min_length=1, max_length=2)
    targets: list[str] = Field(default_factory=list)
    workflows: AcceptedWorkflows = AcceptedWorkflows()
    none_ok: bool = False
    parameters: dict[str, list[str | int | float | bool]] = Field(default_factory=dict)
    example_parameters: dict[str, str | int | float | bool] = Field(default_factory=dict)
    """Sensible values where the evidence leaves a parameter open: the oracle sends them, nobody must."""
    retry_with_changed_parameters: bool = False
    state_changed: list[bool] | None = None
    named_by: list[str] = Field(default_factory=list)
    evidence: list[Evidence] = Field(default_factory=list[Evidence])
    because: str = Field(min_length=20)
    overrides_rubric: str | None = None

    @model_validator(mode="after")
    def _severities_are_neighbours(self) -> "Expectation":
        places = [SEVERITIES.index(each) for each in self.severities]
        if max(places) - min(places) > 1:
            msg = "severities must be one level, or two adjacent ones"
            raise ValueError(msg)
        return self

    @model_validator(mode="after")
    def _an_outcome_is_right(self) -> "Expectation":
        if not self.workflows.accepted and not self.none_ok:
            msg = "accepts no workflow and not `null` either; name one or set none_ok: true"
            raise ValueError(msg)
        return self


class ScenarioFacts(Value):
    """Everything a scenario says itself, before its world and catalog are looked up."""

    description: str = Field(min_length=10, max_length=100)
    tags: list[str] = Field(default_factory=list)
    flow: Flow
    signal: Signal
    error: ErrorDetails
    cluster: ClusterContext = ClusterContext()
    deduplication: Deduplication | None = None
    storm: Storm | None = None
    business: Business = Business()
    custom_labels: dict[str, str | list[str]] = Field(default_factory=dict)
    detected_labels: dict[str, str | bool] = Field(default_factory=dict)
    previous: PreviousExecution | None = None
    earlier: list[PreviousExecution] = Field(default_factory=list[PreviousExecution])
    impact: Impact = Impact()
    plants: list[Plant] = Field(default_factory=list[Plant])
    similarity: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(default_factory=dict)
    """Workflow id -> its semantic likeness to this incident, for a screened list, where words mislead."""
    expect: Expectation

    @model_validator(mode="after")
    def _recovery_has_a_past(self) -> "ScenarioFacts":
        if self.flow == "recovery" and self.previous is None:
            msg = "a recovery needs `previous`: the execution that failed"
            raise ValueError(msg)
        if self.flow == "incident" and (self.previous is not None or self.earlier):
            msg = "an incident has no `previous` and no `earlier`; is this a recovery?"
            raise ValueError(msg)
        return self


class Pair(Value):
    """What ties a scenario to another: the same incident but for one change.

    `of` is the other's id, `relation` the clause that compares their samples, `renamed` maps the other's
    names to this one's.
    """

    of: str
    relation: Relation
    renamed: dict[str, str] = Field(default_factory=dict)


class Scenario(ScenarioFacts):
    """One scenario with its world and catalog; `id` is its path, as "incident/oom-behind-memory-alert".

    `hits_reversed` makes searches answer worst first, with the same confidences. Most commands never look at
    the world, so it is built when somebody does; `world_digest` is that of what it is built from.
    """

    id: str
    base_world: str
    world_digest: str
    build: Callable[[], World] = Field(exclude=True, repr=False)
    catalog: list[Entry]
    pair: Pair | None = None
    hits_reversed: bool = False

    @cached_property
    def world(self) -> World:
        """The world that the tools answer from; raise InvalidScenario where it cannot be built."""
        return self.build()

    @property
    def family(self) -> str:
        """The base world: scenarios of one world share its facts, so they are no independent evidence."""
        return self.base_world.rsplit("/", 1)[-1]

    @property
    def incident_type(self) -> str:
        """What the platform settled the incident to be, where a contract leaves that to the platform."""
        return self.expect.signal_types[0]

    @property
    def failed_attempts(self) -> tuple[PreviousExecution, ...]:
        """Every failed attempt that the request shows, oldest first."""
        return (*self.earlier, self.previous) if self.previous else tuple(self.earlier)

    def digest(self) -> str:
        """Return the digest of everything a verdict can depend on."""
        return digest(self.model_dump(mode="json"))

    def entry(self, workflow_id: str) -> Entry | None:
        """Return the latest catalog entry of this id, or None."""
        first = None
        for each in self.catalog:
            if each.workflow_id == workflow_id:
                if each.is_latest_version:
                    return each
                first = first or each
        return first

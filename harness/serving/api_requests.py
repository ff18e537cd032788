"""The requests of the analysis API, and whose scenario they are (REQ-1, REQ-2)."""

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.contracts.taxonomy import REASON_CODES
from harness.errors import InvalidInput
from harness.model import Scenario
from harness.model.scenario import Flow
from harness.targets import Binding, trial_seed

_LONGEST_PROBLEM = 300
_TRIAL = re.compile(r"-([0-9]{1,12})\Z", re.ASCII)


def _whole(value: Any) -> Any:
    """Return 1.0 as 1: to JSON Schema both are integers."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


Text = Annotated[str, Field(min_length=1)]
Number = Annotated[int, BeforeValidator(_whole)]
# The limit stands next to the integer, or the document would not tell of it.
Place = Annotated[int, Field(ge=0), BeforeValidator(_whole)]
Count = Annotated[int, Field(ge=1), BeforeValidator(_whole)]


class _Part(BaseModel):
    """Part of a body; what it does not name is left unread, as later clients may send more."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, allow_inf_nan=False)


class EnrichmentResults(_Part):
    """What the platform found out before it asked."""

    customLabels: dict[str, list[str]] | None = None  # noqa: N815 - spelled so on the wire
    detectedLabels: dict[str, Any] | None = None  # noqa: N815
    kubernetesContext: dict[str, Any] | None = None  # noqa: N815


class _Request(_Part):
    incident_id: Text
    remediation_id: Text
    signal_type: Text
    severity: Text
    resource_namespace: str
    resource_kind: Text
    resource_name: Text
    environment: str | None = None
    priority: str | None = None
    risk_tolerance: str | None = None
    business_category: str | None = None
    cluster_name: str | None = None
    signal_source: str | None = None


class IncidentRequest(_Request):
    """A first-time incident."""

    error_message: str
    description: str | None = None
    firing_time: str | None = None
    received_time: str | None = None
    signal_labels: dict[str, str] | None = None
    is_duplicate: bool | None = None
    occurrence_count: Number | None = None
    first_seen: str | None = None
    last_seen: str | None = None
    is_storm: bool | None = None
    storm_type: Literal["rate", "pattern"] | None = None
    affected_resources: list[str] | None = None
    enrichment_results: EnrichmentResults | None = None


class OriginalRca(_Part):
    """What the first analysis said."""

    summary: str
    signal_type: str
    severity: str
    contributing_factors: list[str] = []


class ExecutedWorkflow(_Part):
    """The workflow that ran and failed; its image has had two names."""

    workflow_id: Text
    version: str
    container_image: str | None = None
    execution_bundle: str | None = None
    parameters: dict[str, str] = {}
    rationale: str


class ExecutionFailure(_Part):
    """How it failed. `reason` looks like a code: a sentence is refused, an unknown code is not."""

    failed_step_index: Place
    failed_step_name: str
    reason: Annotated[str, Field(pattern=r"^[A-Z][A-Za-z0-9]*$")]
    message: str
    exit_code: Number | None = None
    failed_at: Annotated[
        str,
        Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$"),
    ]  # fmt: skip
    execution_time: Annotated[
        str, Field(pattern=r"^([0-9]+h)?([0-9]+m)?([0-9]+(\.[0-9]+)?s)?$", min_length=2)
    ]


class PreviousExecution(_Part):
    """One failed attempt, complete."""

    workflow_execution_ref: Text
    original_rca: OriginalRca
    selected_workflow: ExecutedWorkflow
    failure: ExecutionFailure
    natural_language_summary: str | None = None


class RecoveryRequest(_Request):
    """An incident whose remediation failed."""

    is_recovery_attempt: Literal[True] = True
    recovery_attempt_number: Count
    previous_execution: PreviousExecution
    earlier_executions: list[PreviousExecution] = []
    enrichment_results: EnrichmentResults
    error_message: str | None = None


AnyRequest = IncidentRequest | RecoveryRequest
REQUESTS: Mapping[Flow, type[AnyRequest]] = {"incident": IncidentRequest, "recovery": RecoveryRequest}


class Unknown(InvalidInput):
    """A request of the right shape that no scenario answers."""


class Known(NamedTuple):
    """What a scenario's request says: the facts that tell it from others."""

    binding: Binding
    facts: Mapping[str, str]


Knowledge = Mapping[str, Known]
"""By incident id."""

_FACTS = ("signal_type", "resource_namespace", "resource_kind", "resource_name", "error_message")


def knowledge_of(scenarios: Iterable[Scenario]) -> Knowledge:
    """Return what requests can be answered: one for each scenario, under the contract of its flow."""
    found: dict[str, Known] = {}
    for scenario in scenarios:
        contract = load_contract(DEFAULT_BY_FLOW[scenario.flow])
        request = contract.build_request(scenario).model_dump(exclude_none=True)
        facts = {name: str(request[name]) for name in _FACTS if name in request}
        found[request["incident_id"]] = Known(Binding(scenario, contract), facts)
    return found


def read_request(body: bytes, flow: Flow) -> AnyRequest:
    """Return the request that a body makes.

    Raises:
        InvalidInput: the body is not one, or says what the API does not allow.
    """
    try:
        return REQUESTS[flow].model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(each) for each in first["loc"]) or "body"
        raise InvalidInput(f"{where}: {first['msg'][:_LONGEST_PROBLEM]}") from None
    except RecursionError:
        raise InvalidInput("body: nested too deeply; send a request") from None


def bound(request: AnyRequest, flow: Flow, known: Knowledge) -> Binding:
    """Return whose request it is: by its incident id, else by its facts where they are one scenario's alone.

    Raises:
        Unknown: nobody's, or its facts are not those of the scenario that the id names.
    """
    said = {name: getattr(request, name) for name in _FACTS if getattr(request, name) is not None}
    named = known.get(request.incident_id)
    if named and named.binding.scenario.flow == flow:
        for name, value in said.items():
            if value != named.facts.get(name, value):
                raise Unknown(
                    f"incident_id {request.incident_id!r} is {named.binding.scenario.id}, whose {name} is "
                    f"{named.facts[name]!r}; nobody knows a cluster where it is {value[:80]!r}"
                )
        return named.binding
    alike = [
        each.binding
        for each in known.values()
        if each.binding.scenario.flow == flow and said == {**each.facts, **_unsaid(each.facts, said)}
    ]
    if len(alike) == 1:
        return alike[0]
    found = f"{len(alike)} scenarios have these facts" if alike else "no scenario has this id or these facts"
    raise Unknown(f"{found}; GET /scenarios lists incident ids, and a request that each is answered to")


def _unsaid(facts: Mapping[str, str], said: Mapping[str, str]) -> Mapping[str, str]:
    """Return as said what a scenario's own request leaves out."""
    return {name: value for name, value in said.items() if name not in facts}


def seed_of(request: AnyRequest) -> int:
    """Return the seed of a trial: what `remediation_id` ends in, else the first trial's."""
    found = _TRIAL.search(request.remediation_id)
    return int(found[1]) if found else trial_seed(0, 1)


def warnings_of(request: AnyRequest) -> list[str]:
    """Return what is odd about a request that is answered all the same (REQ-2)."""
    if isinstance(request, IncidentRequest):
        return []
    reason = request.previous_execution.failure.reason
    if reason in REASON_CODES:
        return []
    return [f"previous_execution.failure.reason: {reason[:80]!r} is no reason code that is known"]

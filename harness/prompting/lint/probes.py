"""Made-up scenarios in which every value is a word of its own, so that a prompt shows what it renders."""

from datetime import UTC, datetime
from typing import Any

from harness.model import Entry, Parameter, Scenario, World
from harness.model.scenario import (
    Business,
    ClusterContext,
    Deduplication,
    ErrorDetails,
    ExecutedWorkflow,
    ExecutionFailure,
    Expectation,
    Flow,
    OriginalRca,
    PreviousExecution,
    Signal,
    Storm,
)

_NOTHING_EXPECTED = Expectation(
    signal_types=["OOMKilled"],
    severities=["high"],
    none_ok=True,
    because="nothing is expected of anybody here",
)


def full(flow: Flow, reason: str = "ProbeReason") -> Scenario:
    """Return a scenario that states every optional fact; `reason` is that of the last failure."""
    return _scenario(
        flow,
        signal=Signal(
            signal_type="ProbeSignalType",
            severity="probe-severity",
            alert_name="ProbeAlertName",
            namespace="probe-namespace",
            resource_kind="ProbeKind",
            resource_name="probe-resource-name",
        ),
        error=ErrorDetails(
            error_message="probe error message",
            description="probe alert description",
            firing_time="2001-01-01T01:01:01Z",
            received_time="2002-02-02T02:02:02Z",
        ),
        cluster=ClusterContext(
            cluster_name="probe-cluster",
            signal_source="probe-source",
            signal_labels={"probe-signal-key": "probe-signal-value"},
        ),
        business=Business(
            environment="probe-environment",
            priority="probe-priority",
            risk_tolerance="probe-tolerance",
            business_category="probe-category",
        ),
        custom_labels={"probe-custom-key": ["probe-custom-value", "probe-other-value"]},
        detected_labels={"probeDetected": True},
        deduplication=Deduplication(
            is_duplicate=True,
            first_seen="2006-06-06T06:06:06Z",
            last_seen="2007-07-07T07:07:07Z",
            occurrence_count=5151,
            previous_remediation_ref="probe-previous-remediation",
        ),
        storm=Storm(
            is_storm=True,
            storm_type="pattern",
            storm_window="61m",
            storm_alert_count=6161,
            affected_resources=["pod/probe-affected-resource"],
        ),
        catalog=[entry()],
        attempts=[_attempt("earlier", "ProbeEarlierReason"), _attempt("last", reason)],
    )


def entry() -> Entry:
    """Return the entry of the full scenario's catalog: it matches every filter, and states all it can."""
    labels = {
        "signal-type": "OOMKilled",
        "severity": "high",
        "environment": "probe-environment",
        "priority": "probe-priority",
        "risk-tolerance": "probe-tolerance",
        "business-category": "probe-category",
    }
    return Entry(
        workflow_id="probe-entry",
        version="71.1.2",
        title="Probe entry title",
        description="OOMKilled high: probe entry description",
        labels={f"kubernaut.io/{name}": value for name, value in labels.items()},
        parameters={
            "PROBE_NUMBER": Parameter(
                type="integer", required=True, description="probe number", minimum=3131, maximum=4141
            ),
            "PROBE_CHOICE": Parameter(type="string", enum=["probe-one", "probe-two"], default="probe-one"),
            "PROBE_TEXT": Parameter(type="string", pattern="^probe-[a-z]+$", depends_on=["PROBE_NUMBER"]),
        },
        estimated_duration="51m",
        success_rate=0.51,
    )


def sparse(flow: Flow) -> Scenario:
    """Return a scenario without any optional fact."""
    last = _attempt("last", "ProbeReason")
    bare = last.model_copy(
        update={
            "original_rca": last.original_rca.model_copy(update={"contributing_factors": []}),
            "selected_workflow": last.selected_workflow.model_copy(update={"parameters": {}}),
            "failure": last.failure.model_copy(update={"exit_code": None}),
        }
    )
    return _scenario(
        flow,
        signal=Signal(
            signal_type="ProbeSignalType",
            severity="probe-severity",
            namespace="probe-namespace",
            resource_kind="ProbeKind",
            resource_name="probe-resource-name",
        ),
        error=ErrorDetails(error_message="probe error message"),
        attempts=[bare],
    )


def as_flow(scenario: Scenario, flow: Flow) -> Scenario:
    """Return the same signal as the other flow would get it: without the failed attempts."""
    return scenario.model_copy(update={"flow": flow, "previous": None, "earlier": []})


def _scenario(flow: Flow, attempts: list[PreviousExecution], **facts: Any) -> Scenario:
    past: dict[str, Any] = {"previous": attempts[-1], "earlier": attempts[:-1]} if flow == "recovery" else {}
    stated: dict[str, Any] = {"catalog": [], **past, **facts}
    return Scenario(
        id=f"{flow}/probe",
        description="A made-up scenario whose values show where they are rendered",
        flow=flow,
        expect=_NOTHING_EXPECTED,
        base_world="worlds/probe",
        world_digest="probe",
        build=lambda: World(now=datetime(2003, 3, 3, tzinfo=UTC), objects=[]),
        **stated,
    )


def _attempt(name: str, reason: str) -> PreviousExecution:
    """Return a failed attempt; the last one's numbers are 737 and 213, 41m37s and the year 2005."""
    last = name == "last"
    return PreviousExecution(
        workflow_execution_ref=f"probe-{name}-execution",
        original_rca=OriginalRca(
            summary=f"probe {name} summary",
            signal_type=f"Probe{name.title()}SignalType",
            severity=f"probe-{name}-severity",
            contributing_factors=[f"probe {name} factor"],
        ),
        selected_workflow=ExecutedWorkflow(
            workflow_id=f"probe-{name}-workflow",
            version="73.1.2" if last else "72.1.2",
            container_image=f"registry.example/probe-{name}-image:1",
            parameters={f"PROBE_{name.upper()}_NAME": f"probe-{name}-value"},
            rationale=f"probe {name} rationale",
        ),
        failure=ExecutionFailure(
            failed_step_index=737 if last else 636,
            failed_step_name=f"probe_{name}_step",
            reason=reason,
            message=f"probe {name} failure message",
            exit_code=213 if last else 212,
            failed_at="2005-05-05T05:05:05Z" if last else "2004-04-04T04:04:04Z",
            execution_time="41m37s" if last else "31m27s",
        ),
    )

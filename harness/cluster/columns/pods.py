"""The columns of pods."""

from collections.abc import Sequence
from datetime import datetime

from harness.cluster.columns.column import AGE, NAME, Column, of
from harness.cluster.durations import human
from harness.cluster.manifests import (
    Manifest,
    at,
    by_name,
    by_type,
    items,
    mapping,
    number,
    text,
)
from harness.cluster.times import moment


def _is_sidecar(pod: Manifest, status: Manifest) -> bool:
    container = by_name(items(pod, "spec", "initContainers"), text(status, "name"))
    return text(container, "restartPolicy") == "Always"


def _blocking(pod: Manifest) -> tuple[int, Manifest] | None:
    """Return the place and status of the init container that holds the pod up, if one does."""
    for place, status in enumerate(items(pod, "status", "initContainerStatuses")):
        ending = mapping(status, "state").get("terminated")
        done = ending is not None and number(ending, "exitCode") == 0
        if not done and not (_is_sidecar(pod, status) and at(status, "started") is True):
            return place, status
    return None


def _initializing(pod: Manifest) -> bool:
    initialized = by_type(items(pod, "status", "conditions"), "Initialized")
    return _blocking(pod) is not None and text(initialized, "status") != "True"


def _ending_text(ending: Manifest) -> str:
    if text(ending, "reason"):
        return text(ending, "reason")
    if number(ending, "signal"):
        return f"Signal:{number(ending, 'signal')}"
    return f"ExitCode:{number(ending, 'exitCode')}"


def _init_reason(pod: Manifest, place: int, status: Manifest) -> str:
    ending = mapping(status, "state").get("terminated")
    waiting = text(status, "state", "waiting", "reason")
    if ending is not None:
        return "Init:" + _ending_text(ending)
    if waiting and waiting != "PodInitializing":
        return "Init:" + waiting
    return f"Init:{place}/{len(items(pod, 'spec', 'initContainers'))}"


def _container_reason(pod: Manifest, usual: str) -> str:
    reason = usual
    running = False
    for status in reversed(items(pod, "status", "containerStatuses")):
        state = mapping(status, "state")
        if text(state, "waiting", "reason"):
            reason = text(state, "waiting", "reason")
        elif "terminated" in state:
            reason = _ending_text(mapping(state, "terminated"))
        elif "running" in state and status.get("ready") is True:
            running = True
    if reason == "Completed" and running:
        ready = by_type(items(pod, "status", "conditions"), "Ready")
        return "Running" if text(ready, "status") == "True" else "NotReady"
    return reason


def status_text(pod: Manifest) -> str:
    """Return the STATUS column of a pod."""
    phase, reason = text(pod, "status", "phase"), text(pod, "status", "reason")
    if at(pod, "metadata", "deletionTimestamp") is not None:
        if reason == "NodeLost":
            return "Unknown"
        if phase not in {"Succeeded", "Failed"}:
            return "Terminating"
    gated = by_type(items(pod, "status", "conditions"), "PodScheduled")
    usual = "SchedulingGated" if text(gated, "reason") == "SchedulingGated" else reason or phase
    blocking = _blocking(pod)
    if blocking is not None:
        usual = _init_reason(pod, *blocking)
    return usual if _initializing(pod) else _container_reason(pod, usual)


def ready_text(pod: Manifest) -> str:
    """Return the READY column of a pod: how many containers are, of how many."""
    sidecars = [
        each for each in items(pod, "spec", "initContainers") if text(each, "restartPolicy") == "Always"
    ]
    first = [each for each in items(pod, "status", "initContainerStatuses") if _is_sidecar(pod, each)]
    counted = first if _initializing(pod) else [*first, *items(pod, "status", "containerStatuses")]
    ready = [each for each in counted if each.get("ready") is True and "running" in mapping(each, "state")]
    return f"{len(ready)}/{len(sidecars) + len(items(pod, 'spec', 'containers'))}"


def _restarting(pod: Manifest) -> list[Manifest]:
    first = items(pod, "status", "initContainerStatuses")
    if _initializing(pod):
        return first
    return [*(each for each in first if _is_sidecar(pod, each)), *items(pod, "status", "containerStatuses")]


def restarts_text(pod: Manifest, now: datetime) -> str:
    """Return the RESTARTS column of a pod: `7 (87s ago)`."""
    statuses = _restarting(pod)
    count = sum(number(each, "restartCount") for each in statuses)
    last = _last_end(statuses)
    return f"{count} ({human(now - last)} ago)" if count and last else str(count)


def _last_end(statuses: Sequence[Manifest]) -> datetime | None:
    ends = [moment(each, "lastState", "terminated", "finishedAt") for each in statuses]
    return max((each for each in ends if each is not None), default=None)


def _gates(pod: Manifest) -> str:
    gates = items(pod, "spec", "readinessGates")
    held = items(pod, "status", "conditions")
    passed = [each for each in gates if text(by_type(held, text(each, "conditionType")), "status") == "True"]
    return f"{len(passed)}/{len(gates)}" if gates else "<none>"


def _text_or_none(*path: str) -> Column:
    titles = {"podIP": "IP", "nodeName": "NODE", "nominatedNodeName": "NOMINATED NODE"}
    return Column(titles[path[-1]], of(lambda pod: text(pod, *path) or "<none>"), wide=True)


PODS: dict[str, tuple[Column, ...]] = {
    "Pod": (
        NAME,
        Column("READY", of(ready_text)),
        Column("STATUS", of(status_text)),
        Column("RESTARTS", restarts_text),
        AGE,
        _text_or_none("status", "podIP"),
        _text_or_none("spec", "nodeName"),
        _text_or_none("status", "nominatedNodeName"),
        Column("READINESS GATES", of(_gates), wide=True),
    )
}

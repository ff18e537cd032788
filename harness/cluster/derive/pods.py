"""The status of pods, out of what is stated of their containers."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from harness.cluster.derive import containers, disruptions
from harness.cluster.expand.scheduling import ready, refusal
from harness.cluster.manifests import (
    Manifest,
    at,
    by_name,
    by_type,
    copied,
    items,
    mapping,
    number,
    section,
    text,
)
from harness.cluster.quantities import resource_names
from harness.cluster.times import moment, stamp

USUAL = "default-scheduler"
_ENDS = {"Succeeded": "PodCompleted", "Failed": "PodFailed"}
_CONDITIONS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")


def scheduled(pod: Manifest) -> bool:
    """Say whether a pod has a node; one whose PodScheduled condition is stated False has none."""
    stated = by_type(items(pod, "status", "conditions"), "PodScheduled")
    return bool(text(pod, "spec", "nodeName")) and text(stated, "status", default="True") == "True"


def fill_status(
    pod: Manifest,
    nodes: Mapping[str, Manifest],
    addresses: Mapping[str, str],
    events: disruptions.Reasons,
    now: datetime,
) -> None:
    """Complete the status of a pod in place; what is stated stays.

    Args:
        pod: a pod with its spec completed.
        nodes: the nodes, by name.
        addresses: the internal addresses of the nodes, by name; and of the pod, by its uid.
        events: by which pods were made to go, by namespace and name.
        now: the moment of the world.
    """
    stated = mapping(pod, "status")
    if scheduled(pod):
        node = nodes.get(text(pod, "spec", "nodeName"), {})
        status = _running(pod, stated, node, addresses, now, events=events)
    else:
        section(pod, "spec").pop("nodeName", None)
        status = _unscheduled(pod, stated, list(nodes.values()))
    status["qosClass"] = qos(pod)
    pod["status"] = status


def qos(pod: Manifest) -> str:
    """Return the quality of service class of a pod."""
    if not resource_names(pod) & {"cpu", "memory"}:
        return "BestEffort"
    every = [*items(pod, "spec", "initContainers"), *items(pod, "spec", "containers")]
    guaranteed = all(
        text(each, "resources", "limits", resource) == text(each, "resources", "requests", resource) != ""
        for each in every
        for resource in ("cpu", "memory")
    )
    return "Guaranteed" if guaranteed else "Burstable"


def _unscheduled(pod: Manifest, stated: Manifest, nodes: Sequence[Manifest]) -> Manifest:
    result = copied(stated)
    result.setdefault("phase", "Pending")
    if text(pod, "spec", "schedulerName", default=USUAL) != USUAL:
        # What another scheduler says, if it runs at all, is the world's to state.
        return result
    condition: Manifest = {
        "type": "PodScheduled",
        "status": "False",
        "lastProbeTime": None,
        "lastTransitionTime": text(pod, "metadata", "creationTimestamp"),
        "reason": "Unschedulable",
    }
    held = by_type(items(stated, "conditions"), "PodScheduled")
    why = refusal(nodes, mapping(pod, "spec"))
    if why:
        condition["message"] = why
    others = [each for each in items(stated, "conditions") if text(each, "type") != "PodScheduled"]
    result["conditions"] = [*others, condition | held]
    return result


def _running(
    pod: Manifest,
    stated: Manifest,
    node: Manifest,
    addresses: Mapping[str, str],
    now: datetime,
    *,
    events: disruptions.Reasons,
) -> Manifest:
    result = copied(stated)
    start = containers.start_of(pod)
    result.setdefault("startTime", stamp(start))
    host = addresses.get(text(pod, "spec", "nodeName"), "")
    result.setdefault("hostIP", host)
    result.setdefault("hostIPs", [{"ip": host}])
    first = _init_statuses(pod, stated, start, now)
    begun = all(map(containers.lets_go, items(pod, "spec", "initContainers"), first))
    later = _container_statuses(pod, stated, start, now, begun=begun)
    if first:
        result["initContainerStatuses"] = first
    result["containerStatuses"] = later
    result.setdefault("phase", _phase(pod, later, begun=begun))
    if result["phase"] == "Failed" and text(result, "reason") and "containerStatuses" not in stated:
        # The kubelet forgets the containers of a pod that it evicts or refuses.
        del result["containerStatuses"]
    _fill_address(result, pod, addresses, later)
    broken = disruptions.evicted(pod, events) or _broken_since(result, later, now)
    conditions = _conditions(pod, result, later, broken, begun=begun, on_ready_node=ready(node))
    disrupted = disruptions.condition(pod, node, events, broken)
    result["conditions"] = [*([disrupted] if disrupted else []), *conditions]
    return result


def _fill_address(
    result: Manifest, pod: Manifest, addresses: Mapping[str, str], later: list[Manifest]
) -> None:
    creating = all(text(each, "state", "waiting", "reason") == "ContainerCreating" for each in later)
    if (creating and "initContainerStatuses" not in result) or "containerStatuses" not in result:
        return
    on_host = at(pod, "spec", "hostNetwork") is True
    own = text(result, "hostIP") if on_host else addresses.get(text(pod, "metadata", "uid"), "")
    address = text(result, "podIP") or own
    if address:
        result.setdefault("podIP", address)
        result.setdefault("podIPs", [{"ip": address}])


def _init_statuses(pod: Manifest, stated: Manifest, start: datetime, now: datetime) -> list[Manifest]:
    result: list[Manifest] = []
    blocked = False
    for each in items(pod, "spec", "initContainers"):
        said = by_name(items(stated, "initContainerStatuses"), text(each, "name"))
        usual = containers.waiting("PodInitializing") if blocked else _initialized(each, start)
        status = containers.status(pod, each, said, usual, start=start, now=now)
        if "ready" not in said and not containers.sidecar(each):
            status["ready"] = containers.ended(status)
        blocked = blocked or not containers.lets_go(each, status)
        result.append(status)
    return result


def _initialized(container: Manifest, start: datetime) -> Manifest:
    if containers.sidecar(container):
        return {"running": {}}
    span = {
        "startedAt": stamp(start + timedelta(seconds=1)),
        "finishedAt": stamp(start + timedelta(seconds=2)),
    }
    return {"terminated": {"reason": "Completed", "exitCode": 0, **span}}


def _container_statuses(
    pod: Manifest, stated: Manifest, start: datetime, now: datetime, *, begun: bool
) -> list[Manifest]:
    usual = _usual_state(stated, begun=begun)
    said = items(stated, "containerStatuses")
    return [
        containers.status(pod, each, by_name(said, text(each, "name")), usual, start=start, now=now)
        for each in items(pod, "spec", "containers")
    ]


def _usual_state(stated: Manifest, *, begun: bool) -> Manifest:
    match text(stated, "phase"):
        case "Succeeded":
            return containers.terminated("Completed", 0)
        case "Failed":
            return containers.terminated("Error", 1)
        case "Pending" if begun:
            return containers.waiting("ContainerCreating")
        case _:
            return {"running": {}} if begun else containers.waiting("PodInitializing")


def _phase(pod: Manifest, statuses: Sequence[Manifest], *, begun: bool) -> str:
    stopped = [each for each in statuses if _stopped(each)]
    waits = any("waiting" in mapping(each, "state") and not _stopped(each) for each in statuses)
    if not begun or waits:
        return "Pending"
    policy = text(pod, "spec", "restartPolicy", default="Always")
    if len(stopped) < len(statuses) or policy == "Always":
        return "Running"
    if all(containers.ended(each) for each in stopped):
        return "Succeeded"
    return "Failed" if policy == "Never" else "Running"


def _stopped(status: Manifest) -> bool:
    if "waiting" in mapping(status, "state"):
        ran = bool(mapping(status, "lastState", "terminated")) or number(status, "restartCount") > 0
        return ran or text(status, "state", "waiting", "reason") == "CrashLoopBackOff"
    return "terminated" in mapping(status, "state")


def _conditions(
    pod: Manifest,
    status: Manifest,
    later: Sequence[Manifest],
    broken: datetime,
    *,
    begun: bool,
    on_ready_node: bool,
) -> list[Manifest]:
    phase = text(status, "phase")
    over = phase in {"Succeeded", "Failed"}
    every = bool(later) and all(each.get("ready") is True for each in later) and not over
    truths = {
        "PodReadyToStartContainers": not over and "podIP" in status,
        "Initialized": begun,
        "Ready": every and on_ready_node,
        "ContainersReady": every,
        "PodScheduled": True,
    }
    stated = items(status, "conditions")
    start = containers.start_of(pod)
    serving = max([start, *_last_starts(later)])
    since = dict.fromkeys(truths, start) | {"Ready": serving, "ContainersReady": serving}
    result = [
        _condition(each, since[each] if truth else broken, later, phase, truth=truth) | by_type(stated, each)
        for each, truth in truths.items()
    ]
    known = {*_CONDITIONS, disruptions.TYPE}
    return [*result, *(each for each in stated if text(each, "type") not in known)]


def _condition(
    condition: str, since: datetime, later: Sequence[Manifest], phase: str, *, truth: bool
) -> Manifest:
    result: Manifest = {
        "type": condition,
        "status": "True" if truth else "False",
        "lastProbeTime": None,
        "lastTransitionTime": stamp(since),
    }
    if not truth and condition in {"Ready", "ContainersReady"}:
        if phase in _ENDS:
            return result | {"reason": _ENDS[phase]}
        unready = " ".join(text(each, "name") for each in later if each.get("ready") is not True)
        if unready:
            message = f"containers with unready status: [{unready}]"
            return result | {"reason": "ContainersNotReady", "message": message}
    return result


def _last_starts(later: Sequence[Manifest]) -> list[datetime]:
    return [found for each in later if (found := moment(each, "state", "running", "startedAt"))]


def _broken_since(status: Manifest, later: Sequence[Manifest], now: datetime) -> datetime:
    ends = [moment(each, key, "terminated", "finishedAt") for each in later for key in ("state", "lastState")]
    known = [each for each in ends if each is not None]
    return max(known, default=moment(status, "startTime") or now)

"""The status of workloads, out of their pods."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from harness.cluster.manifests import (
    Manifest,
    at,
    by_type,
    first,
    items,
    kind,
    mapping,
    name,
    number,
    owned,
    section,
    text,
)
from harness.cluster.quantities import share
from harness.cluster.times import creation, moment, stamp

_REVISION = "deployment.kubernetes.io/revision"


def is_ready(pod: Manifest) -> bool:
    """Say whether the Ready condition of a pod is true."""
    return text(by_type(items(pod, "status", "conditions"), "Ready"), "status") == "True"


def active(pods: Sequence[Manifest]) -> list[Manifest]:
    """Return the pods that a controller counts: not ended, not being deleted."""
    return [
        each
        for each in pods
        if text(each, "status", "phase") not in {"Succeeded", "Failed"}
        and at(each, "metadata", "deletionTimestamp") is None
    ]


def fill_status(workload: Manifest, held: Mapping[str, Sequence[Manifest]], now: datetime) -> None:
    """Complete the status of a workload in place; what is stated stays, conditions one by one.

    `held` has what every controller owns, by its uid.
    """
    pods = owned(held, workload, "Pod")
    match kind(workload):
        case "ReplicaSet":
            _fill(workload, _replica_set(pods), [])
        case "Deployment":
            sets = owned(held, workload, "ReplicaSet")
            status = _deployment(workload, sets)
            pods = [pod for each in sets for pod in owned(held, each, "Pod")]
            conditions = [_available(workload, pods, status, now), _progressing(workload, sets, now)]
            _fill(workload, status, conditions)
        case "StatefulSet":
            _fill(workload, _stateful_set(pods), [])
        case "DaemonSet":
            _fill(workload, _daemon_set(pods), [])
        case _:
            pass


def generation(value: Manifest) -> int:
    """Return how often the spec was written: as stated, else at least once for each revision."""
    revision = number(value, "metadata", "annotations", _REVISION, default=1)
    return number(value, "metadata", "generation", default=revision)


def _fill(workload: Manifest, derived: Manifest, conditions: Sequence[Manifest]) -> None:
    status = section(workload, "status")
    stated = items(status, "conditions")
    for key, value in derived.items():
        if value != 0 or key in {"replicas", "numberMisscheduled"}:
            status.setdefault(key, value)
    status.setdefault("observedGeneration", generation(workload))
    types = [text(each, "type") for each in conditions]
    combined = [
        *(each | by_type(stated, text(each, "type")) for each in conditions),
        *(each for each in stated if text(each, "type") not in types),
    ]
    if combined:
        status["conditions"] = combined


def _replica_set(pods: Sequence[Manifest]) -> Manifest:
    counted = active(pods)
    count = sum(map(is_ready, counted))
    return {
        "replicas": len(counted),
        "fullyLabeledReplicas": len(counted),
        "readyReplicas": count,
        "availableReplicas": count,
    }


def newest(sets: Sequence[Manifest]) -> Manifest:
    """Return the ReplicaSet of the highest revision, or an empty one."""
    return first(sorted(sets, key=_revision, reverse=True))


def _revision(replica_set: Manifest) -> int:
    written = text(replica_set, "metadata", "annotations", _REVISION)
    return int(written) if written.isdecimal() else 0


def _deployment(workload: Manifest, sets: Sequence[Manifest]) -> Manifest:
    def together(key: str) -> int:
        return sum(number(each, "status", key) for each in sets)

    desired = number(workload, "spec", "replicas")
    available = together("availableReplicas")
    return {
        "replicas": together("replicas"),
        "updatedReplicas": number(newest(sets), "status", "replicas"),
        "readyReplicas": together("readyReplicas"),
        "availableReplicas": available,
        "unavailableReplicas": max(0, max(desired, together("replicas")) - available),
    }


def _available(workload: Manifest, pods: Sequence[Manifest], derived: Manifest, now: datetime) -> Manifest:
    desired = number(workload, "spec", "replicas")
    spare = share(text(workload, "spec", "strategy", "rollingUpdate", "maxUnavailable", default="0"), desired)
    enough = number(derived | mapping(workload, "status"), "availableReplicas") >= desired - spare
    return {
        "type": "Available",
        "status": "True" if enough else "False",
        "reason": "MinimumReplicasAvailable" if enough else "MinimumReplicasUnavailable",
        "message": f"Deployment {'has' if enough else 'does not have'} minimum availability.",
        **_times(creation(workload) if enough else _broken_since(pods, now)),
    }


def _progressing(workload: Manifest, sets: Sequence[Manifest], now: datetime) -> Manifest:
    current = newest(sets)
    wanted = number(current, "spec", "replicas")
    rolling = len([each for each in sets if number(each, "spec", "replicas") > 0]) > 1
    done = not rolling and number(current, "status", "availableReplicas") >= wanted
    started = creation(current) if current else creation(workload)
    # A rollout that old came through once, whatever its pods do now.
    settled = not rolling and started < now - timedelta(days=1)
    late = now - started > timedelta(seconds=number(workload, "spec", "progressDeadlineSeconds", default=600))
    if done or settled or not current:
        truth, reason, message = "True", "NewReplicaSetAvailable", "has successfully progressed."
    elif late:
        truth, reason, message = "False", "ProgressDeadlineExceeded", "has timed out progressing."
    else:
        truth, reason, message = "True", "ReplicaSetUpdated", "is progressing."
    return {
        "type": "Progressing",
        "status": truth,
        "reason": reason,
        "message": f'ReplicaSet "{name(current)}" {message}',
        **_times(started),
    }


def _times(moment_: datetime) -> Manifest:
    return {"lastUpdateTime": stamp(moment_), "lastTransitionTime": stamp(moment_)}


def _stateful_set(pods: Sequence[Manifest]) -> Manifest:
    counted = active(pods)
    count = sum(map(is_ready, counted))
    revision = next((text(e, "metadata", "labels", "controller-revision-hash") for e in counted), "")
    return {
        "replicas": len(counted),
        "currentReplicas": len(counted),
        "updatedReplicas": len(counted),
        "readyReplicas": count,
        "availableReplicas": count,
        "currentRevision": revision,
        "updateRevision": revision,
        "collisionCount": 0,
    }


def _daemon_set(pods: Sequence[Manifest]) -> Manifest:
    counted = active(pods)
    count = sum(map(is_ready, counted))
    return {
        "desiredNumberScheduled": len(counted),
        "currentNumberScheduled": len(counted),
        "updatedNumberScheduled": len(counted),
        "numberReady": count,
        "numberAvailable": count,
        "numberUnavailable": len(counted) - count,
        "numberMisscheduled": 0,
    }


def _broken_since(pods: Sequence[Manifest], now: datetime) -> datetime:
    conditions = [
        by_type(items(each, "status", "conditions"), "Ready") for each in pods if not is_ready(each)
    ]
    known = [found for each in conditions if (found := moment(each, "lastTransitionTime"))]
    return min(known, default=now)

"""Every workload of a world, expanded."""

from collections.abc import Sequence
from datetime import datetime

from harness.cluster.expand import jobs, workloads
from harness.cluster.expand.jobs import Logs
from harness.cluster.expand.scheduling import bound
from harness.cluster.expand.templates import WORKLOADS, completed, expands, steering, stripped
from harness.cluster.manifests import Manifest, kind, of_kind
from harness.cluster.references import spelled


def expanded(
    objects: Sequence[Manifest], now: datetime, where: str, logs: Logs | None = None
) -> list[Manifest]:
    """Return the objects with what their controllers have made; an object that stands already stays.

    `logs` has the lines of pods to be, which tell how long those ran.
    Raise InvalidScenario, naming `where` and the workload, for a pod name or schedule that cannot be.
    """
    nodes, sets = of_kind(objects, "Node"), of_kind(objects, "ReplicaSet")
    result: dict[str, Manifest] = {}
    for each in objects:
        if kind(each) not in WORKLOADS:
            result[spelled(each)] = bound(each, nodes) if kind(each) == "Pod" else each
            continue
        # The controllers label and annotate the workload too, so they get the copy that is kept.
        kept = result[spelled(each)] = stripped(completed(each))
        if expands(each):
            kept.update(steering(each))
            for made in _made(kept, nodes, sets, now, f"{where}: {spelled(each)}", logs=logs or {}):
                result.setdefault(spelled(made), made)
            result[spelled(each)] = stripped(kept)
    return list(result.values())


def _made(
    workload: Manifest,
    nodes: Sequence[Manifest],
    sets: Sequence[Manifest],
    now: datetime,
    where: str,
    *,
    logs: Logs,
) -> list[Manifest]:
    match kind(workload):
        case "Deployment":
            return workloads.deployment(workload, nodes, sets, where)
        case "ReplicaSet":
            return workloads.replica_set(workload, nodes, where)
        case "StatefulSet":
            return workloads.stateful_set(workload, nodes, where)
        case "DaemonSet":
            return workloads.daemon_set(workload, nodes, where)
        case "Job":
            return jobs.job(workload, nodes, now, where, logs=logs)
        case _:
            return jobs.cron_job(workload, nodes, now, where, logs=logs)

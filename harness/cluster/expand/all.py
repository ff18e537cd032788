"""Every workload of a world, expanded."""

from collections.abc import Sequence
from datetime import datetime

from harness.cluster.expand import jobs, workloads
from harness.cluster.expand.scheduling import bound
from harness.cluster.expand.templates import WORKLOADS, completed, expands, stripped
from harness.cluster.manifests import Manifest, kind, of_kind
from harness.cluster.references import spelled


def expanded(objects: Sequence[Manifest], now: datetime, where: str) -> list[Manifest]:
    """Return the objects with what their controllers have made; an object that stands already stays.

    Raise InvalidScenario, naming `where` and the workload, for a pod name or schedule that cannot be.
    """
    result: dict[str, Manifest] = {}
    for each in objects:
        whole = completed(each) if kind(each) in WORKLOADS else each
        result[spelled(each)] = stripped(whole) if kind(each) in WORKLOADS else whole
        if kind(each) == "Pod":
            result[spelled(each)] = bound(each, of_kind(objects, "Node"))
        if kind(each) in WORKLOADS and expands(each):
            # The controllers label and annotate the workload too, so they get the copy that is kept.
            kept = result[spelled(each)]
            pinned = {"pods": each["pods"]} if "pods" in each else {}
            kept.update(pinned)
            for made in _made(kept, objects, now, f"{where}: {spelled(each)}"):
                result.setdefault(spelled(made), made)
            kept.pop("pods", None)
    return list(result.values())


def _made(workload: Manifest, objects: Sequence[Manifest], now: datetime, where: str) -> list[Manifest]:
    match kind(workload):
        case "Deployment":
            return workloads.deployment(workload, objects, where)
        case "ReplicaSet":
            return workloads.replica_set(workload, objects, where)
        case "StatefulSet":
            return workloads.stateful_set(workload, objects, where)
        case "DaemonSet":
            return workloads.daemon_set(workload, objects, where)
        case "Job":
            return jobs.job(workload, objects, now, where)
        case _:
            return jobs.cron_job(workload, objects, now, where)

"""Every workload of a world, expanded."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from harness.cluster.expand import jobs, workloads
from harness.cluster.expand.jobs import Logs
from harness.cluster.expand.scheduling import bound
from harness.cluster.expand.templates import WORKLOADS, completed, expands, steering, stripped
from harness.cluster.manifests import Manifest, kind, name, namespace, of_kind
from harness.cluster.parts import Parts
from harness.cluster.references import spelled


def expanded(
    objects: Sequence[Manifest], now: datetime, where: str, logs: Logs, *, parts: Parts
) -> list[Manifest]:
    """Return the objects with what their controllers have made; an object that stands already stays.

    `logs` has the lines of pods to be, which tell how long those ran; `parts` what was made before.
    Raise InvalidScenario, naming `where` and the workload, for a pod name or schedule that cannot be.
    """
    nodes, sets = of_kind(objects, "Node"), of_kind(objects, "ReplicaSet")
    result: dict[str, Manifest] = {}
    for each in objects:
        if kind(each) not in WORKLOADS:
            pod = kind(each) == "Pod"
            result[spelled(each)] = (
                parts.once(partial(bound, each, nodes), "bound", each, *nodes) if pod else each
            )
            continue
        reference = spelled(each)
        expand = partial(_expanded, each, nodes, sets, now, f"{where}: {reference}", logs=logs)
        told = (now, _heard(each, logs))
        result[reference], made = parts.once(expand, "expanded", each, *nodes, *sets, told=told)
        for other in made:
            result.setdefault(spelled(other), other)
    return list(result.values())


def _heard(workload: Manifest, logs: Logs) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the logs that tell how long the pods of a workload ran: those of the pods of a job."""
    if kind(workload) not in {"Job", "CronJob"}:
        return ()
    place, start = namespace(workload), f"{name(workload)}-"
    return tuple(
        (pod, tuple(lines))
        for (around, pod), lines in logs.items()
        if around == place and pod.startswith(start)
    )


def _expanded(
    workload: Manifest,
    nodes: Sequence[Manifest],
    sets: Sequence[Manifest],
    now: datetime,
    where: str,
    *,
    logs: Logs,
) -> tuple[Manifest, Sequence[Manifest]]:
    """Return a workload as the cluster keeps it, and what its controller has made."""
    # The controllers label and annotate the workload too, so they get the copy that is kept.
    kept = stripped(completed(workload))
    if not expands(workload):
        return kept, ()
    kept.update(steering(workload))
    match kind(kept):
        case "Deployment":
            made = workloads.deployment(kept, nodes, sets, where)
        case "ReplicaSet":
            made = workloads.replica_set(kept, nodes, where)
        case "StatefulSet":
            made = workloads.stateful_set(kept, nodes, where)
        case "DaemonSet":
            made = workloads.daemon_set(kept, nodes, where)
        case "Job":
            made = jobs.job(kept, nodes, now, where, logs=logs)
        case _:
            made = jobs.cron_job(kept, nodes, now, where, logs=logs)
    return stripped(kept), made

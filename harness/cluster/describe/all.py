"""`kubectl describe`: the right description for a kind."""

from collections.abc import Callable

from harness.cluster import kinds
from harness.cluster.describe import batch, config, network, nodes, pods, policy, storage, workloads
from harness.cluster.describe.generic import anything
from harness.cluster.describe.parts import event_lines
from harness.cluster.index import by_last_sight
from harness.cluster.lookup import Refusal, Wanted, concerns, find, not_found, objects, wanted
from harness.cluster.manifests import Manifest, kind, name
from harness.cluster.rights import require
from harness.cluster.tables import tabbed
from harness.model.scenario import World

_DESCRIPTIONS: dict[str, Callable[[Manifest, World], list[str]]] = {
    "Pod": pods.pod,
    "Deployment": workloads.deployment,
    "ReplicaSet": workloads.replica_set,
    "StatefulSet": workloads.stateful_set,
    "DaemonSet": workloads.daemon_set,
    "Job": batch.job,
    "CronJob": batch.cron_job,
    "Node": nodes.node,
    "Service": network.service,
    "Endpoints": network.endpoints,
    "Ingress": network.ingress,
    "NetworkPolicy": network.network_policy,
    "PersistentVolumeClaim": storage.claim,
    "PersistentVolume": storage.volume,
    "StorageClass": storage.storage_class,
    "ConfigMap": config.config_map,
    "Secret": config.secret,
    "ServiceAccount": config.service_account,
    "Namespace": config.namespace_,
    "ResourceQuota": policy.quota,
    "LimitRange": policy.limit_range,
    "PodDisruptionBudget": policy.budget,
    "PriorityClass": policy.priority_class,
    "HorizontalPodAutoscaler": policy.autoscaler,
}


def describe(world: World, kind_: str, name_: str, namespace: str = "default") -> str:
    """Return what `kubectl describe` prints; raise Refusal with what it prints where it fails.

    Where no object has the name, all whose names begin with it are described.
    """
    described = [_one(world, each, namespace) for each in wanted(world, kind_, name_)]
    return "\n\n\n".join(described)


def _one(world: World, asked: Wanted, place: str) -> str:
    require(world, asked, place)
    exact = find(world, asked, place)
    near = (each for each in objects(world, asked.kind, place) if name(each).startswith(asked.name))
    found = list(near) if exact is None else [exact]
    if not found:
        return _gone(world, asked, place)
    return "\n\n\n".join(_text(_DESCRIPTIONS.get(kind(each), anything)(each, world)) for each in found)


def _gone(world: World, asked: Wanted, place: str) -> str:
    refusal: Refusal = not_found(asked)
    every = objects(world, kinds.KINDS_BY_NAME["Event"], place)
    found = by_last_sight([each for each in every if concerns(each, "Pod", asked.name)])
    if asked.kind.name != "Pod" or not found:
        raise refusal
    reason = str(refusal).partition(": ")[2]
    return _text([f"Pod '{asked.name}': error '{reason}', but found events.", *event_lines(world, found)])


def _text(lines: list[str]) -> str:
    return tabbed("\n".join(lines))

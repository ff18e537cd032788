"""Quotas, disruption budgets and autoscalers: what they count."""

from collections.abc import Sequence
from datetime import datetime

from harness.cluster.derive.workloads import active, is_ready
from harness.cluster.manifests import (
    Manifest,
    first,
    items,
    kind,
    mapping,
    name,
    namespace,
    number,
    of_kind,
    section,
    text,
)
from harness.cluster.quantities import pod_amount, share, total
from harness.cluster.selectors import pods_of
from harness.cluster.times import creation, stamp

_COUNTED = {
    "pods": "Pod",
    "services": "Service",
    "configmaps": "ConfigMap",
    "secrets": "Secret",
    "persistentvolumeclaims": "PersistentVolumeClaim",
    "replicationcontrollers": "ReplicationController",
    "resourcequotas": "ResourceQuota",
    "deployments.apps": "Deployment",
    "replicasets.apps": "ReplicaSet",
    "statefulsets.apps": "StatefulSet",
    "jobs.batch": "Job",
    "cronjobs.batch": "CronJob",
}


def fill_quota(quota: Manifest, objects: Sequence[Manifest]) -> None:
    """Complete the status of a ResourceQuota in place: what its namespace uses."""
    hard = mapping(quota, "spec", "hard")
    hard.update({key: text(hard, key) for key in hard})
    status = section(quota, "status")
    status.setdefault("hard", dict(hard))
    used = section(status, "used")
    inside = [each for each in objects if namespace(each) == namespace(quota)]
    for key in hard:
        used.setdefault(key, _used(key, inside))
        used[key] = text(used, key)


def _used(key: str, inside: Sequence[Manifest]) -> str:
    wanted = _COUNTED.get(key.removeprefix("count/"))
    if wanted == "Pod":
        return str(len(_living(inside)))
    if wanted is not None:
        return str(len(of_kind(inside, wanted)))
    if key == "requests.storage":
        claims = of_kind(inside, "PersistentVolumeClaim")
        return total(text(each, "spec", "resources", "requests", "storage") for each in claims)
    side, dot, resource = key.partition(".")
    if not dot or side not in {"requests", "limits"}:
        side, resource = "requests", key
    return total(pod_amount(each, side, resource) for each in _living(inside))


def _living(inside: Sequence[Manifest]) -> list[Manifest]:
    pods = of_kind(inside, "Pod")
    return [each for each in pods if text(each, "status", "phase") not in {"Succeeded", "Failed"}]


def fill_budget(budget: Manifest, objects: Sequence[Manifest]) -> None:
    """Complete the status of a PodDisruptionBudget in place."""
    selector = mapping(budget, "spec", "selector")
    chosen = pods_of(objects, namespace(budget), selector) if "selector" in mapping(budget, "spec") else []
    pods = active(chosen)
    expected, healthy = len(pods), sum(map(is_ready, pods))
    least = text(budget, "spec", "minAvailable")
    most_lost = share(text(budget, "spec", "maxUnavailable"), expected, up=True)
    desired = share(least, expected, up=True) if least else max(0, expected - most_lost)
    status = section(budget, "status")
    for key, value in {
        "currentHealthy": healthy,
        "desiredHealthy": desired,
        "disruptionsAllowed": max(0, healthy - desired),
        "expectedPods": expected,
        "observedGeneration": 1,
    }.items():
        status.setdefault(key, value)


def fill_autoscaler(autoscaler: Manifest, objects: Sequence[Manifest], now: datetime) -> None:
    """Complete the status of a HorizontalPodAutoscaler in place; its metrics are the world's to state."""
    spec = mapping(autoscaler, "spec")
    target = mapping(spec, "scaleTargetRef")
    scaled = first(each for each in objects if _is(each, autoscaler, target))
    status = section(autoscaler, "status")
    current = number(scaled, "status", "replicas", default=number(scaled, "spec", "replicas"))
    status.setdefault("currentReplicas", current)
    status.setdefault("desiredReplicas", status["currentReplicas"])
    if "conditions" not in status:
        since = min(creation(autoscaler), now)
        status["conditions"] = _conditions(autoscaler, status, since, found=bool(scaled))


def _is(value: Manifest, autoscaler: Manifest, target: Manifest) -> bool:
    same = kind(value) == text(target, "kind") and name(value) == text(target, "name")
    return same and namespace(value) == namespace(autoscaler)


def _conditions(autoscaler: Manifest, status: Manifest, since: datetime, *, found: bool) -> list[Manifest]:
    full = number(status, "desiredReplicas") >= number(autoscaler, "spec", "maxReplicas")
    known = bool(items(status, "currentMetrics"))
    able = ("True", "ReadyForNewScale", "recommended size matches current size")
    if not found:
        able = ("False", "FailedGetScale", "the HPA controller was unable to get the target's current scale")
    active_ = ("True", "ValidMetricFound", "the HPA was able to successfully calculate a replica count")
    if not known:
        active_ = (
            "False",
            "FailedGetResourceMetric",
            "the HPA was unable to compute the replica count: no metrics returned from resource metrics API",
        )
    limited = ("False", "DesiredWithinRange", "the desired count is within the acceptable range")
    if full and _too_busy(autoscaler):
        limited = (
            "True",
            "TooManyReplicas",
            "the desired replica count is more than the maximum replica count",
        )
    states = {"AbleToScale": able, "ScalingActive": active_, "ScalingLimited": limited}
    return [
        {
            "type": key,
            "status": truth,
            "reason": reason,
            "message": message,
            "lastTransitionTime": stamp(since),
        }
        for key, (truth, reason, message) in states.items()
    ]


def _too_busy(autoscaler: Manifest) -> bool:
    metrics = items(autoscaler, "spec", "metrics")
    current = items(autoscaler, "status", "currentMetrics")
    return any(
        number(now, "resource", "current", "averageUtilization")
        > number(wanted, "resource", "target", "averageUtilization")
        for wanted, now in zip(metrics, current, strict=False)
    )

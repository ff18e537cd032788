"""The columns of quotas, limits, budgets, priorities and autoscalers."""

from harness.cluster.columns.column import AGE, NAME, Column, of
from harness.cluster.manifests import Manifest, items, mapping, text

_MOST = 2


def _quota(quota: Manifest, *, limits: bool) -> str:
    hard, used = mapping(quota, "status", "hard"), mapping(quota, "status", "used")
    keys = [key for key in sorted(hard) if key.startswith("limits.") is limits]
    return ", ".join(f"{key}: {text(used, key, default='0')}/{text(hard, key)}" for key in keys)


def metric_parts(metric: Manifest) -> tuple[str, Manifest]:
    """Return the key under which a metric of an autoscaler stands, and what stands there."""
    kind = text(metric, "type")
    key = kind[:1].lower() + kind[1:]
    return key, mapping(metric, key)


def current_of(autoscaler: Manifest, place: int, key: str) -> Manifest:
    """Return the present value of the nth metric, or an empty mapping."""
    held = items(autoscaler, "status", "currentMetrics")
    return mapping(held[place], key, "current") if place < len(held) else {}


def _target(autoscaler: Manifest, place: int, metric: Manifest) -> str:
    key, spec = metric_parts(metric)
    current, target = current_of(autoscaler, place, key), mapping(spec, "target")
    if key in {"resource", "containerResource"}:
        start = f"{text(spec, 'name')}: "
        if text(target, "averageValue"):
            return f"{start}{text(current, 'averageValue') or '<unknown>'}/{text(target, 'averageValue')}"
        now = text(current, "averageUtilization")
        wanted = text(target, "averageUtilization")
        return f"{start}{now + '%' if now else '<unknown>'}/{wanted + '%' if wanted else '<auto>'}"
    if text(target, "averageValue"):
        average = "" if key == "pods" else " (avg)"
        return f"{text(current, 'averageValue') or '<unknown>'}/{text(target, 'averageValue')}{average}"
    return f"{text(current, 'value') or '<unknown>'}/{text(target, 'value')}"


def _targets(autoscaler: Manifest) -> str:
    metrics = items(autoscaler, "spec", "metrics")
    found = [_target(autoscaler, i, each) for i, each in enumerate(metrics)]
    more = f" + {len(found) - _MOST} more..." if len(found) > _MOST else ""
    return (", ".join(found[:_MOST]) + more) or "<none>"


def _reference(autoscaler: Manifest) -> str:
    target = mapping(autoscaler, "spec", "scaleTargetRef")
    return f"{text(target, 'kind')}/{text(target, 'name')}"


def _text(title: str, *path: str, default: str) -> Column:
    return Column(title, of(lambda value: text(value, *path, default=default)))


POLICY: dict[str, tuple[Column, ...]] = {
    "ResourceQuota": (
        NAME,
        AGE,
        Column("REQUEST", of(lambda value: _quota(value, limits=False))),
        Column("LIMIT", of(lambda value: _quota(value, limits=True))),
    ),
    "LimitRange": (
        NAME,
        Column("CREATED AT", of(lambda value: text(value, "metadata", "creationTimestamp"))),
    ),
    "PodDisruptionBudget": (
        NAME,
        _text("MIN AVAILABLE", "spec", "minAvailable", default="N/A"),
        _text("MAX UNAVAILABLE", "spec", "maxUnavailable", default="N/A"),
        _text("ALLOWED DISRUPTIONS", "status", "disruptionsAllowed", default="0"),
        AGE,
    ),
    "PriorityClass": (
        NAME,
        _text("VALUE", "value", default="0"),
        _text("GLOBAL-DEFAULT", "globalDefault", default="false"),
        AGE,
    ),
    "HorizontalPodAutoscaler": (
        NAME,
        Column("REFERENCE", of(_reference)),
        Column("TARGETS", of(_targets)),
        _text("MINPODS", "spec", "minReplicas", default="<unset>"),
        _text("MAXPODS", "spec", "maxReplicas", default="0"),
        _text("REPLICAS", "status", "currentReplicas", default="0"),
        AGE,
    ),
}

"""Quotas, limits, budgets, priorities and autoscalers."""

from collections.abc import Sequence

from harness.cluster.columns.policy import current_of, metric_parts
from harness.cluster.describe.parts import date, events, head, marks
from harness.cluster.manifests import Manifest, items, mapping, name, number, strings, text, texts
from harness.cluster.selectors import pairs_text, selector_text
from harness.model.scenario import World

_LIMITS = ("min", "max", "defaultRequest", "default", "maxLimitRequestRatio")


def quota(value: Manifest, world: World) -> list[str]:
    """Describe a quota; kubectl shows no events here."""
    del world
    scopes = sorted(texts(value, "spec", "scopes"))
    return [*head(value), *([f"Scopes:\t{', '.join(scopes)}"] if scopes else []), *quota_lines(value, "----")]


def quota_lines(value: Manifest, rule: str) -> list[str]:
    """Return what a quota allows and what is used of it, as a table."""
    hard, used = strings(value, "status", "hard"), strings(value, "status", "used")
    rows = [f"{key}\t{used.get(key, '0')}\t{most}" for key, most in hard.items()]
    return ["Resource\tUsed\tHard", f"--------\t{rule}\t{rule}", *rows]


def limit_range(value: Manifest, world: World) -> list[str]:
    """Describe a limit range; kubectl shows no events here."""
    del world
    return [*head(value), *limit_lines([value])]


def limit_lines(found: Sequence[Manifest]) -> list[str]:
    """Return the limits of limit ranges as one table."""
    lines = [
        "Type\tResource\tMin\tMax\tDefault Request\tDefault Limit\tMax Limit/Request Ratio",
        "----\t--------\t---\t---\t---------------\t-------------\t-----------------------",
    ]
    for limit in (each for value in found for each in items(value, "spec", "limits")):
        resources = sorted({key for side in _LIMITS for key in mapping(limit, side)})
        for key in resources:
            sides = [text(limit, side, key) or "-" for side in _LIMITS]
            lines.append("\t".join((text(limit, "type"), key, *sides)))
    return lines


def budget(value: Manifest, world: World) -> list[str]:
    """Describe a disruption budget."""
    spec, status = mapping(value, "spec"), mapping(value, "status")
    lines = head(value)
    for title, key in (("Min available", "minAvailable"), ("Max unavailable", "maxUnavailable")):
        lines += [f"{title}:\t{text(spec, key)}"] if key in spec else []
    lines.append(
        f"Selector:\t{selector_text(mapping(spec, 'selector')) if 'selector' in spec else '<unset>'}"
    )
    lines += [
        "Status:",
        f"    Allowed disruptions:\t{number(status, 'disruptionsAllowed')}",
        f"    Current:\t{number(status, 'currentHealthy')}",
        f"    Desired:\t{number(status, 'desiredHealthy')}",
        f"    Total:\t{number(status, 'expectedPods')}",
    ]
    return [*lines, *events(world, value)]


def priority_class(value: Manifest, world: World) -> list[str]:
    """Describe a priority class."""
    return [
        f"Name:\t{name(value)}",
        f"Value:\t{number(value, 'value')}",
        f"GlobalDefault:\t{text(value, 'globalDefault')}",
        f"PreemptionPolicy:\t{text(value, 'preemptionPolicy')}",
        f"Description:\t{text(value, 'description')}",
        f"Annotations:\t{pairs_text(strings(value, 'metadata', 'annotations'))}",
        *events(world, value),
    ]


def autoscaler(value: Manifest, world: World) -> list[str]:
    """Describe an autoscaler with its metrics."""
    spec, status = mapping(value, "spec"), mapping(value, "status")
    target = mapping(spec, "scaleTargetRef")
    lines = [
        *head(value),
        *marks(value),
        f"CreationTimestamp:\t{date(value, 'metadata', 'creationTimestamp')}",
    ]
    lines += [f"Reference:\t{text(target, 'kind')}/{text(target, 'name')}", "Metrics:\t( current / target )"]
    lines += [f"  {_metric(value, i, each)}" for i, each in enumerate(items(spec, "metrics"))]
    lines.append(f"Min replicas:\t{text(spec, 'minReplicas', default='<unset>')}")
    lines.append(f"Max replicas:\t{number(spec, 'maxReplicas')}")
    lines += _behavior(spec)
    counts = f"{number(status, 'currentReplicas')} current / {number(status, 'desiredReplicas')} desired"
    lines += [f"{text(target, 'kind')} pods:\t{counts}", *_conditions(status)]
    return [*lines, *events(world, value)]


def _metric(value: Manifest, place: int, metric: Manifest) -> str:
    key, spec = metric_parts(metric)
    current, target = current_of(value, place, key), mapping(spec, "target")
    side = "averageValue" if text(target, "averageValue") else "value"
    values = f"{text(current, side) or '<unknown>'} / {text(target, side)}"
    if key in {"resource", "containerResource"}:
        part = f' of container "{text(spec, "container")}"' if key == "containerResource" else ""
        start = f"resource {text(spec, 'name')}{part} on pods"
        if side == "averageValue":
            return f"{start}:\t{values}"
        return f"{start}  (as a percentage of request):\t{_utilization(current, target)}"
    measured = text(spec, "metric", "name")
    if key == "pods":
        return f'"{measured}" on pods:\t{values}'
    kind = "average value" if side == "averageValue" else "value"
    if key == "object":
        described = mapping(spec, "describedObject")
        return (
            f'"{measured}" on {text(described, "kind")}/{text(described, "name")} (target {kind}):\t{values}'
        )
    return f'"{measured}" (target {kind}):\t{values}'


def _utilization(current: Manifest, target: Manifest) -> str:
    wanted = text(target, "averageUtilization")
    now = text(current, "averageUtilization")
    shown = f"{now}% ({text(current, 'averageValue', default='0')})" if now else "<unknown>"
    return f"{shown} / {wanted + '%' if wanted else '<auto>'}"


def _behavior(spec: Manifest) -> list[str]:
    if "behavior" not in spec:
        return []
    lines = ["Behavior:"]
    for title, key in (("Scale Up", "scaleUp"), ("Scale Down", "scaleDown")):
        rules = mapping(spec, "behavior", key)
        if not rules:
            continue
        lines.append(f"  {title}:")
        if "stabilizationWindowSeconds" in rules:
            lines.append(f"    Stabilization Window: {number(rules, 'stabilizationWindowSeconds')} seconds")
        policies = items(rules, "policies")
        if policies:
            lines += [f"    Select Policy: {text(rules, 'selectPolicy', default='Max')}", "    Policies:"]
        for each in policies:
            span = f"Period: {number(each, 'periodSeconds')} seconds"
            lines.append(f"      - Type: {text(each, 'type')}\tValue: {number(each, 'value')}\t{span}")
    return lines


def _conditions(status: Manifest) -> list[str]:
    rows = [
        "\t".join(text(each, key) for key in ("type", "status", "reason", "message"))
        for each in items(status, "conditions")
    ]
    header = ["Conditions:", "  Type\tStatus\tReason\tMessage", "  ----\t------\t------\t-------"]
    return [*header, *(f"  {each}" for each in rows)] if rows else []

"""What pods and nodes use at present, out of their series; a node uses at least what its pods do."""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from harness.cluster.manifests import Manifest, name, of_kind, text
from harness.cluster.metrics.authored import CPU, MEMORY, ROOT
from harness.cluster.metrics.samples import Readings, latest, readings, within
from harness.cluster.quantities import amount
from harness.model.scenario import Series

Usage = tuple[Decimal, Decimal]
"""CPU in cores and memory in bytes."""

_FRESH = 90.0
# The kubelet, the runtime and the system itself, beside all pods.
_OVERHEAD = {CPU: Decimal("0.06"), MEMORY: Decimal(320 * 1024**2)}
_MOST = Decimal("0.99")
_RESOURCES = {CPU: "cpu", MEMORY: "memory"}


def used_now(series: Sequence[Series]) -> Mapping[tuple[str, str], Usage]:
    """Return what pods, by namespace and name, and nodes, by an empty text and name, use now."""
    parts: dict[str, dict[tuple[str, str, str], Decimal]] = {CPU: {}, MEMORY: {}}
    for each in series:
        part = _part(each.labels)
        value = None if part is None else present(each)
        if part is not None and value is not None:
            parts[each.name].setdefault(part, value)
    cpu, memory = parts[CPU], parts[MEMORY]
    result: dict[tuple[str, str], Usage] = {}
    for part in cpu.keys() & memory.keys():
        held = result.get(part[:2], (Decimal(0), Decimal(0)))
        result[part[:2]] = (held[0] + cpu[part], held[1] + memory[part])
    return result


def present(series: Series) -> Decimal | None:
    """Return what a series of usage says now, in cores or bytes, or None where it says none."""
    if series.name not in _RESOURCES:
        return None
    read = readings(series)
    return _rate(read) if series.name == CPU else _last(read)


def with_room_for_pods(series: Sequence[Series], objects: Sequence[Manifest]) -> list[Series]:
    """Return the series, those of a node raised where its pods together use more than it is said to.

    A change that gives a node more pods, or its pods more work, need not speak of the node too.
    """
    inside = _inside(series)
    nodes = {name(each): each for each in of_kind(objects, "Node")}
    return [_raised(each, inside, nodes) for each in series]


def _inside(series: Sequence[Series]) -> dict[tuple[str, str], Decimal]:
    result: dict[tuple[str, str], Decimal] = {}
    for each in series:
        part, node = _part(each.labels), each.labels.get("node", "")
        value = present(each) if part is not None and part[0] and node else None
        if value is not None:
            result[each.name, node] = result.get((each.name, node), Decimal(0)) + value
    return result


def _raised(
    series: Series, inside: Mapping[tuple[str, str], Decimal], nodes: Mapping[str, Manifest]
) -> Series:
    node = series.labels.get("node", "")
    needed = inside.get((series.name, node))
    if needed is None or not ROOT.items() <= series.labels.items():
        return series
    whole = amount(text(nodes.get(node), "status", "capacity", _RESOURCES[series.name])) * _MOST
    said = present(series)
    if not said or said >= needed:
        return series
    factor = float(min(needed + _OVERHEAD[series.name], max(whole, needed)) / said)
    return series.model_copy(
        update={"points": [(moment, round(value * factor, 3)) for moment, value in series.points]}
    )


def _part(labels: Mapping[str, str]) -> tuple[str, str, str] | None:
    """Return whose usage a series is, (namespace, pod, container) or ("", node, ""), or None."""
    if ROOT.items() <= labels.items():
        return "", labels.get("node", ""), ""
    place, pod, container = (labels.get(each, "") for each in ("namespace", "pod", "container"))
    return (place, pod, container) if place and pod and container else None


def _last(series: Readings) -> Decimal | None:
    found = latest(series, 0.0, _FRESH)
    return None if found is None else Decimal(str(found[1]))


def _rate(series: Readings) -> Decimal | None:
    samples = within(series, -2.0 * series.every, 0.0)
    if latest(series, 0.0, _FRESH) is None or len(samples) < 2:
        return None
    (start, before), (end, value) = samples[-2:]
    return max(Decimal(0), Decimal(str(round((value - before) / (end - start), 9))))

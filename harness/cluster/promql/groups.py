"""Aggregations: one element for a group of elements, or the first few of it."""

from collections.abc import Callable
from math import floor, isfinite, isnan

from harness.cluster.promql.failures import Failed, Limited
from harness.cluster.promql.literals import written
from harness.cluster.promql.nodes import Aggregation
from harness.cluster.promql.vectors import Labels, Vector, only, without
from harness.cluster.promql.windows import extreme, quantile, variance

_ONE: dict[str, Callable[[list[float]], float]] = {
    "sum": sum,
    "avg": lambda values: sum(values) / len(values),
    "min": lambda values: extreme(values, min),
    "max": lambda values: extreme(values, max),
    "count": lambda values: float(len(values)),
    "group": lambda _: 1.0,
    "stddev": lambda values: variance(values) ** 0.5,
    "stdvar": variance,
}
_LARGEST = 2**53


def aggregated(node: Aggregation, vector: Vector, parameter: float) -> Vector:
    """Return a vector put together as an aggregation says; the parameter counts only for some.

    Raise Limited for the aggregations that are not answered here.
    """
    groups: dict[Labels, Vector] = {}
    for each in vector:
        key = without(each[0], node.labels) if node.without else only(each[0], node.labels)
        groups.setdefault(key, []).append(each)
    if node.name in {"topk", "bottomk"}:
        count = _count(parameter)
        return [each for members in groups.values() for each in _ranked(members, node.name)[:count]]
    if node.name == "quantile":
        return [(key, quantile(parameter, [each[1] for each in held])) for key, held in groups.items()]
    if node.name not in _ONE:
        raise Limited(f"the aggregation {node.name}")
    return [(key, _ONE[node.name]([each[1] for each in held])) for key, held in groups.items()]


def _count(parameter: float) -> int:
    if isnan(parameter) or abs(parameter) >= _LARGEST:
        shown = repr(parameter) if isfinite(parameter) else written(parameter)
        raise Failed(f"Scalar value {shown} overflows int64")
    return max(0, floor(parameter))


def _ranked(members: Vector, name: str) -> Vector:
    # What is no number comes last either way.
    sign = -1.0 if name == "topk" else 1.0
    return sorted(members, key=lambda each: (isnan(each[1]), sign * each[1], each[0]))

"""The functions that make one number of what was read in a range."""

from collections.abc import Callable
from itertools import pairwise
from math import floor, isnan, nan, sqrt

from harness.cluster.promql.vectors import Window

RangeFunction = Callable[..., float | None]
"""Takes a window and the scalars of the call; None where there are too few samples."""


def _extrapolated(window: Window, *, counts: bool) -> float | None:
    """Return how much a series changes in the whole range, though its samples only cover a part of it.

    As in Prometheus: a series is taken to go on to an end of the range that is near, which means within 1.1
    of the mean distance of its samples, and else for half that distance; no counter is taken below zero.
    """
    samples = window.samples
    if len(samples) < 2:
        return None
    (first_moment, first), (last_moment, last) = samples[0], samples[-1]
    change = last - first + (_lost(window) if counts else 0.0)
    covered = last_moment - first_moment
    mean = covered / (len(samples) - 1)
    before, after = first_moment - window.start, window.end - last_moment
    if counts and change > 0 and first >= 0:
        before = min(before, covered * (first / change))
    near = mean * 1.1
    whole = covered + (before if before < near else mean / 2) + (after if after < near else mean / 2)
    return change * (whole / covered)


def _lost(window: Window) -> float:
    """Return what a counter had counted when it fell, added up."""
    return sum(before for before, after in pairwise(_values(window)) if after < before)


def _increase(window: Window) -> float | None:
    return _extrapolated(window, counts=True)


def _rate(window: Window) -> float | None:
    increase = _increase(window)
    return None if increase is None else increase / (window.end - window.start)


def _delta(window: Window) -> float | None:
    return _extrapolated(window, counts=False)


def _instant_rate(window: Window) -> float | None:
    if len(window.samples) < 2:
        return None
    (start, before), (end, after) = window.samples[-2:]
    return (after if after < before else after - before) / (end - start)


def _instant_delta(window: Window) -> float | None:
    return window.samples[-1][1] - window.samples[-2][1] if len(window.samples) > 1 else None


def _changes(window: Window) -> float:
    pairs = pairwise(_values(window))
    return float(sum(before != after and not (isnan(before) and isnan(after)) for before, after in pairs))


def _resets(window: Window) -> float:
    return float(sum(after < before for before, after in pairwise(_values(window))))


def _line(window: Window, origin: float) -> tuple[float, float] | None:
    """Return the slope and, at `origin`, the height of the straight line that fits best."""
    count = len(window.samples)
    if count < 2:
        return None
    moments = [moment - origin for moment, _ in window.samples]
    values = [value for _, value in window.samples]
    middle, height = sum(moments) / count, sum(values) / count
    spread = sum((moment - middle) ** 2 for moment in moments)
    together = sum((m - middle) * (v - height) for m, v in zip(moments, values, strict=True))
    slope = together / spread
    return slope, height - slope * middle


def _derivative(window: Window) -> float | None:
    line = _line(window, window.samples[0][0])
    return None if line is None else line[0]


def _predicted(window: Window, ahead: float) -> float | None:
    line = _line(window, window.end)
    return None if line is None else line[1] + line[0] * ahead


def _values(window: Window) -> list[float]:
    return [value for _, value in window.samples]


def quantile(share: float, values: list[float]) -> float:
    """Return the value below which a share of some values lies, between its two neighbours."""
    if not values or isnan(share):
        return nan
    if share < 0 or share > 1:
        return float("-inf") if share < 0 else float("inf")
    ranked = sorted(values, key=lambda each: (not isnan(each), each))
    rank = share * (len(ranked) - 1)
    low = max(0, floor(rank))
    high = min(len(ranked) - 1, low + 1)
    return ranked[low] * (1 - (rank - low)) + ranked[high] * (rank - low)


def variance(values: list[float]) -> float:
    """Return the mean square distance of some values from their mean."""
    mean = sum(values) / len(values)
    return sum((each - mean) ** 2 for each in values) / len(values)


def extreme(values: list[float], choose: Callable[[list[float]], float]) -> float:
    """Return the least or greatest of some values, NaN only where there is nothing else."""
    numbers = [each for each in values if not isnan(each)]
    return choose(numbers) if numbers else nan


def _quantile_over_time(share: float, window: Window) -> float:
    return quantile(share, _values(window))


def _of_values(make: Callable[[list[float]], float]) -> RangeFunction:
    def over_time(window: Window) -> float:
        return make(_values(window))

    return over_time


RANGE_FUNCTIONS: dict[str, RangeFunction] = {
    "rate": _rate,
    "increase": _increase,
    "delta": _delta,
    "irate": _instant_rate,
    "idelta": _instant_delta,
    "changes": _changes,
    "resets": _resets,
    "deriv": _derivative,
    "predict_linear": _predicted,
    "avg_over_time": _of_values(lambda values: sum(values) / len(values)),
    "sum_over_time": _of_values(sum),
    "min_over_time": _of_values(lambda values: extreme(values, min)),
    "max_over_time": _of_values(lambda values: extreme(values, max)),
    "count_over_time": _of_values(lambda values: float(len(values))),
    "last_over_time": _of_values(lambda values: values[-1]),
    "present_over_time": _of_values(lambda _: 1.0),
    "stddev_over_time": _of_values(lambda values: sqrt(variance(values))),
    "stdvar_over_time": _of_values(variance),
    "quantile_over_time": _quantile_over_time,
}

"""Quantiles of classic histograms."""

from math import inf, isnan, nan

from harness.cluster.promql.vectors import Labels, Vector, without

Bucket = tuple[float, float]
"""The upper bound of a bucket, and how much lies below it."""


def histogram_quantiles(share: float, vector: Vector) -> Vector:
    """Return the quantile of every histogram in a vector of buckets, which have a label `le`."""
    histograms: dict[Labels, list[Bucket]] = {}
    for labels, value in vector:
        bound = _bound(dict(labels).get("le", ""))
        if not isnan(bound):
            histograms.setdefault(without(labels, ("le",)), []).append((bound, value))
    return [(labels, _quantile(share, sorted(held))) for labels, held in histograms.items()]


def _bound(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return nan


def _quantile(share: float, given: list[Bucket]) -> float:
    if isnan(share):
        return nan
    if share < 0 or share > 1:
        return -inf if share < 0 else inf
    buckets = _rising(given)
    if len(buckets) < 2 or buckets[-1][0] != inf or buckets[-1][1] == 0:
        return nan
    rank = share * buckets[-1][1]
    place = next((i for i, (_, count) in enumerate(buckets[:-1]) if count >= rank), len(buckets) - 1)
    if place == len(buckets) - 1:
        return buckets[-2][0]
    bound, count = buckets[place]
    if place == 0 and bound <= 0:
        return bound
    low, below = buckets[place - 1] if place else (0.0, 0.0)
    inside = count - below
    return low + (bound - low) * ((rank - below) / inside) if inside else nan


def _rising(buckets: list[Bucket]) -> list[Bucket]:
    """Return buckets with equal bounds added up and no count below the one before."""
    merged: list[Bucket] = []
    for bound, count in buckets:
        if merged and merged[-1][0] == bound:
            merged[-1] = (bound, merged[-1][1] + count)
        else:
            merged.append((bound, count))
    highest = -inf
    result: list[Bucket] = []
    for bound, count in merged:
        highest = max(highest, count)
        result.append((bound, highest))
    return result

"""How far a rate that was seen may lie from the rate that is."""

from math import sqrt
from statistics import NormalDist
from typing import NamedTuple


class Interval(NamedTuple):
    """Two bounds between 0 and 1."""

    low: float
    high: float


def wilson(passed: int, n: int, confidence: float = 0.95) -> Interval | None:
    """Return Wilson's score interval of a rate, two-sided; None where nothing was counted.

    Args:
        passed: how many of `n` passed.
        n: how many were counted.
        confidence: how often such an interval holds the true rate, between 0 and 1.

    Raises:
        ValueError: `passed` is not within 0 and `n`, or `confidence` not between 0 and 1.
    """
    if not 0 <= passed <= n:
        msg = f"wilson: found {passed!r} passed of {n!r}; passed lies within 0 and n"
        raise ValueError(msg)
    if not 0 < confidence < 1:
        msg = f"wilson: found confidence {confidence!r}; it lies between 0 and 1"
        raise ValueError(msg)
    return score_interval(passed / n, n, (1 + confidence) / 2) if n else None


def score_interval(rate: float, n: float, one_sided: float) -> Interval:
    """Return Wilson's score interval of a mean of rates.

    Args:
        rate: between 0 and 1.
        n: of how many independent trials it is worth; need not be whole.
        one_sided: how often each bound alone holds, between 0.5 and 1.
    """
    z = NormalDist().inv_cdf(one_sided)
    weight = z * z / n
    centre = (rate + weight / 2) / (1 + weight)
    half = z * sqrt(rate * (1 - rate) / n + weight / (4 * n)) / (1 + weight)
    # At the ends the bound is exact, and floating point is not: nobody may read 99.9 % for "all passed".
    low = 0.0 if rate <= 0 else centre - half
    high = 1.0 if rate >= 1 else centre + half
    return Interval(low, high)

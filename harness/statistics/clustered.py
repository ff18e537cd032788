"""A mean over scenarios that are no independent evidence: those of one family share a world."""

from collections.abc import Hashable, Sequence
from math import sqrt
from typing import NamedTuple


class ClusteredMean(NamedTuple):
    """A mean with its cluster-robust standard error (CR2) and Satterthwaite's degrees of freedom.

    `error` and `degrees` are None where there is one cluster only: nothing then shows how clusters differ.
    """

    mean: float
    error: float | None
    degrees: float | None

    def half_width(self, confidence: float) -> float | None:
        """Return how far a one-sided bound of this confidence lies from the mean; None where unknown."""
        if self.error is None or self.degrees is None:
            return None
        return student(confidence, self.degrees) * self.error if self.error else 0.0


def clustered_mean(values: Sequence[float], clusters: Sequence[Hashable]) -> ClusteredMean:
    """Return the mean of values, each counting alike, with what clusters leave of its certainty.

    The bias of few clusters is taken out as Bell and McCaffrey do (2002); with equal weights the adjustment
    of a cluster that holds a share h of all values is 1/sqrt(1 - h).

    Raises:
        ValueError: there is no value, or not one cluster for each.
    """
    if not values or len(values) != len(clusters):
        msg = f"clustered_mean: found {len(values)} values and {len(clusters)} clusters; give one for each"
        raise ValueError(msg)
    mean = sum(values) / len(values)
    sums: dict[Hashable, float] = {}
    sizes: dict[Hashable, int] = {}
    for value, cluster in zip(values, clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + value - mean
        sizes[cluster] = sizes.get(cluster, 0) + 1
    if len(sums) < 2:
        return ClusteredMean(mean, None, None)
    whole = len(values)
    variance = sum(total**2 / (1 - sizes[each] / whole) for each, total in sums.items()) / whole**2
    return ClusteredMean(mean, sqrt(variance), satterthwaite(list(sizes.values())))


def satterthwaite(sizes: Sequence[int]) -> float:
    """Return the degrees of freedom that clusters of these sizes leave; k - 1 for k of one size."""
    whole = sum(sizes)
    shares = [size / whole for size in sizes]
    # The estimator is a quadratic form in independent errors; this is (trace G'G)^2 / trace (G'G)^2, in which
    # G'G has h on the diagonal (1 - h cancels) and -hk / sqrt((1 - h)(1 - k)) beside it.
    trace = sum(shares)
    squares = sum(share**2 for share in shares)
    for place, one in enumerate(shares):
        for other in shares[place + 1 :]:
            squares += 2 * (one * other) ** 2 / ((1 - one) * (1 - other))
    return trace**2 / squares


def student(confidence: float, degrees: float) -> float:
    """Return the quantile of Student's t for a confidence between 0 and 1; degrees need not be whole."""
    # Most reports need no quantile, and start in a blink.
    from scipy.special import stdtrit

    return float(stdtrit(degrees, confidence))

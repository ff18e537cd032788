"""Whether a fall is more than chance: an exact test of two sides that answered the same scenarios.

Were the two sides the same, the passes of a scenario would have fallen to either side as cards are dealt. So
the passes of one side are, in each scenario, hypergeometric given those of both, and their weighted sum has a
distribution that can be written down whole: no resampling, no seed, nothing that fails at rates of 0 or 1.
"""

from collections.abc import Sequence
from functools import lru_cache, reduce
from math import comb, exp, gcd, lcm, lgamma
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WIDEST = 200_000
"""Points of the distribution's lattice; beyond, the weights of scenarios are rounded to a coarser one."""


def fall_p_value(
    passed: Sequence[int], n: Sequence[int], baseline_passed: Sequence[int], baseline_n: Sequence[int]
) -> float:
    """Return how often chance alone lets the mean of scenario rates fall so far below the baseline's.

    Args:
        passed: of each scenario, how many of the candidate's `n` trials passed.
        n: at least 1 each.
        baseline_passed: the same of the baseline.
        baseline_n: at least 1 each.
    """
    import numpy as np

    one = fall_p_values(np.asarray([passed]), n, np.asarray([baseline_passed]), baseline_n)
    return float(one[0])


def fall_p_values(
    passed: "NDArray[np.int64]",
    n: Sequence[int],
    baseline_passed: "NDArray[np.int64]",
    baseline_n: Sequence[int],
) -> "NDArray[np.float64]":
    """Return the p-value of each row: a row is one pair of runs, a column one scenario.

    Trials are exchangeable within a scenario where nothing changed, and independent of one another. Then at
    most a share alpha of unchanged pairs has a value of alpha or less, whatever the rates are.
    """
    import numpy as np

    rows = len(passed)
    if not len(n):
        return np.ones(rows, dtype=np.float64)
    steps = lattice_steps(n, baseline_n)
    # Index 0 is the smallest possible sum, in which every pass that can falls to the baseline.
    reach = [step * min(ours, ours + theirs) for step, ours, theirs in zip(steps, n, baseline_n, strict=True)]
    distribution: NDArray[np.float64] = np.zeros((rows, sum(reach) + 1), dtype=np.float64)
    distribution[:, 0] = 1.0
    width = 1
    for column, (step, ours, theirs) in enumerate(zip(steps, n, baseline_n, strict=True)):
        both = passed[:, column] + baseline_passed[:, column]
        chances = _dealt(ours, theirs)[both]
        spread = np.zeros_like(distribution)
        for count in range(ours + 1):
            start = count * step
            spread[:, start : start + width] += distribution[:, :width] * chances[:, [count]]
        distribution, width = spread, width + reach[column]
    seen = passed @ np.asarray(steps, dtype=np.int64)
    at_most = np.cumsum(distribution, axis=1)[np.arange(rows), seen]
    return np.minimum(at_most, 1.0)


def lattice_steps(n: Sequence[int], baseline_n: Sequence[int]) -> list[int]:
    """Return by how many points of a common lattice one pass moves the mean of rates, for each scenario.

    A pass that falls to the candidate instead of the baseline moves a scenario's difference by 1/n + 1/m.
    Rounding the steps changes how scenarios are weighted against one another by less than a thousandth, and
    the test stays exact: any weights are.
    """
    common = reduce(lcm, {*n, *baseline_n})
    steps = [common // ours + common // theirs for ours, theirs in zip(n, baseline_n, strict=True)]
    whole = reduce(gcd, steps)
    steps = [each // whole for each in steps]
    width = sum(step * ours for step, ours in zip(steps, n, strict=True))
    if width <= WIDEST:
        return steps
    return [max(1, round(each * WIDEST / width)) for each in steps]


def least_p_value(n: Sequence[int], baseline_n: Sequence[int]) -> float:
    """Return the smallest p-value within reach: that of a baseline that passes all and a candidate none."""
    deals = zip(n, baseline_n, strict=True)
    return exp(
        sum(lgamma(ours + 1) + lgamma(theirs + 1) - lgamma(ours + theirs + 1) for ours, theirs in deals)
    )


@lru_cache(maxsize=1024)
def _dealt(ours: int, theirs: int) -> "NDArray[np.float64]":
    """Return by row how many passes both have, by column the chance that so many of them are ours."""
    import numpy as np

    whole = ours + theirs
    table = np.zeros((whole + 1, ours + 1))
    for both in range(whole + 1):
        for count in range(max(0, both - theirs), min(ours, both) + 1):
            table[both, count] = comb(both, count) * comb(whole - both, ours - count) / comb(whole, ours)
    return table

from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import fisher_exact, hypergeom

from harness.statistics.permutation import (
    WIDEST,
    fall_p_value,
    fall_p_values,
    lattice_steps,
    least_p_value,
)

Sides = tuple[list[int], list[int], list[int], list[int]]


def by_dealing(passed: list[int], n: list[int], before: list[int], m: list[int]) -> float:
    """Return the p-value by dealing the trials of each scenario in every possible way."""
    seen = sum(ours / k for ours, k in zip(passed, n, strict=True)) - sum(
        theirs / k for theirs, k in zip(before, m, strict=True)
    )
    deals = [
        [
            sum(hand) / k - (ours + theirs - sum(hand)) / other
            for hand in combinations([1] * (ours + theirs) + [0] * (k + other - ours - theirs), k)
        ]
        for ours, k, theirs, other in zip(passed, n, before, m, strict=True)
    ]
    sums = [sum(each) for each in product(*deals)]
    return sum(each <= seen + 1e-9 for each in sums) / len(sums)


@pytest.mark.parametrize(
    "sides",
    [
        ([0], [3], [3], [3]),
        ([1, 2], [2, 2], [2, 2], [2, 2]),
        ([1, 0, 2], [2, 1, 3], [3, 1, 2], [3, 2, 2]),
        ([2, 2], [2, 3], [2, 1], [3, 2]),
        ([0, 0, 0], [1, 1, 1], [1, 1, 1], [1, 1, 1]),
    ],
)
def test_it_is_the_share_of_deals_that_fall_as_far(sides: Sides) -> None:
    assert fall_p_value(*sides) == pytest.approx(by_dealing(*sides), abs=1e-12)


@pytest.mark.parametrize(("ours", "theirs"), [(3, 9), (9, 9), (10, 10), (0, 4)])
def test_one_scenario_is_fishers_exact_test(ours: int, theirs: int) -> None:
    table = np.array([[ours, 10 - ours], [theirs, 10 - theirs]])

    assert fall_p_value([ours], [10], [theirs], [10]) == pytest.approx(
        fisher_exact(table, alternative="less").pvalue
    )


def test_scenarios_of_one_size_are_a_sum_of_hypergeometric_ones() -> None:
    passed, before = [4, 5, 2], [5, 5, 4]
    sums = np.array([1.0])
    for ours, theirs in zip(passed, before, strict=True):
        sums = np.convolve(sums, hypergeom(10, ours + theirs, 5).pmf(np.arange(6)))

    assert fall_p_value(passed, [5] * 3, before, [5] * 3) == pytest.approx(sums[: sum(passed) + 1].sum())


def test_where_all_passed_there_is_nothing_to_see() -> None:
    assert fall_p_value([3, 3], [3, 3], [3, 3], [3, 3]) == 1
    assert fall_p_value([], [], [], []) == 1


def test_the_least_is_reached_where_everything_turned() -> None:
    assert fall_p_value([0, 0], [3, 2], [3, 4], [3, 4]) == pytest.approx(least_p_value([3, 2], [3, 4]))
    assert least_p_value([1_000] * 40, [1_000] * 40) == pytest.approx(0)


def test_of_unchanged_pairs_at_most_alpha_is_called_a_fall() -> None:
    random = np.random.default_rng(1)
    for rate in (0.99, 0.9, 0.5):
        rates = np.where(random.random((4_000, 20)) < 0.5, 1.0, rate)
        ours, theirs = random.binomial(3, rates), random.binomial(5, rates)

        values = fall_p_values(ours, [3] * 20, theirs, [5] * 20)

        for alpha in (0.01, 0.05, 0.2):
            assert (values <= alpha).mean() <= alpha + 3 * (alpha / 4_000) ** 0.5


def test_a_lattice_too_wide_is_made_coarser_and_the_test_stays_close() -> None:
    n, m = [7, 8, 9, 10, 11, 12] * 5, [11, 13, 7, 9, 10, 8] * 5
    steps = lattice_steps(n, m)
    ours, theirs = [k - 2 for k in n], [k - 1 for k in m]

    assert sum(step * k for step, k in zip(steps, n, strict=True)) <= WIDEST * 1.01
    random = np.random.default_rng(2)
    seen = sum(a / k for a, k in zip(ours, n, strict=True)) - sum(
        b / k for b, k in zip(theirs, m, strict=True)
    )
    dealt = np.zeros(40_000)
    for a, k, b, other in zip(ours, n, theirs, m, strict=True):
        hand = random.hypergeometric(a + b, k + other - a - b, k, 40_000)
        dealt += hand / k - (a + b - hand) / other
    assert fall_p_value(ours, n, theirs, m) == pytest.approx((dealt <= seen + 1e-9).mean(), abs=0.01)

import oracles
import pytest

from harness.statistics import Stratum, bounds, difference, wilson
from harness.statistics.differences import worth


@pytest.mark.parametrize(("passed", "n"), [(0, 5), (3, 7), (29, 30), (300, 300)])
def test_wilson_agrees_with_statsmodels(passed: int, n: int) -> None:
    assert wilson(passed, n) == pytest.approx(oracles.wilson(passed, n), abs=1e-12)


@pytest.mark.parametrize(("now", "before"), [((8, 10), (9, 10)), ((30, 30), (30, 30)), ((17, 40), (30, 36))])
def test_one_scenario_has_newcombes_interval(now: tuple[int, int], before: tuple[int, int]) -> None:
    theirs = oracles.newcombe(now, before, alpha=0.10)

    ours = bounds([Stratum("shop", *before, *now)], 0.05)

    assert ours == pytest.approx(theirs, abs=1e-12)


def test_families_that_disagree_widen_the_bounds() -> None:
    alike = [Stratum(family, 10, 10, 9, 10) for family in "abcd" for _ in range(5)]
    apart = [
        Stratum(family, 10, 10, passed, 10)
        for family, passed in zip("abcd", (10, 10, 8, 8), strict=True)
        for _ in range(5)
    ]

    even, uneven = difference(alike, 0.05), difference(apart, 0.05)

    assert even is not None
    assert uneven is not None
    assert even.effect == pytest.approx(uneven.effect) == pytest.approx(-0.1)
    assert max(even.p, uneven.p) < 1e-5
    assert uneven.low < even.low - 0.05
    assert even.families == (5, 5, 5, 5)


def test_every_scenario_counts_alike_however_many_trials_it_has() -> None:
    found = difference([Stratum("a", 1, 1, 100, 100), Stratum("b", 1, 1, 0, 1)], 0.05)

    assert found is not None
    assert (found.rate, found.baseline_rate, found.effect) == (0.5, 1.0, -0.5)
    assert (found.n, found.baseline_n, found.scenarios) == (101, 2, 2)


def test_all_passing_is_still_not_certain() -> None:
    few = bounds([Stratum("a", 3, 3, 3, 3)] * 2, 0.05)
    many = bounds([Stratum("a", 3, 3, 3, 3)] * 36, 0.05)

    assert few.low < -0.3
    assert -0.05 < many.low < 0


def test_nothing_compared_is_nothing() -> None:
    assert difference([], 0.05) is None
    assert worth([2, 2, 2]) == 6
    assert worth([1, 100]) < 4

from math import asin, sqrt

import numpy as np
import oracles
import pytest

from harness.statistics.permutation import fall_p_values
from harness.statistics.power import (
    Demand,
    Design,
    detectable_drop,
    smallest_drop,
    spread_within,
    trials_to_detect,
    trials_to_pass,
)

SUITE = (19, 9, 6, 2)


def test_a_fixed_size_of_sample_is_about_statsmodels() -> None:
    effect = 2 * asin(sqrt(0.95)) - 2 * asin(sqrt(0.90))
    theirs = oracles.trials_of_each_arm(effect, alpha=0.05, power=0.8)

    ours = trials_to_detect(Design((1,), 1, 1, 0.95), (), Demand(), 0.05)

    assert ours == pytest.approx(theirs, rel=0.2)  # the rest is the correction for counts


@pytest.mark.parametrize(("scenarios", "trials", "rate"), [(12, 5, 0.9), (36, 3, 0.95), (36, 10, 0.7)])
def test_the_drop_is_found_about_as_often_as_said(scenarios: int, trials: int, rate: float) -> None:
    drop = detectable_drop(Design((scenarios,), trials, trials, rate), Demand(power=0.8))
    assert drop is not None
    random = np.random.default_rng(5)
    before = random.binomial(trials, rate, (2_000, scenarios))
    now = random.binomial(trials, rate - drop, (2_000, scenarios))

    values = fall_p_values(now, [trials] * scenarios, before, [trials] * scenarios)

    assert 0.74 < (values <= 0.05).mean() < 0.9


def test_more_trials_scenarios_and_alarm_see_more() -> None:
    few = detectable_drop(Design(SUITE, 3, 3, 0.9), Demand())
    assert few is not None

    assert (detectable_drop(Design(SUITE, 9, 9, 0.9), Demand()) or 1) < few
    assert (detectable_drop(Design((38, 18, 12, 4), 3, 3, 0.9), Demand()) or 1) < few
    assert (detectable_drop(Design(SUITE, 3, 3, 0.9), Demand(tests=12)) or 0) > few
    assert (detectable_drop(Design(SUITE, 3, 3, 0.9), Demand(margin=0.2)) or 0) > 0.2


def test_too_few_trials_see_nothing_at_all() -> None:
    assert detectable_drop(Design((2,), 1, 1, 1.0), Demand()) is None
    assert detectable_drop(Design(SUITE, 3, 3, 0.0), Demand()) is None
    assert smallest_drop(Design(SUITE, 3, 3, 0.0), [Design(SUITE, 3, 3, 0.9)], Demand()) is None
    assert trials_to_detect(Design((1,), 1, 1, 0.5), (), Demand(), 0.001) is None


def test_a_drop_through_one_dimension_is_seen_sooner() -> None:
    whole, dimension = Design(SUITE, 3, 3, 0.35), Design(SUITE, 3, 3, 0.9)
    demand = Demand(tests=12)

    alone, through = smallest_drop(whole, (), demand), smallest_drop(whole, [dimension] * 8, demand)

    assert alone == detectable_drop(whole, demand)
    assert through is not None
    assert through < (alone or 0) / 1.5


def test_families_that_are_few_ask_for_more_trials_to_pass() -> None:
    demand = Demand(margin=0.05)
    few, many = (
        trials_to_pass(Design(SUITE, 1, 1, 0.9), demand),
        trials_to_pass(Design((3,) * 12, 1, 1, 0.9), demand),
    )

    assert few is not None
    assert many is not None
    assert few > 1.5 * many
    assert trials_to_pass(Design(SUITE, 1, 1, 0.9), Demand(margin=0.0)) is None


def test_spread_is_the_share_of_chance_within_scenarios() -> None:
    assert spread_within([10, 0], [10, 10]) == 0.25  # all between; the floor
    assert spread_within([5, 5], [10, 10]) == 1
    assert spread_within([1, 1], [1, 1]) == 1  # nothing repeated, nothing known
    assert 0.25 < spread_within([9, 9, 1], [10, 10, 10]) < 1

import itertools
from math import comb, prod
from statistics import mean, stdev

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from harness.statistics.nights import band, bet, evidence, limit, night_p_value

Counts = NDArray[np.int64]


def drawn(seed: int, rate: float, nights: int, scenarios: int, trials: int) -> tuple[Counts, Counts]:
    passed = np.random.default_rng(seed).binomial(trials, rate, (nights, scenarios))
    return passed, np.full((nights, scenarios), trials)


def test_a_night_that_trials_alone_explain_is_held_to_both_assumptions() -> None:
    passed = np.asarray([[3, 2], [3, 3], [2, 3], [3, 2], [3, 3], [1, 1]])
    n = np.full_like(passed, 3)
    dealt = sum(
        comb(15, one) * comb(3, 3 - one) * comb(14, other) * comb(4, 3 - other) / comb(18, 3) ** 2
        for one, other in itertools.product(range(4), repeat=2)
        if one + other <= 2
    )
    before = [5 / 6, 6 / 6, 5 / 6, 5 / 6, 6 / 6]
    spread = stdev(before) * (1 + 1 / 5) ** 0.5
    student = float(stats.t(4).cdf((2 / 6 - mean(before)) / spread))  # pyright: ignore[reportUnknownArgumentType]

    assert night_p_value(passed, n) == pytest.approx(max(dealt, student))
    assert dealt > student


def test_nights_that_differ_more_than_their_trials_do_are_given_that_room() -> None:
    steady = np.asarray([[20], [20], [20], [19], [20], [14]])
    restless = np.asarray([[20], [14], [20], [13], [20], [14]])
    n = np.full_like(steady, 20)

    assert night_p_value(steady, n) < 0.01
    assert night_p_value(restless, n) > 0.2


def test_fewer_than_five_nights_before_it_say_nothing_of_a_night() -> None:
    passed, n = drawn(1, 0.9, 5, 10, 3)
    passed[-1] = 0

    assert night_p_value(passed, n) == 1.0
    assert night_p_value(passed[[0, *range(5)]], n[[0, *range(5)]]) < 0.01


def test_what_a_night_did_not_ask_or_never_asked_before_counts_for_nothing() -> None:
    passed, n = drawn(2, 0.8, 8, 6, 3)
    without, asked = passed[:, 1:], n[:, 1:]
    n[-1, 0] = 0
    passed[-1, 0] = 0

    assert night_p_value(passed, n) == night_p_value(without, asked)
    n[-1, 0], n[:-1, 0], passed[:-1, 0] = 3, 0, 0
    assert night_p_value(passed, n) == night_p_value(without, asked)
    assert night_p_value(passed, np.zeros_like(n)) == 1.0


@pytest.mark.parametrize("rate", [0.5, 0.9, 0.99])
def test_p_values_of_an_unchanged_target_are_at_least_uniform(rate: float) -> None:
    found = [night_p_value(*drawn(seed, rate, 9, 12, 2)) for seed in range(600)]

    for share in (0.02, 0.1, 0.3):
        # Three standard errors of 600 draws.
        room = 3 * (share * (1 - share) / 600) ** 0.5
        assert sum(each <= share for each in found) / 600 <= share + room


@pytest.mark.parametrize("shift", [0.75, 1.5, 3.0])
def test_a_bet_pays_one_on_average_and_more_the_lower_the_value(shift: float) -> None:
    grid = (np.arange(200_000) + 0.5) / 200_000

    assert mean(bet(float(each), shift) for each in grid) == pytest.approx(1, abs=0.03)
    assert bet(0.001, shift) > bet(0.01, shift) > bet(0.5, shift) > bet(1, shift) == 0


def test_evidence_sums_bets_on_every_night_that_a_change_may_have_come_with() -> None:
    values = [0.4, 0.05, 0.3]
    last = evidence(values)[-1]
    by_hand = [
        sum(prod(bet(p, shift) for p in values[since:]) for since in range(3)) for shift in (0.75, 1.5, 3.0)
    ]

    assert last.value == pytest.approx(sum(by_hand) / 3)
    assert last.since == 1


def test_a_night_without_data_changes_no_evidence() -> None:
    with_gap = evidence([0.6, None, 0.01])

    assert with_gap[1] == with_gap[0]
    assert with_gap[2].value == evidence([0.6, 0.01])[1].value
    assert with_gap[2].since == 2


def test_the_limit_is_reached_by_chance_in_at_most_the_share_it_is_for() -> None:
    random = np.random.default_rng(7)
    months = 1000
    reached = sum(
        max(each.value for each in evidence(list(random.random(30)))) >= limit(0.2) for _ in range(months)
    )

    assert 0 < reached / months <= 0.2


def test_the_band_is_students_for_one_more_night() -> None:
    found = band([0.8, 0.9, 0.85, 0.87])
    assert found is not None
    middle, spread = mean([0.8, 0.9, 0.85, 0.87]), stdev([0.8, 0.9, 0.85, 0.87])
    half = float(stats.t.ppf(0.975, 3)) * spread * (1 + 1 / 4) ** 0.5

    assert found.low == pytest.approx(middle - half)
    assert found.high == pytest.approx(min(1.0, middle + half))
    assert (found.nights, band([0.8, 0.9])) == (4, None)

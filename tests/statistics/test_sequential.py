import numpy as np
import pytest

from harness.statistics.permutation import fall_p_values
from harness.statistics.sequential import spending


@pytest.mark.parametrize(
    ("cap", "waves"),
    [
        (1, [1]),
        (2, [1, 2]),
        (4, [1, 2, 3, 4]),
        (10, [1, 2, 3, 5, 7, 10]),
        (12, [1, 2, 3, 5, 7, 10, 12]),
        (30, [1, 2, 3, 5, 7, 10, 14, 20, 28, 30]),
    ],
)
def test_one_looks_ever_more_rarely_and_always_at_the_end(cap: int, waves: list[int]) -> None:
    assert [each.wave for each in spending(cap, 0.05)] == waves


@pytest.mark.parametrize("cap", [1, 3, 10, 47, 1_000])
def test_the_looks_share_alpha_as_they_share_the_waves(cap: int) -> None:
    spent = 0.0
    for each in spending(cap, 0.05):
        spent += each.alpha
        assert spent == pytest.approx(0.05 * each.wave / cap)
    assert spent == pytest.approx(0.05)


def test_no_wave_at_all_is_refused() -> None:
    with pytest.raises(ValueError, match="cap of 0 waves; it is 1 or more"):
        spending(0, 0.05)


def test_of_unchanged_pairs_at_most_alpha_falls_at_any_look() -> None:
    """One who looks with the whole of alpha each time is wrong more often than that."""
    random = np.random.default_rng(5)
    pairs, scenarios, alpha = 4_000, 12, 0.05
    rates = np.where(random.random((pairs, scenarios)) < 0.3, 0.95, 0.5)
    before = random.binomial(5, rates)
    waves = np.cumsum(random.random((10, pairs, scenarios)) < rates, axis=0)
    held, careless = np.zeros(pairs, dtype=bool), np.zeros(pairs, dtype=bool)

    for wave, share in spending(10, alpha):
        values = fall_p_values(waves[wave - 1], [wave] * scenarios, before, [5] * scenarios)
        held |= values <= share
        careless |= values <= alpha

    assert held.mean() <= alpha
    assert careless.mean() > 1.5 * alpha

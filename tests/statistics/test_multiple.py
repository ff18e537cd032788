import random

import oracles
import pytest

from harness.statistics.multiple import holm


@pytest.mark.parametrize("seed", range(20))
def test_it_agrees_with_statsmodels(seed: int) -> None:
    draw = random.Random(seed)
    values = [round(draw.random() ** 3, 2) for _ in range(1 + seed % 15)]

    assert holm(values) == pytest.approx(oracles.holm(values), abs=1e-12)


def test_it_is_known_by_hand() -> None:
    assert holm([0.04, 0.01, 0.03, 0.5]) == pytest.approx([0.09, 0.04, 0.09, 0.5])
    assert holm([]) == []

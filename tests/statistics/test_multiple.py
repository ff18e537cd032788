import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from harness.statistics.multiple import holm


@given(st.lists(st.floats(0, 1), min_size=1, max_size=15))
def test_it_agrees_with_statsmodels(values: list[float]) -> None:
    theirs = multipletests(values, method="holm")[1]

    assert holm(values) == pytest.approx(list(theirs), abs=1e-12)


def test_none_needs_no_adjustment() -> None:
    assert holm([]) == []

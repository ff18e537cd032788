import pytest
from scipy.stats import binomtest

from harness.statistics import Interval, wilson


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.9, 0.95, 0.99, 0.999])
@pytest.mark.parametrize("n", [1, 2, 3, 5, 10, 30, 60, 97, 300, 1_000, 12_345])
def test_it_agrees_with_scipy(n: int, confidence: float) -> None:
    for passed in sorted({0, 1, n // 7, n // 3, n // 2, n - n // 5, n - 1, n}):
        theirs = binomtest(passed, n).proportion_ci(confidence_level=confidence, method="wilson")

        ours = wilson(passed, n, confidence)

        assert ours is not None
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_every_count_up_to_forty_agrees_with_scipy() -> None:
    for n in range(1, 41):
        for passed in range(n + 1):
            theirs = binomtest(passed, n).proportion_ci(method="wilson")

            assert wilson(passed, n) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_no_data_has_no_interval() -> None:
    assert wilson(0, 0) is None


def test_the_ends_are_exact() -> None:
    for n in range(1, 500):
        none, everything = wilson(0, n), wilson(n, n)

        assert none is not None
        assert everything is not None
        assert none.low == 0
        assert everything.high == 1
        assert 0 < none.high < 1
        assert 0 < everything.low < 1


def test_it_holds_the_rate_and_mirrors() -> None:
    for passed in range(1, 20):
        found, mirrored = wilson(passed, 20), wilson(20 - passed, 20)

        assert found is not None
        assert mirrored is not None
        assert 0 < found.low < passed / 20 < found.high < 1
        assert mirrored == pytest.approx(Interval(1 - found.high, 1 - found.low))


@pytest.mark.parametrize(("passed", "n"), [(-1, 5), (6, 5), (1, 0), (0, -1)])
def test_impossible_counts_are_refused(passed: int, n: int) -> None:
    with pytest.raises(ValueError, match="passed lies within 0 and n"):
        wilson(passed, n)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, -0.1])
def test_an_impossible_confidence_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="lies between 0 and 1"):
        wilson(1, 2, confidence)

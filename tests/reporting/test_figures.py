import pytest

from harness.reporting.figures import counted, interval, percent


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (None, "-"),
        (0.0, "0.0 %"),
        (0.0004, "<0.1 %"),
        (0.001, "0.1 %"),
        (2 / 3, "66.7 %"),
        (0.999, "99.9 %"),
        (0.9996, ">99.9 %"),
        (1.0, "100.0 %"),
    ],
)
def test_only_all_is_100_percent_and_only_none_is_0(rate: float | None, text: str) -> None:
    assert percent(rate) == text


def test_an_interval_names_its_unit_once() -> None:
    assert interval(0.558, 0.787) == "55.8 to 78.7 %"
    assert interval(0.0001, 0.9999) == "<0.1 to >99.9 %"
    assert interval(None, None) == "-"


def test_one_thing_is_singular() -> None:
    assert [counted(number, "sample") for number in (0, 1, 2)] == ["0 samples", "1 sample", "2 samples"]

"""Rates as people read them."""

from harness.reporting.clean import NOTHING


def percent(rate: float | None) -> str:
    """Return a rate as "68.3 %"; only all is 100 % and only none is 0 %, and no data is "-"."""
    if rate is None:
        return NOTHING
    if 0 < rate < 0.001:
        return "<0.1 %"
    if 0.999 < rate < 1:
        return ">99.9 %"
    return f"{100 * rate:.1f} %"


def interval(low: float | None, high: float | None) -> str:
    """Return the bounds of a rate as "55.8 to 78.7 %", or "-" where there is no data."""
    if low is None or high is None:
        return NOTHING
    return f"{percent(low).removesuffix(' %')} to {percent(high)}"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, as "1 sample" or "3 samples"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

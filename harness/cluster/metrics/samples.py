"""What was read of a series: samples at even steps back from now."""

from bisect import bisect_right
from dataclasses import dataclass
from math import ceil, floor

from harness.model.scenario import Series

Sample = tuple[float, float]
"""A moment in seconds from now, and the value that was read then."""

_LARGE = 1e6


@dataclass(frozen=True, slots=True)
class Readings:
    """One series, ready to be read: sorted labels with the metric's name, its points as two rows."""

    labels: tuple[tuple[str, str], ...]
    moments: tuple[float, ...]
    values: tuple[float, ...]
    every: int


def readings(series: Series) -> Readings:
    """Return a series, ready to be read."""
    labels = tuple(sorted({**series.labels, "__name__": series.name}.items()))
    moments, values = zip(*series.points, strict=True)
    return Readings(labels, moments, values, series.every)


def within(series: Readings, start: float, end: float) -> list[Sample]:
    """Return the samples from `start` to `end`, both included."""
    low = ceil(max(start, series.moments[0]) / series.every)
    high = floor(min(end, series.moments[-1]) / series.every)
    return [(step * float(series.every), _read(series, step)) for step in range(low, high + 1)]


def latest(series: Readings, moment: float, lookback: float) -> Sample | None:
    """Return the last sample up to a moment that is no older than `lookback`.

    A series that has ended says so one reading later, and is not there from then on.
    """
    step = floor(min(moment, series.moments[-1]) / series.every)
    read = step * float(series.every)
    ended = series.moments[-1] < 0 and moment >= read + series.every
    if read < series.moments[0] or read < moment - lookback or ended:
        return None
    return read, _read(series, step)


def count(series: Readings, start: float, end: float) -> int:
    """Return how many samples `within` would return."""
    low = ceil(max(start, series.moments[0]) / series.every)
    return max(0, floor(min(end, series.moments[-1]) / series.every) - low + 1)


def _read(series: Readings, step: int) -> float:
    moment = step * float(series.every)
    before = bisect_right(series.moments, moment) - 1
    value = series.values[before]
    if before + 1 < len(series.moments):
        start, end = series.moments[before : before + 2]
        value += (series.values[before + 1] - value) * (moment - start) / (end - start)
    # As exporters write them: bytes are whole, and nothing has a tail of digits that only a float has.
    return float(round(value)) if abs(value) >= _LARGE else round(value, 6)

"""Where things stand in the drawings: plain numbers, from which the template makes SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

from harness.reporting.figures import interval, percent
from harness.reporting.html.columns import Reported, run_label
from harness.reporting.html.texts import short
from harness.statistics import SpendingRow, wilson

WIDTH, HEIGHT = 720, 340
LEFT, RIGHT, TOP, BOTTOM = 56, 24, 18, 48
TREND_WIDTH, TREND_HEIGHT = 320, 130


@dataclass(frozen=True, slots=True)
class Point:
    """A target: compliance with its interval, and what a sample takes."""

    number: int
    label: str
    amount: float
    told: str
    rate: float
    low: float
    high: float
    n: int
    best: bool = False
    x: float = 0.0
    y: float = 0.0
    y_low: float = 0.0
    y_high: float = 0.0
    lifted: int = 0
    """How many labels it gives way to."""

    @property
    def rate_told(self) -> str:
        """The rate with its interval."""
        return f"{percent(self.rate)} ({interval(self.low, self.high)})"


@dataclass(frozen=True, slots=True)
class Pareto:
    """Points, best ones joined by a frontier, and the ticks of both axes."""

    unit: str
    points: tuple[Point, ...]
    unknown: tuple[str, ...]
    """Targets of which nobody knows what they took."""
    frontier: str
    across: tuple[tuple[float, str], ...]
    up: tuple[tuple[float, str], ...]


@dataclass(frozen=True, slots=True)
class Trend:
    """The compliance of one target over runs."""

    label: str
    told: str
    points: tuple[tuple[float, float, float, float, str], ...]
    """x, y, y of the low bound, y of the high one, what it says."""
    line: str
    band: str


def pareto(runs: Sequence[Reported]) -> Pareto | None:
    """Return cost and compliance where a provider said costs, else tokens; None where nobody said either."""
    rows = [(each, row) for each in runs for row in each.data.measured.spending if row.samples]
    priced = any(row.cost for _, row in rows)
    found: list[Point] = []
    unknown: list[str] = []
    for each, row in rows:
        label = f"{each.label} · {short(row.target, 60)}" if len(runs) > 1 else short(row.target, 60)
        amount = row.cost if priced else _tokens(row)
        point = _point(each, row, label, amount, priced=priced)
        if point is None:
            unknown.append(label)
        else:
            found.append(point)
    if not found or not any(each.amount for each in found):
        return None
    unit = "Dollars a sample" if priced else "Tokens a sample"
    return _placed(found, unknown, unit, priced=priced)


def _tokens(row: SpendingRow) -> float | None:
    if row.prompt_tokens is None or row.completion_tokens is None:
        return None
    return row.prompt_tokens + row.completion_tokens


def _point(
    run: Reported, row: SpendingRow, label: str, amount: float | None, *, priced: bool
) -> Point | None:
    whole = [each.whole for each in run.columns if each.target == row.target]
    passed, n = sum(each.passed for each in whole), sum(each.n for each in whole)
    bounds = wilson(passed, n)
    if amount is None or bounds is None:
        return None
    each = amount / row.samples
    return Point(0, label, each, _amount(each, priced=priced), passed / n, bounds.low, bounds.high, n)


def _amount(amount: float, *, priced: bool) -> str:
    return f"${amount:.4f}" if priced else f"{amount:,.0f}"


def _placed(found: list[Point], unknown: list[str], unit: str, *, priced: bool) -> Pareto:
    most = max(each.amount for each in found)
    step = _step(most)
    end = step * (floor(most * 1.02 / step) + 1)
    span = WIDTH - LEFT - RIGHT

    def across(amount: float) -> float:
        return round(LEFT + span * amount / end, 1)

    points: list[Point] = []
    for number, each in enumerate(sorted(found, key=lambda one: (one.amount, -one.rate)), start=1):
        best = not any(
            (other.amount <= each.amount and other.rate > each.rate)
            or (other.amount < each.amount and other.rate >= each.rate)
            for other in found
        )
        x, y = across(each.amount), _up(each.rate)
        lifted = sum(abs(other.x - x) < 150 and abs(other.y - y) < 14 for other in points)
        points.append(
            Point(
                number, each.label, each.amount, each.told, each.rate, each.low, each.high, each.n, best,
                x, y, _up(each.low), _up(each.high), lifted,
            )
        )  # fmt: skip
    best_points = [each for each in points if each.best]
    return Pareto(
        unit=unit,
        points=tuple(points),
        unknown=tuple(unknown),
        frontier=_stairs([(each.x, each.y) for each in best_points]),
        across=tuple(
            (across(step * at), _tick(step * at, priced=priced)) for at in range(round(end / step) + 1)
        ),
        up=tuple((_up(share / 100), f"{share} %") for share in (0, 25, 50, 75, 100)),
    )


def _stairs(places: Sequence[tuple[float, float]]) -> str:
    """Return the path from best to best: for a little more one gets no better until the next."""
    if not places:
        return ""
    path = f"M{places[0][0]} {places[0][1]}"
    for x, y in places[1:]:
        path += f"H{x}V{y}"
    return f"{path}H{WIDTH - RIGHT}"


def _up(rate: float) -> float:
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * rate, 1)


def _step(most: float) -> float:
    """Return a round step that makes four to eight ticks."""
    size = 10 ** floor(log10(most))
    return next(size * part for part in (0.2, 0.25, 0.5, 1, 2, 5) if most / (size * part) <= 6)


def _tick(amount: float, *, priced: bool) -> str:
    return f"${amount:.6f}".rstrip("0").rstrip(".") if priced else f"{amount:,.0f}"


def trends(runs: Sequence[Reported]) -> list[Trend]:
    """Return the compliance of each target and contract that several runs share, oldest run first."""
    in_time = sorted(runs, key=lambda each: (each.run.info.created, each.number))
    keys = dict.fromkeys((each.target, each.contract) for one in runs for each in one.columns)
    several = len({contract for _, contract in keys}) > 1
    found = [
        _trend(f"{short(target, 60)}, {short(contract, 60)}" if several else short(target, 60), *key, in_time)
        for key in keys
        for target, contract in [key]
    ]
    return [each for each in found if each is not None]


def _trend(label: str, target: str, contract: str, runs: Sequence[Reported]) -> Trend | None:
    rows = [
        (place, each.number, column.whole)
        for place, each in enumerate(runs)
        for column in each.columns
        if (column.target, column.contract) == (target, contract) and column.whole.n
    ]
    if len(rows) < 2:
        return None
    span = (TREND_WIDTH - 60) / max(1, len(runs) - 1)
    points = tuple(
        (
            round(36 + span * place, 1), _trend_up(row.rate), _trend_up(row.low), _trend_up(row.high),
            f"{run_label(number)} {percent(row.rate)} ({interval(row.low, row.high)})",
        )
        for place, number, row in rows
    )  # fmt: skip
    upper = [f"{x},{high}" for x, _, _, high, _ in points]
    lower = [f"{x},{low}" for x, _, low, _, _ in points]
    return Trend(
        label=label,
        told="; ".join(each[4] for each in points),
        points=points,
        line=" ".join(f"{x},{y}" for x, y, *_ in points),
        band=" ".join([*upper, *lower[::-1]]),
    )


def _trend_up(rate: float | None) -> float:
    return round(TREND_HEIGHT - 26 - (TREND_HEIGHT - 40) * (rate or 0.0), 1)

"""How a file writes the values of a series, and the points they become."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, cast

from harness.cluster.authored import keys
from harness.cluster.manifests import Manifest
from harness.cluster.quantities import amount
from harness.cluster.times import span
from harness.errors import InvalidScenario

HISTORY = 3 * 86_400
"""How many seconds back a series goes that has no beginning of its own."""
EVERY = 30
"""Seconds between two readings, where a file states no points one by one."""

Point = tuple[float, float]
_QUANTITY = re.compile(r"\d+(\.\d+)?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?")
_FORMS = "a number, a quantity, or {from, to, over, until}, {per_second, then, since}, {at, every, points}"


def points_of(values: Any, begin: float, where: str) -> tuple[list[Point], int]:
    """Return the points of a series from `begin` to now, and the seconds between its readings.

    Raise InvalidScenario where the values have no form that is known.
    """
    if not isinstance(values, dict):
        value = number(values, where)
        return [(begin, value), (0.0, value)], EVERY
    shape = cast(Manifest, values)
    if "points" in shape:
        return _stated(shape, where)
    if "per_second" in shape:
        return between(_counter(shape, begin, where), begin, 0.0), EVERY
    if "from" in shape:
        return between(_change(shape, begin, where), begin, 0.0), EVERY
    msg = f"{where}: found {values!r}; write {_FORMS}"
    raise InvalidScenario(msg)


def between(points: Sequence[Point], begin: float, end: float) -> list[Point]:
    """Return what lies between two moments, cut where a line crosses one; empty where nothing does."""
    if not points or end < begin or points[0][0] > end or points[-1][0] < begin:
        return []
    inner = [each for each in points if begin <= each[0] <= end]
    moments = {each[0] for each in inner}
    head = [(begin, value_at(points, begin))] if points[0][0] < begin and begin not in moments else []
    tail = [(end, value_at(points, end))] if points[-1][0] > end and end not in moments | {begin} else []
    return [*head, *inner, *tail]


def value_at(points: Sequence[Point], moment: float) -> float:
    """Return the value at a moment after the first and before the last point; of a jump the later one."""
    after = next(i for i, each in enumerate(points) if each[0] > moment)
    (start, value), (end, next_value) = points[after - 1], points[after]
    return value + (next_value - value) * (moment - start) / (end - start)


def number(value: Any, where: str) -> float:
    """Return the number of a scalar or quantity; raise InvalidScenario for anything else."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and _QUANTITY.fullmatch(value):
        exact: Decimal = amount(value)
        return float(exact)
    msg = f"{where}: found {value!r}; write {_FORMS if where.endswith('values') else 'a number or quantity'}"
    raise InvalidScenario(msg)


def _change(shape: Manifest, begin: float, where: str) -> list[Point]:
    given = keys(shape, ("from", "to", "over", "until"), where)
    old, new = number(given.get("from"), f"{where}.from"), number(given.get("to"), f"{where}.to")
    length = _seconds(given.get("over", "0s"), f"{where}.over")
    end = _before_now(given.get("until", "0s"), f"{where}.until")
    start = end - length
    corners = [(min(begin, start), old), (start, old), (end, new), (0.0, new)]
    return [each for i, each in enumerate(corners) if each not in corners[:i]]


def _counter(shape: Manifest, begin: float, where: str) -> list[Point]:
    given = keys(shape, ("per_second", "then", "since"), where)
    rate = number(given["per_second"], f"{where}.per_second")
    if ("then" in given) != ("since" in given):
        msg = f"{where}: found {shape!r}; `then` and `since` stand together"
        raise InvalidScenario(msg)
    if "then" not in given:
        return [(begin, 0.0), (0.0, -begin * rate)]
    later = number(given["then"], f"{where}.then")
    turn = max(begin, _before_now(given["since"], f"{where}.since"))
    count = (turn - begin) * rate
    return [(begin, 0.0), (turn, count), (0.0, count - turn * later)]


def _stated(shape: Manifest, where: str) -> tuple[list[Point], int]:
    given = keys(shape, ("at", "every", "points"), where)
    start = _before_now(given.get("at"), f"{where}.at")
    every = _seconds(given.get("every"), f"{where}.every")
    written = given["points"]
    if not isinstance(written, list) or not written or every < 1 or start % every:
        msg = f"{where}: found {shape!r}; write a list of points, and `at` as a multiple of `every`"
        raise InvalidScenario(msg)
    values = [number(each, f"{where}.points[{i}]") for i, each in enumerate(cast(list[Any], written))]
    points = [(start + i * every, value) for i, value in enumerate(values)]
    if points[-1][0] > 0:
        most = int(-start // every) + 1
        msg = (
            f"{where}.points: found {len(points)} of them; from {given['at']} to now there is room for {most}"
        )
        raise InvalidScenario(msg)
    return points, int(every)


def _seconds(value: Any, where: str) -> float:
    length = span(value)
    if length is None or length.total_seconds() < 0:
        msg = f"{where}: found {value!r}; write how long, as '30s' or '1h30m'"
        raise InvalidScenario(msg)
    return length.total_seconds()


def _before_now(value: Any, where: str) -> float:
    moment = span(value)
    if moment is None or moment.total_seconds() > 0:
        msg = f"{where}: found {value!r}; write a moment before now, as '-7m12s'"
        raise InvalidScenario(msg)
    return moment.total_seconds()

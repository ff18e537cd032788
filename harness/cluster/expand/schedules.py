"""When a cron schedule last came round."""

from collections.abc import Iterator
from datetime import datetime, timedelta

_FIELDS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
_MACROS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
}
_HORIZON = timedelta(days=400)


def last_times(schedule: str, earliest: datetime, latest: datetime, count: int) -> list[datetime]:
    """Return the last `count` times of a schedule in a span, oldest first.

    Raise ValueError where the schedule is not five fields of numbers, lists, ranges and steps.
    """
    minutes, hours, days, months, weekdays = _fields(schedule)
    found: list[datetime] = []
    for day in _days_back(latest, max(earliest, latest - _HORIZON)):
        if day.month not in months or not _on_day(day, days, weekdays):
            continue
        for minute in sorted(_minutes(day, hours, minutes), reverse=True):
            if earliest <= minute <= latest and len(found) < count:
                found.append(minute)
        if len(found) >= count:
            break
    return found[::-1]


def _fields(schedule: str) -> list[frozenset[int]]:
    parts = _MACROS.get(schedule, schedule).split()
    if len(parts) != len(_FIELDS):
        raise ValueError(schedule)
    return [_numbers(part, *limits) for part, limits in zip(parts, _FIELDS, strict=True)]


def _numbers(field: str, low: int, high: int) -> frozenset[int]:
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        first, _, last = ("", "", "") if span in {"*", "?"} else span.partition("-")
        start = int(first) if first else low
        end = int(last) if last else (high if not first or step else start)
        found.update(range(start, end + 1, int(step or 1)))
    if not found or min(found) < low or max(found) > high:
        raise ValueError(field)
    return frozenset(found)


def _days_back(latest: datetime, earliest: datetime) -> Iterator[datetime]:
    day = latest.replace(hour=0, minute=0, second=0, microsecond=0)
    while day >= earliest - timedelta(days=1):
        yield day
        day -= timedelta(days=1)


def _on_day(day: datetime, days: frozenset[int], weekdays: frozenset[int]) -> bool:
    by_day = day.day in days
    by_weekday = day.isoweekday() % 7 in {each % 7 for each in weekdays}
    every_day, every_weekday = len(days) == 31, len({each % 7 for each in weekdays}) == 7
    if every_day or every_weekday:
        return by_day and by_weekday
    return by_day or by_weekday


def _minutes(day: datetime, hours: frozenset[int], minutes: frozenset[int]) -> list[datetime]:
    return [day.replace(hour=hour, minute=minute) for hour in hours for minute in minutes]

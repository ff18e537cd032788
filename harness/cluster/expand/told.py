"""When a run began and ended, as far as its log tells."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_CLOCK = r"(?P<hour>[01]\d|2[0-3]):(?P<minute>[0-5]\d):(?P<second>[0-5]\d)(?:[.,](?P<fraction>\d{1,9}))?"
_ZONE = r"(?:\s?(?:Z\b|UTC\b|(?P<zone>[+-]\d\d:?\d\d)))?"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"(?P<year>20\d\d)[-/](?P<month>\d\d)[-/](?P<day>\d\d)[T ]{_CLOCK}{_ZONE}",
        rf"(?P<day>\d\d)/(?P<name>{'|'.join(_MONTHS)})/(?P<year>20\d\d):{_CLOCK}{_ZONE}",
        rf"^[IWEF](?P<month>\d\d)(?P<day>\d\d) {_CLOCK}",
        rf"^\W{{0,2}}(?:[A-Z]+\W{{1,2}})?{_CLOCK}",
    )
)
# A time deeper in a line is what the line speaks of, not when it was written.
_HEAD = 60
_HALF_A_DAY = timedelta(hours=12)
_LENGTH = re.compile(
    r"\b(?:in|after|took|took:|duration|duration:|elapsed:?)[ =]"
    r"(?:(?P<hours>\d+)h)?(?:(?P<minutes>\d+)m(?![a-z]))?"
    r"(?:(?P<seconds>\d+(?:\.\d+)?) ?s(?:ec(?:onds?)?)?\b)?",
    re.IGNORECASE,
)
_EXIT = re.compile(
    r"\bexit(?:ed|ing)?(?: with)?(?: status| code)?(?: |: |=)(?P<code>\d{1,3})\W*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Told:
    """What a log tells of its run: how long it was, `first` and `last` where it states times that can be."""

    first: datetime | None = None
    last: datetime | None = None
    length: timedelta | None = None


def told(lines: Sequence[str], earliest: datetime, latest: datetime) -> Told:
    """Return what the lines of a run tell that lay between two moments.

    A clock that is wrong still tells how long a run was; without any times a stated duration does.
    """
    moments = _moments(lines, earliest)
    if not moments:
        return Told(length=_stated(lines))
    first, last = moments[0], max(moments)
    length = max(last - first, timedelta(0))
    if first < earliest - timedelta(seconds=1) or last > latest:
        return Told(length=length)
    return Told(first, last, length)


def exit_code(lines: Sequence[str]) -> int | None:
    """Return the exit code that the last lines of a run state, or None."""
    found = [match for each in lines[-2:] if (match := _EXIT.search(each))]
    return int(found[-1]["code"]) if found and int(found[-1]["code"]) < 256 else None


def written(line: str, now: datetime) -> datetime | None:
    """Return when a line was written, as far as it says so; a time without a day is of the last one."""
    found = _found(line)
    moment = None if found is None else _moment(found, now)
    bare = found is not None and found.groupdict().get("day") is None
    return moment - timedelta(days=1) if bare and moment is not None and moment > now else moment


def _found(line: str) -> re.Match[str] | None:
    return next((match for form in _FORMS if (match := form.search(line[:_HEAD]))), None)


def _moments(lines: Sequence[str], earliest: datetime) -> list[datetime]:
    result: list[datetime] = []
    for each in lines:
        found = _found(each)
        moment = None if found is None else _moment(found, result[-1] if result else earliest)
        if moment is not None:
            result.append(moment)
    return result


def _moment(found: re.Match[str], before: datetime) -> datetime | None:
    parts = found.groupdict()
    dated = parts.get("day") is not None
    month = _MONTHS.index(parts["name"]) + 1 if parts.get("name") else int(parts.get("month") or before.month)
    try:
        moment = datetime(
            int(parts.get("year") or before.year),
            month,
            int(parts.get("day") or before.day),
            int(parts["hour"]),
            int(parts["minute"]),
            int(parts["second"]),
            int((parts.get("fraction") or "0").ljust(6, "0")[:6]),
            tzinfo=UTC,
        )
    except ValueError:
        return None
    if not dated and moment < before - _HALF_A_DAY:
        moment += timedelta(days=1)
    return moment - _offset(parts.get("zone"))


def _offset(zone: str | None) -> timedelta:
    if not zone:
        return timedelta(0)
    digits = zone[1:].replace(":", "")
    length = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -length if zone.startswith("-") else length


def _stated(lines: Sequence[str]) -> timedelta | None:
    for line in reversed(lines[-2:]):
        for each in _LENGTH.finditer(line):
            hours, minutes, seconds = (float(each[part] or 0) for part in ("hours", "minutes", "seconds"))
            length = timedelta(hours=hours, minutes=minutes, seconds=seconds)
            if length:
                return length
    return None

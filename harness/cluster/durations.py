"""How long ago something was, in the words of kubectl."""

from datetime import datetime, timedelta
from typing import Any

from harness.cluster.times import moment

_DAY = 24
_YEAR = 365


def human(span: timedelta) -> str:
    """Return a duration as kubectl shortens it: `87s`, `6m33s`, `5h12m`, `3d4h`, `44d`, `2y30d`."""
    seconds = int(span.total_seconds())
    if seconds < -1:
        return "<invalid>"
    if seconds < 120:
        return f"{max(0, seconds)}s"
    minutes, hours = seconds // 60, seconds // 3600
    if minutes < 10:
        return _two(minutes, "m", seconds % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return _two(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    return _days(hours)


def _days(hours: int) -> str:
    days = hours // _DAY
    if hours < _DAY * 8:
        return _two(days, "d", hours % _DAY, "h")
    if days < _YEAR * 2:
        return f"{days}d"
    if days < _YEAR * 8:
        return _two(days // _YEAR, "y", days % _YEAR, "d")
    return f"{days // _YEAR}y"


def _two(large: int, unit: str, small: int, smaller_unit: str) -> str:
    return f"{large}{unit}{small}{smaller_unit}" if small else f"{large}{unit}"


def since(value: Any, now: datetime, *path: str) -> str:
    """Return how long before `now` the time at a path was, or `<unknown>`."""
    found = moment(value, *path)
    return "<unknown>" if found is None else human(now - found)

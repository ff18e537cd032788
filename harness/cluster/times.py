"""Times in manifests: written relative to `now`, held as the API server holds them."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any, cast

from harness.cluster.manifests import Manifest, text
from harness.errors import InvalidScenario

_SPAN = re.compile(r"(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?")
_TIME_KEY = re.compile(r"(?:.*(?:At|Timestamp|Time)|first|last|started|finished)")
_FREE_TEXT = ("data", "stringData", "binaryData", "labels", "matchLabels")
_KUBERNETES = {
    "creationTimestamp",
    "deletionTimestamp",
    "firstTimestamp",
    "lastTimestamp",
    "startTime",
    "completionTime",
    "startedAt",
    "finishedAt",
    "eventTime",
    "renewTime",
    "acquireTime",
    "lastTransitionTime",
    "lastUpdateTime",
    "lastProbeTime",
    "lastHeartbeatTime",
    "lastScheduleTime",
    "lastSuccessfulTime",
    "lastScaleTime",
}


def stamp(moment: datetime) -> str:
    """Return a time as the API server writes it, to the second and in UTC."""
    universal = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return universal.isoformat(timespec="seconds").removesuffix("+00:00") + "Z"


def parse(value: str) -> datetime:
    """Return the time of an ISO text; a text without zone is UTC. Raise ValueError where it is none."""
    moment = datetime.fromisoformat(value)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def moment(value: Any, *path: str) -> datetime | None:
    """Return the time at a path of a built manifest, or None."""
    found = text(value, *path)
    return parse(found) if found else None


def creation(value: Manifest) -> datetime:
    """Return when a built object was created; raise InvalidScenario where a change took that away."""
    found = text(value, "metadata", "creationTimestamp")
    if not found:
        about = f"{text(value, 'kind')}/{text(value, 'metadata', 'name')}"
        msg = f"{about}: metadata.creationTimestamp: found nothing; a change may move it, not remove it"
        raise InvalidScenario(msg)
    return parse(found)


def span(value: Any) -> timedelta | None:
    """Return how long `2d3h`, `7m12s` or `-90s` is, or None for anything else."""
    parts = _SPAN.fullmatch(value.removeprefix("-")) if isinstance(value, str) else None
    if parts is None:
        return None
    days, hours, minutes, seconds = (int(each or 0) for each in parts.groups())
    length = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    return -length if value.startswith("-") else length


def now_of(base: Manifest, where: str) -> datetime:
    """Return the moment of a base world; raise InvalidScenario where it has none."""
    return parse(_absolute(base.get("now"), datetime.now(UTC), f"{where}.now", needed=True))


def settle(value: Any, now: datetime, where: str) -> Any:
    """Return a copy with every time in absolute form; `where` names the value for errors."""
    if isinstance(value, dict):
        named = {_key(key): each for key, each in cast(Manifest, value).items()}
        return {key: _entry(key, each, now, where) for key, each in named.items()}
    if isinstance(value, list):
        return [settle(each, now, f"{where}[{i}]") for i, each in enumerate(cast(list[Any], value))]
    return stamp(_aware(value)) if isinstance(value, date) else value


def _key(key: Any) -> str:
    # YAML reads 8080 and true as themselves, also where they are keys.
    return str(key).lower() if isinstance(key, bool) else str(key)


def _entry(key: str, value: Any, now: datetime, where: str) -> Any:
    place = f"{where}.{key}"
    if key in _FREE_TEXT:
        return _plain(value)
    is_time = isinstance(value, str | date) or (key in _KUBERNETES and value is not None)
    if _TIME_KEY.fullmatch(key) and is_time:
        return _absolute(value, now, place, needed=key in _KUBERNETES)
    return settle(value, now, place)


def _plain(value: Any) -> Any:
    # Free text stays as it is; only a date that YAML made of it is written out again.
    if isinstance(value, dict):
        return {_key(key): _plain(each) for key, each in cast(Manifest, value).items()}
    return stamp(_aware(value)) if isinstance(value, date) else value


def _absolute(value: Any, now: datetime, where: str, *, needed: bool) -> str:
    if isinstance(value, date):
        return stamp(_aware(value))
    try:
        relative = span(value) if isinstance(value, str) and value.startswith("-") else None
        return stamp(now + relative) if relative is not None else stamp(parse(value))
    except (TypeError, ValueError, OverflowError):
        if isinstance(value, str) and not needed and not re.match(r"-\d", value):
            return value
    msg = f"{where}: found {value!r}; write a time as '-7m12s', '-3h' or '2026-03-02T10:15:00Z'"
    raise InvalidScenario(msg)


def _aware(value: date) -> datetime:
    whole = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day, tzinfo=UTC)
    return whole if whole.tzinfo else whole.replace(tzinfo=UTC)

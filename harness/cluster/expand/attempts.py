"""When the pods of a Job ran: one after the other, and after a failure with a growing pause."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from math import ceil

from harness.cluster.expand.told import Told

_NOTHING = timedelta(0)
_LEAST = timedelta(seconds=1)
_FIRST_PAUSE, _LONGEST_PAUSE = 10, 360
# A container writes its first line about so long after its pod was created.
_BEFORE_FIRST_LINE = timedelta(seconds=2)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One pod of a Job to be: what its log tells, how long it would last otherwise, whether it fails."""

    told: Told
    usual: timedelta
    fails: bool

    @property
    def length(self) -> timedelta:
        """How long it lasts from its creation on."""
        return self.usual if self.told.length is None else self.told.length + _BEFORE_FIRST_LINE


Wave = Sequence[Attempt]


Run = tuple[datetime, datetime]
"""When a pod was created, and when its container ended."""


def runs(
    attempts: Sequence[Attempt], start: datetime, now: datetime, *, end: datetime | None, abreast: int
) -> list[Run]:
    """Return when each pod ran, to the second; none of it lies after `now`.

    Args:
        attempts: in the order of their making.
        start: when the Job started.
        now: the moment of the world.
        end: when it was given up, if that is known.
        abreast: how many run at a time.
    """
    failed = bool(attempts) and attempts[-1].fails
    planned = _planned(attempts, start, end if failed else None, abreast)
    if any(finished > now for _, finished in planned):
        planned = _planned(attempts, start, now, abreast)
    return [(min(created, now), min(finished, now)) for created, finished in planned]


def _planned(attempts: Sequence[Attempt], start: datetime, end: datetime | None, abreast: int) -> list[Run]:
    waves = [attempts[i : i + abreast] for i in range(0, len(attempts), abreast)]
    result: list[Run] = []
    for wave, (begin, scale) in zip(waves, _begins(waves, start, end), strict=True):
        created = begin.replace(microsecond=0)
        for each in wave:
            length = each.length if each.told.length is not None else each.length * scale
            finished = _whole(each.told.last or begin + length)
            result.append((created, max(finished, created + _LEAST)))
    return result


def in_order(attempts: Sequence[Attempt], start: datetime) -> list[int]:
    """Return the places of attempts in the order of their making, as far as their logs tell it.

    One whose log begins late came after those of which nothing is told.
    """
    soon = start + timedelta(seconds=30)

    def rank(i: int) -> tuple[bool, int, datetime]:
        first = attempts[i].told.first
        late = first is not None and first > soon
        return not attempts[i].fails, (2 if late else 1 if first is None else 0), first or start

    return sorted(range(len(attempts)), key=rank)


def _begins(waves: Sequence[Wave], start: datetime, end: datetime | None) -> list[tuple[datetime, float]]:
    """Return when each wave begins, and by how much its length is stretched.

    What is known of some of them, by their logs or by the end of all, is kept; the others share the time
    between.
    """
    known = {0: start} | {i: first for i, wave in enumerate(waves) if i and (first := _first(wave))}
    if end is not None and waves and waves[-1][-1].told.last is None:
        known[len(waves)] = end
    result: list[tuple[datetime, float]] = []
    for low, high in pairwise(sorted(known)):
        span = known[high] - known[low]
        scale, pausing = _scales(waves[low:high], [_pause(waves, i) for i in range(low + 1, high + 1)], span)
        result += _row(waves, low, high, known[low], (scale, pausing))
    last = max(known)
    return result + _row(waves, last, len(waves), known[last], (1.0, 1.0))


def _row(
    waves: Sequence[Wave], low: int, high: int, moment: datetime, scales: tuple[float, float]
) -> list[tuple[datetime, float]]:
    result: list[tuple[datetime, float]] = []
    for i in range(low, high):
        result.append((moment, scales[0]))
        scale = 1.0 if _is_told(waves[i]) else scales[0]
        moment += _length(waves[i]) * scale + _pause(waves, i + 1) * scales[1]
    return result


def _scales(waves: Sequence[Wave], pauses: Sequence[timedelta], span: timedelta) -> tuple[float, float]:
    """Return by what to stretch the lengths that nothing tells, and the pauses, so that they fill a span."""
    told = sum((_length(each) for each in waves if _is_told(each)), _NOTHING)
    free = sum((_length(each) for each in waves if not _is_told(each)), _NOTHING)
    resting = sum(pauses, _NOTHING)
    room = span - told - resting
    if free and room >= _LEAST * len(waves):
        return room / free, 1.0
    # The pauses of a controller do not fit in; what there is is shared.
    share = max(_NOTHING, span - told) / max(free + resting, _LEAST)
    return share, share


def _is_told(wave: Wave) -> bool:
    return any(each.told.length is not None for each in wave)


def _first(wave: Wave) -> datetime | None:
    found = [each.told.first for each in wave if each.told.first is not None]
    return min(found) - _BEFORE_FIRST_LINE if found else None


def _length(wave: Wave) -> timedelta:
    return max(each.length for each in wave)


def _pause(waves: Sequence[Wave], wave: int) -> timedelta:
    """Return how long the Job controller waits before a wave, nothing after the last."""
    if wave == len(waves):
        return _NOTHING
    if not waves[wave - 1][-1].fails:
        return _LEAST
    failures = sum(each.fails for earlier in waves[:wave] for each in earlier)
    return timedelta(seconds=min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(failures - 1, 6)))


def _whole(moment: datetime) -> datetime:
    return moment.replace(microsecond=0) + timedelta(seconds=ceil(moment.microsecond / 1_000_000))

"""Drift: the target is the same as far as anyone says, and its answers are not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.nightly.series import Asked, Counts, TargetNight, matrices, mean_rate
from harness.statistics.nights import Evidence, evidence, night_p_value


@dataclass(frozen=True, slots=True)
class Drift:
    """A fall that nothing explains: since when, from where to where, and how sure that is."""

    since: str
    was: float
    now: float
    evidence: float
    limit: float


@dataclass(frozen=True, slots=True)
class Watched:
    """What a night with data added: the evidence so far, and the drift, where it says so.

    `nights` are those before it that asked something that it asked; with fewer than five nothing is bet yet.
    """

    nights: int
    evidence: float
    limit: float
    drift: Drift | None


def watch(nights: Sequence[TargetNight], limits: Sequence[float], margin: float) -> list[Watched | None]:
    """Return what each night of a target adds; None for nights without data.

    After a drift its nights are the new normal: the next one is looked for from there.

    Args:
        nights: oldest first.
        limits: of the evidence, for each night.
        margin: falls of less are not told.
    """
    found: list[Watched | None] = []
    first = 0
    p_values: list[float | None] = []
    for at, night in enumerate(nights):
        if not night.has_data or not night.canary:
            found.append(None)
            p_values.append(None)
            continue
        kept = [each for each in range(first, at + 1) if nights[each].has_data]
        canaries = [nights[each].canary for each in kept]
        like = sum(bool(each.keys() & night.canary.keys()) for each in canaries[:-1])
        if not like:
            # All is new tonight, so what was held against what was before says nothing of it.
            p_values = _nothing(at)
        p_values.append(night_p_value(*matrices(canaries)))
        last = evidence(p_values)[-1]
        drift = _drift(nights[: at + 1], first, last, limits[at], margin)
        found.append(Watched(like, last.value, limits[at], drift))
        if drift and last.since is not None:
            first, p_values = last.since, _nothing(at + 1)
    return found


def _drift(
    nights: Sequence[TargetNight], first: int, found: Evidence, limit: float, margin: float
) -> Drift | None:
    if found.value < limit or found.since is None:
        return None
    before = [each.canary for each in nights[first : found.since] if each.has_data]
    after = [each.canary for each in nights[found.since :] if each.has_data]
    shared = _shared(before, after)
    if not shared:
        return None
    was, now = mean_rate(before, shared), mean_rate(after, shared)
    return Drift(nights[found.since].date, was, now, found.value, limit) if was - now >= margin else None


def _nothing(nights: int) -> list[float | None]:
    return [None] * nights


def _shared(before: Sequence[Mapping[Asked, Counts]], after: Sequence[Mapping[Asked, Counts]]) -> list[Asked]:
    then = {asked for each in before for asked in each}
    return sorted(then & {asked for each in after for asked in each})

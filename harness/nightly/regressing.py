"""Regression: something that answers was changed, and the answers are worse since then."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.nightly.changes import ANSWERING, Change, changes
from harness.nightly.series import Asked, Counts, TargetNight
from harness.statistics.differences import Stratum, difference
from harness.statistics.sequential import spending

LOOKS_FOR = 7
"""Nights after a change in which it is held against those before it."""

BEFORE = 14
"""Nights before a change that it is held against, at most."""


@dataclass(frozen=True, slots=True)
class Regression:
    """A fall since a change, and what changed."""

    since: str
    was: float
    now: float
    p: float
    because: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Explained:
    """What changed since the night before that had data, and the regression that a look has found."""

    changes: tuple[Change, ...]
    regression: Regression | None


def explain(nights: Sequence[TargetNight], alphas: Sequence[float], margin: float) -> list[Explained | None]:
    """Return what explains each night of a target; None for nights without data and for the first.

    After a change of whatever answers there are looks after 1, 2, 3, 5 and 7 nights, which share alpha; the
    next change begins anew.

    Args:
        nights: oldest first.
        alphas: how often a change that changes nothing may be called a regression, for each night.
        margin: falls of less are none.
    """
    found: list[Explained | None] = []
    told: list[int] = []
    changed: tuple[Change, ...] = ()
    since = 0
    for at, night in enumerate(nights):
        if not night.has_data:
            found.append(None)
            continue
        news = changes(nights[told[-1]].lines, night.lines) if told else ()
        if any(each.kind in ANSWERING for each in news):
            changed, since = tuple(each for each in news if each.kind in ANSWERING), len(told)
        told.append(at)
        regression = (
            _look([nights[each] for each in told], since, alphas[at], margin, changed) if changed else None
        )
        if regression or len(told) - since >= LOOKS_FOR:
            changed = ()
        found.append(Explained(news, regression) if len(told) > 1 else None)
    return found


def _look(
    nights: Sequence[TargetNight], since: int, alpha: float, margin: float, because: tuple[Change, ...]
) -> Regression | None:
    """Return the regression that is seen after the last of these nights, the change being at `since`."""
    share = {each.wave: each.alpha for each in spending(LOOKS_FOR, alpha)}.get(len(nights) - since)
    if share is None:
        return None
    before = _pooled([each.cells for each in nights[max(0, since - BEFORE) : since]], nights[since - 1].cells)
    after = _pooled([each.cells for each in nights[since:]], nights[-1].cells)
    strata = [
        Stratum(f"{name}@{contract}", *before[name, contract, measure], *after[name, contract, measure])
        for name, contract, measure in sorted(before.keys() & after.keys())
    ]
    fall = difference(strata, share)
    if fall is None or fall.p > share or fall.effect > -margin:
        return None
    return Regression(nights[since].date, fall.baseline_rate, fall.rate, fall.p, because)


def _pooled(
    nights: Sequence[Mapping[Asked, Counts]], like: Mapping[Asked, Counts]
) -> dict[tuple[str, str, str], Counts]:
    """Return what several nights came to together, in questions that were asked as in the night `like`."""
    found: dict[tuple[str, str, str], Counts] = {}
    for each in like:
        counts = [night[each] for night in nights if each in night]
        found[each.scenario, each.contract, each.measure] = Counts(
            sum(one.passed for one in counts), sum(one.n for one in counts)
        )
    return found

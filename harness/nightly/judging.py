"""What a history says of every night: no data, as ever, changed because of something, or an alarm."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from harness.nightly.changes import Change
from harness.nightly.drifting import Drift, Watched, watch
from harness.nightly.lines import Night
from harness.nightly.regressing import Explained, Regression, explain
from harness.nightly.series import TargetNight, by_target, same_questions
from harness.statistics.nights import Band, band, limit

Status = Literal["no data", "drift", "regression", "changed", "as ever", "first"]

ALARMS = frozenset[Status]({"drift", "regression"})


@dataclass(frozen=True, slots=True)
class Terms:
    """How often the whole page may be wrong, and which falls are too small to be told.

    `alpha` is shared by all targets: so often drift is seen in thirty nights in which nothing changed, and so
    often changes of one night that change nothing are called a regression.
    """

    alpha: float = 0.05
    margin: float = 0.05


@dataclass(frozen=True, slots=True)
class Judged:
    """One night of one target, judged by all nights up to it."""

    night: TargetNight
    status: Status
    band: Band | None
    """Where it should lie if nothing changed: of earlier nights that asked exactly the same."""
    watched: Watched | None
    explained: Explained | None

    @property
    def changes(self) -> tuple[Change, ...]:
        """What is not as it was the night before."""
        return self.explained.changes if self.explained else ()

    @property
    def alarm(self) -> Drift | Regression | None:
        """What is to be looked into, if anything."""
        regression = self.explained.regression if self.explained else None
        return regression or (self.watched.drift if self.watched else None)

    @property
    def outside(self) -> Literal["below", "above"] | None:
        """On which side of its band a night lies; None within, or where there is none."""
        rate = self.night.rate
        if self.band is None or rate is None:
            return None
        # Rates are sums of the same fractions in another order.
        if rate < self.band.low - 1e-9:
            return "below"
        return "above" if rate > self.band.high + 1e-9 else None


def judge(nights: Sequence[Night], terms: Terms) -> dict[str, list[Judged]]:
    """Return every night of every target, oldest first.

    The same history always comes to the same: a night is judged by itself and those before it, and alpha is
    shared by the targets that there were by then.
    """
    found = by_target(nights)
    first = {target: each[0].date for target, each in found.items()}
    return {target: _judged(each, list(first.values()), terms) for target, each in found.items()}


def _judged(nights: Sequence[TargetNight], begun: Sequence[str], terms: Terms) -> list[Judged]:
    shares = [terms.alpha / sum(each <= night.date for each in begun) for night in nights]
    watched = watch(nights, [limit(each) for each in shares], terms.margin)
    explained = explain(nights, shares, terms.margin)
    return [
        Judged(night, _status(night, seen, why), _band(nights[: at + 1]), seen, why)
        for at, (night, seen, why) in enumerate(zip(nights, watched, explained, strict=True))
    ]


def _status(night: TargetNight, watched: Watched | None, explained: Explained | None) -> Status:
    if not night.has_data:
        return "no data"
    if explained is None:
        return "first"
    if explained.regression:
        return "regression"
    if watched and watched.drift:
        return "drift"
    return "changed" if explained.changes else "as ever"


def _band(nights: Sequence[TargetNight]) -> Band | None:
    """Return the band of the last night: of those before it in which nothing was otherwise."""
    *before, last = nights
    if not last.has_data:
        return None
    rates = [each.rate for each in before if each.has_data and same_questions(each, last)]
    return band([each for each in rates if each is not None])

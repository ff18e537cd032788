"""Night after night of one target: whether it still answers as it did, asked every night without end.

Each night is held against all earlier ones by a p-value. Where nothing changed those of different nights are
independent and at least uniform, whatever the rates are, so that what one may bet on them is fair, and all
bets together raise a false alarm as rarely as `limit` promises (docs/decisions/0010).
"""

from collections.abc import Sequence
from math import comb, exp, inf, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHIFTS = (0.75, 1.5, 3.0)
"""How far a night's score may have fallen, in its own spread: each has a third of every bet."""

FEWEST_NIGHTS = 5
"""Nights before the first bet; with fewer nobody knows how much nights differ."""

MONTH = 30
_NORMAL = NormalDist()


class Band(NamedTuple):
    """Where another night of the same target lies in 95 of 100 cases, and how many nights say so."""

    mean: float
    low: float
    high: float
    nights: int


class Evidence(NamedTuple):
    """What the bets have come to after a night: 1 a night on average where nothing changes.

    `since` is the index of the night from which a change explains it best, None where nothing speaks for one.
    """

    value: float
    since: int | None


def limit(alpha: float, nights: int = MONTH) -> float:
    """Return the evidence that raises a false alarm in at most a share alpha of so many nights.

    The evidence less the number of nights is a martingale where nothing changed, so that by Doob's inequality
    it reaches A within T nights with a chance of at most T / A, whenever one looks and for ever.
    """
    return nights / alpha


def night_p_value(passed: "NDArray[np.int64]", n: "NDArray[np.int64]") -> float:
    """Return how often chance alone makes the last night so much worse than those before it.

    It is the larger of two: an exact one, for which trials within a scenario are dealt to nights as cards
    are, and Student's for one more night, for which nights differ by more than their trials do. So the
    stricter assumption need not hold. 1 where fewer than five earlier nights asked what the last one did.

    Args:
        passed: night x scenario, oldest night first; a scenario that was changed is another column.
        n: the same shape; 0 where a scenario was not scored that night.
    """
    asked = (n[-1] > 0) & (n[:-1].sum(axis=0) > 0)
    if not asked.any():
        return 1.0
    passed, n = passed[:, asked], n[:, asked]
    # A night that lacks half of tonight's trials says little of how nights differ.
    like = n.sum(axis=1) >= n[-1].sum() / 2
    if int(like[:-1].sum()) < FEWEST_NIGHTS:
        return 1.0
    return max(_dealt(passed, n), _student(passed[like], n[like]))


def _dealt(passed: "NDArray[np.int64]", n: "NDArray[np.int64]") -> float:
    """Return the chance of so few passes in the last night, given those of all nights in each scenario."""
    import numpy as np

    chances: NDArray[np.float64] = np.ones(1)
    least = 0
    for whole, both, ours in zip(n.sum(axis=0), passed.sum(axis=0), n[-1], strict=True):
        first, spread = _hypergeometric(int(whole), int(both), int(ours))
        least += first
        chances = np.convolve(chances, spread)
    return min(1.0, float(chances[: int(passed[-1].sum()) - least + 1].sum()))


def _hypergeometric(whole: int, passes: int, drawn: int) -> tuple[int, list[float]]:
    """Return the fewest passes among the trials drawn, and the chances of that and of each more."""
    first, last = max(0, drawn - (whole - passes)), min(drawn, passes)
    ways = comb(whole, drawn)
    return first, [
        comb(passes, count) * comb(whole - passes, drawn - count) / ways for count in range(first, last + 1)
    ]


def _student(passed: "NDArray[np.int64]", n: "NDArray[np.int64]") -> float:
    """Return the chance of so low a last night, were nights' scores normal and of one kind."""
    from scipy.special import stdtr

    # What a scenario passes on average is taken out: nights may lack some, and lacking hard ones is no merit.
    rates = passed.sum(axis=0) / n.sum(axis=0)
    scores = (passed - n * rates).sum(axis=1) / n.sum(axis=1)
    before = scores[:-1]
    count = len(before)
    spread = float(before.std(ddof=1)) * sqrt(1 + 1 / count)
    fall = float(scores[-1] - before.mean())
    if spread < 1e-12:
        return 1.0 if fall > -1e-12 else 0.0
    return float(stdtr(count - 1, fall / spread))


def bet(p: float, shift: float) -> float:
    """Return what a bet on a fall of so many spreads pays: 1 on average over uniform p-values."""
    if p >= 1:
        return 0.0
    if p <= 0:
        return inf
    return exp(-shift * _NORMAL.inv_cdf(p) - shift * shift / 2)


def evidence(p_values: Sequence[float | None]) -> list[Evidence]:
    """Return the evidence for a fall after each night (Shiryaev and Roberts, over three sizes of a fall).

    A night whose p-value is None changes nothing. As of any night, a change is bet to have come with each
    night so far.
    """
    sums = [0.0] * len(SHIFTS)
    # Of each size: the best product of bets over nights up to this one, and the night it begins with.
    best: list[tuple[float, int]] = [(0.0, 0)] * len(SHIFTS)
    found: list[Evidence] = []
    for night, p in enumerate(p_values):
        if p is not None:
            for at, shift in enumerate(SHIFTS):
                paid = min(bet(p, shift), 1e300)
                sums[at] = min((sums[at] + 1) * paid, 1e300)
                value, since = best[at]
                best[at] = (min(value * paid, 1e300), since) if value > 1 else (paid, night)
        value, since = max(best)
        found.append(Evidence(sum(sums) / len(SHIFTS), since if value > 1 else None))
    return found


def band(rates: Sequence[float]) -> Band | None:
    """Return where the next of such nights lies in 95 of 100 cases; None of fewer than three nights."""
    from harness.statistics.clustered import student

    count = len(rates)
    if count < 3:
        return None
    mean = sum(rates) / count
    spread = sqrt(sum((each - mean) ** 2 for each in rates) / (count - 1))
    half = student(0.975, count - 1) * spread * sqrt(1 + 1 / count)
    return Band(mean, max(0.0, mean - half), min(1.0, mean + half), count)

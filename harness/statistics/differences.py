"""Two sides that answered the same scenarios: how far one lies from the other, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

from harness.statistics.clustered import clustered_mean
from harness.statistics.intervals import Interval, score_interval
from harness.statistics.permutation import fall_p_value


class Stratum(NamedTuple):
    """The outcomes of one scenario on both sides, passed of n; both n are 1 or more."""

    family: str
    baseline_passed: int
    baseline_n: int
    passed: int
    n: int

    @property
    def difference(self) -> float:
        """Candidate minus baseline."""
        return self.passed / self.n - self.baseline_passed / self.baseline_n


@dataclass(frozen=True, slots=True)
class Difference:
    """Candidate minus baseline of a rate, in which every scenario counts alike.

    `low` and `high` are one-sided bounds, each of confidence 1 - alpha; `p` is how often chance alone lets
    the rate fall so far.
    """

    rate: float
    baseline_rate: float
    effect: float
    low: float
    high: float
    p: float
    n: int
    baseline_n: int
    scenarios: int
    families: tuple[int, ...]
    """How many scenarios each family has, most first."""


def difference(
    strata: Sequence[Stratum],
    alpha: float,
    families_alpha: float | None = None,
    dealt: Sequence[Stratum] | None = None,
) -> Difference | None:
    """Return how the candidate differs from the baseline; None where no scenario was scored on both sides.

    Where trials are independent, at most a share alpha of unchanged pairs has a `p` of alpha or less,
    whatever the rates are. `families_alpha` is as for `bounds`. `dealt` are strata that are independent of
    one another where those of scenarios are not; the test is over them.
    """
    if not strata:
        return None
    low, high = bounds(strata, alpha, families_alpha)
    sizes: dict[str, int] = {}
    for each in strata:
        sizes[each.family] = sizes.get(each.family, 0) + 1
    rate, baseline = _rates(strata)
    dealt = strata if dealt is None else dealt
    return Difference(
        rate=rate,
        baseline_rate=baseline,
        effect=rate - baseline,
        low=low,
        high=high,
        p=fall_p_value(
            [each.passed for each in dealt],
            [each.n for each in dealt],
            [each.baseline_passed for each in dealt],
            [each.baseline_n for each in dealt],
        ),
        n=sum(each.n for each in strata),
        baseline_n=sum(each.baseline_n for each in strata),
        scenarios=len(strata),
        families=tuple(sorted(sizes.values(), reverse=True)),
    )


def bounds(strata: Sequence[Stratum], alpha: float, families_alpha: float | None = None) -> Interval:
    """Return one-sided bounds of the difference, each of confidence 1 - alpha.

    Each is the wider of two: Newcombe's, whose certainty is that of the trials and never 0, and that of means
    over families, which asks whether families agree. So a candidate that lies some amount below the baseline
    has a lower bound above that amount in at most about a share alpha of cases. Families are asked with
    `families_alpha`, where that is not alpha: one of several looks has a share of alpha for its trials, while
    families are the same at each look.
    """
    rate, baseline = _rates(strata)
    ours, theirs = worth([each.n for each in strata]), worth([each.baseline_n for each in strata])
    within = _newcombe(rate, ours, baseline, theirs, alpha)
    among = clustered_mean([each.difference for each in strata], [each.family for each in strata])
    half = among.half_width(1 - (alpha if families_alpha is None else families_alpha)) or 0.0
    effect = rate - baseline
    return Interval(max(-1.0, min(within.low, effect - half)), min(1.0, max(within.high, effect + half)))


def _rates(strata: Sequence[Stratum]) -> tuple[float, float]:
    """Return the mean rate over scenarios of candidate and baseline."""
    count = len(strata)
    rate = sum(each.passed / each.n for each in strata) / count
    return rate, sum(each.baseline_passed / each.baseline_n for each in strata) / count


def worth(trials: Sequence[int]) -> float:
    """Return of how many trials a mean of scenario rates is worth, were all rates alike.

    Rates that differ only make the mean more certain, so that this is never too many.
    """
    return len(trials) ** 2 / sum(1 / each for each in trials)


def _newcombe(rate: float, n: float, baseline: float, baseline_n: float, alpha: float) -> Interval:
    """Return Newcombe's interval of a difference (1998, method 10), each bound of confidence 1 - alpha."""
    ours, theirs = score_interval(rate, n, 1 - alpha), score_interval(baseline, baseline_n, 1 - alpha)
    effect = rate - baseline
    down = sqrt((rate - ours.low) ** 2 + (theirs.high - baseline) ** 2)
    up = sqrt((ours.high - rate) ** 2 + (baseline - theirs.low) ** 2)
    return Interval(effect - down, effect + up)

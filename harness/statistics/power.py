"""What a gate can see before it is asked: the smallest drop it finds, the trials it needs, what they cost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, sqrt
from statistics import NormalDist

from harness.statistics.clustered import satterthwaite, student
from harness.statistics.permutation import least_p_value

MOST_TRIALS = 1_000
"""Beyond so many trials of a scenario, more scenarios are the answer."""


@dataclass(frozen=True, slots=True)
class Design:
    """What a gate compares.

    Args:
        families: how many scenarios each family has.
        trials: of each scenario, on the candidate's side.
        baseline_trials: the same on the baseline's side.
        rate: of the baseline, between 0 and 1.
        spread: the variance between the trials of one scenario, as a share of rate * (1 - rate): below 1
            where scenarios differ, since what always passes or always fails is no chance.
    """

    families: tuple[int, ...]
    trials: float
    baseline_trials: float
    rate: float
    spread: float = 1.0

    @property
    def scenarios(self) -> int:
        """How many there are."""
        return sum(self.families)


@dataclass(frozen=True, slots=True)
class Demand:
    """What is asked of a gate: error rates, the margin that it forgives, and how many tests share alpha."""

    alpha: float = 0.05
    power: float = 0.8
    margin: float = 0.0
    tests: int = 1


def detectable_drop(design: Design, demand: Demand) -> float | None:
    """Return the smallest drop that ends in a regression with the power asked for; None where none would.

    A drop is found where the test says that it is no chance and the point lies below the margin. Normal
    approximation with Fleiss' correction for counts; docs/calibration.md holds it against simulated gates.
    """
    trials = [max(1, round(design.trials))] * design.scenarios
    others = [max(1, round(design.baseline_trials))] * design.scenarios
    if not trials or least_p_value(trials, others) > demand.alpha / demand.tests:
        return None
    if not _found(design, demand, design.rate):
        return None
    low, high = 0.0, design.rate
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if _found(design, demand, middle) else (middle, high)
    return high


def smallest_drop(whole: Design, dimensions: Sequence[Design], demand: Demand) -> float | None:
    """Return the smallest drop of compliance that ends in a regression, be it through one dimension or many.

    A drop that comes through one dimension shows there, where fewer other failures hide it; it is taken to
    come through a dimension of middling rate.

    Args:
        whole: the design of `all`.
        dimensions: those of the dimensions; may be none.
        demand: what is asked.
    """
    if not whole.rate:
        return None
    through = sorted(_through(whole, each, demand) for each in dimensions)
    seen = detectable_drop(whole, demand)
    smallest = min(inf if seen is None else seen, through[len(through) // 2] if through else inf)
    return None if smallest == inf else smallest


def _through(whole: Design, dimension: Design, demand: Demand) -> float:
    """Return the drop of compliance that a drop of one dimension makes that is just found; else infinity."""
    seen = detectable_drop(dimension, demand)
    return inf if seen is None or not dimension.rate else seen * min(1.0, whole.rate / dimension.rate)


def trials_to_detect(whole: Design, dimensions: Sequence[Design], demand: Demand, drop: float) -> int | None:
    """Return how many trials of each scenario, on both sides, find such a drop; None where too many would."""

    def enough(trials: int) -> bool:
        found = smallest_drop(
            with_trials(whole, trials), [with_trials(each, trials) for each in dimensions], demand
        )
        return found is not None and found <= drop

    return _least(enough)


def trials_to_pass(design: Design, demand: Demand) -> int | None:
    """Return how many trials, on both sides, let an unchanged candidate pass; None where too many would.

    It passes where the lower bound of `difference` lies above the margin.
    """
    return _least(lambda trials: _passes(with_trials(design, trials), demand))


def spread_within(passed: Sequence[int], n: Sequence[int]) -> float:
    """Return the variance between trials of one scenario as a share of what one rate for all would give.

    1 where there are no two trials of a scenario, or where all passed or none did: then nothing is known.
    """
    rates = [ours / whole for ours, whole in zip(passed, n, strict=True)]
    mean = sum(rates) / len(rates) if rates else 0.0
    several = [(ours, whole) for ours, whole in zip(passed, n, strict=True) if whole > 1]
    if not several or not 0 < mean < 1:
        return 1.0
    within = sum(ours * (whole - ours) / (whole * (whole - 1)) for ours, whole in several) / len(several)
    # Where few trials happened to agree, a share near 0 would promise far too much.
    return min(1.0, max(within / (mean * (1 - mean)), 0.25))


def _found(design: Design, demand: Demand, drop: float) -> bool:
    ours, theirs = design.trials * design.scenarios, design.baseline_trials * design.scenarios
    after = design.rate - drop
    pooled = (after * ours + design.rate * theirs) / (ours + theirs)
    same = sqrt(design.spread * pooled * (1 - pooled) * (1 / ours + 1 / theirs))
    moved = sqrt(design.spread * (design.rate * (1 - design.rate) / theirs + after * (1 - after) / ours))
    beyond = NormalDist().inv_cdf(demand.power) * moved
    correction = (1 / ours + 1 / theirs) / 2
    significant = NormalDist().inv_cdf(1 - demand.alpha / demand.tests) * same
    return drop >= significant + beyond + correction and drop >= demand.margin + beyond


def _passes(design: Design, demand: Demand) -> bool:
    ours, theirs = design.trials * design.scenarios, design.baseline_trials * design.scenarios
    z, beyond = NormalDist().inv_cdf(1 - demand.alpha), NormalDist().inv_cdf(demand.power)
    variance = design.rate * (1 - design.rate) * (1 / ours + 1 / theirs)
    # At rates near 1 Newcombe's bound is about z^2/n wide, however few fail.
    score = sqrt(z * z * variance + (z * z / ours) ** 2)
    moved = sqrt(design.spread * variance)
    among = student(1 - demand.alpha, satterthwaite(design.families)) if len(design.families) > 1 else z
    return max(score, among * moved) + beyond * moved <= demand.margin


def with_trials(design: Design, trials: int) -> Design:
    """Return a design with so many trials of each scenario on both sides."""
    return Design(design.families, trials, trials, design.rate, design.spread)


def _least(enough: Callable[[int], bool]) -> int | None:
    """Return the least number of trials that is enough, where more are always enough as well."""
    if not enough(MOST_TRIALS):
        return None
    low, high = 0, MOST_TRIALS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high

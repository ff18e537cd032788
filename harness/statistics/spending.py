"""What answers cost: money, tokens and time; what a provider did not say stays unknown."""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import ceil, fsum, sqrt
from typing import TypeVar

from harness.model import Transcript
from harness.statistics.clustered import student

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Spent:
    """One sample: US dollars, tokens and seconds, each None where any reply left it unsaid."""

    scenario: str
    compliant: bool
    cost: float | None
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for each compliant answer: all that was spent, by the compliant samples; with a 95 % interval.

    `low` and `high` are None where fewer than two scenarios leave no interval; `high` as well where the
    compliant answers are so few that nothing bounds it.
    """

    per_compliant: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class SpendingRow:
    """What a target's answers took together; None is unknown, never zero.

    `seconds` and `slow_seconds` are the median and the 95th percentile over samples, waiting and retries left
    out.
    """

    target: str
    samples: int
    seconds: float | None
    slow_seconds: float | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    price: Price | None

    @property
    def known(self) -> bool:
        """Whether the provider said anything of tokens or money."""
        return (self.prompt_tokens, self.completion_tokens, self.cost) != (None, None, None)


def _numbers() -> "array[float]":
    return array("d")


@dataclass(slots=True)
class Spending:
    """What the samples of one target took, added up; whatever their order, the sums are the same.

    Tokens and costs are None once any sample leaves them unknown; costs and compliant samples are kept by
    scenario.
    """

    samples: int = 0
    seconds: "array[float]" = field(default_factory=_numbers)
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    costs: "dict[str, array[float]] | None" = field(default_factory=dict[str, "array[float]"])
    compliant: Counter[str] = field(default_factory=Counter[str])

    def add(self, transcript: Transcript, *, compliant: bool) -> None:
        """Count one trial."""
        self.count(spent(transcript, compliant=compliant))

    def count(self, sample: Spent) -> None:
        """Count what one trial took."""
        self.samples += 1
        self.seconds.append(sample.seconds)
        self.prompt_tokens = _sum(self.prompt_tokens, sample.prompt_tokens)
        self.completion_tokens = _sum(self.completion_tokens, sample.completion_tokens)
        self.compliant[sample.scenario] += sample.compliant
        if sample.cost is None:
            self.costs = None
        elif self.costs is not None:
            self.costs.setdefault(sample.scenario, _numbers()).append(sample.cost)

    def merge(self, other: "Spending") -> None:
        """Count what another counted of other samples."""
        self.samples += other.samples
        self.seconds.extend(other.seconds)
        self.prompt_tokens = _sum(self.prompt_tokens, other.prompt_tokens)
        self.completion_tokens = _sum(self.completion_tokens, other.completion_tokens)
        self.compliant.update(other.compliant)
        if self.costs is None or other.costs is None:
            self.costs = None
            return
        for scenario, costs in other.costs.items():
            self.costs.setdefault(scenario, _numbers()).extend(costs)

    def row(self, target: str) -> SpendingRow:
        """Return what a report says of it."""
        known = bool(self.samples)
        return SpendingRow(
            target=target,
            samples=self.samples,
            seconds=quantile(self.seconds, 0.5),
            slow_seconds=quantile(self.seconds, 0.95),
            prompt_tokens=self.prompt_tokens if known else None,
            completion_tokens=self.completion_tokens if known else None,
            cost=None if not self.costs else fsum(chain.from_iterable(self.costs.values())),
            price=self.price(),
        )

    def price(self) -> Price | None:
        """Return what a compliant answer costs; None where a cost is unknown or no answer is compliant.

        The interval is Fieller's for a ratio of two sums, scenarios being the independent units.
        """
        if not self.costs or not self.compliant.total():
            return None
        costs = [fsum(self.costs[each]) for each in sorted(self.costs)]
        answers = [float(self.compliant[each]) for each in sorted(self.costs)]
        ratio = sum(costs) / sum(answers)
        return Price(ratio, *_fieller(costs, answers)) if len(costs) > 1 else Price(ratio, None, None)


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def spent(transcript: Transcript, *, compliant: bool) -> Spent:
    """Return what one trial took; one that failed before any reply took nothing."""
    if transcript.failure and not transcript.turns:
        return Spent(transcript.id.scenario, compliant, 0.0, 0, 0, 0.0)
    usages = [each.usage for each in transcript.turns]
    return Spent(
        scenario=transcript.id.scenario,
        compliant=compliant,
        cost=total(each.cost for each in usages),
        prompt_tokens=total(each.prompt_tokens for each in usages),
        completion_tokens=total(each.completion_tokens for each in usages),
        # As they are stored, whether or not they have been yet.
        seconds=sum(round(each.seconds, 4) for each in transcript.turns),
    )


def total(values: Iterable[Number | None]) -> Number | None:
    """Return the sum, or None where any value is unknown, or there is none."""
    given = list(values)
    known = [each for each in given if each is not None]
    return sum(known[1:], known[0]) if known and len(known) == len(given) else None


def _fieller(costs: Sequence[float], answers: Sequence[float]) -> tuple[float | None, float | None]:
    count = len(costs)
    cost, answer = sum(costs) / count, sum(answers) / count
    t = student(0.975, count - 1)
    scale = t * t / (count * (count - 1))
    costs_vary = scale * sum((each - cost) ** 2 for each in costs)
    answers_vary = scale * sum((each - answer) ** 2 for each in answers)
    together = scale * sum((x - cost) * (y - answer) for x, y in zip(costs, answers, strict=True))
    # The bounds are the roots of (cost - r answer)^2 = t^2 var(cost - r answer), a quadratic in r.
    a, b, c = answer**2 - answers_vary, cost * answer - together, cost**2 - costs_vary
    root = b * b - a * c
    if root < 0 or a <= 0:
        return (max(0.0, c / (2 * b)), None) if b > 0 else (None, None)
    return max(0.0, (b - sqrt(root)) / a), (b + sqrt(root)) / a


def quantile(values: Sequence[float], share: float) -> float | None:
    """Return the smallest value that at least such a share of all does not exceed; None of none."""
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else None

"""What answers cost: money, tokens and time; what a provider did not say stays unknown."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

from harness.model import Transcript
from harness.statistics.clustered import student


@dataclass(frozen=True, slots=True)
class Spent:
    """One sample: US dollars, tokens and seconds, each None where any reply left it unsaid."""

    scenario: str
    compliant: bool
    cost: float | None
    prompt_tokens: float | None
    completion_tokens: float | None
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
    prompt_tokens: float | None
    completion_tokens: float | None
    cost: float | None
    price: Price | None

    @property
    def known(self) -> bool:
        """Whether the provider said anything of tokens or money."""
        return (self.prompt_tokens, self.completion_tokens, self.cost) != (None, None, None)


def spending(transcripts: Iterable[Transcript], compliant: Collection[str]) -> list[SpendingRow]:
    """Return one row per target, in the order in which they come.

    Args:
        transcripts: of a run.
        compliant: the ids of its compliant samples.
    """
    found: dict[str, list[Spent]] = {}
    for each in transcripts:
        found.setdefault(each.id.target, []).append(spent(each, compliant=str(each.id) in compliant))
    return [
        SpendingRow(
            target=target,
            samples=len(samples),
            seconds=quantile([each.seconds for each in samples], 0.5),
            slow_seconds=quantile([each.seconds for each in samples], 0.95),
            prompt_tokens=total(each.prompt_tokens for each in samples),
            completion_tokens=total(each.completion_tokens for each in samples),
            cost=total(each.cost for each in samples),
            price=price(samples),
        )
        for target, samples in found.items()
    ]


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
        seconds=sum(each.seconds for each in transcript.turns),
    )


def total(values: Iterable[float | None]) -> float | None:
    """Return the sum, or None where any value is unknown, or there is none."""
    given = list(values)
    known = [each for each in given if each is not None]
    return sum(known) if known and len(known) == len(given) else None


def price(samples: Sequence[Spent]) -> Price | None:
    """Return what a compliant answer costs; None where a cost is unknown or no answer is compliant.

    The interval is Fieller's for a ratio of two sums, scenarios being the independent units.
    """
    by_scenario: dict[str, tuple[float, int]] = {}
    for each in samples:
        if each.cost is None:
            return None
        cost, compliant = by_scenario.get(each.scenario, (0.0, 0))
        by_scenario[each.scenario] = (cost + each.cost, compliant + each.compliant)
    costs = [each[0] for each in by_scenario.values()]
    answers = [float(each[1]) for each in by_scenario.values()]
    if not sum(answers):
        return None
    ratio = sum(costs) / sum(answers)
    return Price(ratio, *_fieller(costs, answers)) if len(costs) > 1 else Price(ratio, None, None)


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

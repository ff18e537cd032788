"""What was taken for what: severities by distance and direction, signal types by name."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from harness.model import SEVERITIES
from harness.statistics.tally import Tally

SEVERITY, SIGNAL_TYPE = "SEV-2", "SIG-2"
"""The clauses whose expected and observed values are levels and types."""


@dataclass(frozen=True, slots=True)
class Mistaken:
    """What a target answered where something else was accepted, and how often.

    `distance` counts severity levels from the nearest accepted one: above 0 too mild, below 0 too severe;
    None where the answer is no level, and for signal types.
    """

    target: str
    expected: tuple[str, ...]
    observed: str
    distance: int | None
    samples: int


@dataclass(frozen=True, slots=True)
class Confusion:
    """One target's answers to one question: how many were right, and the ways to be wrong, most first."""

    target: str
    right: int
    mistaken: tuple[Mistaken, ...]

    @property
    def n(self) -> int:
        """How many answers were judged."""
        return self.right + sum(each.samples for each in self.mistaken)

    @property
    def mean_distance(self) -> float | None:
        """How many levels answers lie from the nearest accepted one; None where none is a level."""
        levels = [(each.distance, each.samples) for each in self.mistaken if each.distance is not None]
        counted = self.right + sum(samples for _, samples in levels)
        return sum(abs(far) * samples for far, samples in levels) / counted if counted else None

    def count(self, direction: int) -> int:
        """Return how many answers were too mild (1) or too severe (-1)."""
        return sum(each.samples for each in self.mistaken if (each.distance or 0) * direction > 0)


def confusions(tally: Tally, clause: str) -> list[Confusion]:
    """Return one confusion per target, from the scores of one clause; a sample counts once.

    Args:
        tally: of a run.
        clause: SEVERITY or SIGNAL_TYPE.
    """
    right: Counter[str] = Counter()
    for alike, samples in tally.samples.items():
        for name, _, _, outcome in alike.pattern:
            if name == clause and outcome in {"pass", "fail"}:
                right[alike.target] += samples if outcome == "pass" else 0
    return [Confusion(target, right[target], tuple(_mistaken(tally, clause, target))) for target in right]


def _mistaken(tally: Tally, clause: str, target: str) -> Iterator[Mistaken]:
    wrong = {
        (expected, observed): samples
        for (name, who, expected, observed), samples in tally.answers.items()
        if (name, who) == (clause, target)
    }
    for (expected, observed), samples in sorted(wrong.items(), key=lambda each: (-each[1], each[0])):
        yield Mistaken(target, expected, observed, severity_distance(observed, expected), samples)


def severity_distance(answered: str, accepted: Iterable[str]) -> int | None:
    """Return by how many levels an answer is milder (above 0) or more severe than the nearest accepted."""
    order: list[str] = list(SEVERITIES)
    known = [each for each in accepted if each in order]
    if answered not in order or not known:
        return None
    return min((order.index(answered) - order.index(each) for each in known), key=abs)

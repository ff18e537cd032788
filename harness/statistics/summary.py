"""Scores counted: per dimension, per clause, by cause; unscored never counts as pass, fail or zero."""

from collections import Counter, defaultdict
from typing import NamedTuple

from harness.contracts.clauses import CLAUSES, DIMENSIONS
from harness.statistics.intervals import wilson
from harness.statistics.outcomes import ALL
from harness.statistics.tally import Tally, outcomes_of
from harness.store import ScoreRow

HARD = frozenset(each.id for each in CLAUSES if each.hard)
"""The clauses that regress the gate when they are broken once."""

_DIMENSION_ORDER = {name: place for place, name in enumerate((ALL, *DIMENSIONS))}
_CLAUSE_ORDER = {each.id: place for place, each in enumerate(CLAUSES)}
_LEVEL_ORDER = {"MUST": 0, "SHOULD": 1}


class SummaryRow(NamedTuple):
    """One dimension of one target under one contract, in samples; the columns of summary.csv.

    `n` is passed plus failed; `rate`, `low` and `high` (Wilson, 95 %) are None where `n` is 0.
    """

    target: str
    contract: str
    dimension: str
    n: int
    passed: int
    rate: float | None
    low: float | None
    high: float | None
    unscored: int
    not_applicable: int

    @property
    def failed(self) -> int:
        """How many samples failed."""
        return self.n - self.passed


class ClauseRow(NamedTuple):
    """One clause for one target under one contract, in scores; numbers as in SummaryRow."""

    target: str
    contract: str
    clause: str
    level: str
    dimension: str
    n: int
    passed: int
    rate: float | None
    low: float | None
    high: float | None
    unscored: int
    not_applicable: int

    @property
    def failed(self) -> int:
        """How many scores are a fail."""
        return self.n - self.passed


class FailureGroup(NamedTuple):
    """The fails of one clause by one target, over its contracts: how many samples, and rows of the first."""

    target: str
    clause: str
    level: str
    dimension: str
    hard: bool
    samples: int
    rows: tuple[ScoreRow, ...]


class Cause(NamedTuple):
    """Why scores of a target are unscored: how many samples and scores, and one reason in full."""

    target: str
    cause: str
    samples: int
    scores: int
    example: str


def summarise(tally: Tally) -> list[SummaryRow]:
    """Return one row per target, contract and dimension, `all` first; only MUST clauses count.

    A sample fails a dimension when any of its clauses fails; else it is unscored when any is unscored;
    else it passes when any passes; else it is not applicable.
    """
    found: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    for alike, samples in tally.samples.items():
        for dimension, outcome in outcomes_of(alike.pattern).items():
            found[alike.target, alike.contract, dimension][outcome] += samples
    return sorted(
        (SummaryRow(*key, *_counts(outcomes)) for key, outcomes in found.items()),
        key=lambda row: (row.target, row.contract, *_placed(row.dimension, _DIMENSION_ORDER)),
    )


def by_clause(tally: Tally) -> list[ClauseRow]:
    """Return one row per target, contract and clause of every level."""
    found: defaultdict[tuple[str, str, str, str, str], Counter[str]] = defaultdict(Counter)
    for alike, samples in tally.samples.items():
        for clause, level, dimension, outcome in alike.pattern:
            found[alike.target, alike.contract, clause, level, dimension][outcome] += samples
    return sorted(
        (ClauseRow(*key, *_counts(outcomes)) for key, outcomes in found.items()),
        key=lambda row: (row.target, row.contract, *_placed(row.clause, _CLAUSE_ORDER), row.level),
    )


def failures(tally: Tally) -> list[FailureGroup]:
    """Return every fail by target and clause: MUST before SHOULD, hard ones first, then the most samples."""
    groups = (
        FailureGroup(*broken, broken.clause in HARD, fails.samples, tuple(fails.first))
        for broken, fails in tally.fails.items()
    )
    return sorted(groups, key=_worst_first)


def unscored_causes(tally: Tally) -> list[Cause]:
    """Return why scores are unscored, by target, most scores first.

    The cause is the word before the first colon of the reason ("rate_limited: ..."), else the reason; a
    sample that is named before it is no part of it.
    """
    causes = (
        Cause(*cause, found.samples, found.scores, found.first.reason if found.first else "")
        for cause, found in tally.unscored.items()
    )
    return sorted(causes, key=lambda each: (each.target, -each.scores, each.cause))


def counts(tally: Tally) -> dict[str, int]:
    """Return how many samples were recorded, scored, unscored and compliant; only MUST clauses count."""
    outcomes: Counter[str] = Counter()
    for alike, samples in tally.samples.items():
        if whole := outcomes_of(alike.pattern).get(ALL):
            outcomes[whole] += samples
    total = outcomes.total()
    return {
        "recorded": total,
        "samples": total,
        "scored": total - outcomes["unscored"],
        "unscored": outcomes["unscored"],
        "compliant": outcomes["pass"] + outcomes["not_applicable"],
    }


def _counts(outcomes: Counter[str]) -> tuple[int, int, float | None, float | None, float | None, int, int]:
    """Return n, passed, rate, low, high, unscored and not_applicable."""
    passed = outcomes["pass"]
    n = passed + outcomes["fail"]
    interval = wilson(passed, n)
    rate, low, high = (passed / n, *interval) if interval else (None, None, None)
    return n, passed, rate, low, high, outcomes["unscored"], outcomes["not_applicable"]


def _worst_first(group: FailureGroup) -> tuple[str, int, bool, int, int, str]:
    level = _LEVEL_ORDER.get(group.level, len(_LEVEL_ORDER))
    return (group.target, level, not group.hard, -group.samples, *_placed(group.clause, _CLAUSE_ORDER))


def _placed(name: str, order: dict[str, int]) -> tuple[int, str]:
    """Return where a name stands in an order; names that a later harness knows come last."""
    return order.get(name, len(order)), name

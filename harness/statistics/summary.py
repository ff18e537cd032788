"""Scores counted: per dimension, per clause, by cause; unscored never counts as pass, fail or zero."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from harness.contracts.clauses import CLAUSES, DIMENSIONS
from harness.statistics.intervals import wilson
from harness.statistics.outcomes import ALL, RELATION, worse
from harness.store import ScoreRow

HARD = frozenset(each.id for each in CLAUSES if each.hard)
"""The clauses that regress the gate when they are broken once."""

_DIMENSION_ORDER = {name: place for place, name in enumerate((ALL, *DIMENSIONS))}
_CLAUSE_ORDER = {each.id: place for place, each in enumerate(CLAUSES)}
_LEVEL_ORDER = {"MUST": 0, "SHOULD": 1}
# A relation says first in which of its two samples there is nothing to compare.
_CAUSE = re.compile(r"(?:\S+@\S+@\S+#\d+: )?([a-z][a-z0-9_]*): ")
_LONGEST_CAUSE = 80


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
    """Every fail of one clause by one target, over its contracts; `samples` counts distinct ones."""

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


def summarise(rows: Iterable[ScoreRow]) -> list[SummaryRow]:
    """Return one row per target, contract and dimension, `all` first; only MUST clauses count.

    A sample fails a dimension when any of its clauses fails; else it is unscored when any is unscored;
    else it passes when any passes; else it is not applicable.
    """
    worst: defaultdict[tuple[str, str, str], dict[str, str]] = defaultdict(dict)
    for row in rows:
        if row.level != "MUST":
            continue
        # A relation compares two samples; whether one of them is compliant does not depend on the other.
        for dimension in (row.dimension,) if row.dimension == RELATION else (ALL, row.dimension):
            outcomes = worst[row.target, row.contract, dimension]
            known = outcomes.get(row.sample, row.outcome)
            outcomes[row.sample] = worse(known, row.outcome)
    counted = ((*key, *_counts(Counter(outcomes.values()))) for key, outcomes in worst.items())
    return sorted(
        (SummaryRow(*each) for each in counted),
        key=lambda row: (row.target, row.contract, *_placed(row.dimension, _DIMENSION_ORDER)),
    )


def by_clause(rows: Iterable[ScoreRow]) -> list[ClauseRow]:
    """Return one row per target, contract and clause of every level."""
    outcomes: defaultdict[tuple[str, str, str, str, str], Counter[str]] = defaultdict(Counter)
    for row in rows:
        outcomes[row.target, row.contract, row.clause, row.level, row.dimension][row.outcome] += 1
    counted = ((*key, *_counts(outcome)) for key, outcome in outcomes.items())
    return sorted(
        (ClauseRow(*each) for each in counted),
        key=lambda row: (row.target, row.contract, *_placed(row.clause, _CLAUSE_ORDER), row.level),
    )


def should_rows(rows: Iterable[ScoreRow]) -> list[ClauseRow]:
    """Return one row per target, contract and SHOULD clause: what never fails a sample."""
    return by_clause(row for row in rows if row.level == "SHOULD")


def failures(rows: Iterable[ScoreRow]) -> list[FailureGroup]:
    """Return every fail by target and clause: MUST before SHOULD, hard ones first, then the most samples."""
    groups: defaultdict[tuple[str, str, str, str], list[ScoreRow]] = defaultdict(list)
    for row in rows:
        if row.outcome == "fail":
            groups[row.target, row.clause, row.level, row.dimension].append(row)
    return sorted((_group(*key, each) for key, each in groups.items()), key=_worst_first)


def unscored_causes(rows: Iterable[ScoreRow]) -> list[Cause]:
    """Return why scores are unscored, by target, most scores first.

    The cause is the word before the first colon of the reason ("rate_limited: ..."), else the reason; a
    sample that is named before it is no part of it.
    """
    groups: defaultdict[tuple[str, str], list[ScoreRow]] = defaultdict(list)
    for row in rows:
        if row.outcome == "unscored":
            groups[row.target, _cause(row.reason)].append(row)
    causes = [
        Cause(target, cause, len({row.sample for row in each}), len(each), min(each, key=_by_sample).reason)
        for (target, cause), each in groups.items()
    ]
    return sorted(causes, key=lambda each: (each.target, -each.scores, each.cause))


def _counts(outcomes: Counter[str]) -> tuple[int, int, float | None, float | None, float | None, int, int]:
    """Return n, passed, rate, low, high, unscored and not_applicable."""
    passed = outcomes["pass"]
    n = passed + outcomes["fail"]
    interval = wilson(passed, n)
    rate, low, high = (passed / n, *interval) if interval else (None, None, None)
    return n, passed, rate, low, high, outcomes["unscored"], outcomes["not_applicable"]


def _group(target: str, clause: str, level: str, dimension: str, rows: list[ScoreRow]) -> FailureGroup:
    samples = len({row.sample for row in rows})
    ordered = tuple(sorted(rows, key=_by_sample))
    return FailureGroup(target, clause, level, dimension, clause in HARD, samples, ordered)


def _worst_first(group: FailureGroup) -> tuple[str, int, bool, int, int, str]:
    level = _LEVEL_ORDER.get(group.level, len(_LEVEL_ORDER))
    return (group.target, level, not group.hard, -group.samples, *_placed(group.clause, _CLAUSE_ORDER))


def _placed(name: str, order: dict[str, int]) -> tuple[int, str]:
    """Return where a name stands in an order; names that a later harness knows come last."""
    return order.get(name, len(order)), name


def _by_sample(row: ScoreRow) -> tuple[str, str, str, int, str, str]:
    return row.scenario, row.contract, row.target, row.trial, row.place, row.reason


def _cause(reason: str) -> str:
    word = _CAUSE.match(reason)
    return word[1] if word else reason[:_LONGEST_CAUSE]

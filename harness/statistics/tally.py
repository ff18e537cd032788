"""What reports count of a run, taken sample by sample; the tallies of its parts add up.

Samples whose clauses came out alike are one entry, so a tally grows with what differs, not with the run.
"""

import re
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple, cast

from harness.model import SampleId, Transcript
from harness.statistics.outcomes import ALL, RELATION, worse
from harness.statistics.spending import Spending
from harness.store import ClauseScore, ScoreRow
from harness.store.scores import Mark, row_of, sample_of

COMPARED = frozenset({"SEV-2", "SIG-2"})
"""The clauses whose expected and observed values are levels and types: of them answers are counted too."""

# A relation says first in which of its two samples there is nothing to compare.
_CAUSE = re.compile(r"(?:\S+@\S+@\S+#\d+: )?([a-z][a-z0-9_]*): ")
_LONGEST_CAUSE = 80

Pattern = tuple[Mark, ...]
"""How the clauses of one sample came out."""

Order = tuple[str, str, str, int, str, str]
"""What rows are sorted by: scenario, contract, target, trial, place, reason."""


class Alike(NamedTuple):
    """What samples that are counted together have in common."""

    target: str
    contract: str
    scenario: str
    pattern: Pattern


class Broken(NamedTuple):
    """A clause that a target broke, over its contracts."""

    target: str
    clause: str
    level: str
    dimension: str


class Cause(NamedTuple):
    """Why scores of a target are unscored."""

    target: str
    word: str


@dataclass(slots=True)
class Fails:
    """The fails of a clause: how many samples, and the first of them by sample."""

    samples: int = 0
    first: list[ScoreRow] = field(default_factory=list[ScoreRow])


@dataclass(slots=True)
class Unscored:
    """How many samples and scores have a cause, and the reason of the first by sample."""

    samples: int = 0
    scores: int = 0
    first: ScoreRow | None = None


@dataclass(slots=True)
class Tally:
    """Counts over samples. Of each clause's fails the first `shown` are kept whole, or all."""

    shown: int | None = None
    samples: Counter[Alike] = field(default_factory=Counter[Alike])
    fails: defaultdict[Broken, Fails] = field(default_factory=lambda: defaultdict[Broken, Fails](Fails))
    unscored: defaultdict[Cause, Unscored] = field(
        default_factory=lambda: defaultdict[Cause, Unscored](Unscored)
    )
    answers: Counter[tuple[str, str, tuple[str, ...], str]] = field(
        default_factory=Counter[tuple[str, str, tuple[str, ...], str]]
    )
    """Clause of COMPARED, target, expected and observed of each fail."""
    spent: dict[str, Spending] = field(default_factory=dict[str, Spending])

    def add(self, sample: SampleId, scores: Sequence[ClauseScore | ScoreRow]) -> bool:
        """Count one sample with all its scores; return whether it is compliant."""
        pattern = tuple([each.mark for each in scores])
        self.samples[Alike(sample.target, sample.contract, sample.scenario, pattern)] += 1
        causes: set[Cause] = set()
        for each in scores:
            if each.outcome == "fail":
                self._fail(sample, each)
            elif each.outcome == "unscored":
                self._unscored(sample, each, causes)
        return outcomes_of(pattern).get(ALL) == "pass"

    def spend(self, transcript: Transcript, *, compliant: bool) -> None:
        """Count what one sample cost."""
        target = transcript.id.target
        spending = self.spent.get(target)
        if spending is None:
            spending = self.spent[target] = Spending()
        spending.add(transcript, compliant=compliant)

    def merge(self, other: "Tally") -> None:
        """Count what another counted of other samples."""
        self.samples.update(other.samples)
        self.answers.update(other.answers)
        for broken, fails in other.fails.items():
            mine = self.fails[broken]
            mine.samples += fails.samples
            for each in fails.first:
                if self._is_kept(by_sample(each), mine.first):
                    self._keep(each, mine.first)
        for cause, unscored in other.unscored.items():
            found = self.unscored[cause]
            found.samples += unscored.samples
            found.scores += unscored.scores
            found.first = _earlier(found.first, unscored.first)
        for target, spending in other.spent.items():
            self.spent.setdefault(target, Spending()).merge(spending)

    def _fail(self, sample: SampleId, score: ClauseScore | ScoreRow) -> None:
        fails = self.fails[Broken(sample.target, score.clause, score.level, score.dimension)]
        fails.samples += 1
        # Most fails of a long run are only counted: no row is made of them.
        order = sample.scenario, sample.contract, sample.target, sample.trial, score.place, score.reason
        if self._is_kept(order, fails.first):
            self._keep(as_row(sample, score), fails.first)
        if score.clause in COMPARED:
            self.answers[score.clause, sample.target, _names(score.expected), str(score.observed)] += 1

    def _is_kept(self, order: Order, first: list[ScoreRow]) -> bool:
        return self.shown is None or len(first) < self.shown or order < by_sample(first[-1])

    def _keep(self, row: ScoreRow, first: list[ScoreRow]) -> None:
        insort(first, row, key=by_sample)
        del first[self.shown or len(first) :]

    def _unscored(self, sample: SampleId, score: ClauseScore | ScoreRow, causes: set[Cause]) -> None:
        cause = Cause(sample.target, _cause(score.reason))
        found = self.unscored[cause]
        found.samples += cause not in causes
        found.scores += 1
        causes.add(cause)
        found.first = _earlier(found.first, as_row(sample, score))


def tallied(rows: Iterable[ScoreRow]) -> Tally:
    """Return the tally of rows in any order."""
    samples: dict[str, list[ScoreRow]] = {}
    for row in rows:
        samples.setdefault(row.sample, []).append(row)
    tally = Tally()
    for found in samples.values():
        tally.add(sample_of(found[0]), found)
    return tally


def as_row(sample: SampleId, score: ClauseScore | ScoreRow) -> ScoreRow:
    """Return a score of a sample as a row."""
    return score if isinstance(score, ScoreRow) else row_of(sample, score)


def by_sample(row: ScoreRow) -> Order:
    """Return what rows are sorted by: the tenth trial comes after the second."""
    return row.scenario, row.contract, row.target, row.trial, row.place, row.reason


@lru_cache(1024)
def outcomes_of(pattern: Pattern) -> dict[str, str]:
    """Return a sample's outcome in each dimension and in all of them: that of its worst MUST clause."""
    found: dict[str, str] = {}
    for _, level, dimension, outcome in pattern:
        if level != "MUST":
            continue
        # A relation compares two samples; whether one of them is compliant does not depend on the other.
        for each in (dimension,) if dimension == RELATION else (ALL, dimension):
            found[each] = worse(found.get(each, outcome), outcome)
    return found


def _earlier(one: ScoreRow | None, other: ScoreRow | None) -> ScoreRow | None:
    found = [each for each in (one, other) if each is not None]
    return min(found, key=by_sample) if found else None


def _cause(reason: str) -> str:
    word = _CAUSE.match(reason)
    return word[1] if word else reason[:_LONGEST_CAUSE]


def _names(value: Any) -> tuple[str, ...]:
    return tuple(map(str, cast("list[Any]", value))) if isinstance(value, list) else (str(value),)

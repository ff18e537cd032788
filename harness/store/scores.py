"""The lines of scores.jsonl: a clause judged on a sample."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from functools import wraps
from typing import Any, NamedTuple, cast

from harness.model import SampleId, Score

MAX_TEXT = 2_000
MAX_DEPTH = 20
_JSON = json.JSONEncoder(ensure_ascii=False)

Mark = tuple[str, str, str, str]
"""How a clause came out: clause, level, dimension, outcome."""


@dataclass(frozen=True, slots=True, eq=False)
class ClauseScore:
    """A score and its clause, whichever sample it is of: most scores of a run are the same few.

    `mark` and `known`, which is what `spelled_once` remembers, say nothing that the other fields do not.
    """

    grader: str
    clause: str
    dimension: str
    level: str
    outcome: str
    reason: str
    expected: Any
    observed: Any
    place: str
    mark: Mark = field(init=False, repr=False)
    known: dict[Any, bytes] = field(default_factory=dict[Any, bytes], init=False, repr=False)

    def __post_init__(self) -> None:
        """Put together what is counted of it."""
        object.__setattr__(self, "mark", (self.clause, self.level, self.dimension, self.outcome))

    def __reduce__(self) -> tuple[Any, ...]:
        """Send another process what it is made of, and nothing that is remembered here."""
        return ClauseScore, tuple(getattr(self, name) for name in OF_CLAUSE)


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A score with everything that says where it comes from; the columns of scores.jsonl, in order."""

    sample: str
    scenario: str
    contract: str
    target: str
    trial: int
    grader: str
    clause: str
    dimension: str
    level: str
    outcome: str
    reason: str
    expected: Any
    observed: Any
    place: str

    @property
    def mark(self) -> Mark:
        """What is counted of it."""
        return self.clause, self.level, self.dimension, self.outcome

    def as_json(self) -> dict[str, Any]:
        """Return the row as plain values."""
        return {name: getattr(self, name) for name in COLUMNS}


COLUMNS = tuple(each.name for each in fields(ScoreRow))
OF_CLAUSE = tuple(each.name for each in fields(ClauseScore) if each.init)
OF_SAMPLE = COLUMNS[: -len(OF_CLAUSE)]


class GradedBy(NamedTuple):
    """What judged a clause, and what clause it is."""

    grader: str
    clause: str
    dimension: str
    level: str


def clause_score(by: GradedBy, score: Score) -> ClauseScore:
    """Return a score with its clause; texts a model wrote are cut at 2,000 characters."""
    return ClauseScore(
        *by, score.outcome, _cut(score.reason), _cut(score.expected), _cut(score.observed), _cut(score.place)
    )


def row_of(sample: SampleId, score: ClauseScore) -> ScoreRow:
    """Return a score of a sample as a row."""
    return ScoreRow(*head_of(sample), *(getattr(score, name) for name in OF_CLAUSE))


def score_of(row: ScoreRow) -> ClauseScore:
    """Return the score of a row, without its sample."""
    return ClauseScore(*(getattr(row, name) for name in OF_CLAUSE))


def sample_of(row: ScoreRow) -> SampleId:
    """Return the sample of a row."""
    return SampleId(row.scenario, row.contract, row.target, row.trial)


def head_of(sample: SampleId) -> tuple[Any, ...]:
    """Return the values of OF_SAMPLE."""
    return str(sample), *sample


def spelled_once(spell: Callable[[ClauseScore], str]) -> Callable[[Iterable[ClauseScore]], list[bytes]]:
    """Let a score be spelled once, however many samples share it."""

    def spelled(score: ClauseScore) -> bytes:
        score.known[spell] = made = spell(score).encode("utf-8", "surrogatepass")
        return made

    @wraps(spell)
    def spelled_all(scores: Iterable[ClauseScore]) -> list[bytes]:
        return [each.known.get(spell) or spelled(each) for each in scores]

    return spelled_all


class ScoresFile:
    """scores.jsonl: one JSON object a line."""

    name = "scores.jsonl"
    begins = b""

    def lines(self, sample: SampleId, scores: Sequence[ClauseScore]) -> bytes:
        """Return the lines of one sample."""
        head = _JSON.encode(dict(zip(OF_SAMPLE, head_of(sample), strict=True)))
        return each_behind(f"{head[:-1]}, ", _ends_of_lines(scores))


def each_behind(begin: str, ends: Sequence[bytes]) -> bytes:
    """Return lines that begin alike."""
    encoded = begin.encode("utf-8", "surrogatepass")
    return encoded + encoded.join(ends) if ends else b""


@spelled_once
def _ends_of_lines(score: ClauseScore) -> str:
    values = {name: getattr(score, name) for name in OF_CLAUSE}
    return _JSON.encode(values)[1:] + "\n"


def _cut(value: Any, depth: int = 0) -> Any:
    if depth > MAX_DEPTH:
        return "…"
    if isinstance(value, str):
        return value if len(value) <= MAX_TEXT else value[: MAX_TEXT - 1] + "…"
    if isinstance(value, list | tuple):
        return [_cut(each, depth + 1) for each in cast("list[Any]", value)[:200]]
    if isinstance(value, dict):
        items = list(cast("dict[Any, Any]", value).items())[:200]
        return {str(key): _cut(each, depth + 1) for key, each in items}
    if value is None or isinstance(value, bool | int | float):
        return value
    return _cut(str(value))

"""One row of scores.jsonl: a clause judged on a sample."""

from dataclasses import dataclass, fields
from typing import Any, cast

from harness.model import SampleId, Score

MAX_TEXT = 2_000
MAX_DEPTH = 20


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

    def as_json(self) -> dict[str, Any]:
        """Return the row as plain values."""
        return {name: getattr(self, name) for name in COLUMNS}


COLUMNS = tuple(each.name for each in fields(ScoreRow))


def score_row(
    sample: SampleId, score: Score, *, grader: str, clause: str, dimension: str, level: str
) -> ScoreRow:
    """Return the row of one score; texts a model wrote are cut at 2,000 characters."""
    return ScoreRow(
        str(sample),
        *sample,
        grader,
        clause,
        dimension,
        level,
        score.outcome,
        _cut(score.reason),
        _cut(score.expected),
        _cut(score.observed),
        _cut(score.place),
    )


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

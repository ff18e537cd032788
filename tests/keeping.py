"""Scores put into runs that were never graded."""

from collections.abc import Iterable

from harness.store import Run, ScoreRow
from harness.store.scores import ScoresFile, sample_of, score_of


def write_scores(run: Run, rows: Iterable[ScoreRow]) -> None:
    """Write scores.jsonl as grading would, in the order of these rows."""
    lines = ScoresFile().lines
    with run.replacing(ScoresFile.name) as stream:
        for row in rows:
            stream.write(lines(sample_of(row), [score_of(row)]))

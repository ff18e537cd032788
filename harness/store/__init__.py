"""Runs on disk: append-only, crash-safe, resumable."""

from typing import TYPE_CHECKING

from harness.lazy import parts_of

if TYPE_CHECKING:
    from harness.store.finding import find_runs
    from harness.store.info import FORMAT, Grading, RunInfo
    from harness.store.run import Run, create_run, open_run
    from harness.store.scores import ClauseScore, ScoreRow
    from harness.store.selection import EVERYTHING, Selection, Shard

__all__ = [
    "EVERYTHING",
    "FORMAT",
    "ClauseScore",
    "Grading",
    "Run",
    "RunInfo",
    "ScoreRow",
    "Selection",
    "Shard",
    "create_run",
    "find_runs",
    "open_run",
]

_HOMES = {
    "EVERYTHING": "selection",
    "FORMAT": "info",
    "ClauseScore": "scores",
    "Grading": "info",
    "Run": "run",
    "RunInfo": "info",
    "ScoreRow": "scores",
    "Selection": "selection",
    "Shard": "selection",
    "create_run": "run",
    "find_runs": "finding",
    "open_run": "run",
}

# Who lists runs need not load what is said in them.
__getattr__, __dir__ = parts_of(__name__, _HOMES)

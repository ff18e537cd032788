"""Runs on disk: append-only, crash-safe, resumable."""

from harness.store.info import FORMAT, Grading, RunInfo
from harness.store.run import Run, create_run, find_runs, open_run
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

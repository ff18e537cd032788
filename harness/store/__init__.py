"""Runs on disk: append-only, crash-safe, resumable."""

from harness.store.run import FORMAT, Run, RunInfo, create_run, find_runs, open_run
from harness.store.scores import ScoreRow

__all__ = ["FORMAT", "Run", "RunInfo", "ScoreRow", "create_run", "find_runs", "open_run"]

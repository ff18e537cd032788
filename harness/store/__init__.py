"""Runs on disk: append-only, crash-safe, resumable."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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


def __getattr__(name: str) -> Any:
    """Import a part when it is first asked for: who lists runs need not load what is said in them."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

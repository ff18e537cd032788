"""Where work is done: in order, few works at a time, so that whoever asks can go on after any of them."""

from harness.engines.engine import Done, Engine, Work
from harness.engines.grouping import grouped
from harness.engines.local import LocalEngine, processors

__all__ = ["Done", "Engine", "Work", "grouped", "local_engine", "processors"]


def local_engine(jobs: int) -> Engine:
    """Return the engine of this machine, with so many processes; one job is done in this process."""
    return LocalEngine(jobs)

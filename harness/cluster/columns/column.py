"""What a column is."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from harness.cluster.durations import since
from harness.cluster.manifests import Manifest, name

Cell = Callable[[Manifest, datetime], str]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: a cell is made of an object and the present moment; a `wide` one shows if asked for."""

    title: str
    cell: Cell
    wide: bool = False


def of(make: Callable[[Manifest], str]) -> Cell:
    """Return a cell that does not depend on the moment."""
    return lambda value, _: make(value)


def ago(*path: str) -> Cell:
    """Return a cell that says how long ago the time at a path was."""
    return lambda value, now: since(value, now, *path)


NAME = Column("NAME", of(name))
AGE = Column("AGE", ago("metadata", "creationTimestamp"))

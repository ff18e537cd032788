"""Faults planted in copies of files, and the findings by which a lint has to name them."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple, Protocol


class Planted(NamedTuple):
    """What is replaced in which file; the finding it causes, by a text of its line in the changed file."""

    name: str
    file: str
    old: str
    new: str
    clause: str
    line: str
    message: str
    level: str = "error"


class Found(Protocol):
    """A finding, as far as a test compares it."""

    @property
    def clause(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def level(self) -> str: ...
    @property
    def message(self) -> str: ...


def put_in(path: Path, planted: Planted, *, times: int = 1) -> None:
    """Put a fault into a file, in the place of the first `times` occurrences; -1 replaces all."""
    text = path.read_text(encoding="utf-8")
    assert planted.old in text
    path.write_text(text.replace(planted.old, planted.new, times), encoding="utf-8")


def line_of(path: Path, wanted: str) -> int:
    """Return the number of the first line that holds a text."""
    text = path.read_text(encoding="utf-8")
    assert wanted in text
    return text[: text.index(wanted)].count("\n") + 1


def assert_found(planted: Planted, file: str, line: int, found: Iterable[Found]) -> None:
    """Hold that a fault was found under its clause, at its place, at its level."""
    listed = list(found)
    named = [
        (each.clause, each.file, each.line, each.level) for each in listed if planted.message in each.message
    ]
    assert (planted.clause, file, line, planted.level) in named, "\n".join(map(str, listed))

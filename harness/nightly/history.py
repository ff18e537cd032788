"""nights.jsonl: a line added for whatever happened, none ever changed; of a night's the last one counts."""

import fcntl
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from harness.errors import InvalidInput
from harness.nightly.lines import Began, Line, Night, read_line
from harness.store.lines import mend_last_line, read_objects

FOLDER = Path("reports/nightly")
FILE = "nights.jsonl"


@dataclass
class History:
    """What is known of all nights. `notes` are lines that could not be read, for whoever is told."""

    folder: Path
    lines: list[Line] = field(default_factory=list[Line])
    notes: list[str] = field(default_factory=list[str])
    stream: IO[str] | None = None
    """Where lines are added; None where the history is only read."""

    @property
    def file(self) -> Path:
        """The file of lines."""
        return self.folder / FILE

    def nights(self) -> list[Night]:
        """Return the nights by date; of one target, contract and date the last line."""
        nights = [each for each in self.lines if isinstance(each, Night)]
        found = {(each.date, each.target, each.contract): each for each in nights}
        return [each for _, each in sorted(found.items())]

    def of(self, date: str, target: str) -> list[Night]:
        """Return what a target's night came to, contract by contract."""
        return [each for each in self.nights() if (each.date, each.target) == (date, target)]

    def began(self, date: str, target: str) -> str | None:
        """Return the folder of the run that last began for a target that night."""
        runs = [each.run for each in self._begun(date) if each.target == target]
        return runs[-1] if runs else None

    def runs(self, date: str) -> set[Path]:
        """Return the folders of all runs that began that night."""
        return {Path(each.run) for each in self._begun(date)}

    def _begun(self, date: str) -> list[Began]:
        return [each for each in self.lines if isinstance(each, Began) and each.date == date]

    def add(self, lines: Iterable[Line]) -> None:
        """Append lines; they are on disk when this returns."""
        if self.stream is None:
            msg = f"{self.file}: add() to a history that is only read"
            raise ValueError(msg)
        new = list(lines)
        self.stream.write("".join(each.model_dump_json() + "\n" for each in new))
        self.stream.flush()
        os.fsync(self.stream.fileno())
        self.lines += new

    def close(self) -> None:
        """Let others write."""
        if self.stream is not None:
            self.stream.close()
        self.stream = None


def read_history(folder: Path) -> History:
    """Return a history for reading; raise InvalidInput where a later harness wrote it."""
    history = History(folder)
    _read(history)
    return history


def open_history(folder: Path) -> History:
    """Return a history for adding to; a last line that a crash tore is dropped and noted.

    Raises:
        InvalidInput: another process adds to it, or the folder cannot be written.
    """
    history = History(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = history.file.open("a", encoding="utf-8")
    except OSError as error:
        msg = f"{folder}: {error.strerror}; give a folder that can be written"
        raise InvalidInput(msg) from error
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        stream.close()
        msg = f"{history.file}: another process is writing tonight's lines; wait for it"
        raise InvalidInput(msg) from error
    history.stream = stream
    # Only whoever holds the lock may mend: what looks torn may be what another is writing.
    dropped = mend_last_line(history.file)
    if dropped:
        history.notes.append(f"{FILE}: dropped a torn last line of {dropped} bytes")
    _read(history)
    return history


def _read(history: History) -> None:
    for number, value in read_objects(history.file, history.notes.append):
        line = read_line(value, f"{history.file}:{number}")
        if line is None:
            history.notes.append(f"{FILE}:{number}: is no line of a history; ignored")
        else:
            history.lines.append(line)

"""Files of JSON objects, one a line: read past what is torn or foreign, replaced whole or not at all."""

import json
import os
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from typing import Any, cast
from weakref import finalize

from harness.errors import CannotWrite

Note = Callable[[str], None]
"""Hears what a reader is to be told, as a line that was left out."""

BLOCK = 65_536
_USUAL = 8_192
"""Bytes of which most lines have fewer."""


def json_object(line: bytes) -> Mapping[str, Any] | None:
    """Return the JSON object that a line holds, or None where it holds anything else."""
    try:
        value: Any = json.loads(line.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def object_of(line: bytes, path: Path, number: int, note: Note) -> Mapping[str, Any] | None:
    """Return the JSON object of a line of a file; None, and a note, where it holds anything else."""
    value = json_object(line)
    if value is None and line.endswith(b"\n"):
        note(f"{path.name}:{number}: not a JSON object; ignored")
    elif value is None:
        note(f"{path.name}:{number}: a torn last line is ignored")
    return value


def read_objects(path: Path, note: Note) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the objects of a file with their line numbers; note other lines; no file has no lines."""
    for number, _, line in placed_lines(path):
        value = object_of(line, path, number, note)
        if value is not None:
            yield number, value


def placed_lines(path: Path, before: int | None = None) -> Iterator[tuple[int, int, bytes]]:
    """Yield the lines of a file: number, where it begins in bytes, the line; no file has no lines.

    `before` leaves out the lines that begin at this byte or later.
    """
    if not path.is_file():
        return
    with path.open("rb") as stream:
        begins = 0
        for number, line in enumerate(stream, start=1):
            if before is not None and begins >= before:
                return
            yield number, begins, line
            begins += len(line)


class LinesAt:
    """The lines of a file by where they begin; it is opened when the first is asked for, and stays open.

    Forked processes may share it: reading moves no place from which another reads.
    """

    def __init__(self, path: Path) -> None:
        """Name the file; it need not be there yet."""
        self._path = path
        self._file: int | None = None

    def __getitem__(self, begins: int) -> bytes:
        """Return the line that begins at this byte; raise OSError where the file cannot be read."""
        if self._file is None:
            self._file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            finalize(self, os.close, self._file)
        line = os.pread(self._file, _USUAL, begins)
        while not (ends := line.find(b"\n") + 1):
            # Each time twice as much, so that a long line is not put together from many.
            more = os.pread(self._file, len(line), begins + len(line))
            if not more:
                return line
            line += more
        return line[:ends]


def number_of(path: Path, begins: int) -> int:
    """Return the number of the line that begins at this byte."""
    with path.open("rb") as stream:
        return 1 + sum(1 for _ in takewhile(lambda _: stream.tell() <= begins, iter(stream.readline, b"")))


def count_lines(path: Path) -> int:
    """Return how many whole lines a file has; no file has none."""
    if not path.is_file():
        return 0
    with path.open("rb") as stream:
        return sum(block.count(b"\n") for block in iter(lambda: stream.read(BLOCK), b""))


def mend_last_line(path: Path) -> int:
    """End a whole last line that has no line end; drop a torn one, and return how many bytes it had."""
    tail = _after_last_line_end(path)
    if not tail:
        return 0
    if json_object(tail) is not None:
        with path.open("ab") as stream:
            stream.write(b"\n")
        return 0
    os.truncate(path, path.stat().st_size - len(tail))
    return len(tail)


def _after_last_line_end(path: Path) -> bytes:
    if not path.is_file():
        return b""
    size, tail = path.stat().st_size, b""
    with path.open("rb") as stream:
        while len(tail) < size and b"\n" not in tail:
            start = max(size - len(tail) - BLOCK, 0)
            stream.seek(start)
            tail = stream.read(size - len(tail) - start) + tail
    return tail.rpartition(b"\n")[2]


def replace_text(path: Path, text: str) -> None:
    """Put a text in a file's place, whole or not at all; raise CannotWrite where the disk refuses."""
    with drafted(path) as draft, draft.open("w", encoding="utf-8", errors="surrogatepass") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def drafted(path: Path) -> Generator[Path]:
    """Give a draft beside a file, to be written and closed; it takes the file's place, or nothing is left.

    Raises:
        CannotWrite: the disk refuses.
    """
    draft = path.with_name(path.name + ".draft")
    try:
        yield draft
        draft.replace(path)
    except OSError as error:
        _discard(draft)
        raise CannotWrite(path, error) from error
    except BaseException:
        _discard(draft)
        raise


def _discard(draft: Path) -> None:
    with suppress(OSError):
        draft.unlink()

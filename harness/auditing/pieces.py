"""Files in pieces, each small enough to be judged by itself: where each begins and ends."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from harness.auditing.files import is_divisible, read_file, read_lines
from harness.auditing.importing import Imported, Refused

BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole lines of a file, from offset `start` to `end` in bytes; `line` is the number of the first.

    `end` is None for a file that is read at once.
    """

    path: Path
    start: int = 0
    end: int | None = None
    line: int = 1

    @property
    def size(self) -> int:
        """How many bytes it has; of a file that cannot be read none."""
        if self.end is not None:
            return self.end - self.start
        return self.path.stat().st_size if self.path.is_file() else 0


def pieces(paths: Iterable[Path], named: str | None, size: int) -> Iterator[Piece]:
    """Yield the pieces of several files, in order, each of some `size` bytes; a line is never cut."""
    for path in paths:
        if is_divisible(path, named) and path.stat().st_size > size:
            yield from _divided(path, size)
        else:
            yield Piece(path)


def _divided(path: Path, size: int) -> Iterator[Piece]:
    start, line, lines, at = 0, 1, 0, 0
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            begin = 0
            if at + len(block) - start >= size and (last := block.rfind(b"\n")) >= 0:
                begin = last + 1
                lines += block.count(b"\n", 0, begin)
                yield Piece(path, start, at + begin, line)
                start, line, lines = at + begin, line + lines, 0
            lines += block.count(b"\n", begin)
            at += len(block)
    if at > start:
        yield Piece(path, start, at, line)


def read_piece(piece: Piece, named: str | None) -> Iterator[Imported | Refused]:
    """Yield every transcript of a piece, in order, and why a line is none."""
    if piece.end is None:
        return read_file(piece.path, named)
    return read_lines(piece.path, named, piece.start, piece.end, piece.line)

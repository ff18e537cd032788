"""Files in pieces, each small enough to be judged by itself: where each begins and ends."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain

from harness.auditing.files import is_divisible, read_file, read_lines
from harness.auditing.importing import Imported, Refused
from harness.auditing.places import Place, opened, whole_of
from harness.engines import Engine

BLOCK = 1 << 20
"""Bytes in which line ends are counted together; a piece ends with the last line of one."""

BLOCKS = 16
"""How many blocks are counted as one work."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Whole lines of a file, from offset `start` to `end` in bytes; `line` is the number of the first.

    `end` is None for a file that is read at once. `whole` is how many bytes the file had, None if there was
    none.
    """

    path: Place
    whole: int | None
    start: int = 0
    end: int | None = None
    line: int = 1

    @property
    def size(self) -> int:
        """How many bytes it has; of a file that cannot be read none."""
        return (self.whole or 0) if self.end is None else self.end - self.start


@dataclass(frozen=True, slots=True)
class Span:
    """Some blocks of a file, from offset `start` to `end`, each of `block` bytes."""

    path: Place
    start: int
    end: int
    block: int


Block = tuple[int, int, int]
"""Bytes, line ends, and the offset behind the last of them, or 0."""


def pieces(paths: Iterable[Place], named: str | None, size: int, engine: Engine) -> Iterator[Piece]:
    """Yield the pieces of several files, in order, each of some `size` bytes; a line is never cut.

    The engine counts lines, since whoever reads a piece tells the numbers of its lines.
    """
    for path in paths:
        whole = whole_of(path)
        if whole is not None and whole > size and is_divisible(path, named):
            yield from _divided(path, whole, size, engine)
        else:
            yield Piece(path, whole)


def _divided(path: Place, whole: int, size: int, engine: Engine) -> Iterator[Piece]:
    start, line, lines, at = 0, 1, 0, 0
    step = BLOCK * BLOCKS
    spans = (Span(path, each, min(each + step, whole), BLOCK) for each in range(0, whole, step))
    with closing(engine.in_order(blocks, spans)) as found:
        for length, ends, behind in chain.from_iterable(found):
            lines += ends
            if behind and at + length - start >= size:
                yield Piece(path, whole, start, at + behind, line)
                start, line, lines = at + behind, line + lines, 0
            at += length
    if at > start:
        yield Piece(path, whole, start, at, line)


def blocks(span: Span) -> list[Block]:
    """Return the blocks of a span, in order."""
    found: list[Block] = []
    with opened(span.path, span.start, span.end) as stream:
        for at in range(span.start, span.end, span.block):
            read = stream.read(min(span.block, span.end - at))
            found.append((len(read), read.count(b"\n"), read.rfind(b"\n") + 1))
    return found


def read_piece(piece: Piece, named: str | None) -> Iterator[Imported | Refused]:
    """Yield every transcript of a piece, in order, and why a line is none."""
    if piece.end is None:
        return read_file(piece.path, named)
    return read_lines(piece.path, named, piece.start, piece.end, piece.line)

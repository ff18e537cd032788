"""Markdown fences, as CommonMark has them: what stands inside which, and what stands outside."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)?+")
_OPENING = re.compile(r" {0,3}(`{3,}+|~{3,}+)([^\r\n]*+)")
_CLOSING = re.compile(r" {0,3}(`{3,}+|~{3,}+)[ \t]*+[\r\n]*+")


@dataclass(frozen=True, slots=True)
class Fence:
    """One fence: `opened` is where its first line begins, `start` and `end` enclose what it holds."""

    opened: int
    start: int
    end: int
    marker: str
    label: str
    """What stands behind the opening marker, without white space at its end."""
    closed: bool
    after: int
    """The offset behind the closing line."""

    @property
    def accepted(self) -> bool:
        """Whether this is a ```json fence, to the letter."""
        return self.label == "json" and self.marker[0] == "`"


def find_fences(text: str, start: int, end: int) -> tuple[Fence, ...]:
    """Return the fences of this part of a text, in order; one that nothing closes runs to the end."""
    if text.find("```", start, end) < 0 and text.find("~~~", start, end) < 0:
        return ()
    found: list[Fence] = []
    opening: re.Match[str] | None = None
    inside = start
    for line in _lines(text, start, end):
        if opening is None:
            opening = _opening(line)
            inside = line.end()
        elif _closes(line.group(), opening.group(1)):
            found.append(_fence(opening, inside, line.start(), line.end(), closed=True))
            opening = None
    if opening is not None:
        found.append(_fence(opening, inside, end, end, closed=False))
    return tuple(found)


def outside(fences: Sequence[Fence], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches of text before, between and behind the fences."""
    at = start
    for fence in fences:
        yield at, fence.opened
        at = fence.after
    yield at, end


def _lines(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    at = start
    while at < end and (line := _LINE.match(text, at, end)):
        yield line
        at = line.end()


def _opening(line: re.Match[str]) -> re.Match[str] | None:
    opening = _OPENING.match(line.string, line.start(), line.end())
    # Backticks behind the marker make it a code span.
    return None if opening is None or (opening[1][0] == "`" and "`" in opening[2]) else opening


def _closes(line: str, marker: str) -> bool:
    closing = _CLOSING.fullmatch(line)
    return closing is not None and closing[1].startswith(marker)


def _fence(opening: re.Match[str], start: int, end: int, after: int, *, closed: bool) -> Fence:
    return Fence(opening.start(), start, end, opening[1], opening[2].rstrip(), closed, after)

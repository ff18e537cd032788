"""Think blocks and a byte order mark, set aside before anything is read."""

import re
from dataclasses import dataclass

from harness.extraction.findings import finding, offset
from harness.model.extraction import Finding

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
# At the edge of a line a tag is no part of a JSON string, which cannot hold a line break.
_OPENING = re.compile(
    rf"^[ \t]*+<(?:{_NAMES})>|<(?:{_NAMES})>(?=[ \t]*+[\r\n])|(?P<inline><(?:{_NAMES})>)",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSING = re.compile(rf"</(?:{_NAMES})>", re.IGNORECASE)
_LONE_CLOSING = re.compile(rf"</(?:{_NAMES})>(?=[ \t]*+(?:[\r\n{{]|\Z))", re.IGNORECASE)
_SPACE = re.compile(r"\s*+")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message without what the model said to itself; offsets are those of the whole message."""

    text: str
    """The message, thinking overwritten with spaces."""
    unfinished: bool
    """Whether the message is thought to its end: no answer can stand behind a block that nothing closes."""
    findings: tuple[Finding, ...]


def set_thinking_aside(text: str) -> Spoken:
    """Overwrite think blocks and a byte order mark.

    A block begins with the message, at the edge of a line, or before the first brace; there prose may speak of
    the tag as well, so that it has to be closed.
    """
    findings: list[Finding] = []
    spans: list[tuple[int, int]] = []
    at = 0
    if text.startswith("\ufeff"):
        findings.append(finding("byte_order_mark", offset(0), "the message begins with a byte order mark"))
        spans.append((0, 1))
        at = 1
    while opening := _opening(text, at):
        closing = _CLOSING.search(text, opening.end())
        at = closing.end() if closing else len(text)
        spans.append((opening.start(), at))
        detail = f"thinking up to {offset(at)}" if closing else "a think block that nothing closes"
        findings.append(finding("think_block", offset(opening.start()), detail))
        if closing is None:
            return Spoken(_blanked(text, spans), unfinished=True, findings=tuple(findings))
    spoken = _blanked(text, spans)
    end = _end_of_unopened(spoken)
    if end:
        detail = f"thinking up to {offset(end)}, its opening tag missing"
        findings.append(finding("think_block", offset(0), detail))
    return Spoken(_blanked(spoken, [(0, end)]), unfinished=False, findings=tuple(findings))


def _opening(text: str, at: int) -> re.Match[str] | None:
    """Return the next tag that opens a block."""
    blank = _SPACE.match(text, at)
    begin = blank.end() if blank else at
    inline = True
    for opening in _OPENING.finditer(text, at):
        if opening["inline"] is None or opening.start() <= begin:
            return opening
        # What one tag lacks, those behind it lack too.
        inline = inline and text.find("{", at, opening.start()) < 0
        inline = inline and _CLOSING.search(text, opening.end()) is not None
        if inline:
            return opening
    return None


def _end_of_unopened(text: str) -> int:
    """Return the end of a block that a chat template opened on the model's behalf; 0 where there is none."""
    if text.lstrip()[:1] == "{":
        return 0
    opening = _OPENING.search(text)
    closings = list(_LONE_CLOSING.finditer(text, 0, opening.start() if opening else len(text)))
    return closings[-1].end() if closings else 0


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """Return the text with spaces in place of the spans, which are in order and apart."""
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces += [text[at:start], " " * (end - start)]
        at = end
    return "".join([*pieces, text[at:]])

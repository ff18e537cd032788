"""Think blocks, set aside before anything is read."""

import re

from harness.extraction.findings import finding, offset
from harness.model.extraction import Finding
from harness.model.frozen import frozen

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
# At the edge of a line a tag is no part of a JSON string, which cannot hold a line break.
_OPENING = re.compile(
    rf"^[ \t]*+<(?:{_NAMES})>|<(?:{_NAMES})>(?=[ \t]*+[\r\n])|(?P<inline><(?:{_NAMES})>)",
    re.IGNORECASE | re.MULTILINE,
)
_CLOSING = re.compile(rf"</(?:{_NAMES})>", re.IGNORECASE)
_LONE_CLOSING = re.compile(rf"</(?:{_NAMES})>(?=[ \t]*+(?:[\r\n{{]|\Z))", re.IGNORECASE)
# Stands for later thought: an object that it interrupts is no JSON, as it was none before.
_THOUGHT = "\ue000"
_SPACE = re.compile(r"[\s\ufeff]*+")


@frozen
class Spoken:
    """A message without what the model said to itself; offsets are those of the whole message."""

    text: str
    """The message, leading thought overwritten with spaces and later thought with a sign that is no JSON."""
    unfinished: bool
    """Whether the last block is never closed: nothing stands behind it."""
    findings: tuple[Finding, ...]


def set_thinking_aside(text: str) -> Spoken:
    """Overwrite think blocks.

    A block begins with the message, at the edge of a line, or before the first brace; there prose may speak
    of the tag as well, so that it has to be closed.
    """
    if "<" not in text:
        return Spoken(text, unfinished=False, findings=())
    findings: list[Finding] = []
    pieces: list[str] = []
    at = 0
    leading = True
    while opening := _opening(text, at):
        start = opening.start()
        closing = _CLOSING.search(text, opening.end())
        end = closing.end() if closing else len(text)
        leading = leading and start <= _begin(text, at)
        pieces += [text[at:start], (" " if leading else _THOUGHT) * (end - start)]
        detail = f"thinking up to {offset(end)}" if closing else "a think block that nothing closes"
        findings.append(finding("think_block", offset(start), detail))
        at = end
        if closing is None:
            return Spoken("".join(pieces), unfinished=True, findings=tuple(findings))
    spoken = "".join([*pieces, text[at:]])
    end = _end_of_unopened(spoken)
    if end:
        detail = f"thinking up to {offset(end)}, its opening tag missing"
        findings.append(finding("think_block", offset(0), detail))
    return Spoken(" " * end + spoken[end:], unfinished=False, findings=tuple(findings))


def _begin(text: str, at: int) -> int:
    blank = _SPACE.match(text, at)
    return blank.end() if blank else at


def _opening(text: str, at: int) -> re.Match[str] | None:
    """Return the next tag that opens a block."""
    begin = _begin(text, at)
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
    if text.lstrip("\ufeff \t\r\n")[:1] == "{":
        return 0
    opening = _OPENING.search(text)
    closings = list(_LONE_CLOSING.finditer(text, 0, opening.start() if opening else len(text)))
    return closings[-1].end() if closings else 0

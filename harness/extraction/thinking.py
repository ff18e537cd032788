"""Think blocks and a byte order mark, set aside before anything is read."""

import re
from dataclasses import dataclass

from harness.extraction.findings import finding, offset
from harness.model.extraction import Finding

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
_LEADING = re.compile(rf"\s*+<(?:{_NAMES})>", re.IGNORECASE)
# At the edge of a line a tag is no part of a JSON string, which cannot hold a line break.
_ON_A_LINE = re.compile(rf"^[ \t]*+<(?:{_NAMES})>", re.IGNORECASE | re.MULTILINE)
_OPENING = re.compile(rf"<(?:{_NAMES})>", re.IGNORECASE)
_CLOSING = re.compile(rf"</(?:{_NAMES})>", re.IGNORECASE)
_LONE_CLOSING = re.compile(rf"</(?:{_NAMES})>(?=[ \t]*+(?:[\r\n{{]|\Z))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message without what the model said to itself; offsets are those of the whole message."""

    text: str
    """The message, thinking overwritten with spaces."""
    unfinished: bool
    """Whether the message is thought to its end: no answer can stand behind a block that nothing closes."""
    findings: tuple[Finding, ...]


def set_thinking_aside(text: str) -> Spoken:
    """Overwrite think blocks at the beginning of the message or of a line, and a byte order mark."""
    findings: list[Finding] = []
    spans: list[tuple[int, int]] = []
    at = 0
    if text.startswith("\ufeff"):
        findings.append(finding("byte_order_mark", offset(0), "the message begins with a byte order mark"))
        spans.append((0, 1))
        at = 1
    while opening := _LEADING.match(text, at) or _ON_A_LINE.search(text, at):
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

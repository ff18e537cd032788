"""Leading think blocks and a byte order mark, set aside before anything is read."""

import re
from dataclasses import dataclass

from harness.extraction.findings import finding, offset
from harness.model.extraction import Finding

_NAMES = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
_OPENING = re.compile(rf"\s*<(?:{_NAMES})>", re.IGNORECASE)
_CLOSING = re.compile(rf"</(?:{_NAMES})>", re.IGNORECASE)
# A chat template may have opened the block for the model. At the end of a line no JSON string can hold it.
_LONE_CLOSING = re.compile(rf"</(?:{_NAMES})>(?=[ \t]*+(?:[\r\n{{]|\Z))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Spoken:
    """Where the part of a message begins that may hold the answer; None where thinking never ended."""

    start: int | None
    findings: tuple[Finding, ...]


def set_thinking_aside(text: str) -> Spoken:
    """Find the end of what the model said to itself."""
    findings: list[Finding] = []
    start = 0
    if text.startswith("\ufeff"):
        findings.append(finding("byte_order_mark", offset(0), "the message begins with a byte order mark"))
        start = 1
    while opening := _OPENING.match(text, start):
        closing = _CLOSING.search(text, opening.end())
        if closing is None:
            detail = "a think block that never ends; nothing behind it counts as said"
            return Spoken(None, (*findings, finding("think_block", offset(opening.start()), detail)))
        findings.append(finding("think_block", offset(start), f"thinking up to {offset(closing.end())}"))
        start = closing.end()
    if text[start:].lstrip()[:1] != "{":
        for closing in _LONE_CLOSING.finditer(text, start):
            detail = f"thinking up to {offset(closing.end())}, its opening tag missing"
            findings.append(finding("think_block", offset(start), detail))
            start = closing.end()
    return Spoken(start, tuple(findings))

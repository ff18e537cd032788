"""Candidates: the top-level objects of a text, each of which may be the answer."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from harness.extraction import lenient, strict
from harness.extraction.findings import finding, offset, shown
from harness.extraction.lenient import Failure, FailureCause, Reading
from harness.extraction.strict import Json
from harness.model.extraction import Finding

ValueTier = Literal["strict", "json5", "salvage"]

# More objects than this are never one answer, whatever the rest would say.
MAX_CANDIDATES = 100
# How far a code call or a tag may stand from the object it encloses.
_REACH = 200


@dataclass(frozen=True, slots=True)
class Candidate:
    """One object, or what was meant to be one: `value` is None where `failure` tells why not."""

    start: int
    end: int
    value: dict[str, Json] | None
    tier: ValueTier
    findings: tuple[Finding, ...]
    failure: FailureCause | None = None
    carrier: str = ""
    """What was found right around it: "array", "string", "tag", "code_argument"; else ""."""


def unreadable(start: int, end: int, cause: FailureCause) -> Candidate:
    """Return a candidate that is no readable object, with the finding that says so."""
    names = {"malformed": "malformed_json", "truncated": "truncated_json", "too_deep": "too_deep"}
    details = {
        "malformed": "an object begins here that cannot be read",
        "truncated": "an object begins here that never ends",
        "too_deep": f"an object begins here that is nested deeper than {strict.MAX_DEPTH}",
    }
    return Candidate(start, end, None, "strict", (finding(names[cause], offset(start), details[cause]),), cause)


def parse(text: str, start: int, end: int) -> tuple[Json, ValueTier, tuple[Finding, ...]] | Failure:
    """Read a stretch of text that is one value, strictly if that is possible."""
    loaded = strict.load(text[start:end])
    if loaded is not None and strict.deeper_than(loaded.value, strict.MAX_DEPTH):
        return Failure(start, "too_deep")
    if loaded is not None and not loaded.suspect:
        return loaded.value, "strict", ()
    reading = lenient.read_value(text, start, end)
    if isinstance(reading, Failure):
        return reading
    if lenient.skip_space(text, reading.end, end, comments=False) < end:
        return Failure(reading.end, "malformed")
    if loaded is not None:
        return loaded.value, "strict", reading.findings
    return reading.value, "json5" if reading.json5 else "salvage", reading.findings


def whole(text: str, start: int, end: int) -> tuple[Candidate, ...]:
    """Return the candidates of a stretch that is one JSON value; none where it is anything else."""
    if text[start : start + 1] not in set("{[\"'"):
        return ()
    parsed = parse(text, start, end)
    if isinstance(parsed, Failure):
        # An object that breaks off or sinks too deep fills the stretch all the same; others may be prose.
        ...
        return ()
    value, tier, found = parsed
    return tuple(_unwrapped(Candidate(start, end, None, tier, found), value, depth=0))


def _unwrapped(blank: Candidate, value: Json, depth: int) -> Iterator[Candidate]:
    """Yield the objects that a value is, or wraps in an array or a string."""
    if isinstance(value, dict):
        yield replace(blank, value=value)
    elif depth > 2:
        return
    elif isinstance(value, list) and value and all(isinstance(each, dict | str) for each in value):
        ...

"""Candidates: the top-level objects of a text, each of which may be the answer."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from harness.extraction import lenient, strict
from harness.extraction.findings import finding, offset, shown
from harness.extraction.lenient import SMART_QUOTES, FailureCause, Reading
from harness.extraction.strict import Json
from harness.model.extraction import Finding
from harness.model.frozen import frozen

ValueTier = Literal["strict", "json5", "salvage"]
Home = Literal["strict", "fence", "embedded"]

# So many objects are never one answer, whatever the rest of the text would add.
MAX_CANDIDATES = 100
# An array in a string in an array is looked into; nobody means more than that.
_MAX_WRAPPINGS = 3
# How far a code call or a tag may reach from the object that it encloses.
_REACH = 200


@frozen
class Candidate:
    """One object, or what was meant to be one: then `value` is None and `failure` tells why."""

    start: int
    end: int
    value: dict[str, Json] | None
    tier: ValueTier
    findings: tuple[Finding, ...] = ()
    carrier: str = ""
    """What encloses it: "bare", "fence", "array", "tag", ...; "" until that is known."""
    home: Home = "embedded"
    failure: FailureCause | None = None

    def found_in(self, carrier: str, home: Home, *findings: Finding) -> "Candidate":
        """Return the candidate with its place, unless a closer one is known already."""
        where, tier = (self.carrier, self.home) if self.carrier else (carrier, home)
        found = (*findings, *self.findings)
        return Candidate(self.start, self.end, self.value, self.tier, found, where, tier, self.failure)


def unreadable(start: int, end: int, cause: FailureCause) -> Candidate:
    """Return a candidate that cannot be read, with the finding that says so."""
    name, detail = {
        "malformed": ("malformed_json", "an object begins here that cannot be read"),
        "truncated": ("truncated_json", "an object begins here that never ends"),
        "too_deep": ("too_deep", f"an object begins here that is nested deeper than {strict.MAX_DEPTH}"),
    }[cause]
    return Candidate(start, end, None, "strict", (finding(name, offset(start), detail),), failure=cause)


def whole(text: str, start: int, end: int) -> tuple[Candidate, ...]:
    """Return the objects of a stretch that is one JSON value and nothing else; none where it is not."""
    if text[start:end][:1] not in {"{", "[", '"', "'"}:
        return ()
    return tuple(_unwrapped(text, start, end, nested=0))


def scan(text: str, start: int, end: int) -> Iterator[Candidate]:
    """Yield the top-level objects within a text, in order, in time linear in its length.

    An object is never looked for inside another one, readable or not. Empty objects are prose
    (`emptyDir: {}`), and so are braces without a key behind them (`{namespace}`, `{job="x"}`) or with a bare
    one that leads nowhere.
    """
    at = start
    for _ in range(MAX_CANDIDATES):
        candidate, at = _next(text, at, end)
        if candidate is None:
            return
        yield _enclosed(text, start, end, candidate)


_STARTS = re.compile(
    rf"""\{{(?=\s{{0,99}}+(?:["'{SMART_QUOTES}]|[^\W\d][\w$]{{0,99}}+\s{{0,99}}+:|//|/\*|\Z))""",
)
_QUOTED_KEY = re.compile(
    r"""\{\s{0,99}+(?:"[^"]{0,200}+"|'[^']{0,200}+'|[“”„][^“”„{}]{0,200}+[“”„])\s{0,99}+:"""
)
_STRING_OR_BRACE = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}]', re.DOTALL)
_CALL = re.compile(r"([^\W\d][\w.]*+)\((?:[^(){}\r\n]*,)?\s*(?:\w+\s*=\s*)?\Z")
_CALL_END = re.compile(r"\s*+(?:,[^(){}\r\n]*+)?\)")
_ARRAY = re.compile(r"\[\s*\Z")
_ARRAY_END = re.compile(r"\s*+,?\s*+\]")
_TAG = re.compile(r"<([^\W\d][\w:-]*+)(?:\s[^<>]*)?>\s*\Z")


def _next(text: str, at: int, end: int) -> tuple[Candidate | None, int]:
    """Return the next object at or behind an offset, and where to go on."""
    while opening := _STARTS.search(text, at, end):
        start = opening.start()
        reading = lenient.read_value(text, start, end)
        if isinstance(reading, Reading):
            at = reading.end
            value, tier = _read(text, start, reading)
            if isinstance(value, dict) and value:
                return Candidate(start, at, value, tier, reading.findings), at
        elif reading.cause == "malformed" and not _QUOTED_KEY.match(text, start, end):
            # Whatever was open at the failure fails there too, so nothing is lost by going on behind it.
            at = max(reading.at, start + 1)
        else:
            at = end if reading.cause == "truncated" else _balanced(text, start, end)
            return unreadable(start, at, reading.cause), at
    return None, end


def _balanced(text: str, start: int, end: int) -> int:
    """Return the offset behind the brace that closes the one at `start`, or the end."""
    depth = 0
    for token in _STRING_OR_BRACE.finditer(text, start, end):
        depth += {"{": 1, "}": -1}.get(token.group(), 0)
        if depth == 0:
            return token.end()
    return end


def _read(text: str, start: int, reading: Reading) -> tuple[Json, ValueTier]:
    """Return what a reading is worth: json.loads decides what is strict."""
    loaded = strict.load(text[start : reading.end])
    if loaded is not None:
        return loaded.value, "strict"
    return reading.value, "json5" if reading.json5 else "salvage"


def _enclosed(text: str, start: int, end: int, candidate: Candidate) -> Candidate:
    """Return the candidate with what stands right around it: array, code call or tag, in any nesting."""
    inner, outer = candidate.start, candidate.end
    for _ in range(3):
        before = text[max(start, inner - _REACH) : inner]
        if (opening := _ARRAY.search(before)) and (closing := _ARRAY_END.match(text, outer, end)):
            carrier, name, detail = "array", "one_element_array", "an array stands around the object"
        elif (opening := _CALL.search(before)) and (closing := _CALL_END.match(text, outer, end)):
            carrier, name = "code_argument", "code_argument"
            detail = f"the object is an argument of {shown(opening[1])}"
        elif (opening := _TAG.search(before)) and (closing := _tag_end(opening[1]).match(text, outer, end)):
            carrier, name, detail = "tag", "in_tag", f"the object stands in the tag {shown(opening[1])}"
        else:
            break
        inner, outer = inner - len(before) + opening.start(), closing.end()
        candidate = candidate.found_in(carrier, "embedded", finding(name, offset(inner), detail))
    return candidate


def _tag_end(name: str) -> re.Pattern[str]:
    return re.compile(rf"\s*+</{re.escape(name)}\s*+>")


def _unwrapped(text: str, start: int, end: int, nested: int) -> Iterator[Candidate]:
    """Yield the objects that a text is, or holds in an array or in a string."""
    piece = text[start:end]
    loaded = strict.load(piece)
    if loaded is not None and not loaded.suspect and not strict.too_deep(piece, loaded.value):
        if isinstance(loaded.value, dict):
            yield Candidate(start, end, loaded.value, "strict")
        else:
            yield from _objects(Candidate(start, end, None, "strict"), loaded.value, nested)
        return
    reading = lenient.read_value(text, start, end)
    if isinstance(reading, Reading) and not text[reading.end : end].strip(strict.WHITESPACE):
        value, tier = _read(text, start, reading)
        yield from _objects(Candidate(start, end, None, tier, reading.findings), value, nested)


def _objects(blank: Candidate, value: Json, nested: int) -> Iterator[Candidate]:
    if isinstance(value, dict):
        yield replace(blank, value=value)
    elif isinstance(value, list) and len(value) == 1 and nested < _MAX_WRAPPINGS:
        found = finding("one_element_array", "", "an array stands around the object")
        yield from _objects(blank.found_in("array", "embedded", found), value[0], nested + 1)
    elif isinstance(value, list) and all(isinstance(each, dict) for each in value):
        for each in value[:MAX_CANDIDATES]:
            yield from _objects(blank.found_in("array", "embedded"), each, nested)
    elif isinstance(value, str) and nested < _MAX_WRAPPINGS:
        found = finding("string_holding_json", "", "the object is written into a JSON string")
        inner = value.strip()
        for each in _unwrapped(inner, 0, len(inner), nested + 1):
            outer = blank.found_in("string", "embedded", found, *each.findings)
            yield replace(outer, value=each.value, tier=each.tier)

"""An answer written as `# field_name` headers, each with a value below it, instead of as one object."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from harness.extraction import lenient, strict
from harness.extraction.candidates import Candidate, ValueTier, scan, unreadable
from harness.extraction.fences import Fence, find_fences, outside
from harness.extraction.findings import finding, offset, pointer
from harness.extraction.lenient import Failure
from harness.extraction.strict import Json
from harness.model.extraction import Finding

_HEADER = re.compile(r"^#{1,6}[ \t]++([a-z][a-z0-9]*+(?:_[a-z0-9]++)*+)[ \t]*+:?[ \t\r]*+$", re.MULTILINE)
# No contract has a third as many fields.
_MAX_HEADERS = 50
_RANK: dict[ValueTier, int] = {"strict": 0, "json5": 1, "salvage": 2}

_Body = tuple[Json, ValueTier, tuple[Finding, ...]]


def read_sections(text: str, start: int, end: int, fences: Sequence[Fence]) -> Candidate | None:
    """Return the object that the headers spell, or None where they are only a document's headings.

    They spell one where two or more are written like keys, one of these has an underscore, and an object
    stands below one of them. Plain text below a header is a string.
    """
    found = (
        match for begin, stop in outside(fences, start, end) for match in _HEADER.finditer(text, begin, stop)
    )
    headers = list(islice(found, _MAX_HEADERS + 1))
    if not 2 <= len(headers) <= _MAX_HEADERS or not any("_" in match[1] for match in headers):
        return None
    if any(each.value for each in scan(text, start, headers[0].start())):
        return None
    return _spelled(text, headers, end)


def _spelled(text: str, headers: Sequence[re.Match[str]], end: int) -> Candidate | None:
    value: dict[str, Json] = {}
    tiers: set[ValueTier] = set()
    first = headers[0].start()
    carrier = finding("section_headers", offset(first), f"{len(headers)} headers stand where keys belong")
    findings = [carrier]
    for header, behind in zip(headers, [*(each.start() for each in headers[1:]), end], strict=True):
        body = _body(text, header.end(), behind)
        if isinstance(body, Failure):
            return unreadable(header.start(), end, body.cause).found_in(
                "section_headers", "embedded", carrier
            )
        name, (found, tier, liberties) = header[1], body
        if name in value:
            findings.append(
                finding("duplicate_key", pointer([name]), "the header occurs again; the last one is read")
            )
        value[name] = found
        tiers.add(tier)
        findings.extend(replace(each, place=pointer([name]) + each.place) for each in liberties)
    if not any(isinstance(found, dict) for found in value.values()):
        return None
    tier = max(tiers, key=_RANK.__getitem__)
    return Candidate(first, end, value, tier, tuple(findings), "section_headers")


def _body(text: str, start: int, end: int) -> _Body | Failure:
    """Read what stands below one header: a value, fenced or not, else plain text."""
    start, end = strict.stripped(text, start, end)
    fences = find_fences(text, start, end)
    if len(fences) == 1 and (fences[0].opened, fences[0].after) == (start, end):
        start, end = strict.stripped(text, fences[0].start, fences[0].end)
    loaded = strict.load(text[start:end])
    if (
        loaded is not None
        and not loaded.suspect
        and not strict.deeper_than(loaded.value, strict.MAX_DEPTH - 1)
    ):
        return loaded.value, "strict", ()
    reading = lenient.read_value(text, start, end)
    if not isinstance(reading, Failure) and reading.end == end:
        return (
            reading.value,
            "strict" if loaded else "json5" if reading.json5 else "salvage",
            reading.findings,
        )
    if text.startswith(("{", "["), start, end):
        return reading if isinstance(reading, Failure) else Failure(reading.end, "malformed")
    return text[start:end], "strict", ()

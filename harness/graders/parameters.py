"""Are the workflow's parameters complete, declared, rightly typed and about the right resource?"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from harness.graders.seen import definitions, the_choice, the_scenario
from harness.model import Finding, Sample, Score, not_applicable, unscored, verdict

_SECRET = re.compile(r"passw(or)?d|token|secret|credential|api_?key|private_?key", re.IGNORECASE)
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str, "integer": int, "number": (int, float), "boolean": bool,
}  # fmt: skip


def complete(sample: Sample) -> Score:
    """Every required parameter is sent, in exact case, and no undeclared one (PAR-1)."""
    known = _known(sample)
    if isinstance(known, Score):
        return known
    declared, sent, place = known
    found = [
        Finding("a required parameter is missing", f"{place}/{name}", "required", None)
        for name, each in declared.items()
        if each.get("required") and name not in sent
    ]
    found += [
        Finding("the workflow declares no such parameter", f"{place}/{name}", sorted(declared), value)
        for name, value in sent.items()
        if name not in declared
    ]
    return verdict(found)


def constrained(sample: Sample) -> Score:
    """Values keep type, enum, minimum, maximum, pattern and depends_on (PAR-2)."""
    known = _known(sample)
    if isinstance(known, Score):
        return known
    declared, sent, place = known
    judged = {name: value for name, value in sent.items() if name in declared}
    if not judged:
        return not_applicable("no declared parameter is sent")
    return verdict(
        [
            found
            for name, value in judged.items()
            for found in _breaches(declared[name], value, sent, f"{place}/{name}")
        ]
    )


def about_the_resource(sample: Sample) -> Score:
    """Parameters that name the resource name the right one; a default is always acceptable (PAR-3)."""
    known = _known(sample)
    if isinstance(known, Score):
        return known
    declared, sent, place = known
    right = the_scenario(sample).expect.parameters
    judged = {name: value for name, value in sent.items() if name in right and name in declared}
    if not judged:
        return not_applicable("no parameter with an expected value is sent")
    return verdict(
        [
            Finding("not an accepted value", f"{place}/{name}", right[name], value)
            for name, value in judged.items()
            if not any(_same(value, each) for each in [*right[name], declared[name].get("default")])
        ]
    )


def no_secrets(sample: Sample) -> Score:
    """No undeclared parameter that looks like a secret (PAR-4)."""
    known = _known(sample)
    if isinstance(known, Score):
        return known
    declared, sent, place = known
    return verdict(
        [
            Finding("an undeclared secret", f"{place}/{name}", None, "(not shown)")
            for name in sent
            if name not in declared and _SECRET.search(name)
        ]
    )


Known = tuple[Mapping[str, Mapping[str, Any]], Mapping[str, Any], str]


def _known(sample: Sample) -> Known | Score:
    """Return (declared, sent, place), or why the parameters cannot be judged."""
    choice = the_choice(sample)
    declared = definitions(sample, choice)
    if declared is None:
        if not sample.transcript.shows_tools or sample.scenario is None:
            return unscored("the workflow's parameter definitions are not known")
        return not_applicable("the catalog has no such workflow; see SEL-1")
    if choice.sent is None:
        return not_applicable("the parameters cannot be read; see CAR-3")
    return declared, choice.sent, f"{choice.place}/parameters"


def _breaches(
    declared: Mapping[str, Any], value: Any, sent: Mapping[str, Any], place: str
) -> Iterator[Finding]:
    kind = str(declared.get("type", "string"))
    if not _is(kind, value):
        yield Finding("not of the declared type", place, kind, value)
        return
    allowed = declared.get("enum")
    if allowed and not any(_same(value, each) for each in allowed):
        yield Finding("not an allowed value", place, allowed, value)
    low, high, pattern = (declared.get(name) for name in ("minimum", "maximum", "pattern"))
    if low is not None and isinstance(value, int | float) and value < low:
        yield Finding("below the minimum", place, low, value)
    if high is not None and isinstance(value, int | float) and value > high:
        yield Finding("above the maximum", place, high, value)
    if pattern and isinstance(value, str) and not _matches(str(pattern), value):
        yield Finding("does not match the pattern", place, pattern, value)
    for other in declared.get("depends_on") or ():
        if other not in sent:
            yield Finding(f"needs {other}, which is not sent", place, other, None)


def _is(kind: str, value: Any) -> bool:
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES.get(kind, object))


def _same(value: Any, right: Any) -> bool:
    """Compare without taking 1 for True; 5.0 equals 5."""
    return isinstance(value, bool) == isinstance(right, bool) and value == right


def _matches(pattern: str, value: str) -> bool:
    try:
        return re.search(pattern, value[:10_000]) is not None
    except re.error:
        return True  # a broken pattern is the catalog's fault, which lint reports; it breaks nobody's clause

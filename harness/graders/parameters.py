"""Are the workflow's parameters complete, declared, rightly typed and about the right resource?"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

from harness.graders.seen import (
    Definition,
    definitions,
    inside,
    the_choice,
    the_scenario,
    undeclared_parameters,
)
from harness.graders.showing import secret_like
from harness.model import Expectation, Finding, Sample, Score, not_applicable, unscored, verdict

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
        Finding("a required parameter is missing", inside(place, name), "required", None)
        for name, each in declared.items()
        if each.get("required") is True and name not in sent
    ]
    found += [
        Finding("the workflow declares no such parameter", inside(place, name), sorted(declared), value)
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
            for found in _breaches(declared[name], value, sent, inside(place, name))
        ]
    )


def about_the_resource(sample: Sample) -> Score:
    """Parameters that name the resource name the right one; a default is always acceptable (PAR-3)."""
    known = _known(sample)
    if isinstance(known, Score):
        return known
    declared, sent, place = known
    expect = the_scenario(sample).expect
    judged = [
        (name, value, right)
        for name, value in sent.items()
        if name in declared and (right := _accepted(expect, name))
    ]
    if not judged:
        return not_applicable("no parameter with an expected value is sent")
    return verdict(
        [
            Finding("not an accepted value", inside(place, name), right, value)
            for name, value, right in judged
            if not any(_same(value, each) for each in right) and not _is_default(declared[name], value)
        ]
    )


def no_secrets(sample: Sample) -> Score:
    """No undeclared parameter that looks like a secret (PAR-4)."""
    choice = the_choice(sample)
    if choice.sent is None:
        return not_applicable("the parameters cannot be read; see CAR-3")
    suspected = [name for name in choice.sent if secret_like(name)]
    undeclared = undeclared_parameters(sample, choice) if suspected else choice.sent
    if undeclared is None:
        return unscored("the workflow's parameter definitions are not known")
    place = f"{choice.place}/parameters"
    return verdict(
        [
            Finding("an undeclared secret", inside(place, name), None, undeclared[name])
            for name in suspected
            if name in undeclared
        ]
    )


Known = tuple[Mapping[str, Definition], Mapping[str, Any], str]


def _known(sample: Sample) -> Known | Score:
    """Return (declared, sent, place), or why the parameters cannot be judged."""
    choice = the_choice(sample)
    if choice.sent is None:
        return not_applicable("the parameters cannot be read; see CAR-3")
    declared = definitions(sample, choice)
    if declared is not None:
        return declared, choice.sent, f"{choice.place}/parameters"
    if not isinstance(choice.id, str):
        return not_applicable("the id cannot be read; see CAR-3")
    if sample.scenario is None:
        return unscored("the workflow's parameter definitions are not known")
    return not_applicable("the catalog has no such workflow; see SEL-1")


def _breaches(declared: Definition, value: Any, sent: Mapping[str, Any], place: str) -> Iterator[Finding]:
    for other in declared.get("depends_on") or ():
        if other not in sent:
            yield Finding(f"needs {other}, which is not sent", place, other, None)
    kind = declared.get("type", "")
    if not _is(kind, value):
        yield Finding("not of the declared type", place, kind, value)
        return
    allowed: Sequence[Any] | None = declared.get("enum")
    if allowed and not any(_same(value, each) for each in allowed):
        yield Finding("not an allowed value", place, allowed, value)
    low, high, pattern = (declared.get(name) for name in ("minimum", "maximum", "pattern"))
    if low is not None and isinstance(value, int | float) and value < low:
        yield Finding("below the minimum", place, low, value)
    if high is not None and isinstance(value, int | float) and value > high:
        yield Finding("above the maximum", place, high, value)
    if pattern and isinstance(value, str) and not _search(pattern)(value):
        yield Finding("does not match the pattern", place, pattern, value)


def _is(kind: str, value: Any) -> bool:
    if kind not in _TYPES:
        return True  # a type that we do not know binds nobody; lint reports it
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])


def _same(value: Any, right: Any) -> bool:
    """Compare without taking 1 for True; 5.0 equals 5."""
    return isinstance(value, bool) == isinstance(right, bool) and value == right


def _is_default(declared: Definition, value: Any) -> bool:
    return declared.get("default") is not None and _same(value, declared["default"])


@lru_cache(maxsize=1024)
def _search(pattern: str) -> Callable[[str], bool]:
    """Return the search for a pattern, in time linear in the value whatever the catalog's author wrote.

    Pydantic's engine never backtracks and, as JSON Schema wants it, takes `$` for the very end. What it
    cannot do (looking around, backreferences) is left to Python's where that cannot run away either; a
    pattern that nobody can search breaks nobody's clause, and lint reports it.
    """
    from pydantic import Field, TypeAdapter, ValidationError
    from pydantic_core import SchemaError

    try:
        text = TypeAdapter[str](Annotated[str, Field(pattern=pattern)])
    except SchemaError:
        return _backtracking(pattern)

    def found(value: str) -> bool:
        try:
            text.validate_python(value)
        except ValidationError:
            return False
        return True

    return found


_RUNS_AWAY = re.compile(r"\)[*+?{]|(?:[*+}].*){3}", re.DOTALL)
_MAX_BACKTRACKED = 256


def _backtracking(pattern: str) -> Callable[[str], bool]:
    try:
        compiled = None if _RUNS_AWAY.search(pattern) else re.compile(pattern)
    except re.error:
        compiled = None
    return lambda value: compiled is None or compiled.search(value[:_MAX_BACKTRACKED]) is not None


def _accepted(expect: Expectation, name: str) -> Sequence[Any]:
    """Return what a parameter may be: what the scenario says, else what its name takes from the targets."""
    if name in expect.parameters:
        return expect.parameters[name]
    wanted = name.replace("_", "").lower().removeprefix("target").removeprefix("resource")
    found: list[str] = []
    for target in expect.targets:
        *before, kind, own = target.split("/")
        if wanted == "namespace" and before:
            found.append(before[0])
        if wanted in {"name", f"{kind.lower()}name"}:
            found.append(own)
    return found

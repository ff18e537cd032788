"""Are the workflow's parameters complete, declared, rightly typed and about the right resource?"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from harness.extraction.plain_schema import Allows, plain
from harness.graders.seen import (
    Definition,
    definitions,
    inside,
    the_choice,
    the_scenario,
    undeclared_parameters,
)
from harness.graders.showing import secret_like
from harness.model import Expectation, Finding, Sample, Score, canonical, not_applicable, unscored, verdict
from harness.model.remembering import once_per_object
from harness.model.sample import once

_TYPES = frozenset({"string", "integer", "number", "boolean"})
_REASONS: Mapping[str, str] = {
    "type": "not of the declared type",
    "enum": "not an allowed value",
    "minimum": "below the minimum",
    "maximum": "above the maximum",
    "pattern": "does not match the pattern",
}
"""The keywords of a definition that JSON Schema has too, and what breaking them is called."""


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
    return verdict(list(_breaches(declared, sent, judged, place)))


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
    if suspected and not isinstance(choice.id, str):
        return not_applicable("the id cannot be read; see CAR-3")
    undeclared = undeclared_parameters(sample) if suspected else choice.sent
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


@once
def _known(sample: Sample) -> Known | Score:
    """Return (declared, sent, place), or why the parameters cannot be judged."""
    choice = the_choice(sample)
    if choice.sent is None:
        return not_applicable("the parameters cannot be read; see CAR-3")
    declared = definitions(sample)
    if declared is not None:
        return declared, choice.sent, f"{choice.place}/parameters"
    if not isinstance(choice.id, str):
        return not_applicable("the id cannot be read; see CAR-3")
    if sample.scenario is None:
        return unscored("the workflow's parameter definitions are not known")
    return not_applicable("the catalog has no such workflow; see SEL-1")


def _breaches(
    declared: Mapping[str, Definition], sent: Mapping[str, Any], judged: Mapping[str, Any], place: str
) -> Iterator[Finding]:
    broken = _against_schema(declared, judged)
    for name, value in judged.items():
        at = inside(place, name)
        for other in declared[name].get("depends_on") or ():
            if other not in sent:
                yield Finding(f"needs {other}, which is not sent", at, other, None)
        keywords = broken.get(name, [])
        # A value of another type may break what else is declared, too: that is no second breach.
        for keyword in ["type"] if "type" in keywords else keywords:
            yield Finding(_REASONS[keyword], at, declared[name][keyword], value)


def _against_schema(declared: Mapping[str, Definition], judged: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the keywords of JSON Schema that each value breaks, in the order of _REASONS."""
    if all(_allowed_by(declared[name])(value) for name, value in judged.items()):
        return {}
    from harness.extraction.json_schema import breaches

    found: dict[str, list[str]] = {}
    for each in breaches(_compiled(canonical(declared)), judged) or ():
        found.setdefault(str(each.path[0]), []).append(str(each.validator))
    return found


def _allowed_by(definition: Definition) -> Allows:
    """Return what tells whether a value surely keeps a definition, as most values do."""
    said = definition.get
    return _allows(said("type"), tuple(said("enum") or ()), said("minimum"), said("maximum"), said("pattern"))


@lru_cache(maxsize=4096)
def _allows(kind: Any, enum: tuple[Any, ...], minimum: Any, maximum: Any, pattern: Any) -> Allows:
    said = {"type": kind, "enum": enum, "minimum": minimum, "maximum": maximum, "pattern": pattern}
    return plain(_schema({keyword: value for keyword, value in said.items() if value is not None}))


@lru_cache(maxsize=1024)
def _compiled(declared: str) -> Any:
    """Return the validator of an entry's parameters, made once for each spelling of an entry."""
    from harness.extraction.json_schema import compiled

    definitions: dict[str, Definition] = json.loads(declared)
    schema = {"properties": {name: _schema(each) for name, each in definitions.items()}}
    validator = compiled(schema)
    if validator is None:
        msg = f"no JSON Schema was made of the definitions {declared[:200]!r}"
        raise ValueError(msg)
    return validator


def _schema(definition: Definition) -> dict[str, Any]:
    """Return a definition as JSON Schema has it.

    A type that we do not know binds nobody, and neither does a list of no allowed values; lint reports them.
    """
    found = {keyword: definition[keyword] for keyword in _REASONS if keyword in definition}
    if found.get("type") not in _TYPES:
        found.pop("type", None)
    if not found.get("enum"):
        found.pop("enum", None)
    return found


def _same(value: Any, right: Any) -> bool:
    """Compare without taking 1 for True; 5.0 equals 5."""
    return isinstance(value, bool) == isinstance(right, bool) and value == right


def _is_default(declared: Definition, value: Any) -> bool:
    return declared.get("default") is not None and _same(value, declared["default"])


def _accepted(expect: Expectation, name: str) -> Sequence[Any]:
    """Return what a parameter may be: what the scenario says, else what its name takes from the targets."""
    if name in expect.parameters:
        return expect.parameters[name]
    wanted = name.replace("_", "").lower().removeprefix("target").removeprefix("resource")
    return _of_targets(expect).get(wanted, ())


@once_per_object(2048)
def _of_targets(expect: Expectation) -> Mapping[str, Sequence[str]]:
    """Return what the targets say, by what a parameter's name may ask for."""
    found: dict[str, list[str]] = {}
    for target in expect.targets:
        *before, kind, own = target.split("/")
        if before:
            found.setdefault("namespace", []).append(before[0])
        for asked in dict.fromkeys(("name", f"{kind.lower()}name")):
            found.setdefault(asked, []).append(own)
    return found

"""What one contract demands differently from another, and what that means for what was right before.

Each difference is judged from the side of an answer, a search, a tool result or a prompt that is right
under the old contract: *breaking*, none of them is right under the new one; *tightening*, some are not;
*loosening*, all still are; *renamed*, all mean the same in another spelling.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

from harness.contracts.clauses import clause
from harness.contracts.schemas.tree import Schema, flat, inlined
from harness.model import Contract

Kind = Literal["breaking", "tightening", "loosening", "renamed"]
Subject = Literal["flow", "answer", "search", "result", "vocabulary", "meaning", "clauses", "prompt"]

KINDS: tuple[Kind, ...] = ("breaking", "tightening", "renamed", "loosening")
MEANING: dict[Kind, str] = {
    "breaking": "nothing that was right stays right",
    "tightening": "some of what was right no longer is",
    "renamed": "what was right means the same in another spelling",
    "loosening": "what was right stays right, and more is",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs; `place` is a place of the old contract, or of the new where it is new there."""

    subject: Subject
    kind: Kind
    place: str
    says: str


class _Field(NamedTuple):
    """One place of a JSON Schema and what may stand there."""

    required: bool
    types: frozenset[str]
    allowed: frozenset[str] | None
    bounds: Mapping[str, float | int]
    pattern: str | None


def differences(old: Contract, new: Contract) -> list[Difference]:
    """Return everything in which two contracts differ, breaking ones first."""
    found = [
        *_flow(old, new),
        *_answers(old, new),
        *_searches(old, new),
        *_results(old, new),
        *_vocabularies(old, new),
        *_meanings(old, new),
        *_clauses(old, new),
        *_prompts(old, new),
    ]
    return sorted(found, key=lambda each: KINDS.index(each.kind))


def to_bless_again(old: Contract, new: Contract, found: Sequence[Difference]) -> list[str]:
    """Return what was accepted under the old contract and says nothing of the new one."""
    subjects = {each.subject for each in found}
    if not found:
        return []
    made = [f"golden/schemas/{new.id}.json"] if subjects & {"answer"} else []
    made += [f"golden/prompts/{new.id}/"] if subjects & {"prompt", "search", "vocabulary", "meaning"} else []
    made += [f"golden/answers/{new.id}/", f"golden/cassettes/{new.id}/"]
    return [
        *made,
        f"every baseline of {old.id}: its digest is another, and `harness gate` refuses to compare",
    ]


def _flow(old: Contract, new: Contract) -> Iterator[Difference]:
    if old.flow != new.flow:
        yield Difference("flow", "breaking", "flow", f"takes {new.flow} scenarios, not {old.flow}")


def _answers(old: Contract, new: Contract) -> Iterator[Difference]:
    names = [(old.places[name], new.places[name]) for name in old.places if name in new.places]
    before, after = (_fields(inlined(each.response)) for each in (old, new))
    spelled = _respelled(before, names, (old.result.fields["id"], new.result.fields["id"]))
    yield from _compared("answer", before, after, spelled)


def _searches(old: Contract, new: Contract) -> Iterator[Difference]:
    if old.catalog_tool is None or new.catalog_tool is None:
        if old.catalog_tool is not new.catalog_tool:
            gone = new.catalog_tool is None
            how = "the catalog comes with the prompt" if gone else "the catalog has to be searched"
            yield Difference("search", "breaking", "catalog tool", how)
        return
    if old.catalog_tool.name != new.catalog_tool.name:
        yield Difference("search", "renamed", old.catalog_tool.name, f"is {new.catalog_tool.name}")
    names = [(f"/{wire}", f"/{new.labels[name]}") for name, wire in old.labels.items() if name in new.labels]
    before, after = (_fields(dict(each.parameters)) for each in (old.catalog_tool, new.catalog_tool))
    yield from _compared("search", before, after, _respelled(before, names, ("", "")))
    if old.query_word != new.query_word:
        if new.query_word:
            yield Difference("search", "breaking", "query", f"has to hold the word {new.query_word!r}")
        else:
            yield Difference("search", "loosening", "query", f"need not hold the word {old.query_word!r}")
    if new.query_leads and not old.query_leads:
        yield Difference("search", "breaking", "query", "has to begin with signal type and severity")
    if old.query_leads and not new.query_leads:
        yield Difference("search", "loosening", "query", "need not begin with signal type and severity")


def _results(old: Contract, new: Contract) -> Iterator[Difference]:
    if old.result.list_key != new.result.list_key:
        yield Difference("result", "renamed", old.result.list_key, f"is {new.result.list_key}")
    if old.result.parameters != new.result.parameters:
        says = f"are an {new.result.parameters}" if new.result.parameters == "array" else "are a map by name"
        yield Difference("result", "breaking", "parameter definitions", says)
    if old.result.total_key != new.result.total_key:
        yield _total(old.result.total_key, new.result.total_key)
    if old.given and new.given and old.given != new.given:
        yield Difference("result", "breaking", "given list", "holds other entries")
    for name, wire in old.result.fields.items():
        if name not in new.result.fields:
            yield Difference("result", "breaking", wire, "is shown no longer")
        elif new.result.fields[name] != wire:
            yield Difference("result", "renamed", wire, f"is {new.result.fields[name]}")
    for name, wire in new.result.fields.items():
        if name not in old.result.fields:
            yield Difference("result", "loosening", wire, "is shown too")


def _total(old: str | None, new: str | None) -> Difference:
    if old and new:
        return Difference("result", "renamed", old, f"is {new}")
    if old:
        return Difference("result", "breaking", old, "is shown no longer")
    return Difference("result", "loosening", new or "", "is shown too")


def _vocabularies(old: Contract, new: Contract) -> Iterator[Difference]:
    yield from _words("vocabulary", "signal types", old.signal_types, new.signal_types)
    yield from _words("vocabulary", "severities", old.severities, new.severities)


def _words(subject: Subject, place: str, old: Iterable[str], new: Iterable[str]) -> Iterator[Difference]:
    gone = [each for each in old if each not in set(new)]
    come = [each for each in new if each not in set(old)]
    if gone:
        yield Difference(subject, "tightening", place, f"no longer {', '.join(gone)}")
    if come:
        yield Difference(subject, "loosening", place, f"also {', '.join(come)}")


def _meanings(old: Contract, new: Contract) -> Iterator[Difference]:
    if old.confidence != new.confidence:
        means = {"pass_through": "the value that the catalog gave", "own": "the model's own assessment"}
        yield Difference("meaning", "breaking", "confidence", f"is {means[new.confidence]}")
    if old.may_decline and not new.may_decline:
        yield Difference("meaning", "tightening", "no workflow fits", "is no answer")
    if new.may_decline and not old.may_decline:
        yield Difference("meaning", "loosening", "no workflow fits", "is an answer too")


def _clauses(old: Contract, new: Contract) -> Iterator[Difference]:
    for name in new.clauses:
        if name not in old.clauses and clause(name).level == "MUST":
            yield Difference("clauses", "tightening", name, f"is judged: {clause(name).text}")
    for name in old.clauses:
        if name not in new.clauses and clause(name).level == "MUST":
            yield Difference("clauses", "loosening", name, f"is not judged: {clause(name).text}")


def _prompts(old: Contract, new: Contract) -> Iterator[Difference]:
    before, after = ([each.title for each in one.sections] for one in (old, new))
    yield from _demanded("section", before, after)
    yield from _demanded("field", old.prompt_fields, new.prompt_fields)
    for each in new.withheld:
        if each not in old.withheld:
            yield Difference("prompt", "tightening", each, "must not be told")
    for each in old.withheld:
        if each not in new.withheld:
            yield Difference("prompt", "loosening", each, "may be told")


def _demanded(what: str, old: Sequence[str], new: Sequence[str]) -> Iterator[Difference]:
    for each in new:
        if each not in old:
            yield Difference("prompt", "breaking", each, f"is a {what} that has to be there")
    for each in old:
        if each not in new:
            yield Difference("prompt", "loosening", each, f"is a {what} that need not be there")


# Fields of JSON Schemas


def _fields(schema: Schema) -> dict[str, _Field]:
    """Return every place below the root, "/list/*/name", with what may stand there."""
    return dict(_below(schema, ""))


def _below(node: Schema, place: str) -> Iterator[tuple[str, _Field]]:
    for branch in _branches(node):
        required = set(branch.get("required", ()))
        for name, part in cast("dict[str, Schema]", branch.get("properties", {})).items():
            yield f"{place}/{name}", _field(part, required=name in required)
            yield from _below(part, f"{place}/{name}")
        if isinstance(branch.get("items"), dict):
            yield from _below(branch["items"], f"{place}/*")


def _branches(node: Schema) -> list[Schema]:
    return flat(node["anyOf"]) if "anyOf" in node else [node]


def _field(node: Schema, *, required: bool) -> _Field:
    branches = _branches(node)
    types = frozenset(str(each["type"]) for each in branches if "type" in each)
    listed = [each.get("enum", [each.get("const")]) for each in branches if {"enum", "const"} & each.keys()]
    allowed = frozenset(str(each) for several in listed for each in several) if listed else None
    bounds = {key: each[key] for each in branches for key in _TIGHTER if key in each}
    pattern = next((str(each["pattern"]) for each in branches if "pattern" in each), None)
    return _Field(required, types, allowed, bounds, pattern)


_TIGHTER = {"minimum": 1, "minLength": 1, "minItems": 1, "maximum": -1, "maxLength": -1, "maxItems": -1}
"""Bounds, and in which direction they leave less."""


def _respelled(
    fields: Iterable[str], names: Iterable[tuple[str, str]], keys: tuple[str, str]
) -> dict[str, str]:
    """Return the new place of every old one: by the longest known beginning, then by the key of ids."""
    known = sorted(((_any(old), _any(new)) for old, new in names), key=lambda each: -len(each[0]))
    return {place: _moved(place, known, keys) for place in fields}


def _moved(place: str, known: Sequence[tuple[str, str]], keys: tuple[str, str]) -> str:
    begun = next(((old, new) for old, new in known if f"{place}/".startswith(f"{old}/")), ("", ""))
    moved = begun[1] + place[len(begun[0]) :]
    old, new = keys
    return f"{moved.removesuffix(old)}{new}" if old and moved.endswith(f"/{old}") else moved


def _any(pointer: str) -> str:
    return re.sub(r"/\d+(?=/|$)", "/*", pointer).removesuffix("/*")


def _compared(
    subject: Subject, old: Mapping[str, _Field], new: Mapping[str, _Field], spelled: Mapping[str, str]
) -> Iterator[Difference]:
    gone = [each for each in old if spelled[each] not in new]
    for place in _outermost(gone):
        kind: Kind = "breaking" if old[place].required else "tightening"
        yield Difference(subject, kind, place, "is allowed no longer")
    come = [each for each in new if each not in spelled.values()]
    for place in _outermost(come):
        required = new[place].required
        says = "is required" if required else "is allowed"
        yield Difference(subject, "breaking" if required else "loosening", place, says)
    for place, field in old.items():
        if spelled[place] in new:
            if _last(spelled[place]) != _last(place) or _parent(spelled[place]) != spelled.get(
                _parent(place), _parent(place)
            ):
                yield Difference(subject, "renamed", place, f"is {spelled[place]}")
            for kind, says in _changed(field, new[spelled[place]]):
                yield Difference(subject, kind, spelled[place], says)


def _outermost(places: Sequence[str]) -> list[str]:
    return [each for each in places if not any(each.startswith(f"{other}/") for other in places)]


def _last(place: str) -> str:
    return place.rsplit("/", 1)[-1]


def _parent(place: str) -> str:
    return place.rsplit("/", 1)[0].removesuffix("/*")


def _changed(old: _Field, new: _Field) -> Iterator[tuple[Kind, str]]:
    if old.required != new.required:
        yield ("tightening", "is required now") if new.required else ("loosening", "may be left out")
    if old.types != new.types and old.types and new.types:
        says = f"is {_or(new.types)}, was {_or(old.types)}"
        yield _narrower(old.types, new.types), says
    if old.allowed != new.allowed:
        if new.allowed is None:
            yield "loosening", "may be any text"
        elif old.allowed is None:
            yield "tightening", f"is one of {_or(new.allowed)}"
        else:
            yield _narrower(old.allowed, new.allowed), f"is one of {_or(new.allowed)}"
    for key, direction in _TIGHTER.items():
        before, after = old.bounds.get(key), new.bounds.get(key)
        if before != after:
            tighter = before is None or (after is not None and (after - before) * direction > 0)
            says = f"{key} is {after}" if after is not None else f"has no {key}"
            yield ("tightening" if tighter else "loosening"), says
    if old.pattern != new.pattern:
        yield (
            ("loosening", "has no pattern") if new.pattern is None else ("tightening", f"fits {new.pattern}")
        )


def _narrower(old: frozenset[str], new: frozenset[str]) -> Kind:
    if not old & new:
        return "breaking"
    return "loosening" if old <= new else "tightening"


def _or(values: Iterable[str]) -> str:
    return " or ".join(sorted(values))

"""The fields of a contract's answer, by its response schema, and what hangs on each of them."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from harness.contracts.reading import at
from harness.model import MISSING, Contract
from harness.violations.violation import NO_CHOICE, RawAnswer, Situation

Schema = Mapping[str, Any]


@dataclass(frozen=True)
class Field:
    """One declared field of the answer; in `pointer` the first item of a list stands for all."""

    pointer: str
    schema: Schema
    required: bool
    nullable: bool

    @property
    def kind(self) -> str:
        """The JSON type: string, number, integer, boolean, object or array; "" where it is none of them."""
        return "string" if "enum" in self.schema else str(self.schema.get("type", ""))

    @property
    def key(self) -> str:
        """The field's own name."""
        return self.pointer.rsplit("/", 1)[-1]

    @property
    def parent(self) -> str:
        """The pointer of the object that holds it."""
        return self.pointer.rsplit("/", 1)[0]


def present(situation: Situation) -> list[Field]:
    """Return the declared fields that the good answer has."""
    return [each for each in fields(situation.contract) if value_of(situation, each.pointer) is not MISSING]


def field_at(situation: Situation) -> Field:
    """Return the field that a violation's site names."""
    return next(each for each in fields(situation.contract) if each.pointer == situation.site)


def value_of(situation: Situation, pointer: str) -> Any:
    """Return what the good answer has at a pointer, or MISSING."""
    return at(situation.answered, pointer)


@lru_cache(maxsize=64)
def fields(contract: Contract) -> tuple[Field, ...]:
    """Return every declared field at any depth; what stands in `parameters` is the catalog's business."""
    schema = contract.response.model_json_schema()
    return tuple(_fields(schema, schema.get("$defs", {}), ""))


def _fields(schema: Schema, definitions: Schema, pointer: str) -> Iterator[Field]:
    required = set(schema.get("required", ()))
    for key, given in schema.get("properties", {}).items():
        inner, nullable = _resolved(given, definitions)
        yield Field(f"{pointer}/{key}", inner, key in required, nullable)
        yield from _fields(inner, definitions, f"{pointer}/{key}")
        items, _ = _resolved(inner.get("items", {}), definitions)
        yield from _fields(items, definitions, f"{pointer}/{key}/0")


def _resolved(schema: Schema, definitions: Schema) -> tuple[Schema, bool]:
    """Return the schema behind references and `null`, and whether null is allowed."""
    options = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    nullable = len(options) < len(schema.get("anyOf", ()))
    if options:
        schema = options[0] if len(options) == 1 else {}
    if "$ref" in schema:
        return definitions[str(schema["$ref"]).rsplit("/", 1)[-1]], nullable
    return schema, nullable


def objects(situation: Situation) -> list[str]:
    """Return the pointers of the good answer's objects that are closed to undeclared fields."""
    found = [each.pointer for each in present(situation) if "properties" in each.schema]
    closed = [each for each in found if isinstance(value_of(situation, each), dict)]
    listed = {each.parent for each in present(situation) if each.parent.endswith("/0")}
    return ["", *closed, *sorted(listed)]


# Edits


def put(answer: RawAnswer, pointer: str, value: Any) -> RawAnswer:
    """Return a copy with another value at a pointer."""
    made = deepcopy(answer)
    holder, key = _holder(made, pointer)
    holder[key] = value
    return made


def drop(answer: RawAnswer, pointer: str) -> RawAnswer:
    """Return a copy without the key at a pointer."""
    made = deepcopy(answer)
    holder, key = _holder(made, pointer)
    del holder[key]
    return made


def rename(answer: RawAnswer, pointer: str, name: str) -> RawAnswer:
    """Return a copy with another name for the key at a pointer, which keeps its place."""
    made = deepcopy(answer)
    holder, key = _holder(made, pointer)
    renamed = {name if each == key else each: value for each, value in holder.items()}
    holder.clear()
    holder.update(renamed)
    return made


def _holder(answer: RawAnswer, pointer: str) -> tuple[dict[str, Any], str]:
    parent, key = pointer.rsplit("/", 1)
    return cast("dict[str, Any]", at(answer, parent)), key


# What hangs on a field

_BY_PLACE: Mapping[str, frozenset[str]] = {
    "severity": frozenset({"SEV-2", "SEV-3", "SEV-4"}),
    "selection": NO_CHOICE | {"SEL-2", "CAR-5", "REC-4"},
    "alternatives": frozenset({"SEL-5", "PAS-8", "SEL-8"}),
    "recovery.failure_understood": frozenset({"REC-1"}),
    "recovery.failure_reason_analysis": frozenset({"REC-1b"}),
    "recovery.state_changed": frozenset({"REC-2"}),
    "recovery.current_signal_type": frozenset({"SIG-4"}),
    "recovery.current_rca.signal_type": frozenset({"SIG-4"}),
    "recovery.differs_from_previous": frozenset({"REC-3"}),
}

_BY_KEY_OF_SELECTION: Mapping[str, frozenset[str]] = {
    "id": frozenset(
        {"SEL-1", "SEL-2", "SEL-3", "SEL-4", "SEL-7", "PAS-7", "PAR-1", "PAR-2", "PAR-3", "PAR-4"}
        | {"REP-1", "REP-2", "REP-3", "REC-3"}
    ),
    "version": frozenset({"SEL-4"}),
    "confidence": frozenset({"PAS-7", "SEL-8", "SEL-9"}),
    "rationale": frozenset({"SEL-6", "REC-6"}),
    "parameters": frozenset({"PAR-1", "PAR-2", "PAR-3", "PAR-4", "REP-1", "REP-2", "REP-3", "REC-3"}),
}


def silenced_without(situation: Situation) -> frozenset[str]:
    """Return the clauses that may fall silent when nothing can be read at the situation's site."""
    here = situation.site
    found = {"SAF-2"}
    for name, pointer in situation.contract.places.items():
        if pointer == here or pointer.startswith(f"{here}/"):
            found |= _BY_PLACE.get(name, frozenset())
    found |= _BY_KEY_OF_SELECTION.get(key_of_selection(situation, here) or "", frozenset())
    if in_alternatives(situation, here):
        found |= _BY_PLACE["alternatives"]
    if sole_analysis(situation, here):
        found.add("SEV-6")
    return frozenset(found)


_GONE: Mapping[str, frozenset[str]] = {
    "severity": frozenset({"SEV-2", "SEV-3"}),
    "selection": NO_CHOICE | {"SEL-2"},
    "selection.id": _BY_KEY_OF_SELECTION["id"] - {"REP-2", "REP-3", "PAR-4"},
    "selection.version": frozenset({"SEL-4"}),
    "selection.confidence": frozenset({"PAS-7", "SEL-8"}),
    "selection.rationale": frozenset({"SEL-6", "REC-6"}),
    "selection.parameters": frozenset({"PAR-1", "PAR-2", "PAR-3", "PAR-4"}),
    "alternatives": frozenset({"SEL-5", "PAS-8", "SEL-8"}),
    "recovery.failure_understood": frozenset({"REC-1"}),
    "recovery.failure_reason_analysis": frozenset({"REC-1b"}),
    "recovery.state_changed": frozenset({"REC-2"}),
    "recovery.differs_from_previous": frozenset({"REC-3"}),
}


def muted_without(situation: Situation) -> frozenset[str]:
    """Return the clauses that must fall silent when nothing can be read at the situation's site."""
    return _GONE.get(role(situation, situation.site) or "", frozenset())


def broken_without(situation: Situation) -> frozenset[str]:
    """Return the clauses that break when nothing can be read at the situation's site.

    A signal type that has moved means a changed state, whatever the evidence shows; unread, it means nothing.
    """
    if role(situation, situation.site) != "recovery.current_signal_type":
        return frozenset()
    told = value_of(situation, situation.contract.places["recovery.state_changed"])
    right = situation.scenario.expect.state_changed
    return frozenset() if right is None or told in right else frozenset({"REC-2"})


def role(situation: Situation, pointer: str) -> str | None:
    """Return the version-free name of a place, the selection's own fields included, or None."""
    for name, place in situation.contract.places.items():
        if place == pointer:
            return name
    key = key_of_selection(situation, pointer)
    return f"selection.{key}" if key else None


def key_of_selection(situation: Situation, pointer: str) -> str | None:
    """Return which of id, version, confidence, rationale and parameters of the selection a pointer means."""
    parent, _, key = pointer.rpartition("/")
    if parent != situation.contract.places["selection"]:
        return None
    return "id" if key == situation.contract.result.fields["id"] else key


def in_alternatives(situation: Situation, pointer: str) -> bool:
    """Return whether a pointer leads into the alternatives, and not to the selection."""
    place = situation.contract.places.get("alternatives")
    selection = situation.contract.places["selection"]
    inside = bool(place) and pointer.startswith(f"{place}/")
    return inside and pointer != selection and not pointer.startswith(f"{selection}/")


def sole_analysis(situation: Situation, pointer: str) -> bool:
    """Return whether all texts of the analysis stand at or below a pointer."""
    places = situation.contract.places
    below = f"{pointer}/"
    return all(f"{places[name]}/".startswith(below) for name in ("summary", "root_cause"))

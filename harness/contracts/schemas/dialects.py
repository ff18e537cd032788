"""The subsets of JSON Schema that providers decode under, as their documentation states them.

Each function writes an inlined schema in one subset. A constraint that the subset lacks moves into the
description, and `dropped` tells of it. What a subset cannot leave open is narrowed, never widened: so an
answer that keeps to a written schema keeps to the contract, except for what `dropped` names.
"""

from typing import Any, NamedTuple

from harness.contracts.schemas.tree import Schema, is_null, with_parts
from harness.contracts.schemas.wording import described, line, plain_regex, restated

_OPENAI = frozenset(
    {"enum", "const", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
     "minItems", "maxItems"}
)  # fmt: skip
_ANTHROPIC_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
)
_GEMINI = frozenset({"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "format"})


class WireSchema(NamedTuple):
    """A schema as one provider takes it, and the constraints that it no longer states."""

    schema: Schema
    dropped: tuple[str, ...]


def json_schema(schema: Schema) -> WireSchema:
    """Write JSON Schema as grammar engines take it: only dependentRequired becomes words."""
    dropped: list[str] = []

    def write(node: Schema, place: str) -> Schema:
        return _without_dependents(with_parts(node, place, write), place, dropped)

    return _wire(write(schema, ""), dropped)


def openai_strict(schema: Schema) -> WireSchema:
    """Write OpenAI's strict subset: closed objects whose every property is sent.

    An optional property must be sent or be null there, and a null where the contract wants a value is a
    breach that the model could not avoid. So null is never added. A property with a default, or with one
    possible value, is always sent. For the others the object becomes an anyOf: without them, with each, with
    all. Such objects must not begin with the same key, so the key that tells them apart comes first.
    """
    dropped: list[str] = []

    def keeps(keyword: str, value: Any) -> bool:
        return plain_regex(value, "dDwWsS") if keyword == "pattern" else keyword in _OPENAI

    def write(node: Schema, place: str) -> Schema:
        written = restated(with_parts(node, place, write), place, keeps, dropped, "openai-strict")
        return _sent_whole(node, written, place, dropped) if "properties" in node else written

    return _wire(write(schema, ""), dropped)


def anthropic(schema: Schema) -> WireSchema:
    """Write Anthropic's subset: closed objects, no bounds on numbers, lengths or counts, simple patterns.

    Optional properties are few there (24), so one that has a default, or one possible value, is always sent.
    Literals carry no type, as its own SDK writes them.
    """
    dropped: list[str] = []

    def keeps(keyword: str, value: Any) -> bool:
        if keyword == "pattern":
            return plain_regex(value, "dws")
        if keyword == "format":
            return value in _ANTHROPIC_FORMATS
        return keyword in {"enum", "const"} or (keyword == "minItems" and value in {0, 1})

    def write(node: Schema, place: str) -> Schema:
        written = restated(with_parts(node, place, write), place, keeps, dropped, "anthropic")
        if written.keys() & {"enum", "const"}:
            written.pop("type", None)
        if "properties" not in node:
            return written
        always = [name for name in node["properties"] if name not in _free(node)]
        written = _without_dependents(written, place, dropped)
        return {**written, "required": always, "additionalProperties": False}

    return _wire(write(schema, ""), dropped)


def gemini(schema: Schema) -> WireSchema:
    """Write the schema of Gemini's response_schema, an OpenAPI subset.

    No additionalProperties, no const, enum for texts only, nullable for null; anyOf stands alone, so nullable
    goes to its first branch. An object without properties is refused there and left out.
    """
    dropped: list[str] = []

    def keeps(keyword: str, value: Any) -> bool:
        if keyword == "pattern":
            return plain_regex(value, "dDwWsS")
        if keyword == "enum":
            return all(isinstance(each, str) for each in value)
        return keyword in _GEMINI

    def write(node: Schema, place: str) -> Schema:
        if isinstance(node.get("const"), str):
            node = {**{key: value for key, value in node.items() if key != "const"}, "enum": [node["const"]]}
        written = restated(with_parts(node, place, write), place, keeps, dropped, "gemini")
        if "anyOf" in node:
            return _nullable(written)
        return _ordered(_without_dependents(written, place, dropped), place, dropped)

    return _wire(write(schema, ""), dropped)


def _wire(schema: Schema, dropped: list[str]) -> WireSchema:
    return WireSchema(schema, tuple(dict.fromkeys(dropped)))


def _free(node: Schema) -> list[str]:
    """Return the properties that a model may leave out for good reason.

    One with a default or a single value can always be sent instead, unless it brings another one with it.
    """
    optional = [name for name in node["properties"] if name not in node.get("required", ())]
    needy = node.get("dependentRequired", {})
    return [
        name
        for name in optional
        if name in needy or not node["properties"][name].keys() & {"default", "const"}
    ]


def _without_dependents(node: Schema, place: str, dropped: list[str]) -> Schema:
    """Return the object with dependentRequired said in the descriptions."""
    if "dependentRequired" not in node:
        return node
    properties = dict(node["properties"])
    for name, others in node["dependentRequired"].items():
        properties[name] = described(properties[name], f"Only together with {' and '.join(others)}.")
        dropped.append(line(f"{place}/{name}", "depends_on", others))
    kept = {key: value for key, value in node.items() if key != "dependentRequired"}
    return {**kept, "properties": properties}


def _sent_whole(node: Schema, written: Schema, place: str, dropped: list[str]) -> Schema:
    """Return closed objects that send every property, one for each choice of optional ones."""
    free = _free(node)
    always = [name for name in node["properties"] if name not in free]
    needs: dict[str, list[str]] = node.get("dependentRequired", {})
    wanted: tuple[list[str], ...] = ([], *([name] for name in free), free)
    choices = dict.fromkeys(_with_needs([*always, *names], needs, node["properties"]) for names in wanted)
    if len(choices) == 1:
        return _closed(next(iter(choices)), written)
    if len(free) > 2:
        dropped.append(f"{place}: some of {', '.join(free)} without the others")
    objects: dict[str | None, Schema] = {}
    for names in choices:
        chosen = [name for name in names if name in free]
        first = next((name for name in (*reversed(chosen), *names) if name not in objects), None)
        if first is not None:
            objects[first] = _closed(tuple(dict.fromkeys((first, *names))), written)
        elif names:
            dropped.append(f"{place}: {' together with '.join(chosen)}")
        else:
            objects[None] = _closed((), written)
    return {"anyOf": list(objects.values())}


def _with_needs(names: list[str], needs: dict[str, list[str]], order: dict[str, Any]) -> tuple[str, ...]:
    """Return the names and all that they depend on, in the order of the schema."""
    found = set(names)
    while more := {other for name in found for other in needs.get(name, ())} - found:
        found |= more
    return tuple(name for name in order if name in found)


def _closed(names: tuple[str, ...], written: Schema) -> Schema:
    kept = {key: value for key, value in written.items() if key != "dependentRequired"}
    properties = {name: written["properties"][name] for name in names}
    return {**kept, "properties": properties, "required": list(names), "additionalProperties": False}


def _nullable(node: Schema) -> Schema:
    """Return the anyOf alone, or its only branch; null is said by the first branch."""
    first, *others = [each for each in node["anyOf"] if not is_null(each)]
    first = {key: value for key, value in node.items() if key != "anyOf"} | first
    if len(others) + 1 < len(node["anyOf"]):
        first["nullable"] = True
    return {"anyOf": [first, *others]} if others else first


def _ordered(node: Schema, place: str, dropped: list[str]) -> Schema:
    """Return the object open, without empty objects in it, its properties in a stated order."""
    if "properties" not in node:
        return node
    if "additionalProperties" in node:
        dropped.append(line(place, "additionalProperties", node["additionalProperties"]))
    properties = {name: part for name, part in node["properties"].items() if part.get("properties") != {}}
    kept = {key: value for key, value in node.items() if key != "additionalProperties"}
    required = [name for name in node.get("required", ()) if name in properties]
    ordering = {"propertyOrdering": list(properties)} if len(properties) > 1 else {}
    return {**kept, "properties": properties, "required": required, **ordering}

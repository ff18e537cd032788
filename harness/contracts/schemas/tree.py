"""Walk a JSON Schema by places in the value it describes, as "/alternative_workflows/*/confidence"."""

from collections.abc import Callable, Iterator
from typing import Any, cast

from pydantic import BaseModel

from harness.errors import InvalidInput

Schema = dict[str, Any]


def inlined(model: type[BaseModel]) -> Schema:
    """Return a model's JSON Schema without titles, every reference replaced by what it names."""
    schema = model.model_json_schema()
    return _inlined(schema, schema.pop("$defs", {}), ())


def _inlined(node: Schema, definitions: dict[str, Schema], above: tuple[str, ...]) -> Schema:
    if "$ref" in node:
        name = str(node["$ref"]).rsplit("/", 1)[-1]
        if name in above:
            raise InvalidInput(f"{name}: is defined by itself, which no provider takes; bound its depth")
        beside = {key: value for key, value in node.items() if key != "$ref"}
        return _inlined({**definitions[name], **beside}, definitions, (*above, name))
    bare = {key: value for key, value in node.items() if key != "title"}
    return with_parts(bare, "", lambda part, _: _inlined(part, definitions, above))


def with_parts(node: Schema, place: str, change: Callable[[Schema, str], Schema]) -> Schema:
    """Return the node with `change(part, its place)` in place of every schema directly below it."""
    changed = dict(node)
    if "properties" in node:
        changed["properties"] = {
            name: change(part, f"{place}/{name}") for name, part in node["properties"].items()
        }
    for keyword in ("items", "additionalProperties"):
        if isinstance(node.get(keyword), dict):
            changed[keyword] = change(node[keyword], f"{place}/*")
    if "anyOf" in node:
        changed["anyOf"] = [change(part, place) for part in node["anyOf"]]
    return changed


def walk(node: Schema, place: str = "") -> Iterator[tuple[str, Schema]]:
    """Yield every schema with its place, the outer ones first."""
    yield place, node
    below: list[tuple[Schema, str]] = []
    with_parts(node, place, lambda part, where: (below.append((part, where)), part)[1])
    for part, where in below:
        yield from walk(part, where)


def open_maps(schema: Schema) -> list[str]:
    """Return the places of objects whose keys the schema does not name."""
    return [place for place, node in walk(schema) if is_open(node)]


def is_open(node: Schema) -> bool:
    """Return whether a schema allows keys that it does not name."""
    return node.get("type") == "object" and node.get("additionalProperties") not in (None, False)


def is_null(node: Schema) -> bool:
    """Return whether a schema allows null and nothing else."""
    return node.get("type") == "null"


def flat(branches: list[Schema]) -> list[Schema]:
    """Return the branches of an anyOf, those of an anyOf directly inside it among them."""
    return [
        each
        for branch in branches
        for each in (cast("list[Schema]", branch["anyOf"]) if branch.keys() == {"anyOf"} else [branch])
    ]

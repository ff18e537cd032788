"""How large a schema each provider takes, as documented."""

import json
from collections.abc import Iterator
from typing import Any

from harness.contracts.schemas.tree import Schema, walk, with_parts

OPENAI_PROPERTIES = 5_000
OPENAI_LEVELS = 10
OPENAI_ENUM_VALUES = 1_000
OPENAI_CHARACTERS = 120_000
OPENAI_LARGE_ENUM = 250
OPENAI_LARGE_ENUM_CHARACTERS = 15_000
ANTHROPIC_OPTIONAL = 24
ANTHROPIC_UNIONS = 16


def over_openai(schema: Schema) -> Iterator[str]:
    """Yield what OpenAI's strict mode would refuse, as "1200 enum values, at most 1000"."""
    nodes = [node for _, node in walk(schema)]
    enums: list[list[Any]] = [node["enum"] for node in nodes if "enum" in node]
    names = [name for node in nodes for name in node.get("properties", ())]
    constants = [node["const"] for node in nodes if "const" in node]
    texts = [*names, *(value for enum in enums for value in enum), *constants]
    yield from _over("properties", len(names), OPENAI_PROPERTIES)
    yield from _over("levels of nesting", _levels(schema), OPENAI_LEVELS)
    yield from _over("enum values", sum(map(len, enums)), OPENAI_ENUM_VALUES)
    yield from _over("characters in names and values", sum(map(_length, texts)), OPENAI_CHARACTERS)
    for enum in enums:
        if len(enum) > OPENAI_LARGE_ENUM:
            size = sum(map(_length, enum))
            yield from _over(f"characters in {len(enum)} enum values", size, OPENAI_LARGE_ENUM_CHARACTERS)
    if schema.get("type") != "object" or "anyOf" in schema:
        yield "a root that is no plain object"
    for place, node in walk(schema):
        beginnings = [_beginning(branch) for branch in node.get("anyOf", ()) if branch.get("properties")]
        for twice in sorted({each for each in beginnings if beginnings.count(each) > 1}):
            yield f"objects of one anyOf at {place or '/'} that begin alike, with {twice}"


def over_anthropic(schema: Schema) -> Iterator[str]:
    """Yield what Anthropic's structured outputs would refuse."""
    nodes = [node for _, node in walk(schema)]
    optional = sum(len(set(node.get("properties", ())) - set(node.get("required", ()))) for node in nodes)
    unions = sum("anyOf" in node or isinstance(node.get("type"), list) for node in nodes)
    yield from _over("optional properties", optional, ANTHROPIC_OPTIONAL)
    yield from _over("unions", unions, ANTHROPIC_UNIONS)


def _over(what: str, found: int, limit: int) -> Iterator[str]:
    if found > limit:
        yield f"{found} {what}, at most {limit}"


def _length(value: Any) -> int:
    return len(value if isinstance(value, str) else json.dumps(value))


def _levels(node: Schema) -> int:
    """Return how many objects and arrays stand inside one another."""
    below = [0]
    with_parts(node, "", lambda part, _: (below.append(_levels(part)), part)[1])
    return max(below) + (node.get("type") in {"object", "array"})


def _beginning(branch: Schema) -> str:
    name, part = next(iter(branch["properties"].items()))
    return f"{name} {json.dumps(part['const'])}" if "const" in part else str(name)

"""Close a response schema over a catalog: only its ids, and for each id only its parameters."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from harness.contracts.schemas.tree import Schema, flat, is_open, with_parts
from harness.errors import InvalidInput
from harness.model.catalog import Entry, Parameter
from harness.model.contract import Contract

_CARRIED_OVER = {"type", "description", "default", "enum", "minimum", "maximum", "pattern"}


def closed(contract: Contract, schema: Schema, entries: Iterable[Entry]) -> Schema:
    """Return the schema with one closed object per active, latest entry where a workflow is selected.

    The id, which comes first, and the version are constants; parameters are a closed object that keeps what
    the entry declares, with `depends_on` as dependentRequired. Alternatives name one of the ids. `null` stays
    where the contract allows it. Descriptions of entries stay out: no search result shows them.

    Raises:
        InvalidInput: nothing can be selected from the catalog.
    """
    known = [entry for entry in entries if entry.status == "active" and entry.is_latest_version]
    if not known:
        raise InvalidInput(f"{contract.id}: the catalog has no active, latest entry; leave out --scenario")
    id_key = contract.result.fields["id"]
    selection = _every(contract.places["selection"])
    alternative = _every(contract.places.get("alternatives", "")) + "/*"

    def close(node: Schema, place: str) -> Schema:
        node = with_parts(node, place, close)
        if "anyOf" in node:
            node["anyOf"] = flat(node["anyOf"])
        if id_key not in node.get("properties", {}):
            return node
        if place == selection:
            choices = [_choice(node, id_key, entry) for entry in known]
            return {"anyOf": choices} if len(choices) > 1 else choices[0]
        if place == alternative:
            ids = list(dict.fromkeys(entry.workflow_id for entry in known))
            return {**node, "properties": {**node["properties"], id_key: {"type": "string", "enum": ids}}}
        return node

    return close(schema, "")


def _every(pointer: str) -> str:
    return re.sub(r"/\d+(?=/|$)", "/*", pointer)


def _choice(node: Schema, id_key: str, entry: Entry) -> Schema:
    """Return the schema of a selection, narrowed to one entry."""
    others = {name: part for name, part in node["properties"].items() if name != id_key}
    properties: Schema = {id_key: _constant(entry.workflow_id), **others}
    required = set(node["required"])
    if "version" in properties:
        properties["version"] = _constant(entry.version)
    if is_open(properties.get("parameters", {})):
        properties["parameters"] = _parameters(entry.parameters)
        if properties["parameters"]["required"]:
            required.add("parameters")
        else:
            properties["parameters"]["default"] = {}
    return {**node, "properties": properties, "required": [name for name in properties if name in required]}


def _constant(value: str) -> Schema:
    return {"type": "string", "const": value}


def _parameters(declared: Mapping[str, Parameter]) -> Schema:
    required = [name for name, each in declared.items() if each.required]
    needs = {
        name: others
        for name, each in declared.items()
        if (others := [other for other in each.depends_on if other not in required])
    }
    found: Schema = {
        "type": "object",
        "properties": {name: _parameter(each) for name, each in declared.items()},
        "required": required,
        "additionalProperties": False,
    }
    return {**found, "dependentRequired": needs} if needs else found


def _parameter(declared: Parameter) -> dict[str, Any]:
    return declared.model_dump(include=_CARRIED_OVER, exclude_none=True)

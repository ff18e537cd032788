"""OpenAPI documents of deployed services, where somebody has them: a folder that DEPLOYED_OPENAPI names."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

VARIABLE = "DEPLOYED_OPENAPI"


class Described(NamedTuple):
    """One document: its file, its generation by what it offers, and whether it has the later severities."""

    file: str
    generation: int
    later_severities: bool
    value: Mapping[str, Any]

    def has(self, schema: str) -> bool:
        """Return whether the document has a schema."""
        return schema in self.value["components"]["schemas"]

    def breaches(self, schema: str, value: Any) -> list[str]:
        """Return how a value differs from a schema of the document."""
        resource = Resource.from_contents(dict(self.value), default_specification=DRAFT202012)
        registry: Registry[Any] = Registry[Any]().with_resource("urn:document", resource)
        reference = {"$ref": f"urn:document#/components/schemas/{schema}"}
        validator: Any = Draft202012Validator(reference, registry=registry)
        return [f"{each.json_path}: {each.message}" for each in validator.iter_errors(value)]


def documents() -> list[Described]:
    """Return every document of the folder; the calling test is skipped where there is none."""
    folder = os.environ.get(VARIABLE)  # noqa: TID251 - tests have no command line of their own
    files = sorted(Path(folder).glob("*.json")) if folder else []
    if not files:
        pytest.skip(f"{VARIABLE} names no folder of OpenAPI documents of deployed services")
    return [_described(each) for each in files]


def _described(file: Path) -> Described:
    value = json.loads(file.read_text(encoding="utf-8"))
    paths, schemas = value["paths"], value["components"]["schemas"]
    sessions = any("/session/" in each for each in paths)
    generation = 1 if not sessions else 2 if "RecoveryRequest" in schemas else 3
    levels = schemas.get("Severity", {}).get("enum", [])
    return Described(file.name, generation, "warning" in levels, value)

"""Catalogs to close schemas over, and what to look at in the result."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import pytest
from conftest import PROJECT
from jsonschema import Draft202012Validator

from harness.contracts import CONTRACTS
from harness.contracts.schemas import DIALECTS, WireSchema
from harness.contracts.schemas.tree import Schema, walk
from harness.model import Choice, Contract, Entry
from harness.model.catalog import Parameter
from harness.scenarios import load_scenario, load_scenarios
from harness.scenarios.load import CHECKOUT, Project

SMALL: Mapping[str, str] = {
    "incident": "incident/oom-behind-latency",
    "recovery": "recovery/scale-out-failed",
}
STRICT = [each.name for each in DIALECTS if each.name != "json-schema"]

every_contract = pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.id)
TAKING_PARAMETERS = [each for each in CONTRACTS if "parameters" in each.result.fields]
every_contract_with_parameters = pytest.mark.parametrize(
    "contract", TAKING_PARAMETERS, ids=lambda each: each.id
)
every_strict = pytest.mark.parametrize("dialect", STRICT)


def catalog(contract: Contract) -> list[Entry]:
    """Return two workflows, one of them with two optional parameters that hang together."""
    return load_scenario(PROJECT, SMALL[contract.flow]).catalog


@lru_cache
def suite_catalog() -> tuple[Entry, ...]:
    """Return the largest catalog of the suite."""
    return tuple(max((each.catalog for each in load_scenarios(Project(CHECKOUT), [])), key=len))


def entry(workflow_id: str = "one", /, **parameters: Parameter) -> Entry:
    return Entry(workflow_id=workflow_id, version="1.0.0", description="x", labels={}, parameters=parameters)


def written(schema: Schema, dialect: str) -> WireSchema:
    write = next(each.write for each in DIALECTS if each.name == dialect)
    return write(schema)


def selections(schema: Schema) -> dict[str, Schema]:
    """Return the closed selections by id."""
    found: dict[str, Schema] = {}
    for _, node in walk(schema):
        for key in ("workflow_id", "playbook_id"):
            if "const" in (named := node.get("properties", {}).get(key, {})):
                found[named["const"]] = node
    return found


def selection_place(contract: Contract) -> str:
    """Return where the selection stands, as schemas name it."""
    return re.sub(r"/\d+(?=/|$)", "/*", contract.places["selection"])


def selected_id(contract: Contract, answer: Any) -> str | None:
    """Return the id that a raw answer selects, or None where it declines."""
    selection = contract.read(answer).selection
    return str(selection.id) if isinstance(selection, Choice) else None


def parameters_of(schema: Schema, workflow_id: str = "one") -> Schema:
    return selections(schema)[workflow_id]["properties"]["parameters"]


def errors(schema: Schema, value: Any) -> list[str]:
    validator: Any = Draft202012Validator(schema)
    return [each.message for each in validator.iter_errors(value)]

"""A scenario under other names: what was called one thing is called another, wherever it stands."""

import json
from collections.abc import Mapping
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from harness.errors import InvalidScenario
from harness.model import Entry, Scenario, ScenarioFacts, World
from harness.model.values import digest
from harness.scenarios.files import Document, dotted


def renamed(scenario: Scenario, names: Mapping[str, str], document: Document) -> Scenario:
    """Return the scenario with names replaced wherever they stand: objects, logs, alert, expectations.

    Raise InvalidScenario where a name is a word of the format.
    """
    if not names:
        return scenario

    def called_anew(text: str) -> str:
        return json.dumps(_called_anew(json.loads(text), names)) if _names_any(text, names) else text

    def world() -> World:
        try:
            return World.model_validate(_called_anew(scenario.world.model_dump(), names))
        except ValidationError as error:
            raise InvalidScenario(_cannot_rename(error, document)) from error

    facts = ScenarioFacts.model_construct(
        **{name: getattr(scenario, name) for name in ScenarioFacts.model_fields}
    )
    catalog = TypeAdapter(list[Entry])
    try:
        renamed = ScenarioFacts.model_validate_json(called_anew(facts.model_dump_json()))
        entries = catalog.validate_json(called_anew(catalog.dump_json(scenario.catalog).decode()))
    except ValidationError as error:
        raise InvalidScenario(_cannot_rename(error, document)) from error
    return scenario.model_copy(
        update={
            **{name: getattr(renamed, name) for name in ScenarioFacts.model_fields},
            "world_digest": digest([scenario.world_digest, dict(names)]),
            "build": world,
            "catalog": entries,
        }
    )


def _names_any(text: str, names: Mapping[str, str]) -> bool:
    """Return whether a JSON text may hold one of the old names; those of catalogs seldom do."""
    return any(json.dumps(old, ensure_ascii=False)[1:-1] in text for old in names)


def _called_anew(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for old, new in names.items():
            value = value.replace(old, new)
        return value
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
        return {_called_anew(key, names): _called_anew(each, names) for key, each in members}
    if isinstance(value, list):
        return [_called_anew(each, names) for each in cast("list[Any]", value)]
    return value


def _cannot_rename(error: ValidationError, document: Document) -> str:
    first = error.errors(include_url=False)[0]
    where = document.where(("pair", "changes", "rename"))
    problem = f"{dotted(first['loc'])} then {str(first['msg']).lower()}"
    return f"{where}: pair.changes.rename: {problem}; rename resources, not words of the format"

"""A scenario file -> Scenario: its world and its catalog looked up, its facts checked."""

import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from pydantic import ValidationError

from harness.errors import InvalidScenario
from harness.model import Scenario, ScenarioFacts, World
from harness.model.values import digest
from harness.scenarios.bases import base_digest, base_of, catalog_of
from harness.scenarios.files import Document, reworded, shown
from harness.scenarios.forms import ScenarioFile
from harness.scenarios.project import Project

_WORLDS: WeakValueDictionary[tuple[str, str], World] = WeakValueDictionary()
"""The worlds that somebody holds, by the digest of their base and by their changes."""


def resolved(project: Project, scenario_id: str, document: Document) -> Scenario:
    """Return the scenario of a file that says all of it itself; raise InvalidScenario, one problem a line."""
    try:
        written = ScenarioFile.model_validate(document.value)
    except ValidationError as error:
        raise InvalidScenario(reworded(document, error)) from error
    base = base_of(project, written.world.base, "worlds", document)
    changes = written.world.changes
    catalog = catalog_of(project, written.catalog, document)
    facts = {name: getattr(written, name) for name in ScenarioFacts.model_fields}
    return Scenario.model_construct(
        id=scenario_id,
        base_world=written.world.base,
        world_digest=digest([base_digest(base), changes]),
        build=partial(_world, base, changes, document.path),
        catalog=catalog,
        **facts,
    )


def _world(base: Document, changes: Sequence[Mapping[str, Any]], path: Path) -> World:
    """Return a world, the same for all scenarios that say the same of it; `path` is told in errors."""
    # Most commands build none, and what builds them takes longer to load than to list all scenarios.
    from harness.cluster import build_world

    name = (base_digest(base), json.dumps(changes))
    found = _WORLDS.get(name)
    if found is None:
        found = _WORLDS[name] = build_world(base.value, changes, shown(path))
    return found

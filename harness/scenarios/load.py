"""Scenario files -> Scenario, one or many, with file and line in every error."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cache

from harness.errors import UnknownName
from harness.model import Scenario
from harness.scenarios.files import Document, Read, read_yaml
from harness.scenarios.pairs import is_paired, paired
from harness.scenarios.project import (
    CHECKOUT,
    FAMILIES,
    PACKAGED,
    Project,
    check_name,
    find_project,
    scenario_ids,
)
from harness.scenarios.resolving import resolved

__all__ = [
    "CHECKOUT",
    "FAMILIES",
    "PACKAGED",
    "Project",
    "find_project",
    "load_scenario",
    "load_scenarios",
    "scenario_ids",
    "scenario_of",
    "with_world",
]


def load_scenarios(
    project: Project | None = None, patterns: Iterable[str] = (), tags: Iterable[str] = ()
) -> list[Scenario]:
    """Return the scenarios whose id matches one of `patterns` and that carry all `tags`, sorted by id.

    Args:
        project: where to look; default is the one at or above the current folder, else the packaged suite.
        patterns: ids or shell globs, as "recovery/*"; none means all.
        tags: all of them must be present.

    Raises:
        InvalidScenario: a file is wrong.
        UnknownName: a pattern matches nothing.
    """
    project = project or find_project()
    ids = scenario_ids(project)
    chosen = _matching(ids, list(patterns))
    wanted = set(tags)
    # What a pair changes is mostly among them.
    read_once = cache(read_yaml)
    scenarios = [load_scenario(project, each, read_once) for each in chosen]
    kept = [each for each in scenarios if wanted <= set(each.tags)]
    if wanted and not kept:
        known = sorted({tag for each in scenarios for tag in each.tags})
        raise UnknownName("scenario with tag", ", ".join(sorted(wanted)), known)
    return kept


def _matching(ids: Sequence[str], patterns: Sequence[str]) -> list[str]:
    if not patterns:
        return list(ids)
    chosen: set[str] = set()
    for pattern in patterns:
        found = [each for each in ids if fnmatchcase(each, pattern)]
        if not found:
            raise UnknownName("scenario", pattern, ids)
        chosen.update(found)
    return sorted(chosen)


def load_scenario(project: Project, scenario_id: str, read: Read = read_yaml) -> Scenario:
    """Return one scenario by id, its world not built yet; raise InvalidScenario, one problem a line."""
    check_name(project, scenario_id)
    return scenario_of(project, scenario_id, read(project.scenarios / f"{scenario_id}.yaml"), read)


def scenario_of(project: Project, scenario_id: str, document: Document, read: Read = read_yaml) -> Scenario:
    """Return the scenario of a file that is read already, as `load_scenario` does."""
    if is_paired(document):
        return paired(project, scenario_id, document, read)
    return resolved(project, scenario_id, document)


def with_world(scenario: Scenario) -> Scenario:
    """Return the scenario, its world built; raise InvalidScenario where that cannot be."""
    _ = scenario.world
    return scenario

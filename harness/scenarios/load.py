"""Scenario files -> Scenario: look up world and catalog, validate, with the line in every error."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from harness.cluster import build_world
from harness.errors import InvalidInput, InvalidScenario, UnknownName
from harness.model import Entry, Scenario, ScenarioFacts, World
from harness.model.values import Value
from harness.scenarios.files import Document, dotted, read_yaml, reworded, shown

FAMILIES = ("incident", "recovery", "hostile")
PACKAGED = Path(__file__).resolve().parent.parent / "suite"
CHECKOUT = Path(__file__).resolve().parent.parent.parent


class WorldSource(Value):
    """A base world and what differs in it."""

    base: str
    changes: list[dict[str, Any]] = []


class CatalogSource(Value):
    """A base catalog and what differs in it."""

    base: str
    changes: list[dict[str, Any]] = []


class ScenarioFile(ScenarioFacts):
    """A scenario as it is written."""

    world: WorldSource
    catalog: CatalogSource


@dataclass(frozen=True, slots=True)
class Project:
    """The folder that holds `scenarios/`."""

    root: Path

    @property
    def scenarios(self) -> Path:
        """The folder with families, worlds and catalogs."""
        return self.root / "scenarios"


def find_project(given: Path | None = None, start: Path | None = None) -> Project:
    """Return the project: the given folder, else one at or above the current, else the packaged suite."""
    if given is not None:
        if not (given / "scenarios").is_dir():
            msg = f"{shown(given)}: holds no folder scenarios/; a project is the folder above it"
            raise InvalidInput(msg)
        return Project(given)
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / "scenarios" / "worlds").is_dir():
            return Project(folder)
    return Project(PACKAGED if PACKAGED.is_dir() else CHECKOUT)


def scenario_ids(project: Project) -> list[str]:
    """Return the ids of all scenario files, sorted; nothing is parsed."""
    return sorted(
        str(path.relative_to(project.scenarios).with_suffix(""))
        for family in FAMILIES
        for path in (project.scenarios / family).rglob("*.yaml")
    )


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
    scenarios = [load_scenario(project, each) for each in chosen]
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


def load_scenario(project: Project, scenario_id: str) -> Scenario:
    """Return one scenario by id; raise InvalidScenario with every problem, one a line."""
    document = read_yaml(project.scenarios / f"{scenario_id}.yaml")
    try:
        written = ScenarioFile.model_validate(document.value)
    except ValidationError as error:
        raise InvalidScenario(reworded(document, error)) from error
    world = _world(project, written.world, document)
    catalog = _catalog(project, written.catalog, document)
    facts = {name: getattr(written, name) for name in ScenarioFacts.model_fields}
    return Scenario.model_construct(id=scenario_id, world=world, catalog=catalog, **facts)


def _world(project: Project, source: WorldSource, document: Document) -> World:
    base = _base(project, source.base, "worlds", document)
    return build_world(base.value, source.changes, shown(document.path))


def _base(project: Project, name: str, folder: str, document: Document) -> Document:
    path = project.scenarios / f"{name}.yaml"
    if not name.startswith(f"{folder}/") or not path.is_file():
        key = "world" if folder == "worlds" else "catalog"
        known = [f"{folder}/{each.stem}" for each in (project.scenarios / folder).glob("*.yaml")]
        error = UnknownName("base", name, known)
        msg = f"{document.where((key, 'base'))}: {key}.base: {error}"
        raise InvalidScenario(msg)
    return _parsed(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _parsed(path: Path, _changed: int) -> Document:
    return read_yaml(path)


def _catalog(project: Project, source: CatalogSource, document: Document) -> list[Entry]:
    base = _base(project, source.base, "catalogs", document)
    entries = list(_entries(base.path, base.path.stat().st_mtime_ns))
    for index, change in enumerate(source.changes):
        at = ("catalog", "changes", index)
        entries = _changed_catalog(entries, change, document, at)
    return entries


@lru_cache(maxsize=64)
def _entries(path: Path, changed: int) -> tuple[Entry, ...]:
    document = _parsed(path, changed)
    value: Any = document.value
    written = cast("dict[str, Any]", value).get("entries") if isinstance(value, dict) else None
    if not isinstance(written, list):
        msg = f"{shown(path)}:1: entries: missing; a catalog is a description and a list of entries"
        raise InvalidScenario(msg)
    listed = cast("list[Any]", written)
    return tuple(_entry(each, document, ("entries", index)) for index, each in enumerate(listed))


def _entry(value: Any, document: Document, at: Sequence[str | int]) -> Entry:
    try:
        return Entry.model_validate(value)
    except ValidationError as error:
        raise InvalidScenario(reworded(document, error, at)) from error


def _changed_catalog(
    entries: list[Entry], change: Mapping[str, Any], document: Document, at: Sequence[str | int]
) -> list[Entry]:
    match dict(change):
        case {"add": value, **rest} if not rest:
            return [*entries, _entry(value, document, (*at, "add"))]
        case {"remove": str(name), **rest} if not rest:
            _known(name, entries, document, (*at, "remove"))
            return [each for each in entries if each.workflow_id != name]
        case {"patch": str(name), "with": Mapping(), **rest} if not rest:
            _known(name, entries, document, (*at, "patch"))
            given = cast("dict[str, Any]", change["with"])
            return [
                _entry(_merged(each.model_dump(exclude_unset=True), given), document, (*at, "with"))
                if each.workflow_id == name and each.is_latest_version
                else each
                for each in entries
            ]
        case _:
            keys = ", ".join(sorted(change))
            msg = (
                f"{document.where(at)}: {dotted(at)}: found the keys {keys!r}; "
                "use `add: {...}`, `remove: id`, or `patch: id` with `with: {...}`"
            )
            raise InvalidScenario(msg)


def _known(name: str, entries: list[Entry], document: Document, at: Sequence[str | int]) -> None:
    ids = [each.workflow_id for each in entries]
    if name not in ids:
        msg = f"{document.where(at)}: {dotted(at)}: {UnknownName('workflow', name, ids)}"
        raise InvalidScenario(msg)


def _merged(value: dict[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON merge patch applied: null deletes, objects merge, all else replaces."""
    made = dict(value)
    for key, new in patch.items():
        old = made.get(key)
        if new is None:
            made.pop(key, None)
        elif isinstance(new, Mapping) and isinstance(old, dict):
            made[key] = _merged(cast("dict[str, Any]", old), cast("Mapping[str, Any]", new))
        else:
            made[key] = new
    return made

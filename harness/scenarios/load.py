"""Scenario files -> Scenario: look up world and catalog, validate, with the line in every error."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, cast

from pydantic import Field, TypeAdapter, ValidationError

from harness.cluster import build_world
from harness.errors import InvalidInput, InvalidScenario, UnknownName
from harness.model import Entry, Scenario, ScenarioFacts, World
from harness.model.scenario import Pair, Relation
from harness.model.values import Value, digest
from harness.scenarios.files import Document, dotted, read_yaml, reworded, shown

FAMILIES = ("incident", "recovery", "hostile", "paired")
_NAME = re.compile(r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*")
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


class PairSource(Value):
    """The other scenario, what differs, and the clause that compares the two.

    `changes` is a merge patch of the other file, in which `world.changes` and `catalog.changes` are added to
    what is there; besides, `rename: {old: new}` renames resources everywhere and `reverse: hits` turns the
    order of search results round.
    """

    of: str
    changes: dict[str, Any]
    relation: Relation


class PairFile(Value):
    """A scenario that is another one but for a change."""

    description: str = Field(min_length=10, max_length=100)
    tags: list[str] = []
    pair: PairSource


@dataclass(frozen=True, slots=True)
class Project:
    """The folder that holds `scenarios/`, and `contracts/` where the project has its own."""

    root: Path

    @property
    def scenarios(self) -> Path:
        """The folder with families, worlds and catalogs."""
        return self.root / "scenarios"

    @property
    def contracts(self) -> Path:
        """The folder with the project's own contracts, one folder for each id."""
        return self.root / "contracts"


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


def _is_there(project: Project, scenario_id: str) -> bool:
    """Return whether `scenario_ids` has an id, without looking at every file."""
    path = PurePosixPath(scenario_id)
    spelled = str(path) == scenario_id and ".." not in path.parts
    family = scenario_id.partition("/")[0]
    return spelled and family in FAMILIES and (project.scenarios / f"{scenario_id}.yaml").is_file()


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
    """Return one scenario by id, its world not built yet; raise InvalidScenario, one problem a line."""
    _check_name(project, scenario_id)
    return scenario_of(project, scenario_id, read_yaml(project.scenarios / f"{scenario_id}.yaml"))


def _check_name(project: Project, scenario_id: str) -> None:
    """Refuse a name that ids of samples, which are cut at '@' and '#', and commands could not hold."""
    if not _NAME.fullmatch(scenario_id):
        folder = shown(project.scenarios)
        msg = (
            f"{folder}: found a scenario in the file {f'{scenario_id}.yaml'!r}; name files with letters, "
            f"digits, '-', '_' and '.' alone"
        )
        raise InvalidScenario(msg)


def scenario_of(project: Project, scenario_id: str, document: Document) -> Scenario:
    """Return the scenario of a file that is read already, as `load_scenario` does."""
    if "pair" in _keys(document.value):
        return _paired(project, scenario_id, document)
    return _resolved(project, scenario_id, document)


def with_world(scenario: Scenario) -> Scenario:
    """Return the scenario, its world built; raise InvalidScenario where that cannot be."""
    _ = scenario.world
    return scenario


def _keys(value: Any) -> set[str]:
    return set(cast("dict[str, Any]", value)) if isinstance(value, dict) else set()


def _resolved(project: Project, scenario_id: str, document: Document) -> Scenario:
    try:
        written = ScenarioFile.model_validate(document.value)
    except ValidationError as error:
        raise InvalidScenario(reworded(document, error)) from error
    base = _base(project, written.world.base, "worlds", document)
    changes = written.world.changes
    catalog = _catalog(project, written.catalog, document)
    facts = {name: getattr(written, name) for name in ScenarioFacts.model_fields}
    return Scenario.model_construct(
        id=scenario_id,
        base_world=written.world.base,
        world_digest=digest([_base_digest(base.path, base.path.stat().st_mtime_ns), changes]),
        build=lambda: build_world(base.value, changes, shown(document.path)),
        catalog=catalog,
        **facts,
    )


def _paired(project: Project, scenario_id: str, document: Document) -> Scenario:
    """Return the scenario that differs from another in what `pair.changes` says, and in nothing else."""
    try:
        written = PairFile.model_validate(document.value)
    except ValidationError as error:
        raise InvalidScenario(reworded(document, error)) from error
    source = written.pair
    if not _is_there(project, source.of):
        error = UnknownName("scenario", source.of, scenario_ids(project))
        raise InvalidScenario(f"{document.where(('pair', 'of'))}: pair.of: {error}")
    base = read_yaml(project.scenarios / f"{source.of}.yaml")
    if "pair" in _keys(base.value):
        msg = (
            f"{document.where(('pair', 'of'))}: pair.of: {source.of} is itself paired; name the first of them"
        )
        raise InvalidScenario(msg)
    changed = dict(source.changes)
    renamed, reverse = changed.pop("rename", {}), changed.pop("reverse", None)
    own = {"description": written.description, "tags": written.tags}
    merged = Document(document.path, {**_with_changes(base, changed, document), **own}, document.lines)
    scenario = _renamed(_resolved(project, scenario_id, merged), _names(renamed, document), document)
    if reverse not in (None, "hits"):
        where = document.where(("pair", "changes", "reverse"))
        msg = f"{where}: pair.changes.reverse: found {reverse!r}; use 'hits'"
        raise InvalidScenario(msg)
    pair = Pair(of=source.of, relation=source.relation, renamed=_names(renamed, document))
    return scenario.model_copy(update={"pair": pair, "hits_reversed": reverse == "hits", "id": scenario_id})


def _with_changes(base: Document, changes: Mapping[str, Any], document: Document) -> dict[str, Any]:
    """Return a scenario's value patched; changes of world and catalog are added to those it has."""
    given = _mapping(base.value)
    merged = _merged(given, changes)
    for part in ("world", "catalog"):
        more: Any = _mapping(changes.get(part)).get("changes")
        if more is None:
            continue
        known: Any = _mapping(given.get(part)).get("changes", [])
        if not isinstance(more, list) or not isinstance(known, list):
            where, found = document.where(("pair", "changes", part, "changes")), str(cast("Any", more))[:80]
            msg = f"{where}: pair.changes.{part}.changes: found {found!r}; use a list"
            raise InvalidScenario(msg)
        both = [*cast("list[Any]", known), *cast("list[Any]", more)]
        merged[part] = {**_mapping(merged.get(part)), "changes": both}
    return merged


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _names(renamed: Any, document: Document) -> dict[str, str]:
    items = cast("dict[Any, Any]", renamed).items() if isinstance(renamed, dict) else [(None, None)]
    if all(isinstance(old, str) and isinstance(new, str) and old for old, new in items):
        return {str(old): str(new) for old, new in items}
    where = document.where(("pair", "changes", "rename"))
    msg = f"{where}: pair.changes.rename: found {renamed!r}; use a map of names, `old-name: new-name`"
    raise InvalidScenario(msg)


def _renamed(scenario: Scenario, names: Mapping[str, str], document: Document) -> Scenario:
    """Return the scenario with names replaced wherever they stand: objects, logs, alert, expectations."""
    if not names:
        return scenario

    def called_anew(text: str) -> str:
        return json.dumps(_called_anew(json.loads(text), names))

    def world() -> World:
        try:
            return World.model_validate_json(called_anew(scenario.world.model_dump_json()))
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


def _called_anew(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
        return {_called_anew(key, names): _called_anew(each, names) for key, each in members}
    if isinstance(value, list):
        return [_called_anew(each, names) for each in cast("list[Any]", value)]
    if isinstance(value, str):
        for old, new in names.items():
            value = value.replace(old, new)
    return value


def _cannot_rename(error: ValidationError, document: Document) -> str:
    first = error.errors(include_url=False)[0]
    where = document.where(("pair", "changes", "rename"))
    problem = f"{dotted(first['loc'])} then {str(first['msg']).lower()}"
    return f"{where}: pair.changes.rename: {problem}; rename resources, not words of the format"


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


@lru_cache(maxsize=64)
def _base_digest(path: Path, changed: int) -> str:
    return digest(_parsed(path, changed).value)


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

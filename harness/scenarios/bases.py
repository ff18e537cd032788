"""Base worlds and base catalogs: found by their names, read once, and changed as a scenario says."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from harness.errors import InvalidScenario, UnknownName
from harness.model import Entry
from harness.model.remembering import once_per_object
from harness.model.values import digest
from harness.scenarios.files import Document, dotted, plain_file, read_yaml, reworded, shown
from harness.scenarios.forms import CatalogSource
from harness.scenarios.project import Project


def base_of(project: Project, name: str, folder: str, document: Document) -> Document:
    """Return a base of `folder`, which is worlds or catalogs.

    Raise InvalidScenario, by the place in `document` that names it, where there is none.
    """
    path = project.scenarios / f"{name}.yaml"
    found = plain_file(path) if name.startswith(f"{folder}/") else None
    if found is None:
        key = "world" if folder == "worlds" else "catalog"
        known = [f"{folder}/{each.stem}" for each in (project.scenarios / folder).glob("*.yaml")]
        error = UnknownName("base", name, known)
        msg = f"{document.where((key, 'base'))}: {key}.base: {error}"
        raise InvalidScenario(msg)
    return _parsed(path, found.st_mtime_ns)


@lru_cache(maxsize=64)
def _parsed(path: Path, _changed: int) -> Document:
    return read_yaml(path)


@once_per_object(64)
def base_digest(base: Document) -> str:
    """Return the digest of all that a base says."""
    return digest(base.value)


def catalog_of(project: Project, source: CatalogSource, document: Document) -> list[Entry]:
    """Return a catalog, changed as `source` says; scenarios that change nothing in theirs share it."""
    base = base_of(project, source.base, "catalogs", document)
    entries = _entries(base)
    for index, change in enumerate(source.changes):
        at = ("catalog", "changes", index)
        entries = _changed_catalog(entries, change, document, at)
    return entries


@once_per_object(64)
def _entries(base: Document) -> list[Entry]:
    value: Any = base.value
    written = cast("dict[str, Any]", value).get("entries") if isinstance(value, dict) else None
    if not isinstance(written, list):
        msg = f"{shown(base.path)}:1: entries: missing; a catalog is a description and a list of entries"
        raise InvalidScenario(msg)
    listed = cast("list[Any]", written)
    return [_entry(each, base, ("entries", index)) for index, each in enumerate(listed)]


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
                _entry(merged(each.model_dump(exclude_unset=True), given), document, (*at, "with"))
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


def merged(value: dict[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON merge patch applied: null deletes, objects merge, all else replaces."""
    made = dict(value)
    for key, new in patch.items():
        old = made.get(key)
        if new is None:
            made.pop(key, None)
        elif isinstance(new, Mapping) and isinstance(old, dict):
            made[key] = merged(cast("dict[str, Any]", old), cast("Mapping[str, Any]", new))
        else:
            made[key] = new
    return made

"""Scenarios that are another one but for a change."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import ValidationError

from harness.errors import InvalidScenario, UnknownName
from harness.model import Scenario
from harness.model.scenario import Pair
from harness.scenarios.bases import merged
from harness.scenarios.files import Document, Read, reworded
from harness.scenarios.forms import PairFile
from harness.scenarios.project import Project, is_there, scenario_ids
from harness.scenarios.renaming import renamed
from harness.scenarios.resolving import resolved


def is_paired(document: Document) -> bool:
    """Return whether a file speaks of another scenario."""
    return "pair" in _mapping(document.value)


def paired(project: Project, scenario_id: str, document: Document, read: Read) -> Scenario:
    """Return the scenario that differs from another in what `pair.changes` says, and in nothing else.

    `read` reads that other one's file.
    """
    try:
        written = PairFile.model_validate(document.value)
    except ValidationError as error:
        raise InvalidScenario(reworded(document, error)) from error
    source = written.pair
    if not is_there(project, source.of):
        error = UnknownName("scenario", source.of, scenario_ids(project))
        raise InvalidScenario(f"{document.where(('pair', 'of'))}: pair.of: {error}")
    base = read(project.scenarios / f"{source.of}.yaml")
    if is_paired(base):
        msg = (
            f"{document.where(('pair', 'of'))}: pair.of: {source.of} is itself paired; name the first of them"
        )
        raise InvalidScenario(msg)
    changed = dict(source.changes)
    names, reverse = changed.pop("rename", {}), changed.pop("reverse", None)
    own = {"description": written.description, "tags": written.tags}
    whole = Document(document.path, {**_with_changes(base, changed, document), **own}, document.lines)
    scenario = renamed(resolved(project, scenario_id, whole), _names(names, document), document)
    if reverse not in (None, "hits"):
        where = document.where(("pair", "changes", "reverse"))
        msg = f"{where}: pair.changes.reverse: found {reverse!r}; use 'hits'"
        raise InvalidScenario(msg)
    pair = Pair(of=source.of, relation=source.relation, renamed=_names(names, document))
    return scenario.model_copy(update={"pair": pair, "hits_reversed": reverse == "hits", "id": scenario_id})


def _with_changes(base: Document, changes: Mapping[str, Any], document: Document) -> dict[str, Any]:
    """Return a scenario's value patched; changes of world and catalog are added to those it has."""
    given = _mapping(base.value)
    result = merged(given, changes)
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
        result[part] = {**_mapping(result.get(part)), "changes": both}
    return result


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _names(given: Any, document: Document) -> dict[str, str]:
    items = cast("dict[Any, Any]", given).items() if isinstance(given, dict) else [(None, None)]
    if all(isinstance(old, str) and isinstance(new, str) and old for old, new in items):
        return {str(old): str(new) for old, new in items}
    where = document.where(("pair", "changes", "rename"))
    msg = f"{where}: pair.changes.rename: found {given!r}; use a map of names, `old-name: new-name`"
    raise InvalidScenario(msg)

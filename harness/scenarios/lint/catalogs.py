"""Catalog entries: labels, descriptions, versions and parameter declarations (CAT-1, CAT-2, CAT-5)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, cast

from pydantic import ValidationError

from harness.catalog.ranking import confidence
from harness.contracts.reading import at
from harness.model import Entry, Parameter
from harness.scenarios.files import Document, reworded
from harness.scenarios.lint.finding import Level, LintFinding, finding_at
from harness.scenarios.lint.values import misfits, of_type
from harness.scenarios.lint.vocabulary import KNOWN_LABELS, LABEL_WORDS, SEARCHED_LABELS
from harness.scenarios.lint.written import Written, read_documents
from harness.scenarios.load import Project

EXACT_MATCH = 0.90
_PREFIX = "kubernaut.io/"
_SECRET = re.compile(r"passw(or)?d|token|secret(?!_?name)|credential|api_?key|private_?key", re.IGNORECASE)
_CONSTRAINTS = {"string": {"pattern"}, "boolean": set[str]()}
_NUMERIC = {"minimum", "maximum"}


@dataclass(frozen=True, eq=False)
class Shelved:
    """A catalog entry with the place in the file that states it."""

    document: Document
    place: tuple[str | int, ...]
    entry: Entry

    def says(self, clause: str, message: str, *path: str | int, level: Level = "error") -> LintFinding:
        """Return a finding about a part of the entry."""
        told = f"{self.entry.workflow_id} {self.entry.version}: {message}"
        return finding_at(self.document, (*self.place, *path), clause, told, level)


def lint_catalogs(project: Project, scenarios: Iterable[Written]) -> list[LintFinding]:
    """Return what is wrong in base catalogs, and in the entries that scenarios add or change."""
    documents, found = read_documents(project.scenarios / "catalogs")
    for document in documents:
        shelf, broken = _shelf(document)
        found += broken
        found += [finding for each in shelf for finding in entry_findings(each)]
        found += version_findings(shelf)
    for written in scenarios:
        own = _own_entries(written)
        found += [finding for each in own for finding in entry_findings(each)]
        found += _versions_after_changes(written, own)
    return found


def _shelf(document: Document) -> tuple[list[Shelved], list[LintFinding]]:
    value = document.value
    listed = cast("dict[str, Any]", value).get("entries") if isinstance(value, dict) else None
    if not isinstance(listed, list):
        message = "entries: missing; a catalog is a description and a list of entries"
        return [], [finding_at(document, (), "CAT-2", message)]
    shelf: list[Shelved] = []
    found: list[LintFinding] = []
    for index, each in enumerate(cast("list[Any]", listed)):
        place = ("entries", index)
        try:
            shelf.append(Shelved(document, place, Entry.model_validate(each)))
        except ValidationError as error:
            found += [_as_finding(line) for line in reworded(document, error, place).splitlines()]
    return shelf, found


def _as_finding(text: str) -> LintFinding:
    file, line, message = text.split(":", 2)
    return LintFinding(file, int(line), "CAT-2", message.strip())


def _own_entries(written: Written) -> list[Shelved]:
    """Return the entries that a scenario's own file adds or patches, as they are after its changes."""
    place = ("pair", "changes", "catalog", "changes") if written.source.of else ("catalog", "changes")
    changes = at(written.document.value, "/" + "/".join(place))
    own: list[Shelved] = []
    for index, change in enumerate(
        cast("list[dict[str, Any]]", changes) if isinstance(changes, list) else ()
    ):
        name, key = (_id_of(change["add"]), "add") if "add" in change else (change.get("patch"), "with")
        entry = written.scenario.entry(str(name))
        if entry is not None:
            own.append(Shelved(written.document, (*place, index, key), entry))
    return own


def _id_of(value: Any) -> Any:
    return cast("dict[str, Any]", value).get("workflow_id") if isinstance(value, dict) else None


def _versions_after_changes(written: Written, own: Sequence[Shelved]) -> list[LintFinding]:
    place = written.source.place(("catalog", "changes"))
    shelf = [Shelved(written.document, place, each) for each in written.scenario.catalog]
    return version_findings(shelf) if own else []


def version_findings(shelf: Sequence[Shelved]) -> list[LintFinding]:
    """Report ids without exactly one latest version, and versions that stand twice (CAT-1)."""
    found: list[LintFinding] = []
    by_id: dict[str, list[Shelved]] = {}
    for each in shelf:
        same = by_id.setdefault(each.entry.workflow_id, [])
        if each.entry.version in [other.entry.version for other in same]:
            found.append(each.says("CAT-1", "this version stands twice; keep one", "version"))
        same.append(each)
    for same in by_id.values():
        latest = [each for each in same if each.entry.is_latest_version]
        if not latest:
            found.append(same[0].says("CAT-1", "no version is the latest; mark one", "is_latest_version"))
        found += [
            each.says(
                "CAT-1",
                f"{latest[0].entry.version} is the latest version too; mark one, the others false",
                "is_latest_version",
            )
            for each in latest[1:]
        ]
    return found


def entry_findings(shelved: Shelved) -> Iterator[LintFinding]:
    """Yield what is wrong with one entry by itself."""
    yield from _labels(shelved)
    yield from _description(shelved)
    yield from _exact_match(shelved)
    yield from _shown(shelved)
    for name in shelved.entry.parameters:
        yield from _parameter(shelved, name)


def _labels(shelved: Shelved) -> Iterator[LintFinding]:
    """Keys are `kubernaut.io/<kebab>` and known, values are words that a search can send (CAT-2)."""
    for key in shelved.entry.labels:
        name = key.removeprefix(_PREFIX)
        if not key.startswith(_PREFIX) or name not in KNOWN_LABELS:
            near = get_close_matches(name.replace("_", "-"), KNOWN_LABELS, n=1)
            hint = f"did you mean '{_PREFIX}{near[0]}'?" if near else f"known: {', '.join(KNOWN_LABELS)}"
            yield shelved.says("CAT-2", f"no label {key!r}; {hint}", "labels", key)
            continue
        words = LABEL_WORDS.get(name, ())
        for value in shelved.entry.label(name):
            if words and value not in words:
                level: Level = "error" if name in {"signal-type", "severity"} else "warning"
                message = f"label {name}: found {value!r}; use {', '.join(words)}"
                yield shelved.says("CAT-2", message, "labels", key, level=level)
    for name in SEARCHED_LABELS:
        if not shelved.entry.label(name):
            message = f"no label {_PREFIX}{name}; a search that sends one never finds this entry"
            yield shelved.says("CAT-2", message, "labels", level="warning")


def _description(shelved: Shelved) -> Iterator[LintFinding]:
    """Descriptions start `<signal_type> <severity>:` with values of the entry's labels (CAT-2)."""
    entry = shelved.entry
    lead, colon, rest = entry.description.partition(":")
    words = lead.split(" ")
    if not colon or len(words) != 2 or not rest.strip():
        message = (
            f"description: found {lead[:60]!r}; begin with `<signal_type> <severity>: ` and what it does"
        )
        yield shelved.says("CAT-2", message, "description")
        return
    for word, name in zip(words, ("signal_type", "severity"), strict=True):
        if word not in entry.label(name):
            allowed = ", ".join(entry.label(name)) or "none"
            message = f"description: begins with {word!r}; its {name} labels are {allowed}"
            yield shelved.says("CAT-2", message, "description")


def _shown(shelved: Shelved) -> Iterator[LintFinding]:
    """What some contracts show of an entry is stated (CAT-3)."""
    for name in ("estimated_duration", "success_rate"):
        if shelved.entry.is_latest_version and getattr(shelved.entry, name) is None:
            message = f"states no {name}, and playbook-selection-2.0 shows one; state it"
            yield shelved.says("CAT-3", message, level="warning")


def _exact_match(shelved: Shelved) -> Iterator[LintFinding]:
    """A query with the entry's own signal type and severity reaches 0.90 (CAT-5, reported only)."""
    entry = shelved.entry
    for signal_type in entry.label("signal_type"):
        for severity in entry.label("severity"):
            reached = confidence(f"{signal_type} {severity}", entry)
            if reached < EXACT_MATCH:
                message = f"the query '{signal_type} {severity}' reaches {reached:.2f}, not {EXACT_MATCH:.2f}"
                yield shelved.says("CAT-5", message, "description", level="warning")


def _parameter(shelved: Shelved, name: str) -> Iterator[LintFinding]:
    """A declaration can be kept: type, default, enum, bounds, pattern, depends_on (PAR-2, PAR-4)."""
    parameter = shelved.entry.parameters[name]
    for key, message in _declaration(name, parameter, shelved.entry):
        yield shelved.says("PAR-2", f"{name}.{key}: {message}", "parameters", name, key)
    if _SECRET.search(name):
        message = f"{name}: looks like a secret; a model must not be asked for one"
        yield shelved.says("PAR-4", message, "parameters", name, level="warning")


def _declaration(name: str, parameter: Parameter, entry: Entry) -> Iterator[tuple[str, str]]:
    if parameter.pattern is not None:
        try:
            re.compile(parameter.pattern)
        except re.error as error:
            yield "pattern", f"{parameter.pattern!r} is no regular expression: {error}"
    for value in parameter.enum or ():
        if not of_type(parameter.type, value):
            yield "enum", f"found {value!r}; its type is {parameter.type}"
    if parameter.default is not None:
        yield from (("default", message) for message in misfits(parameter, parameter.default))
    yield from (
        ("depends_on", f"no parameter {each!r}; declare it or drop it")
        for each in parameter.depends_on
        if each not in entry.parameters or each == name
    )
    if (
        parameter.minimum is not None
        and parameter.maximum is not None
        and parameter.minimum > parameter.maximum
    ):
        yield "minimum", f"{parameter.minimum} is above the maximum {parameter.maximum}"
    for key in ("pattern", "minimum", "maximum"):
        if getattr(parameter, key) is not None and key not in _CONSTRAINTS.get(parameter.type, _NUMERIC):
            yield key, f"a {parameter.type} takes none"

"""Read every file of a project; what cannot be read becomes findings, and reading goes on."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from harness.cluster import build_world
from harness.contracts import CONTRACTS
from harness.contracts.reading import at
from harness.errors import InvalidScenario
from harness.model import Contract, Scenario
from harness.scenarios.files import Document, dotted, read_yaml, shown
from harness.scenarios.lint.finding import Level, LintFinding, finding_at
from harness.scenarios.load import Project, scenario_of, with_world

_WITH_LINE = re.compile(
    r"(?P<file>[^:\n]+):(?P<line>\d+): (?:(?P<place>[^\s:]+): )?(?P<message>.*)", re.DOTALL
)
_WITHOUT_LINE = re.compile(r"(?P<file>[^:\n]+\.yaml): (?:(?P<place>[^\s:]+): )?(?P<message>.*)", re.DOTALL)
_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_BASE = ("world", "base")
_CHANGES = ("pair", "changes")
_OWN = {"pair", "description", "tags"}
"""What a paired scenario states outside `pair.changes`."""

Place = tuple[str | int, ...]


@dataclass(frozen=True, eq=False)
class Source:
    """A scenario's file, and for a paired one the file that it changes."""

    document: Document
    of: Document | None = None

    def place(self, place: Sequence[str | int]) -> Place:
        """Return where a place of the scenario is written in its own file."""
        if self.of is None or not place or place[0] in _OWN:
            return tuple(place)
        if len(place) > 2 and place[0] in {"world", "catalog"} and place[1] == "changes":
            inherited = at(self.of.value, f"/{place[0]}/changes")
            before = len(cast("list[Any]", inherited)) if isinstance(inherited, list) else 0
            return (*_CHANGES, place[0], "changes", int(place[2]) - before, *place[3:])
        return (*_CHANGES, *place)


@dataclass(frozen=True, eq=False)
class Written:
    """A scenario with the file that states it, and the contracts that it must go with."""

    source: Source
    scenario: Scenario
    contracts: tuple[Contract, ...] = CONTRACTS

    @property
    def searching(self) -> list[Contract]:
        """The contracts of the scenario's flow that search a catalog."""
        return [each for each in self.contracts if each.flow == self.scenario.flow and each.catalog_tool]

    @property
    def giving(self) -> list[Contract]:
        """The contracts of the scenario's flow that give a list in place of a search."""
        return [each for each in self.contracts if each.flow == self.scenario.flow and each.given]

    @property
    def document(self) -> Document:
        """The file of the scenario itself."""
        return self.source.document

    def says(
        self, place: Sequence[str | int], message: str, *, clause: str = "SCN-1", level: Level = "error"
    ) -> LintFinding:
        """Return a finding about the value at `place` of the scenario, where its file states it."""
        return finding_at(
            self.document, self.source.place(place), clause, f"{dotted(place)}: {message}", level
        )


def read_scenarios(
    project: Project, ids: Iterable[str], contracts: tuple[Contract, ...] = CONTRACTS
) -> tuple[list[Written], list[LintFinding]]:
    """Return the scenarios that load, and a finding for every problem of those that do not."""
    read: list[Written] = []
    found: list[LintFinding] = []
    for scenario_id in ids:
        source: Source | None = None
        try:
            document = read_yaml(project.scenarios / f"{scenario_id}.yaml")
            source = _source(project, document)
            read.append(Written(source, with_world(scenario_of(project, scenario_id, document)), contracts))
        except InvalidScenario as error:
            found += [_fault(line, source, _base_world(project, source)) for line in str(error).splitlines()]
    return read, found


def read_documents(folder: Path) -> tuple[list[Document], list[LintFinding]]:
    """Return the YAML files of a folder that can be parsed, and a finding for each that cannot."""
    read: list[Document] = []
    found: list[LintFinding] = []
    for path in sorted(folder.glob("*.yaml")):
        try:
            read.append(read_yaml(path))
        except InvalidScenario as error:
            found += [_fault(line, None, None) for line in str(error).splitlines()]
    return read, found


def world_faults(project: Project) -> list[LintFinding]:
    """Return what keeps base worlds from standing by themselves."""
    documents, found = read_documents(project.scenarios / "worlds")
    for document in documents:
        try:
            build_world(document.value, (), shown(document.path))
        except InvalidScenario as error:
            found += [_fault(line, Source(document), document) for line in str(error).splitlines()]
    return found


def _source(project: Project, document: Document) -> Source:
    return Source(document, _sibling(project, at(document.value, "/pair/of")))


def _base_world(project: Project, source: Source | None) -> Document | None:
    """Return the base world of a scenario, where it names one that can be parsed."""
    for document in (source.document, source.of) if source else ():
        base = _sibling(project, at(document.value, "/world/base")) if document else None
        if base is not None:
            return base
    return None


def _sibling(project: Project, name: Any) -> Document | None:
    path = project.scenarios / f"{name}.yaml"
    try:
        return read_yaml(path) if isinstance(name, str) and path.is_file() else None
    except InvalidScenario:
        return None


def _fault(text: str, source: Source | None, base: Document | None) -> LintFinding:
    """Return the finding of one line of an error, at the line that it names or that its place has."""
    found = _WITH_LINE.fullmatch(text) or _WITHOUT_LINE.fullmatch(text)
    if found is None:
        return _told(shown(source.document.path) if source else "scenarios", 1, text)
    spelled, message = found["place"] or "", found["message"]
    place = tuple(int(index) if index else key for index, key in _STEP.findall(spelled))
    if base is not None and place[:2] == _BASE:
        file, _, line = base.where(place[2:]).rpartition(":")
        return _told(file, int(line), f"{dotted(place[2:])}: {message}")
    told = f"{spelled}: {message}" if spelled else message
    if "line" in found.groupdict() and not _of_pair(source, found["file"]):
        return _told(found["file"], int(found["line"]), told)
    line = source.document.where(source.place(place)).rpartition(":")[2] if source else "1"
    return _told(found["file"], int(line), told)


def _of_pair(source: Source | None, file: str) -> bool:
    """Say whether an error is about a paired scenario as merged, so that its line means nothing."""
    return source is not None and source.of is not None and file == shown(source.document.path)


def _told(file: str, line: int, message: str) -> LintFinding:
    return LintFinding(file, line, "CAT-2" if "catalogs/" in file else "SCN-1", message)

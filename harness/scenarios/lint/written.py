"""Read every file of a project; what cannot be read becomes findings, and reading goes on."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.cluster import build_world
from harness.contracts.reading import at
from harness.errors import InvalidScenario
from harness.model import Scenario
from harness.scenarios.files import Document, dotted, read_yaml, shown
from harness.scenarios.lint.finding import Level, LintFinding, finding_at
from harness.scenarios.load import Project, load_scenario

_WITH_LINE = re.compile(r"(?P<file>[^:\n]+):(?P<line>\d+): (?P<message>.*)", re.DOTALL)
_WITHOUT_LINE = re.compile(r"(?P<file>[^:\n]+\.yaml): (?:(?P<place>[^\s:]+): )?(?P<message>.*)", re.DOTALL)
_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_BASE = ("world", "base")


@dataclass(frozen=True, eq=False)
class Written:
    """A scenario with the file that states it."""

    document: Document
    scenario: Scenario

    def says(
        self, place: Sequence[str | int], message: str, *, clause: str = "SCN-1", level: Level = "error"
    ) -> LintFinding:
        """Return a finding about the value at `place` of the scenario's file."""
        return finding_at(self.document, place, clause, f"{dotted(place)}: {message}", level)


def read_scenarios(project: Project, ids: Iterable[str]) -> tuple[list[Written], list[LintFinding]]:
    """Return the scenarios that load, and a finding for every problem of those that do not."""
    read: list[Written] = []
    found: list[LintFinding] = []
    for scenario_id in ids:
        document: Document | None = None
        try:
            document = read_yaml(project.scenarios / f"{scenario_id}.yaml")
            read.append(Written(document, load_scenario(project, scenario_id)))
        except InvalidScenario as error:
            found += _faults(error, project, document)
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
            found += [_fault(line, document, document) for line in str(error).splitlines()]
    return found


def _faults(error: InvalidScenario, project: Project, document: Document | None) -> list[LintFinding]:
    return [_fault(line, document, _base_of(project, document)) for line in str(error).splitlines()]


def _base_of(project: Project, document: Document | None) -> Document | None:
    """Return the base world of a scenario, where its file names one that can be parsed."""
    base = at(document.value if document else None, "/world/base")
    path = project.scenarios / f"{base}.yaml"
    try:
        return read_yaml(path) if isinstance(base, str) and path.is_file() else None
    except InvalidScenario:
        return None


def _fault(text: str, document: Document | None, base: Document | None) -> LintFinding:
    """Return the finding of one line of an error, at the line that it names or that its place has."""
    with_line = _WITH_LINE.fullmatch(text)
    if with_line:
        return _told(with_line["file"], int(with_line["line"]), with_line["message"])
    without = _WITHOUT_LINE.fullmatch(text)
    if without is None:
        return _told(shown(document.path) if document else "scenarios", 1, text)
    place = _place(without["place"] or "")
    if base is not None and place[:2] == _BASE:
        rest = place[2:]
        file, _, line = base.where(rest).rpartition(":")
        return _told(file, int(line), f"{dotted(rest)}: {without['message']}")
    message = f"{without['place']}: {without['message']}" if without["place"] else without["message"]
    line = document.where(place).rpartition(":")[2] if document else "1"
    return _told(without["file"], int(line), message)


def _told(file: str, line: int, message: str) -> LintFinding:
    return LintFinding(file, line, "CAT-2" if "catalogs/" in file else "SCN-1", message)


def _place(text: str) -> tuple[str | int, ...]:
    return tuple(int(index) if index else key for index, key in _STEP.findall(text))

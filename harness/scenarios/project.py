"""Where scenarios are: the folder that holds them, and the names of their files."""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from harness.errors import InvalidInput, InvalidScenario
from harness.scenarios.files import plain_file, shown

FAMILIES = ("incident", "recovery", "hostile", "paired")
_NAME = re.compile(r"[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*")
PACKAGED = Path(__file__).resolve().parent.parent / "suite"
CHECKOUT = Path(__file__).resolve().parent.parent.parent


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


def is_there(project: Project, scenario_id: str) -> bool:
    """Return whether `scenario_ids` has an id, without looking at every file."""
    path = PurePosixPath(scenario_id)
    spelled = str(path) == scenario_id and ".." not in path.parts
    family = scenario_id.partition("/")[0]
    known = spelled and family in FAMILIES
    return known and plain_file(project.scenarios / f"{scenario_id}.yaml") is not None


def check_name(project: Project, scenario_id: str) -> None:
    """Refuse a name that ids of samples, which are cut at '@' and '#', and commands could not hold."""
    if not _NAME.fullmatch(scenario_id):
        folder = shown(project.scenarios)
        msg = (
            f"{folder}: found a scenario in the file {f'{scenario_id}.yaml'!r}; name files with letters, "
            f"digits, '-', '_' and '.' alone"
        )
        raise InvalidScenario(msg)

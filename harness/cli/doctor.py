"""harness doctor: what is installed, what is configured, and where things are; nothing is asked of anyone."""

import argparse
import os
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import TYPE_CHECKING

from harness import __version__
from harness.cli.output import add_json, add_out, add_project, print_json, project, say
from harness.errors import InvalidInput

if TYPE_CHECKING:
    from harness.scenarios import Project

DISTRIBUTION = "contract-harness"
INCOMPLETE = 2
_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+)\s*([^;]*)(?:;(.*))?")
_KEY_NAME = re.compile(r"[A-Za-z0-9_]+_API_KEY", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Package:
    """A package that the harness needs or, where `optional`, can use; without a version it is missing."""

    name: str
    needs: str
    optional: bool
    version: str | None


@dataclass(frozen=True, slots=True)
class Place:
    """A folder and how many of its things were found there."""

    folder: str
    found: int


@dataclass(frozen=True, slots=True)
class Readiness:
    """A target of targets.yaml; `lacks` is a variable or interpreter that it needs and that is not there."""

    name: str
    means: str
    lacks: str | None


@dataclass(frozen=True, slots=True)
class Examination:
    """Everything that was looked at; each problem is a line that says what to do."""

    python: str
    harness: str
    packages: Sequence[Package]
    keys: Sequence[str]
    places: Mapping[str, Place]
    targets: Sequence[Readiness]
    problems: Sequence[str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness doctor` takes."""
    add_out(parser)
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print what was found; 2 where something needed is missing."""
    found = examine(arguments)
    if arguments.json:
        print_json({"ok": not found.problems, **asdict(found)})
    else:
        for line in _lines(found):
            print(line)
    for problem in found.problems:
        say(problem)
    return INCOMPLETE if found.problems else 0


def examine(arguments: argparse.Namespace) -> Examination:
    """Return what is there; only names of keys are read, never their values."""
    packages = required()
    problems = [
        f"{each.name} is missing; `pip install '{each.name}{each.needs}'`"
        for each in packages
        if each.version is None and not each.optional
    ]
    if not packages:
        problems.append(f"{DISTRIBUTION} is not installed, so what it needs is not known; `pip install .`")
    places: dict[str, Place] = {}
    targets: list[Readiness] = []
    if not problems:
        places, problems = _places(arguments)
        targets = _targets(arguments, problems)
    keys = sorted(name for name, value in os.environ.items() if _KEY_NAME.fullmatch(name) and value)
    return Examination(platform.python_version(), __version__, packages, keys, places, targets, problems)


def required() -> list[Package]:
    """Return the packages that the installed harness names, none where it is not installed."""
    try:
        requirements = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return []
    read = [match for each in requirements if (match := _REQUIREMENT.fullmatch(each))]
    return [
        Package(name, needs.strip(), optional="extra" in (marker or ""), version=_version(name))
        for name, needs, marker in (each.groups() for each in read)
    ]


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _places(arguments: argparse.Namespace) -> tuple[dict[str, Place], list[str]]:
    """Return where things are, and what is wrong there."""
    from harness.contracts import CONTRACTS
    from harness.prompting.render import PACKS, TEMPLATE
    from harness.scenarios import Project, load_scenarios, scenario_ids
    from harness.scenarios.contracts import contract_ids
    from harness.scenarios.load import CHECKOUT, PACKAGED
    from harness.store import find_runs

    here = project(arguments)
    suite = Project(PACKAGED if PACKAGED.is_dir() else CHECKOUT)
    packs = [each.id for each in CONTRACTS if (PACKS / each.id / TEMPLATE).is_file()]
    problems = [f"{PACKS}: holds no prompt pack of {each.id}" for each in CONTRACTS if each.id not in packs]
    try:
        scenarios = len(load_scenarios(suite))
    except InvalidInput as error:
        scenarios = 0
        problems += str(error).splitlines()
    if not scenarios:
        problems.append(f"{suite.scenarios}: the packaged suite does not load; install the harness again")
    problems += _unusable_contracts(here)
    places = {
        "project": Place(str(here.root.resolve()), len(scenario_ids(here))),
        "contracts": Place(str(here.contracts), len(contract_ids(here))),
        "runs": Place(str(arguments.out), len(find_runs(arguments.out))),
        "prompts": Place(str(PACKS), len(packs)),
        "suite": Place(str(suite.root), scenarios),
    }
    return places, problems


def _unusable_contracts(here: "Project") -> list[str]:
    """Return what is wrong with each of the project's own contracts; a contract's code is executed."""
    from harness.scenarios.contracts import contract_ids, find_contract

    problems: list[str] = []
    for each in contract_ids(here):
        try:
            find_contract(each, here)
        except InvalidInput as error:
            problems += str(error).splitlines()
    return problems


def _targets(arguments: argparse.Namespace, problems: list[str]) -> list[Readiness]:
    """Return which targets of targets.yaml are ready; what is wrong with the file is put to the problems."""
    from harness.cli.naming import configured, missing_interpreter, missing_variable

    try:
        found = configured(arguments)
    except InvalidInput as error:
        problems += str(error).splitlines()
        return []
    return [
        Readiness(name, each.means, missing_variable(each) or missing_interpreter(each))
        for name, each in found.items()
    ]


_THINGS = {
    "project": "scenarios",
    "contracts": "contracts of its own",
    "runs": "runs",
    "prompts": "packs",
    "suite": "scenarios loaded",
}
_ONE = {
    "project": "scenario",
    "contracts": "contract of its own",
    "runs": "run",
    "prompts": "pack",
    "suite": "scenario loaded",
}


def _lines(found: Examination) -> Iterable[str]:
    yield f"harness {found.harness}, Python {found.python}"
    width = max((len(each.name) for each in found.packages), default=0)
    for each in found.packages:
        wanted = "optional" if each.optional else "needed"
        yield f"  {each.name:{width}}  {each.version or 'missing':10}  {wanted} {each.needs}"
    yield "keys in the environment: " + (", ".join(found.keys) or "none; litellm targets read *_API_KEY")
    for name, place in found.places.items():
        things = (_ONE if place.found == 1 else _THINGS)[name]
        yield f"{name}: {place.folder} ({place.found} {things})"
    for each in found.targets:
        yield f"target {each.name} ({each.means}): " + (f"lacks {each.lacks}" if each.lacks else "ready")
    if not found.problems:
        yield "everything needed is here"

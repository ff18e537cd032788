"""What a session is asked to judge: samples that it records, or those of a stored run."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness.errors import InvalidInput, InvalidRun, UnknownName
from harness.model import Contract, SampleId, Scenario
from harness.pipeline import Plan, contracts_for
from harness.pipeline.plan import new_run_id
from harness.pytest_plugin.leftovers import undisturbed
from harness.pytest_plugin.naming import open_targets
from harness.pytest_plugin.options import given, option
from harness.scenarios import Project, find_project, load_scenarios
from harness.scenarios.contracts import find_contracts, is_path, stored_contract, stored_contracts
from harness.store import Selection
from harness.targets import Target
from harness.targets.prompted import BUILT_IN, pack_folder

if TYPE_CHECKING:
    from harness.store import Run

RUNS = Path("reports/runs")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Samples of one run, in the order of their reports; every process of a session has the same."""

    project: Project
    folder: Path
    """The run's; it is not there before the first sample is recorded."""
    samples: tuple[SampleId, ...]
    stored: bool
    """Whether the run was recorded before this session."""
    scenarios: Mapping[str, Scenario] = field(default_factory=dict[str, Scenario], compare=False)
    """Those that this process has loaded; building their worlds takes longest."""
    contracts: Mapping[str, Contract] = field(default_factory=dict[str, Contract], compare=False)
    """Those of its samples, by id."""

    def as_plain(self) -> dict[str, Any]:
        """Return what another process needs to have the same."""
        agreed = self.contracts.items()
        return {
            "project": str(self.project.root),
            "folder": str(self.folder),
            "samples": [str(each) for each in self.samples],
            "stored": self.stored,
            "contracts": [each.origin.folder if each.origin else name for name, each in agreed],
        }

    @classmethod
    def from_plain(cls, value: Mapping[str, Any]) -> "Evaluation":
        """Return what `as_plain` was made of."""
        project = Project(Path(value["project"]))
        return cls(
            project=project,
            folder=Path(value["folder"]),
            samples=tuple(SampleId.parse(each) for each in value["samples"]),
            stored=value["stored"],
            contracts={each.id: each for each in find_contracts(value["contracts"], project)},
        )


@dataclass(frozen=True, slots=True)
class Intent:
    """What is to be recorded, if it is not all deselected."""

    plan: Plan
    targets: Sequence[Target]
    concurrency: int | None

    def only(self, samples: frozenset[SampleId]) -> "Intent":
        """Return the part of this that asks these samples and no others."""
        scenarios, contracts = {each.scenario for each in samples}, {each.contract for each in samples}
        everything = frozenset(self.plan.samples(each.name for each in self.targets))
        plan = replace(
            self.plan,
            scenarios=[each for each in self.plan.scenarios if each.id in scenarios],
            contracts=[each for each in self.plan.contracts if each.id in contracts],
            selection=self.plan.selection if samples == everything else Selection(only=samples),
        )
        names = {each.target for each in samples}
        return Intent(plan, [each for each in self.targets if each.name in names], self.concurrency)


def planned(config: pytest.Config) -> tuple[Evaluation, Intent]:
    """Return the run that the options ask for.

    Raises:
        HarnessError: a name is unknown, or a scenario cannot be used.
    """
    project = _project(config)
    with undisturbed():
        scenarios = load_scenarios(project, option(config, "scenario") or (), option(config, "tag") or ())
    if not scenarios:
        raise InvalidInput(f"{project.scenarios}: holds no scenarios; write one, or name another project")
    contracts = contracts_for(scenarios, find_contracts(option(config, "contract") or (), project))
    targets = open_targets(option(config, "target") or ["mock:oracle"], option(config, "api-base"), project)
    # A session may start anywhere; what was typed is relative to where that was.
    prompts = option(config, "prompts")
    named = prompts in {None, BUILT_IN}
    packs = pack_folder(prompts if named else config.invocation_params.dir / prompts)
    plan = Plan(scenarios, contracts, option(config, "trials"), seed=0, packs=packs)
    folder = _runs(config) / new_run_id(datetime.now(UTC))
    samples = tuple(plan.samples(each.name for each in targets))
    loaded = {each.id: each for each in scenarios}
    intent = Intent(plan, targets, option(config, "concurrency"))
    agreed = {each.id: each for each in contracts}
    return Evaluation(project, folder, samples, stored=False, scenarios=loaded, contracts=agreed), intent


def stored(config: pytest.Config) -> Evaluation:
    """Return the samples of the run that `--run` names, those that it planned and never recorded among them.

    Raises:
        HarnessError: there is no such run, it cannot be judged here, or nothing is left of it.
    """
    from harness.store import open_run

    for name in ("trials", "concurrency", "prompts", "api-base"):
        if given(config, name):
            raise InvalidInput(f"--{name}: --run judges what was recorded; leave this out")
    project, run = _project(config), open_run(option(config, "run"), _runs(config))
    try:
        plan, targets = _narrowed(config, project, run)
    except UnknownName as error:
        raise InvalidRun(f"{run.folder}: {error}") from error
    samples = tuple(plan.samples(targets))
    if not samples:
        raise InvalidRun(f"{run.folder}: holds no sample of what was chosen; choose more")
    loaded = {each.id: each for each in plan.scenarios}
    agreed = {each.id: each for each in plan.contracts}
    folder = run.folder.absolute()
    return Evaluation(project, folder, samples, stored=True, scenarios=loaded, contracts=agreed)


def _narrowed(config: pytest.Config, project: Project, run: "Run") -> tuple[Plan, list[str]]:
    """Return the plan and the targets of a run, as far as the command line does not leave them out."""
    info = run.info
    patterns = option(config, "scenario") if given(config, "scenario") else list(info.scenarios)
    tags = option(config, "tag") if given(config, "tag") else ()
    scenarios = [each for each in load_scenarios(project, patterns, tags) if each.id in info.scenarios]
    contracts = _agreed(config, project, run)
    plan = Plan(scenarios, contracts, info.trials, info.seed, selection=Selection.of(info))
    return plan, _chosen(config, "target", info.targets)


def _agreed(config: pytest.Config, project: Project, run: "Run") -> list[Contract]:
    """Return the contracts of a run that the command line chooses, by id, or by where they are now."""
    if not given(config, "contract"):
        return list(stored_contracts(run, project).values())
    names: list[str] = option(config, "contract")
    moved = {each.id: each for each in find_contracts(filter(is_path, names), project)}
    chosen = [*moved, *(each for each in names if not is_path(each))]
    for each in chosen:
        if each not in run.info.contracts:
            raise UnknownName("contract", each, run.info.contracts)
    return [moved.get(each) or stored_contract(run, each, project) for each in dict.fromkeys(chosen)]


def _chosen(config: pytest.Config, name: str, known: Collection[str]) -> list[str]:
    """Return the names of a run that the command line chooses; raise UnknownName where one is not there."""
    chosen: list[str] = option(config, name) if given(config, name) else list(known)
    for each in chosen:
        if each not in known:
            raise UnknownName(name, each, known)
    return chosen


def _project(config: pytest.Config) -> Project:
    folder = str(config.getini("harness_project"))
    return find_project(config.rootpath / folder if folder else None, config.rootpath)


def _runs(config: pytest.Config) -> Path:
    out = option(config, "out")
    return config.invocation_params.dir / out if out else config.rootpath / RUNS

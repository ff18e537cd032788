"""How `harness run` begins: which samples of which plan, put to which targets, in a new or a stored run."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from harness.cli import replaying
from harness.cli.naming import open_targets, targets_of
from harness.cli.output import project
from harness.cli.selecting import as_recorded, changed_since, failed_samples, recorded_contracts
from harness.errors import InvalidInput
from harness.model import Contract, SampleId, Scenario
from harness.pipeline import Plan, contracts_for
from harness.prompting import render
from harness.scenarios import load_scenarios, with_world
from harness.scenarios.contracts import changed_contracts, find_contracts, is_path, stored_contracts
from harness.store import EVERYTHING, Run, RunInfo, Selection, Shard, open_run
from harness.targets import Target
from harness.targets.prompted import pack_folder, pack_names, recorded_packs, under_each


@dataclass(frozen=True, slots=True)
class Begun:
    """What is to be asked of whom; `run` is None where a new one is still to be made.

    `unscored_again` asks those too whose target could not be asked.
    """

    run: Run | None
    plan: Plan
    targets: list[Target]
    unscored_again: bool = False

    def left(self) -> list[SampleId]:
        """Return the samples that are still to be asked."""
        # Read anew: what a reader notes of a torn line is for whoever goes on to write the run.
        done = reread(self.run).finished(answered=self.unscored_again) if self.run else set[SampleId]()
        return [
            each for each in self.plan.samples(target.name for target in self.targets) if each not in done
        ]


def reread(run: Run) -> Run:
    """Return a stored run opened once more."""
    return open_run(str(run.folder))


def begin(arguments: argparse.Namespace) -> Begun | None:
    """Return what the arguments ask for, or None where nothing is left to ask; nothing is written."""
    return _resumed(arguments) if _reference(arguments) else _new(arguments)


def _new(arguments: argparse.Namespace) -> Begun | None:
    """Return a new run with its plan and targets, or None where nothing is left to ask."""
    recorded, targets, selection = _source(arguments)
    if recorded:
        as_recorded(arguments, recorded.info)
    here = project(arguments)
    scenarios = load_scenarios(here, arguments.scenario, arguments.tag)
    if not scenarios:
        msg = "no scenario was chosen; see `harness list scenarios`"
        raise InvalidInput(msg)
    scenarios = [each for each in scenarios if selection.has(each.id)]
    contracts = find_contracts(arguments.contract, here)
    if recorded and (arguments.only_failed or not contracts):
        contracts = recorded_contracts(recorded, scenarios, here, contracts)
    chosen = contracts_for(scenarios, contracts)
    plan = Plan(scenarios, chosen, arguments.trials or 1, arguments.seed or 0)
    plan, targets = _prompted(
        plan, targets, arguments.prompts, recorded_packs(recorded.info) if recorded else {}
    )
    shard = Shard.parse(arguments.shard) if arguments.shard else selection.shard
    plan = replace(plan, selection=replace(selection, shard=shard))
    # Whatever is wrong with a prompt pack or a world shows before there is a run.
    for packs, (scenario, contract) in product(plan.all_packs, list(plan.pairs())):
        render(with_world(scenario), contract, packs)
    if arguments.changed_since:
        plan = changed_since(open_run(arguments.changed_since, arguments.out), plan)
    if not plan.scenarios:
        return None
    replaying.check_openings(plan, targets)
    return Begun(None, plan, targets)


def _source(arguments: argparse.Namespace) -> tuple[Run | None, list[Target], Selection]:
    """Return the stored run that a new one follows, if any, whom to ask, and which samples."""
    cassette = replaying.cassette_of(arguments)
    if arguments.only_failed:
        own = {"scenario", "tag", "prompts", "shard", "api_base"}
        _refuse(arguments, [each for each in OWN_PLAN if each not in own])
        before = open_run(arguments.only_failed, arguments.out)
        _refuse_another_address(arguments, before.info)
        only = failed_samples(before, load_scenarios(project(arguments), list(before.info.scenarios)))
        names = {each.target for each in only}
        targets = [each for each in _targets_of(before.info, arguments) if each.name in names]
        return before, targets, Selection(only=only)
    if cassette:
        return cassette.run, [*cassette.targets()], Selection.of(cassette.run.info)
    return None, open_targets(arguments, keys=not arguments.dry_run), EVERYTHING


def _targets_of(info: RunInfo, arguments: argparse.Namespace) -> list[Target]:
    cassette = replaying.reopened(info)
    return [*cassette.targets()] if cassette else targets_of(info, arguments, keys=not arguments.dry_run)


def _reference(arguments: argparse.Namespace) -> str | None:
    """Return the run to go on with, if any."""
    return arguments.resume or arguments.retry_unscored


OWN_PLAN = {
    "target": "-t", "contract": "-c", "scenario": "-s", "tag": "--tag", "trials": "-n", "seed": "--seed",
    "prompts": "--prompts", "api_base": "--api-base", "temperature": "--temperature",
    "max_tokens": "--max-tokens", "timeout": "--timeout", "shard": "--shard",
    "live_tools": "--live-tools", "max_age": "--max-age",
}  # fmt: skip
"""What a run recorded of itself, and which option would contradict it; the path of a contract that it has
says where that is now."""


def _refuse(arguments: argparse.Namespace, names: Iterable[str]) -> None:
    given = {**vars(arguments), "contract": [each for each in arguments.contract if not is_path(each)]}
    extra = [OWN_PLAN[each] for each in names if given[each] not in (None, [], False)]
    if extra:
        msg = f"{', '.join(extra)}: a run goes on with its own plan and targets; leave this out"
        raise InvalidInput(msg)


def _refuse_another_address(arguments: argparse.Namespace, info: RunInfo) -> None:
    """Refuse --api-base, unless it repeats what the run recorded: so one vouches for it."""
    if arguments.api_base not in [each.get("api_base") for each in info.targets.values()]:
        _refuse(arguments, ["api_base"])


def _resumed(arguments: argparse.Namespace) -> Begun:
    _refuse(arguments, [each for each in OWN_PLAN if each != "api_base"])
    run = open_run(_reference(arguments) or "", arguments.out)
    info = run.info
    _refuse_another_address(arguments, info)
    here = project(arguments)
    scenarios = load_scenarios(here, list(info.scenarios))
    contracts = stored_contracts(run, here, find_contracts(arguments.contract, here))
    changed = [each.id for each in scenarios if each.digest() != info.scenarios[each.id]]
    changed += changed_contracts(run, contracts)
    if changed:
        msg = f"{run.folder}: cannot go on: {', '.join(changed)} changed since; start a new run"
        raise InvalidInput(msg)
    plan = stored_plan(info, scenarios, list(contracts.values()))
    return Begun(run, plan, _targets_of(info, arguments), bool(arguments.retry_unscored))


def stored_plan(info: RunInfo, scenarios: Sequence[Scenario], contracts: Sequence[Contract]) -> Plan:
    """Return the plan that a stored run recorded of itself."""
    return Plan(
        scenarios,
        contracts_for(scenarios, contracts),
        info.trials,
        info.seed,
        pack_folder(info.prompts),
        Selection.of(info),
        _folders(recorded_packs(info)),
    )


def _prompted(
    plan: Plan, targets: list[Target], prompts: Sequence[str], recorded: Mapping[str, str]
) -> tuple[Plan, list[Target]]:
    """Return plan and targets with their prompts: one folder for all, or each target with each of several.

    `recorded` are those that the targets of a stored run have already, where it has several.

    Raises:
        InvalidInput: others are given than the stored run has, or two have one name.
    """
    if recorded and prompts:
        msg = f"--prompts: the stored run has several packs ({', '.join(recorded)}); leave this out"
        raise InvalidInput(msg)
    if recorded:
        return replace(plan, packs_by_target=_folders(recorded)), targets
    if len(prompts) <= 1:
        return replace(plan, packs=pack_folder(*prompts or [None])), targets
    names = pack_names(prompts)
    found = {f"{each.name}+{name}": pack for each in targets for name, pack in names.items()}
    return replace(plan, packs_by_target=_folders(found)), under_each(targets, names)


def _folders(packs: Mapping[str, str]) -> dict[str, Path]:
    return {name: pack_folder(pack) for name, pack in packs.items()}

"""What a run asks: scenarios, contracts, trials; and the trials that follow from it."""

import platform
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from harness import __version__
from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.errors import InvalidInput
from harness.model import Contract, SampleId, Scenario
from harness.model.transcript import prompt_digest
from harness.prompting import render
from harness.prompting.render import PACKS
from harness.scenarios.contracts import contract_folders
from harness.store import EVERYTHING, RunInfo, Selection

if TYPE_CHECKING:
    from harness.conversation import Trial
    from harness.targets import Target


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run asks: every scenario under each contract of its flow, `trials` times, as far as selected.

    `packs` are the prompts of all targets but those that have their own in `packs_by_target`.
    """

    scenarios: Sequence[Scenario]
    contracts: Sequence[Contract]
    trials: int
    seed: int
    packs: Path = PACKS
    selection: Selection = EVERYTHING
    packs_by_target: Mapping[str, Path] = field(default_factory=dict[str, Path])

    def packs_of(self, target: str) -> Path:
        """Return the folder of prompts that a target is given."""
        return self.packs_by_target.get(target, self.packs)

    @property
    def all_packs(self) -> tuple[Path, ...]:
        """Every folder of prompts that some target is given."""
        return tuple(dict.fromkeys(self.packs_by_target.values())) or (self.packs,)

    def pairs(self) -> Iterator[tuple[Scenario, Contract]]:
        """Yield each scenario with each contract of its flow."""
        for scenario in self.scenarios:
            for contract in self.contracts:
                if contract.flow == scenario.flow:
                    yield scenario, contract

    def count(self, targets: int) -> int:
        """Return how many samples this plan has over so many targets, were nothing left out."""
        return targets * self.trials * sum(1 for _ in self.pairs())

    def samples(self, targets: Iterable[str]) -> Iterator[SampleId]:
        """Yield every sample that this plan asks of targets of these names."""
        for target in targets:
            for scenario, contract in self.pairs():
                for trial in range(1, self.trials + 1):
                    sample = SampleId(scenario.id, contract.id, target, trial)
                    if self.selection.takes(sample):
                        yield sample


def contracts_for(scenarios: Iterable[Scenario], contracts: Sequence[Contract]) -> list[Contract]:
    """Return the contracts to run: those given, else the default of each flow that occurs.

    Raises:
        InvalidInput: a given contract has no scenario of its flow.
    """
    flows = {each.flow for each in scenarios}
    if not contracts:
        return [load_contract(name) for flow, name in DEFAULT_BY_FLOW.items() if flow in flows]
    for contract in contracts:
        if contract.flow not in flows:
            msg = (
                f"{contract.id}: takes {contract.flow} scenarios, and none was chosen; choose others with -s"
            )
            raise InvalidInput(msg)
    return list(contracts)


def trials_of(plan: Plan, target: "Target") -> "Iterator[Trial]":
    """Yield every trial of one target, scenario by scenario; prompts are rendered once."""
    # Who only says which samples there are need not load what converses.
    from harness.conversation import Trial
    from harness.targets import trial_seed

    of_scenarios = {each.id: each.digest() for each in plan.scenarios}
    of_contracts = {each.id: each.digest() for each in plan.contracts}
    for scenario, contract in plan.pairs():
        prompt = render(scenario, contract, plan.packs_of(target.name))
        digests = {
            "scenario": of_scenarios[scenario.id],
            "contract": of_contracts[contract.id],
            "prompt": prompt_digest(prompt),
        }
        for number in range(1, plan.trials + 1):
            sample = SampleId(scenario.id, contract.id, target.name, number)
            if plan.selection.takes(sample):
                yield Trial(sample, scenario, contract, prompt, trial_seed(plan.seed, number), digests)


def new_run_id(now: datetime) -> str:
    """Return the id of a run that begins now; no other has it."""
    return f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"


def new_info(plan: Plan, targets: "Sequence[Target]") -> RunInfo:
    """Return the run.json of a run that is about to begin, with an id that no other has."""
    now = datetime.now(UTC)
    asked = {scenario.id: scenario for scenario, _ in plan.pairs()}
    return RunInfo(
        id=new_run_id(now),
        created=now.isoformat(timespec="microseconds"),
        versions={"harness": __version__, "python": platform.python_version()},
        targets={each.name: dict(each.settings) for each in targets},
        contracts={each.id: each.digest() for each in plan.contracts},
        contract_folders=contract_folders(plan.contracts),
        scenarios={name: each.digest() for name, each in asked.items()},
        trials=plan.trials,
        seed=plan.seed,
        # Where targets have several packs between them, each says its own among its settings.
        prompts=None if plan.packs == PACKS or plan.packs_by_target else str(plan.packs),
        shard=str(plan.selection.shard) if plan.selection.shard else None,
        only=plan.selection.names(),
    )

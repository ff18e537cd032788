"""harness lint --ablate: each rule is taken out of the packs in turn, and what notices is shown."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from harness.contracts.clauses import clause
from harness.conversation import Trial, converse, tools_for
from harness.extraction import read_sample
from harness.graders import grade
from harness.model import Contract, SampleId, Scenario, Transcript
from harness.prompting import render
from harness.prompting.ablation import Ablation, ablations
from harness.prompting.lint import probes, read_pack
from harness.prompting.lint.told import every_rule_told
from harness.prompting.render import template_of
from harness.scenarios.files import shown
from harness.targets import Binding, ModelReply, ModelRequest, Target, TargetOptions, open_target
from harness.targets.mock.literal import lapses_of, message_without

MOST_PLAYED = 8
"""In so many scenarios a rule is looked for at most, those in which the mock can break it."""


@dataclass(frozen=True, slots=True)
class Ablated:
    """What noticed that a rule is gone.

    `lint` are those of its clauses that PRM-10 names, `fell` all that mock:literal breaks without the rule
    and not with it. `idle` are clauses whose rule no scenario at hand lets it break: nobody knows of those.
    """

    ablation: Ablation
    place: str
    lint: frozenset[str]
    fell: frozenset[str]
    idle: frozenset[str]

    @property
    def unnoticed(self) -> frozenset[str]:
        """The clauses whose rule can go without lint or the scores noticing, where they could."""
        clauses = self.ablation.clauses
        return (clauses - self.lint) | (clauses - self.fell - self.idle)

    def as_json(self) -> dict[str, Any]:
        """Return what programs are told."""
        return {
            "contract": self.ablation.contract.id,
            "clauses": sorted(self.ablation.clauses),
            "place": self.place,
            "removed": list(self.ablation.removed),
            "lint": sorted(self.lint),
            "scores": sorted(self.fell),
            "idle": sorted(self.idle),
            "unnoticed": sorted(self.unnoticed),
        }

    def line(self) -> str:
        """Return one line: the place, the rules, and who noticed."""
        clauses = self.ablation.clauses
        lint = "PRM-10" if clauses <= self.lint else "lint is silent"
        fell = sorted(clauses & self.fell)
        dimensions = sorted({clause(each).dimension for each in fell})
        scores = f"mock:literal breaks {', '.join(fell)} ({', '.join(dimensions)})" if fell else "no score"
        idle = f"; no scenario shows {', '.join(sorted(self.idle))}" if self.idle else ""
        verdict = f"; unnoticed: {', '.join(sorted(self.unnoticed))}" if self.unnoticed else ""
        places = len(self.ablation.removed)
        where = f"{self.place} and {places - 1} more" if places > 1 else self.place
        return f"{where}: {' '.join(sorted(clauses))}: {lint}; {scores}{idle}{verdict}"


def ablated(packs: Path, contracts: Iterable[Contract], scenarios: Sequence[Scenario]) -> Iterator[Ablated]:
    """Yield every rule of the packs of a folder, taken out alone.

    Raises:
        InvalidInput: a pack cannot be rendered.
    """
    for contract in contracts:
        mine = [each for each in scenarios if each.flow == contract.flow]
        with TemporaryDirectory() as scratch, TemporaryDirectory() as changed:
            probe = probes.full(contract.flow)
            for each in ablations(contract, packs, probe, tools_for(contract), Path(scratch)):
                yield _noticed(each, packs, mine, Path(changed))


def _noticed(ablation: Ablation, packs: Path, scenarios: Sequence[Scenario], folder: Path) -> Ablated:
    contract = ablation.contract
    place = f"{shown(template_of(contract, packs))}:{ablation.line}"
    if ablation.source is None:
        return Ablated(ablation, place, frozenset(), frozenset(), frozenset())
    ablation.write(folder)
    pack = read_pack(folder, contract)
    told = (each.message.split(" ")[0] for each in every_rule_told(pack)) if pack else ()
    fell: frozenset[str] = frozenset()
    able: frozenset[str] = frozenset()
    for clause_id in sorted(ablation.clauses):
        acting = [each for each in scenarios if lapses_of([clause_id], each, contract)]
        for scenario in acting[:MOST_PLAYED]:
            if clause_id in fell:
                break
            broken, before = (_broken(scenario, contract, each) for each in (folder, packs))
            fell |= broken - before
        # What another lapse of the same sentence silences cannot show itself.
        others = ablation.clauses - {clause_id}
        heard = [
            each for each in acting if not any(lapse.silences for lapse in lapses_of(others, each, contract))
        ]
        if clause_id in fell or any(_differs(clause_id, each, contract, packs) for each in heard):
            able |= {clause_id}
    return Ablated(ablation, place, ablation.clauses & frozenset(told), fell, ablation.clauses - able)


def _differs(clause_id: str, scenario: Scenario, contract: Contract, packs: Path) -> bool:
    """Return whether a model that was not told one rule says anything else in a scenario."""
    forgetful = _played(scenario, contract, packs, _Forgetful(frozenset({clause_id})))
    return forgetful.messages != _played(scenario, contract, packs, _Forgetful(frozenset())).messages


@dataclass(frozen=True, slots=True)
class _Forgetful:
    """The literal mock, told every rule but some, whatever the prompt says."""

    untold: frozenset[str]
    name: str = "mock:forgetful"

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"kind": "mock"}

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:
        return ModelReply(message_without(self.untold, request, binding), None)

    async def close(self) -> None:
        pass


def _broken(scenario: Scenario, contract: Contract, packs: Path) -> frozenset[str]:
    """Return the MUST clauses that mock:literal breaks, whether the prompt tells them or not."""
    literal = open_target("mock:literal", TargetOptions())
    sample = read_sample(_played(scenario, contract, packs, literal), contract, scenario)
    judged = grade(replace(sample, anchored=frozenset(contract.clauses)))
    return frozenset(
        grader.clause
        for grader, score in judged
        if score.outcome == "fail" and clause(grader.clause).level == "MUST"
    )


def _played(scenario: Scenario, contract: Contract, packs: Path, target: Target) -> Transcript:
    sample = SampleId(scenario.id, contract.id, target.name, 1)
    trial = Trial(sample, scenario, contract, render(scenario, contract, packs), 1, {})
    return asyncio.run(converse(target, trial))

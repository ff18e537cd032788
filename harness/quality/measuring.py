"""Play every mock over every scenario, and say which of them a scenario catches, and by which clauses."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.contracts.clauses import clause
from harness.conversation import Trial, converse
from harness.extraction import read_sample
from harness.graders import RELATIONS, grade, relate
from harness.model import Contract, Sample, SampleId, Scenario
from harness.prompting import render
from harness.targets.mock import Mock, open_mock
from harness.targets.mock.mocks import ORACLE, VICIOUS

SEEDS = (1, 2, 3, 4)
"""A mock has several plays and draws one a trial: in four trials most of them are seen."""

Kill = tuple[str, str]
"""A mock and a MUST clause that it broke."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one scenario shows. `able` are the vices that can act in it, `relation` how its pair came out."""

    id: str
    contract: str
    wrong: tuple[str, ...]
    applies: frozenset[str]
    able: frozenset[str]
    kills: frozenset[Kill]
    relation: str | None

    @property
    def caught(self) -> frozenset[str]:
        """The vices that break a MUST clause here."""
        return frozenset(mock for mock, _ in self.kills)

    @property
    def discrimination(self) -> float:
        """The share of all vices that this scenario tells from the oracle, 0 to 1."""
        return len(self.caught) / len(VICIOUS)

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with it."""
        for each in self.wrong:
            yield f"{self.id}: the oracle breaks it: {each}"
        for mock in sorted(self.able - self.caught):
            yield f"{self.id}: mock:{mock} can act here, and nothing notices"
        if not self.caught:
            yield f"{self.id}: every mock passes; it measures nothing"
        if self.relation not in (None, "pass"):
            yield f"{self.id}: the oracle does not keep its relation: {self.relation}"


@dataclass(frozen=True, slots=True)
class Quality:
    """What a suite shows, scenario by scenario."""

    scenarios: tuple[Measured, ...]

    @property
    def kills(self) -> frozenset[Kill]:
        """Every (mock, clause) that some scenario catches."""
        return frozenset[Kill]().union(*(each.kills for each in self.scenarios))

    def problems(self) -> list[str]:
        """Return what is wrong with any of them."""
        return [problem for each in self.scenarios for problem in each.problems()]


def measure(
    scenarios: Sequence[Scenario], tell: Callable[[int, int], None] = lambda _done, _total: None
) -> Quality:
    """Return what each scenario shows under the default contract of its flow.

    `tell` is told after each how many are done, and of how many.
    """
    return asyncio.run(_measure(scenarios, tell))


async def _measure(scenarios: Sequence[Scenario], tell: Callable[[int, int], None]) -> Quality:
    by_id = {each.id: each for each in scenarios}
    measured: list[Measured] = []
    for number, each in enumerate(scenarios, start=1):
        measured.append(await _measured(each, by_id))
        tell(number, len(scenarios))
    return Quality(tuple(measured))


async def _measured(scenario: Scenario, others: dict[str, Scenario]) -> Measured:
    contract = load_contract(DEFAULT_BY_FLOW[scenario.flow])
    oracle = await _played(ORACLE, scenario, contract, SEEDS[0])
    scores = {grader.clause: score for grader, score in grade(oracle)}
    wrong = tuple(
        f"{name}: {score.reason}"
        for name, score in scores.items()
        if score.outcome == "unscored" or (score.outcome == "fail" and clause(name).level == "MUST")
    )
    applies = frozenset(name for name, each in scores.items() if each.outcome in {"pass", "fail"})
    kills = [kill for mock in VICIOUS for kill in await _kills(mock, scenario, contract)]
    return Measured(
        scenario.id,
        contract.id,
        wrong,
        applies,
        frozenset(each.name for each in VICIOUS if each.can_act(scenario, contract)),
        frozenset(kills),
        await _related(oracle, others),
    )


async def _kills(mock: Mock, scenario: Scenario, contract: Contract) -> set[Kill]:
    # A mock that cannot act is the oracle, word for word.
    if not mock.can_act(scenario, contract):
        return set()
    played = [await _played(mock, scenario, contract, seed) for seed in SEEDS]
    return {
        (mock.name, grader.clause)
        for sample in played
        for grader, score in grade(sample)
        if score.outcome == "fail" and clause(grader.clause).level == "MUST"
    }


async def _related(second: Sample, others: dict[str, Scenario]) -> str | None:
    pair = second.scenario.pair if second.scenario else None
    if pair is None or pair.of not in others:
        return None
    relation = next(each for each in RELATIONS if each.clause == pair.relation)
    first = await _played(ORACLE, others[pair.of], second.contract, SEEDS[0])
    return relate(relation, first, second).outcome


async def _played(mock: Mock, scenario: Scenario, contract: Contract, seed: int) -> Sample:
    target = open_mock(mock.name)
    sample = SampleId(scenario.id, contract.id, target.name, 1)
    trial = Trial(sample, scenario, contract, render(scenario, contract), seed, {})
    return read_sample(await converse(target, trial), contract, scenario)

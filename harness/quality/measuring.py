"""Play every mock over every scenario, and say which of them a scenario catches, and by which clauses."""

import asyncio
import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.contracts.clauses import clause
from harness.conversation import Trial, converse
from harness.extraction import read_sample
from harness.graders import RELATIONS, grade, relate
from harness.model import Sample, SampleId, Scenario, Transcript
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
    scenarios: Sequence[Scenario],
    tell: Callable[[int, int], None] = lambda _done, _total: None,
    processes: int = 1,
) -> Quality:
    """Return what each scenario shows under the default contract of its flow.

    `tell` is told now and then how many are done, and of how many.
    """
    measured: dict[str, Measured] = {}
    for several in _all(_together(scenarios), processes):
        measured |= {each.id: each for each in several}
        tell(len(measured), len(scenarios))
    return Quality(tuple(measured[each.id] for each in scenarios))


def _together(scenarios: Sequence[Scenario]) -> list[list[Scenario]]:
    """Return each scenario, followed by those that are paired with it and compared to its oracle."""
    found = {each.id: [each] for each in scenarios if each.pair is None}
    for each in scenarios:
        if each.pair:
            found.setdefault(each.pair.of, []).append(each)
    return list(found.values())


_shared: Sequence[Sequence[Scenario]] = ()
"""What forked processes read: a scenario holds what builds its world, which cannot be sent to them."""


def _all(families: Sequence[Sequence[Scenario]], processes: int) -> Iterator[list[Measured]]:
    global _shared  # noqa: PLW0603 - set before the fork, read behind it
    if min(processes, len(families)) < 2 or "fork" not in multiprocessing.get_all_start_methods():
        yield from map(_measure, families)
        return
    _shared = families
    try:
        # Unlike a Pool, this does not wait for ever where an error cannot be sent back.
        with ProcessPoolExecutor(processes, multiprocessing.get_context("fork")) as pool:
            yield from pool.map(_nth, range(len(families)))
    finally:
        _shared = ()


def _nth(number: int) -> list[Measured]:
    return _measure(_shared[number])


def _measure(family: Sequence[Scenario]) -> list[Measured]:
    return asyncio.run(_measured(family))


async def _measured(family: Sequence[Scenario]) -> list[Measured]:
    trials = [_trial(each) for each in family]
    oracles = {each.scenario.id: _read(each, await _played(ORACLE, each, SEEDS[0])) for each in trials}
    return [await _shown(each, oracles) for each in trials]


async def _shown(trial: Trial, oracles: Mapping[str, Sample]) -> Measured:
    scenario, contract = trial.scenario, trial.contract
    scores = {grader.clause: score for grader, score in grade(oracles[scenario.id])}
    wrong = tuple(
        f"{name}: {score.reason}"
        for name, score in scores.items()
        if score.outcome == "unscored" or (score.outcome == "fail" and clause(name).level == "MUST")
    )
    return Measured(
        scenario.id,
        contract.id,
        wrong,
        frozenset(name for name, each in scores.items() if each.outcome in {"pass", "fail"}),
        frozenset(each.name for each in VICIOUS if each.can_act(scenario, contract)),
        frozenset([kill for mock in VICIOUS for kill in await _kills(mock, trial)]),
        _related(oracles[scenario.id], oracles),
    )


async def _kills(mock: Mock, trial: Trial) -> set[Kill]:
    # A mock that cannot act is the oracle, word for word.
    if not mock.can_act(trial.scenario, trial.contract):
        return set()
    said = [await _played(mock, trial, seed) for seed in SEEDS]
    # A play that is drawn twice says the same twice, and is judged once.
    different = {each.messages: each for each in said}.values()
    return {(mock.name, broken) for each in different for broken in _broken(_read(trial, each))}


def _broken(sample: Sample) -> Iterator[str]:
    for grader, score in grade(sample):
        if score.outcome == "fail" and clause(grader.clause).level == "MUST":
            yield grader.clause


def _related(second: Sample, oracles: Mapping[str, Sample]) -> str | None:
    pair = second.scenario.pair if second.scenario else None
    if pair is None or pair.of not in oracles:
        return None
    relation = next(each for each in RELATIONS if each.clause == pair.relation)
    return relate(relation, oracles[pair.of], second).outcome


def _trial(scenario: Scenario) -> Trial:
    contract = load_contract(DEFAULT_BY_FLOW[scenario.flow])
    sample = SampleId(scenario.id, contract.id, ORACLE.name, 1)
    return Trial(sample, scenario, contract, render(scenario, contract), SEEDS[0], {})


async def _played(mock: Mock, trial: Trial, seed: int) -> Transcript:
    target = open_mock(mock.name)
    return await converse(target, replace(trial, id=trial.id._replace(target=target.name), seed=seed))


def _read(trial: Trial, transcript: Transcript) -> Sample:
    return read_sample(transcript, trial.contract, trial.scenario)

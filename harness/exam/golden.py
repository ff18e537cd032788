"""Golden transcripts: what the oracle says to a scenario, and what else it might rightly have said."""

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any, NamedTuple

from harness.contracts.reading import at
from harness.contracts.wire import decode_hits
from harness.conversation import Trial, converse
from harness.extraction import read_sample
from harness.graders import grade
from harness.model import Contract, Hit, Sample, SampleId, Scenario, Score, Transcript
from harness.model.values import digest
from harness.prompting import anchored_clauses, render
from harness.targets.mock import open_mock
from harness.violations import Situation
from harness.violations.compose import replaced
from harness.violations.splicing import answer_of, result_of, searches_of, with_answer
from harness.violations.violation import Arguments, RawAnswer

WHY_SO_SEVERE = "The severity follows from the impact on users."
"""Stands in each text of the analysis, so that SEV-6 does not hang on which of them an edit takes away."""


@dataclass(frozen=True)
class Golden:
    """One good transcript, what its clauses score, and what violations may look at."""

    scenario: Scenario
    contract: Contract
    transcript: Transcript
    scores: dict[str, Score]
    answered: RawAnswer
    searched: tuple[Arguments, ...]
    hits: tuple[Hit, ...]
    told: frozenset[str]
    """The clauses whose rule stands in the prompt; the others bind nobody."""

    @property
    def passed(self) -> frozenset[str]:
        """The clauses that apply and are kept."""
        return frozenset(name for name, each in self.scores.items() if each.outcome == "pass")

    def situation(self, operator: str, site: str = "") -> Situation:
        """Return what one violation may look at; its dice fall alike in every exam."""
        dice = Random(digest([operator, site, self.scenario.id, self.contract.id]))
        return Situation(
            self.scenario, self.contract, self.hits, dice, site, self.answered, self.searched, self.transcript
        )


class Replay(NamedTuple):
    """Another right conversation: the oracle plays a scenario that expects only this one of the outcomes."""

    name: str
    expecting: Callable[[Scenario], Iterable[Scenario]]


def goldens(scenarios: Iterable[Scenario], contracts: Iterable[Contract]) -> Iterator[Golden]:
    """Yield the good transcript of every scenario under every contract of its flow."""
    known = list(contracts)
    for scenario in scenarios:
        for contract in known:
            if scenario.flow == contract.flow:
                yield golden(scenario, contract)


def golden(scenario: Scenario, contract: Contract) -> Golden:
    """Return the good transcript of a scenario."""
    transcript = played(scenario, contract)
    searches = searches_of(transcript, contract)
    decoded = [decode_hits(contract, result_of(transcript, each)) for each in searches]
    return Golden(
        scenario,
        contract,
        transcript,
        judged(transcript, contract, scenario),
        answer_of(transcript),
        tuple(_arguments(each.arguments) for each in searches),
        tuple(hit for each in decoded if each for hit in each[0]),
        anchored_clauses(contract, transcript.prompt, transcript.tools),
    )


def played(scenario: Scenario, contract: Contract) -> Transcript:
    """Return what the oracle says, its analysis with a word on the impact."""
    oracle = open_mock("oracle")
    sample = SampleId(scenario.id, contract.id, oracle.name, 1)
    trial = Trial(sample, scenario, contract, render(scenario, contract), 1, {})
    return _reasoned(asyncio.run(converse(oracle, trial)), contract)


def judged(transcript: Transcript, contract: Contract, scenario: Scenario) -> dict[str, Score]:
    """Return the score of every clause."""
    return {grader.clause: score for grader, score in grade(sample_of(transcript, contract, scenario))}


def sample_of(transcript: Transcript, contract: Contract, scenario: Scenario) -> Sample:
    """Return the sample of a transcript."""
    return read_sample(transcript, contract, scenario)


def _reasoned(transcript: Transcript, contract: Contract) -> Transcript:
    answer = answer_of(transcript)
    texts = {name: at(answer, contract.places[name]) for name in ("summary", "root_cause")}
    parts = {name: f"{text} {WHY_SO_SEVERE}" for name, text in texts.items() if isinstance(text, str)}
    return with_answer(transcript, replaced(contract, answer, parts))


def _arguments(text: str) -> Arguments:
    found: Arguments = json.loads(text)
    return found


# Other right conversations


def _expecting(scenario: Scenario, **changes: Any) -> Scenario:
    return scenario.model_copy(update={"expect": scenario.expect.model_copy(update=changes)})


def _other_severities(scenario: Scenario) -> Iterator[Scenario]:
    for each in scenario.expect.severities[1:]:
        yield _expecting(scenario, severities=[each])


def _other_signal_types(scenario: Scenario) -> Iterator[Scenario]:
    for each in scenario.expect.signal_types[1:]:
        yield _expecting(scenario, signal_types=[each])


def _each_workflow(scenario: Scenario) -> Iterator[Scenario]:
    workflows = scenario.expect.workflows
    for each in workflows.accepted if len(workflows.accepted) > 1 else ():
        yield _expecting(scenario, workflows=workflows.model_copy(update={"accepted": [each]}))


def _declining(scenario: Scenario) -> Iterator[Scenario]:
    workflows = scenario.expect.workflows
    if scenario.expect.none_ok and workflows.accepted:
        yield _expecting(scenario, workflows=workflows.model_copy(update={"accepted": []}))


REPLAYS: tuple[Replay, ...] = (
    Replay("another_accepted_severity", _other_severities),
    Replay("another_accepted_signal_type", _other_signal_types),
    Replay("another_accepted_workflow", _each_workflow),
    Replay("declined_where_accepted", _declining),
)


def replayed(of: Golden, replay: Replay) -> Iterator[Transcript]:
    """Yield the other right conversations about the same scenario.

    An accepted workflow that no search returns under any accepted reading cannot be selected, so that the
    oracle declines; that is right only where the scenario accepts it.
    """
    # Where the highest confidence is to be picked, no other choice is right.
    if replay.expecting is _each_workflow and "SEL-3" in of.contract.clauses:
        return
    for scenario in replay.expecting(of.scenario):
        transcript = played(scenario, of.contract)
        selection = at(answer_of(transcript), of.contract.places["selection"])
        if selection is not None or of.scenario.expect.none_ok:
            yield replace(transcript, id=of.transcript.id)

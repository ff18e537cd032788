"""Judge one sample: every clause by its grader, and the relation that ties it to its pair's other half."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from harness.contracts.clauses import clause
from harness.errors import InvalidRun
from harness.extraction import read_sample
from harness.graders import RELATIONS, Grader, Relation, grade_each, relate
from harness.model import Contract, Sample, SampleId, Scenario, Score, Transcript
from harness.model.score import Outcome
from harness.store import ClauseScore, Run, ScoreRow
from harness.store.scores import GradedBy, clause_score, row_of

_SHORT = 1_000
"""Characters in which a fail is told that may be remembered; most are told in fewer, again and again."""

Subjects = tuple[Mapping[str, Scenario], Mapping[str, Contract]]
"""The scenarios and contracts that samples are about, by id."""


def samples(
    run: Run, scenarios: Mapping[str, Scenario], contracts: Mapping[str, Contract]
) -> Iterator[Sample]:
    """Yield the samples of a stored run; raises as `sample_of`."""
    for transcript in run.transcripts():
        yield sample_of(transcript, run.folder, (scenarios, contracts))


def sample_of(transcript: Transcript, folder: Path, subjects: Subjects) -> Sample:
    """Return the sample of a transcript of the run in `folder`; raise InvalidRun without its scenario."""
    scenarios, contracts = subjects
    scenario = scenarios.get(transcript.id.scenario)
    if scenario is None:
        msg = f"{folder}: holds {transcript.id}, whose scenario is not in this project"
        raise InvalidRun(msg)
    return read_sample(transcript, contracts[transcript.id.contract], scenario)


def scores_of(sample: Sample) -> list[ClauseScore]:
    """Return the scores of one sample, clause by clause."""
    [found] = scores_of_each([sample])
    return found


def scores_of_each(samples: Iterable[Sample]) -> list[list[ClauseScore]]:
    """Return the scores of each of several samples, which is faster than one by one."""
    return [
        [
            _with_findings(grader, score)
            if score.findings
            else _without_finding(grader, score.outcome, score.reason)
            for grader, score in found
        ]
        for found in grade_each(samples)
    ]


def grade(sample: Sample) -> Iterator[ScoreRow]:
    """Yield the score rows of one sample, clause by clause."""
    return (row_of(sample.id, each) for each in scores_of(sample))


def other_half(sample: SampleId, scenario: Scenario, contract: Contract) -> SampleId | None:
    """Return the sample that a relation compares with this one; None where there is no relation."""
    relation = _relation(scenario, contract)
    return sample._replace(scenario=scenario.pair.of) if relation and scenario.pair else None


def relation_score(first: Sample | None, second: Sample) -> ClauseScore | None:
    """Return the score of the relation that ties a sample to its pair's other half, if it has one.

    Args:
        first: the other half; None where there is none in the run.
        second: the sample that names it.
    """
    relation = _relation(second.scenario, second.contract)
    return relation and clause_score(graded_by(relation), relate(relation, first, second))


def grade_pair(sample: Sample, others: Mapping[SampleId, Sample]) -> Iterator[ScoreRow]:
    """Yield the row of the relation that ties a sample to its pair's other half, if it has one."""
    half = sample.scenario and other_half(sample.id, sample.scenario, sample.contract)
    score = relation_score(others.get(half), sample) if half else None
    if score:
        yield row_of(sample.id, score)


def _relation(scenario: Scenario | None, contract: Contract) -> Relation | None:
    pair = scenario.pair if scenario else None
    if pair is None or pair.relation not in contract.clauses:
        return None
    return next((each for each in RELATIONS if each.clause == pair.relation), None)


# Most scores of a run are the same few.
@lru_cache(4096)
def _without_finding(grader: Grader, outcome: Outcome, reason: str) -> ClauseScore:
    return clause_score(graded_by(grader), Score(outcome, reason))


@dataclass(frozen=True, slots=True)
class _Told:
    """A score with findings, equal to another's where both are told alike."""

    by: Grader
    words: tuple[str, ...]
    score: Score = field(compare=False)


def _with_findings(grader: Grader, score: Score) -> ClauseScore:
    """Return the score of a fail; that of another sample where both are told in the same few words."""
    # Values that are equal are not always spelled alike, as 1 and 1.0.
    words = score.outcome, score.reason, score.place, repr(score.expected), repr(score.observed)
    share = _shared if sum(map(len, words)) < _SHORT else _shared.__wrapped__
    # What is told is the first finding; the others may be long, and would be remembered with it.
    return share(_Told(grader, words, Score(score.outcome, score.reason, score.findings[:1])))


@lru_cache(4096)
def _shared(told: _Told) -> ClauseScore:
    return clause_score(graded_by(told.by), told.score)


@lru_cache(256)
def graded_by(grader: Grader | Relation) -> GradedBy:
    """Return what a grader's scores say of themselves."""
    about = clause(grader.clause)
    return GradedBy(grader.name, about.id, about.dimension, about.level)

"""Judge an imported transcript: like any other, but for what its trace cannot show."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from harness.auditing.importing import Dialect, Imported
from harness.extraction import read_sample
from harness.extraction.reading import WITHHELD
from harness.graders import Grader, grade_each, graders_of, scores
from harness.graders.grading import unaskable
from harness.model import Contract, Failure, Sample, SampleId, Scenario, Score
from harness.model.score import failed

Scores = list[tuple[Grader, Score]]
Asked = tuple[Imported, Contract, Scenario | None]
"""A transcript, and what it is judged by."""


def judge(imported: Imported, contract: Contract, scenario: Scenario | None) -> tuple[Sample, Scores]:
    """Return the sample of an imported transcript, and a score for every clause of the contract.

    Raises:
        InvalidInput: the scenario is of another flow than the contract.
    """
    [judged] = judge_each([(imported, contract, scenario)])
    return judged


def judge_each(asked: Iterable[Asked]) -> list[tuple[Sample, Scores]]:
    """Return what `judge` returns of each of several transcripts, which is faster than one by one."""
    read = [(imported, _sample_of(imported, contract, scenario)) for imported, contract, scenario in asked]
    plain = iter(grade_each(sample for imported, sample in read if not imported.dialect))
    found = [
        list(_in_dialect(imported.dialect, sample)) if imported.dialect else next(plain)
        for imported, sample in read
    ]
    return [
        (
            sample,
            [(grader, _placed(score, imported)) for grader, score in scores] if imported.places else scores,
        )
        for (imported, sample), scores in zip(read, found, strict=True)
    ]


def _sample_of(imported: Imported, contract: Contract, scenario: Scenario | None) -> Sample:
    dialect = imported.dialect
    named = imported.transcript.id
    known = SampleId(scenario.id if scenario else "-", contract.id, named.target, named.trial)
    transcript = imported.transcript if known == named else replace(imported.transcript, id=known)
    read_as = dialect.contract(contract) if dialect else contract
    # The auditor states the agreement, so every rule counts as told whatever the prompt says.
    sample = _unless_withheld(read_sample(transcript, read_as, scenario, told=True))
    return dialect.finish(sample) if dialect else sample


def _unless_withheld(sample: Sample) -> Sample:
    """Return the sample; one whose answer the provider withheld says nothing about its target."""
    ending = sample.transcript.turns[-1].finish_reason if sample.transcript.turns else None
    if sample.extraction.outcome != "refused" or (ending or "").lower() not in WITHHELD:
        return sample
    failure = Failure("withheld", f"the provider withheld the reply (finish reason {ending!r})")
    return replace(sample, transcript=replace(sample.transcript, failure=failure))


def _in_dialect(dialect: Dialect, sample: Sample) -> Iterator[tuple[Grader, Score]]:
    """Yield the scores of a trace of another version, which knows more reasons for and against a verdict."""
    more = () if unaskable(sample) else dialect.more(sample)
    for grader, score in scores(graders_of(sample.contract), sample, dialect.beyond(sample)):
        besides = [finding for clause, finding in more if clause == grader.clause]
        yield (
            grader,
            failed([*(score.findings if score.outcome == "fail" else ()), *besides]) if besides else score,
        )


def _placed(score: Score, imported: Imported) -> Score:
    """Return a score whose places name the source's own too."""
    if not score.findings:
        return score
    findings = tuple(replace(each, place=_place(each.place, imported)) for each in score.findings)
    return replace(score, findings=findings)


def _place(place: str, imported: Imported) -> str:
    word, _, rest = place.partition(" ")
    number, _, behind = rest.partition(" ")
    if word != "message" or not number.isdecimal() or int(number) >= len(imported.places):
        return place
    return f"message {number} ({imported.places[int(number)]}) {behind}".rstrip()

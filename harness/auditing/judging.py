"""Judge an imported transcript: like any other, but for what its trace cannot show."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from harness.auditing.importing import Imported
from harness.extraction import read_sample
from harness.extraction.reading import WITHHELD
from harness.graders import GRADERS, Grader
from harness.graders.grading import judged, unaskable
from harness.model import Contract, Failure, Sample, Scenario, Score
from harness.model.score import failed

Scores = list[tuple[Grader, Score]]


def judge(imported: Imported, contract: Contract, scenario: Scenario | None) -> tuple[Sample, Scores]:
    """Return the sample of an imported transcript, and a score for every clause of the contract.

    Raises:
        InvalidInput: the scenario is of another flow than the contract.
    """
    dialect = imported.dialect
    known = imported.transcript.id._replace(scenario=scenario.id if scenario else "-", contract=contract.id)
    transcript = replace(imported.transcript, id=known)
    read_as = dialect.contract(contract) if dialect else contract
    # The auditor states the agreement, so every rule counts as told whatever the prompt says.
    sample = _unless_withheld(read_sample(transcript, read_as, scenario, told=True))
    if dialect:
        sample = dialect.finish(sample)
    return sample, list(_scores(imported, sample))


def _unless_withheld(sample: Sample) -> Sample:
    """Return the sample; one whose answer the provider withheld says nothing about its target."""
    ending = sample.transcript.turns[-1].finish_reason if sample.transcript.turns else None
    if sample.extraction.outcome != "refused" or (ending or "").lower() not in WITHHELD:
        return sample
    failure = Failure("withheld", f"the provider withheld the reply (finish reason {ending!r})")
    return replace(sample, transcript=replace(sample.transcript, failure=failure))


def _scores(imported: Imported, sample: Sample) -> Iterator[tuple[Grader, Score]]:
    silent = unaskable(sample)
    dialect = imported.dialect
    beyond: Mapping[str, Score] = dialect.beyond(sample) if dialect else {}
    more = dialect.more(sample) if dialect else ()
    for grader in _graders(sample.contract):
        score = silent or beyond.get(grader.clause) or judged(grader, sample)
        besides = [finding for clause, finding in more if clause == grader.clause] if more else ()
        if besides and not silent:
            score = failed([*(score.findings if score.outcome == "fail" else ()), *besides])
        yield grader, _placed(score, imported) if imported.places else score


@lru_cache(maxsize=64)
def _graders(contract: Contract) -> tuple[Grader, ...]:
    return tuple(each for each in GRADERS if each.clause in contract.clauses)


def _placed(score: Score, imported: Imported) -> Score:
    """Return a score whose places name the source's own too, where messages were put together from it."""
    if not imported.places or not score.findings:
        return score
    findings = tuple(replace(each, place=_place(each.place, imported)) for each in score.findings)
    return replace(score, findings=findings)


def _place(place: str, imported: Imported) -> str:
    word, _, rest = place.partition(" ")
    number, _, behind = rest.partition(" ")
    if word != "message" or not number.isdecimal() or int(number) >= len(imported.places):
        return place
    return f"message {number} ({imported.places[int(number)]}) {behind}".rstrip()

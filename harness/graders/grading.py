"""What every clause shares: when it can be judged at all, before its own grader looks."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from harness.contracts.clauses import clause
from harness.graders.gaps import doubtful_where, in_doubt
from harness.graders.seen import the_alternatives
from harness.graders.showing import presented
from harness.model import Sample, Score, not_applicable, unscored
from harness.model.transcript import OUT_OF_STEPS

Judge = Callable[[Sample], Score]

UNTOLD = "the prompt does not state this rule"
"""What the reason of a clause begins with whose rule the target was not told."""
MAX_TURNS = 30
MAX_TOOL_CALLS = 60
"""A target that has spent one of these had its chance to answer; a conversation ends there."""


@dataclass(frozen=True, slots=True, eq=False)
class Grader:
    """A pure function for one clause, and what it needs to see.

    `version` is raised when the judge's verdicts change on purpose. `needs` are checked in order, and an
    absent subject is not applicable whatever the evidence, so subjects come first: "answer" (one could be
    read), "choice" (a workflow was readably selected), "alternatives" (some were named); then "tools" (the
    transcript shows tool traffic), "searches" (one was served) and "scenario".
    """

    clause: str
    judge: Judge
    needs: tuple[str, ...] = ()
    version: int = 1

    @property
    def name(self) -> str:
        """The function that judges, as "severity.reassessed"."""
        return f"{self.judge.__module__.rsplit('.', 1)[-1]}.{self.judge.__name__}"


def score(grader: Grader, sample: Sample) -> Score:
    """Return the grader's score, or why the clause cannot be judged on this sample."""
    [(_, found)] = scores((grader,), sample)
    return found


_NOTHING: Mapping[str, Score] = {}


def scores(
    graders: Iterable[Grader], sample: Sample, beyond: Mapping[str, Score] = _NOTHING
) -> Iterator[tuple[Grader, Score]]:
    """Yield the score of each grader, or why its clause cannot be judged on this sample.

    Args:
        graders: those of clauses that the sample's contract has.
        sample: what is judged.
        beyond: the scores of clauses that its trace cannot be held to.
    """
    if silent := unaskable(sample):
        yield from ((grader, silent) for grader in graders)
        return
    anchored, doubtful = sample.anchored, doubtful_where(sample.transcript.gaps)
    # Many graders need the same, which is there for all of them or for none.
    unseen: dict[tuple[str, ...], Score | None] = {}
    for grader in graders:
        rule, needs = grader.clause, grader.needs
        if rule in beyond:
            yield grader, beyond[rule]
        elif rule not in anchored:
            yield grader, _untold(rule)
        else:
            if needs not in unseen:
                unseen[needs] = _unseen(needs, sample)
            found = unseen[needs] or grader.judge(sample)
            if rule in doubtful:
                found = in_doubt(rule, found, sample) or found
            yield grader, presented(found, sample) if found.findings else found


@lru_cache(maxsize=256)
def _untold(rule: str) -> Score:
    return not_applicable(f"{UNTOLD}: {clause(rule).text}")


def unaskable(sample: Sample) -> Score | None:
    """Return the unscored of a sample that says nothing about its target, else None (CAR-7, RUN-1)."""
    transcript, catalog = sample.transcript, sample.contract.catalog_tool
    if transcript.failure:
        return unscored(f"{transcript.failure.cause}: {transcript.failure.detail}"[:500])
    if sample.extraction.outcome == "truncated":
        return unscored("truncated: the answer was cut by the token limit")
    if catalog and transcript.tools and all(each.name != catalog.name for each in transcript.tools):
        return unscored(f"the target was not offered {catalog.name}, which the contract asks it to call")
    if transcript.final is None and not _spent(sample):
        # Whoever recorded it stopped: the target was not asked again, so its silence says nothing.
        return unscored("the transcript ends before the target's answer")
    return None


def _spent(sample: Sample) -> bool:
    transcript = sample.transcript
    turns = sum(each.role == "assistant" for each in transcript.messages)
    ended = transcript.turns[-1].finish_reason if transcript.turns else None
    return turns >= MAX_TURNS or len(sample.calls) > MAX_TOOL_CALLS or ended == OUT_OF_STEPS


def _unseen(needs: Iterable[str], sample: Sample) -> Score | None:
    for need in needs:
        if missing := _NEEDS[need](sample):
            return missing
    return None


def _answer(sample: Sample) -> Score | None:
    return None if sample.answer else not_applicable("no answer could be read; see CAR-1")


def _choice(sample: Sample) -> Score | None:
    answered = sample.answer is not None and sample.answer.choice is not None
    return None if answered else not_applicable("no workflow is selected")


def _alternatives(sample: Sample) -> Score | None:
    return None if the_alternatives(sample) else not_applicable("no alternatives are named")


def _tools(sample: Sample) -> Score | None:
    if sample.transcript.shows_tools:
        return None
    return unscored("only the answer is known; its tool calls are not")


def _searches(sample: Sample) -> Score | None:
    return None if sample.searches else not_applicable("no search was served; see QRY-1 and QRY-7")


def _scenario(sample: Sample) -> Score | None:
    return None if sample.scenario else unscored("no scenario is known to compare with")


_NEEDS: dict[str, Callable[[Sample], Score | None]] = {
    "answer": _answer,
    "choice": _choice,
    "alternatives": _alternatives,
    "tools": _tools,
    "searches": _searches,
    "scenario": _scenario,
}

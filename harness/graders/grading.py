"""What every clause shares: when it can be judged at all, before its own grader looks."""

from collections.abc import Callable
from dataclasses import dataclass

from harness.contracts.clauses import clause
from harness.model import Sample, Score, not_applicable, unscored

Judge = Callable[[Sample], Score]


@dataclass(frozen=True, slots=True)
class Grader:
    """A pure function for one clause, and what it needs to see.

    `version` is raised when the judge's verdicts change on purpose. `needs` are checked in this order:
    "tools" (the transcript shows tool traffic), "answer" (one could be read), "scenario", "searches"
    (one was served), "choice" (a workflow was readably selected).
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
    return unaskable(sample) or _untold(grader, sample) or _unseen(grader, sample) or grader.judge(sample)


def unaskable(sample: Sample) -> Score | None:
    """Return the unscored of a sample that says nothing about its target, else None (CAR-7)."""
    failure = sample.transcript.failure
    if failure:
        return unscored(f"{failure.cause}: {failure.detail}")
    if sample.extraction.outcome == "truncated":
        return unscored("truncated: the answer was cut by the token limit")
    return None


def _untold(grader: Grader, sample: Sample) -> Score | None:
    if grader.clause in sample.anchored:
        return None
    text = clause(grader.clause).text
    return not_applicable(f"the prompt does not state this rule: {text}")


def _unseen(grader: Grader, sample: Sample) -> Score | None:
    for need in grader.needs:
        missing = _NEEDS[need](sample)
        if missing:
            return missing
    return None


def _tools(sample: Sample) -> Score | None:
    if sample.transcript.shows_tools:
        return None
    return unscored("only the answer is known; its tool calls are not")


def _answer(sample: Sample) -> Score | None:
    return None if sample.answer else not_applicable("no answer could be read; see CAR-1")


def _scenario(sample: Sample) -> Score | None:
    return None if sample.scenario else unscored("no scenario is known to compare with")


def _searches(sample: Sample) -> Score | None:
    return None if sample.searches else not_applicable("no search was served; see QRY-1 and QRY-7")


def _choice(sample: Sample) -> Score | None:
    answered = sample.answer is not None and sample.answer.choice is not None
    return None if answered else not_applicable("no workflow is selected")


_NEEDS: dict[str, Callable[[Sample], Score | None]] = {
    "tools": _tools,
    "answer": _answer,
    "scenario": _scenario,
    "searches": _searches,
    "choice": _choice,
}

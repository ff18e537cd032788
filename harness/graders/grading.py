"""What every clause shares: when it can be judged at all, before its own grader looks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

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


Scores = list[tuple[Grader, Score]]

_NOTHING: Mapping[str, Score] = {}


def score(grader: Grader, sample: Sample) -> Score:
    """Return the grader's score, or why the clause cannot be judged on this sample."""
    [(_, found)] = scores((grader,), sample)
    return found


def scores(graders: Sequence[Grader], sample: Sample, beyond: Mapping[str, Score] = _NOTHING) -> Scores:
    """Return the score of each grader, or why its clause cannot be judged on this sample.

    Args:
        graders: those of clauses that the sample's contract has.
        sample: what is judged.
        beyond: the scores of clauses that its trace cannot be held to, unless the sample says nothing at all.
    """
    held = beyond and not unaskable(sample)
    [found] = scores_of_each(
        [(tuple(each for each in graders if not held or each.clause not in beyond), sample)]
    )
    rest = iter(found)
    return [(each, beyond[each.clause]) if held and each.clause in beyond else next(rest) for each in graders]


def scores_of_each(asked: Iterable[tuple[tuple[Grader, ...], Sample]]) -> list[Scores]:
    """Return the scores of several samples, each by its own graders.

    Samples that show the same are judged clause by clause: a processor does alike things in a row faster.
    """
    each_found: list[Scores] = []
    alike: dict[_Plan, list[tuple[Sample, Scores]]] = {}
    for graders, sample in asked:
        found: Scores = []
        each_found.append(found)
        if silent := unaskable(sample):
            found += [(grader, silent) for grader in graders]
        else:
            doubtful = doubtful_where(sample.transcript.gaps)
            plan = _plan(graders, sample.anchored, doubtful, _missing(sample))
            alike.setdefault(plan, []).append((sample, found))
    for plan, judged in alike.items():
        for step in plan.steps:
            _judge(step, judged)
    return each_found


class _Step(NamedTuple):
    """A grader, its score where that is known before it looks, and whether that may be in doubt."""

    grader: Grader
    known: Score | None
    doubted: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """How samples are judged that show the same: most of a contract do, and many graders need the same."""

    steps: Sequence[_Step]


@lru_cache(maxsize=512)
def _plan(
    graders: tuple[Grader, ...], anchored: frozenset[str], doubtful: frozenset[str], missing: frozenset[str]
) -> _Plan:
    return _Plan([
        _Step(
            each,
            next((_NEEDS[need].without for need in each.needs if need in missing), None),
            each.clause in doubtful,
        )
        if each.clause in anchored
        else _Step(each, _untold(each.clause))
        for each in graders
    ])  # fmt: skip


def _judge(step: _Step, judged: Iterable[tuple[Sample, Scores]]) -> None:
    """Add the score of one grader to those of each sample."""
    grader, known, doubted = step
    for sample, found in judged:
        score = known or grader.judge(sample)
        if doubted:
            score = in_doubt(grader.clause, score, sample) or score
        found.append((grader, presented(score, sample) if score.findings else score))


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


@dataclass(frozen=True, slots=True)
class _Need:
    """Whether a sample has what graders need, and what a clause comes to without it."""

    met: Callable[[Sample], bool]
    without: Score


def _missing(sample: Sample) -> frozenset[str]:
    """Return what a sample lacks of all that graders need."""
    return frozenset([name for name, need in _NEEDS.items() if not need.met(sample)])


_NEEDS: Mapping[str, _Need] = {
    "answer": _Need(
        lambda sample: sample.answer is not None,
        not_applicable("no answer could be read; see CAR-1"),
    ),
    "choice": _Need(
        lambda sample: sample.answer is not None and sample.answer.choice is not None,
        not_applicable("no workflow is selected"),
    ),
    "alternatives": _Need(
        lambda sample: bool(the_alternatives(sample)),
        not_applicable("no alternatives are named"),
    ),
    "tools": _Need(
        lambda sample: sample.transcript.shows_tools,
        unscored("only the answer is known; its tool calls are not"),
    ),
    "searches": _Need(
        lambda sample: bool(sample.searches),
        not_applicable("no search was served; see QRY-1 and QRY-7"),
    ),
    "scenario": _Need(
        lambda sample: sample.scenario is not None,
        unscored("no scenario is known to compare with"),
    ),
}

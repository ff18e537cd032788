"""Record until it is decided: wave after wave of trials, and a look at the baseline in between.

A wave is one trial of each scenario. When one looks, and with which share of alpha, follows from the most
waves that there may be; what a look finds follows from the transcripts up to its wave. So a run that was
interrupted comes to the same decisions, and its looks can be made again from what is stored.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from harness.gate import Side, Terms, Verdict, side_of_rows
from harness.gate.matching import shared
from harness.gate.sequential import DECISIVE, look, noted
from harness.model import Contract, Sample, SampleId, Scenario
from harness.pipeline import Finished, Plan, ask, grade, grade_pair, grading, opened, samples
from harness.statistics.sequential import Spending, spending
from harness.store import Run, RunInfo, ScoreRow
from harness.store.deciding import Deciding
from harness.targets import Target
from harness.targets.accounts import Accounts
from harness.targets.budget import Budget


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be decided: a run of one target against a baseline. The plan's trials are the most waves."""

    plan: Plan
    target: Target
    baseline: Side
    terms: Terms

    @property
    def looks(self) -> tuple[Spending, ...]:
        """When one looks, and what each look may spend."""
        return spending(self.plan.trials, self.terms.alpha)

    def samples_of(self, waves: int) -> int:
        """Return how many samples so many waves have."""
        return replace(self.plan, trials=waves).count(1)


async def record_until_decided(
    run: Run,
    question: Question,
    *,
    concurrency: int | None,
    finished: Finished,
    looked: Callable[[Deciding], None],
    accounts: Accounts,
    budget: Budget,
    take: Finished,
    unscored_again: bool = False,
) -> Verdict | None:
    """Record waves until a look decides, or there are no more; return the last look's verdict.

    None where the budget ended the run before its first look. After a look that decides nothing more is
    asked. Each look is in run.json before `looked` hears of it. `unscored_again` asks those again whose
    target could not be asked, as far as no look stands that counted them. The run must have begun.

    Raises:
        NotComparable: the baseline was judged by other measures.
        HarnessError: as `record`.
    """
    deciding = deciding_of(run.info)
    answered = run.finished(answered=unscored_again)
    kept = {each for each in run.finished() if each in answered or each.trial <= deciding.settled}
    deciding.outcome = deciding.because = None
    verdict, rows, asked = None, Rows(run, question.plan), 0
    async with opened(run, [question.target], accounts, budget):
        for at, each in enumerate(question.looks):
            for wave in range(asked + 1, each.wave + 1):
                run.info.trials = max(run.info.trials, wave)
                run.save()
                await ask(
                    run, replace(question.plan, trials=wave), [question.target], done=kept,
                    concurrency=concurrency, finished=finished, accounts=accounts, budget=budget, take=take,
                )  # fmt: skip
                kept |= run.finished()
                if not whole(kept, question, wave):
                    return verdict
            asked = each.wave
            side = candidate(run, question, rows, each.wave)
            verdict = look(side, question.baseline, question.terms, each)
            # Those of an interrupted run are made again, one by one, and come out the same.
            deciding.looks[at : at + 1] = [noted(verdict, each, deciding.looks[:at])]
            run.save()
            looked(deciding)
            if verdict.outcome in DECISIVE:
                deciding.looks[at + 1 :] = []
                break
    return verdict


def deciding_of(info: RunInfo) -> Deciding:
    """Return how a run is decided; raise ValueError where its number of trials was given."""
    if info.deciding is None:
        msg = f"{info.id}: is not recorded until it is decided"
        raise ValueError(msg)
    return info.deciding


def whole(done: set[SampleId], question: Question, wave: int) -> bool:
    """Return whether every sample of a wave was recorded."""
    return all(
        each in done
        for each in replace(question.plan, trials=wave).samples([question.target.name])
        if each.trial == wave
    )


def refuse_other_measures(run: Run, question: Question) -> None:
    """Raise NotComparable where nothing that this run records could be held against its baseline."""
    info = run.info.model_copy(update={"trials": 1})
    judged = grading(run, _scenarios(question.plan), 0, _contracts(question.plan))
    side = side_of_rows((), info, judged, _scenarios(question.plan), place="the run to be recorded")
    # There is nothing of it that could be graded again.
    side = replace(side, runs=())
    shared(side, question.baseline, common=question.terms.common)


def candidate(run: Run, question: Question, rows: "Rows", wave: int) -> Side:
    """Return the samples of a run up to a wave as a side."""
    plan = question.plan
    info = run.info.model_copy(update={"trials": wave, "status": "complete", "deciding": None})
    judged = grading(run, _scenarios(plan), run.lines(), _contracts(plan))
    found = rows.up_to(wave)
    return side_of_rows(found, info, judged, _scenarios(plan), place=str(run.folder))


class Rows:
    """The score rows of a run that grows; each sample is graded once."""

    def __init__(self, run: Run, plan: Plan) -> None:
        self._run = run
        self._plan = plan
        self._graded: dict[SampleId, tuple[ScoreRow, ...]] = {}

    def up_to(self, wave: int) -> Sequence[ScoreRow]:
        """Return the rows of all samples up to a wave, which are all recorded."""
        found: dict[SampleId, Sample] = {
            each.id: each for each in samples(self._run, _scenarios(self._plan), _contracts(self._plan))
        }
        for name in sorted(found):
            # The halves of a pair are of one wave, so a relation too is graded when both are there.
            if name.trial <= wave and name not in self._graded:
                self._graded[name] = (*grade(found[name]), *grade_pair(found[name], found))
        return [row for name in sorted(self._graded) if name.trial <= wave for row in self._graded[name]]


def _scenarios(plan: Plan) -> dict[str, Scenario]:
    return {each.id: each for each in plan.scenarios}


def _contracts(plan: Plan) -> dict[str, Contract]:
    return {each.id: each for each in plan.contracts}

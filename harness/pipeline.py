"""The whole flow: record what targets say, grade what was recorded.

    Scenario x Contract -> prompt -> conversation -> Transcript -> [run] -> Sample -> graders -> ScoreRows

Only `record` costs money; `grade` works offline on any stored run, as often as one likes.
"""

import asyncio
import platform
import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from harness import __version__
from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.contracts.clauses import clause
from harness.conversation import Trial, converse
from harness.errors import HarnessError, InvalidInput, InvalidRun
from harness.extraction import read_sample
from harness.graders import GRADERS, RELATIONS, relate
from harness.graders import grade as grade_sample
from harness.model import Contract, Sample, SampleId, Scenario, Transcript
from harness.model.transcript import prompt_digest
from harness.prompting import render
from harness.prompting.render import PACKS
from harness.store import EVERYTHING, Grading, Run, RunInfo, ScoreRow, Selection
from harness.store.scores import score_row
from harness.targets import Target, trial_seed

Finished = Callable[[Transcript], None]

EXTRACTION_VERSION = 1
"""Raised when answers or transcripts are read otherwise than before, as a grader's version is."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run asks: every scenario under each contract of its flow, `trials` times, as far as selected."""

    scenarios: Sequence[Scenario]
    contracts: Sequence[Contract]
    trials: int
    seed: int
    packs: Path = PACKS
    selection: Selection = EVERYTHING

    def pairs(self) -> Iterator[tuple[Scenario, Contract]]:
        """Yield each scenario with each contract of its flow."""
        for scenario in self.scenarios:
            for contract in self.contracts:
                if contract.flow == scenario.flow:
                    yield scenario, contract

    def count(self, targets: int) -> int:
        """Return how many samples this plan has over so many targets, were nothing left out."""
        return targets * self.trials * sum(1 for _ in self.pairs())

    def samples(self, targets: Iterable[str]) -> Iterator[SampleId]:
        """Yield every sample that this plan asks of targets of these names."""
        for target in targets:
            for scenario, contract in self.pairs():
                for trial in range(1, self.trials + 1):
                    sample = SampleId(scenario.id, contract.id, target, trial)
                    if self.selection.takes(sample):
                        yield sample


def contracts_for(scenarios: Iterable[Scenario], ids: Sequence[str]) -> list[Contract]:
    """Return the contracts to run: those named, else the default of each flow that occurs.

    Raises:
        InvalidInput: a named contract has no scenario of its flow.
    """
    flows = {each.flow for each in scenarios}
    if not ids:
        return [load_contract(name) for flow, name in DEFAULT_BY_FLOW.items() if flow in flows]
    contracts = [load_contract(each) for each in dict.fromkeys(ids)]
    for contract in contracts:
        if contract.flow not in flows:
            msg = (
                f"{contract.id}: takes {contract.flow} scenarios, and none was chosen; choose others with -s"
            )
            raise InvalidInput(msg)
    return contracts


def trials_of(plan: Plan, target: Target) -> Iterator[Trial]:
    """Yield every trial of one target, scenario by scenario; prompts are rendered once."""
    for scenario, contract in plan.pairs():
        prompt = render(scenario, contract, plan.packs)
        digests = {
            "scenario": scenario.digest(),
            "contract": contract.digest(),
            "prompt": prompt_digest(prompt),
        }
        for number in range(1, plan.trials + 1):
            sample = SampleId(scenario.id, contract.id, target.name, number)
            if plan.selection.takes(sample):
                yield Trial(sample, scenario, contract, prompt, trial_seed(plan.seed, number), digests)


def new_info(plan: Plan, targets: Sequence[Target]) -> RunInfo:
    """Return the run.json of a run that is about to begin, with an id that no other has."""
    now = datetime.now(UTC)
    return RunInfo(
        id=f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}",
        created=now.isoformat(timespec="microseconds"),
        versions={"harness": __version__, "python": platform.python_version()},
        targets={each.name: dict(each.settings) for each in targets},
        contracts={each.id: each.digest() for each in plan.contracts},
        scenarios={scenario.id: scenario.digest() for scenario, _ in plan.pairs()},
        trials=plan.trials,
        seed=plan.seed,
        prompts=None if plan.packs == PACKS else str(plan.packs),
        shard=str(plan.selection.shard) if plan.selection.shard else None,
        only=plan.selection.names(),
    )


async def record(
    run: Run,
    plan: Plan,
    targets: Sequence[Target],
    *,
    done: Collection[SampleId],
    concurrency: int,
    finished: Finished,
) -> None:
    """Put every trial that is not `done` to its target, at most `concurrency` at once; keep what was said.

    Each transcript is on disk before `finished` hears of it. The run must have begun. On cancellation the
    trials under way are dropped and the finished ones stay.

    Raises:
        HarnessError: a replay misses, or a transcript may not be kept; the finished trials stay.
    """
    missing = [
        (target, trial) for target in targets for trial in trials_of(plan, target) if trial.id not in done
    ]
    waiting = iter(missing)

    async def work() -> None:
        for target, trial in waiting:
            transcript = await converse(target, trial)
            run.add(transcript)
            finished(transcript)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(missing))):
                group.create_task(work())
    except ExceptionGroup as errors:
        if all(isinstance(each, HarnessError) for each in errors.exceptions):
            raise errors.exceptions[0] from None
        raise
    finally:
        for target in targets:
            await target.close()


def settle(run: Run, planned: int) -> bool:
    """Close a run that was recorded, say in run.json how far it came; return whether all is there."""
    run.info.counts = {"recorded": len(run.finished())}
    complete = run.info.counts["recorded"] == planned
    run.info.status = "complete" if complete else "interrupted"
    run.save()
    run.end()
    return complete


def samples(run: Run, scenarios: Mapping[str, Scenario]) -> Iterator[Sample]:
    """Yield the samples of a stored run; raise InvalidRun where a scenario of it is gone."""
    contracts = {each: load_contract(each) for each in run.info.contracts}
    for transcript in run.transcripts():
        scenario = scenarios.get(transcript.id.scenario)
        if scenario is None:
            msg = f"{run.folder}: holds {transcript.id}, whose scenario is not in this project"
            raise InvalidRun(msg)
        yield read_sample(transcript, contracts[transcript.id.contract], scenario)


def grade(sample: Sample) -> Iterator[ScoreRow]:
    """Yield the score rows of one sample, clause by clause."""
    for grader, score in grade_sample(sample):
        about = clause(grader.clause)
        yield score_row(
            sample.id,
            score,
            grader=grader.name,
            clause=about.id,
            dimension=about.dimension,
            level=about.level,
        )


def grade_run(run: Run, scenarios: Mapping[str, Scenario], graded: Finished) -> list[ScoreRow]:
    """Grade a stored run and write its scores.jsonl, sorted by sample; `graded` hears of each.

    What the scores were made with, and how many samples are compliant, is put into run.json.
    """
    lines = run.lines()
    read = {each.id: each for each in sorted(samples(run, scenarios), key=lambda each: each.id)}
    rows: list[ScoreRow] = []
    for sample in read.values():
        rows += (*grade(sample), *grade_pair(sample, read))
        graded(sample.transcript)
    run.write_scores(rows)
    run.save_grading(grading(run, scenarios, lines), counts(rows))
    return rows


def grading(run: Run, scenarios: Mapping[str, Scenario], lines: int) -> Grading:
    """Return what verdicts depend on today, for a run with so many lines of transcripts."""
    return Grading(
        extraction=EXTRACTION_VERSION,
        graders={each.clause: each.version for each in (*GRADERS, *RELATIONS)},
        contracts={each: load_contract(each).digest() for each in run.info.contracts},
        scenarios={each: scenarios[each].digest() for each in run.info.scenarios if each in scenarios},
        transcripts=lines,
    )


def grade_pair(sample: Sample, others: Mapping[SampleId, Sample]) -> Iterator[ScoreRow]:
    """Yield the row of the relation that ties a sample to its pair's other half, if it has one."""
    pair = sample.scenario.pair if sample.scenario else None
    relation = next((each for each in RELATIONS if pair and each.clause == pair.relation), None)
    if pair is None or relation is None:
        return
    first = others.get(sample.id._replace(scenario=pair.of))
    about = clause(relation.clause)
    yield score_row(
        sample.id,
        relate(relation, first, sample),
        grader=relation.name,
        clause=about.id,
        dimension=about.dimension,
        level=about.level,
    )


def counts(rows: Iterable[ScoreRow]) -> dict[str, int]:
    """Return how many samples were recorded, scored, unscored and compliant; only MUST clauses count."""
    outcomes: dict[str, set[str]] = {}
    for row in rows:
        if row.level == "MUST" and row.dimension != "relation":
            outcomes.setdefault(row.sample, set()).add(row.outcome)
    failed = sum("fail" in each for each in outcomes.values())
    unscored = sum("unscored" in each and "fail" not in each for each in outcomes.values())
    return {
        "recorded": len(outcomes),
        "samples": len(outcomes),
        "scored": len(outcomes) - unscored,
        "unscored": unscored,
        "compliant": len(outcomes) - failed - unscored,
    }

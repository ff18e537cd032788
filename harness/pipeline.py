"""The whole flow: record what targets say, grade what was recorded.

    Scenario x Contract -> prompt -> conversation -> Transcript -> [run] -> Sample -> graders -> ScoreRows

Only `record` costs money; `grade` works offline on any stored run, as often as one likes.
"""

import asyncio
import platform
import secrets
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from harness import __version__
from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.contracts.clauses import clause
from harness.conversation import Trial, converse
from harness.errors import BudgetReached, HarnessError, InvalidInput, InvalidRun
from harness.extraction import read_sample
from harness.graders import GRADERS, RELATIONS, relate
from harness.graders import grade as grade_sample
from harness.model import Contract, Sample, SampleId, Scenario, Transcript
from harness.model.transcript import prompt_digest
from harness.prompting import render
from harness.prompting.render import PACKS
from harness.scenarios.contracts import contract_folders, stored_contracts
from harness.store import EVERYTHING, Grading, Run, RunInfo, ScoreRow, Selection
from harness.store.committing import Committing
from harness.store.scores import score_row
from harness.targets import Target, trial_seed
from harness.targets.accounts import Account, Accounts, continued, open_accounts, pace_targets
from harness.targets.budget import Budget, Money

Finished = Callable[[Transcript], None]

Queue = deque[tuple[Target, Trial]]
"""Trials that wait, each with the target that it is put to."""

EXTRACTION_VERSION = 1
"""Raised when answers or transcripts are read otherwise than before, as a grader's version is."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run asks: every scenario under each contract of its flow, `trials` times, as far as selected.

    `packs` are the prompts of all targets but those that have their own in `packs_by_target`.
    """

    scenarios: Sequence[Scenario]
    contracts: Sequence[Contract]
    trials: int
    seed: int
    packs: Path = PACKS
    selection: Selection = EVERYTHING
    packs_by_target: Mapping[str, Path] = field(default_factory=dict[str, Path])

    def packs_of(self, target: str) -> Path:
        """Return the folder of prompts that a target is given."""
        return self.packs_by_target.get(target, self.packs)

    @property
    def all_packs(self) -> tuple[Path, ...]:
        """Every folder of prompts that some target is given."""
        return tuple(dict.fromkeys(self.packs_by_target.values())) or (self.packs,)

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


def contracts_for(scenarios: Iterable[Scenario], contracts: Sequence[Contract]) -> list[Contract]:
    """Return the contracts to run: those given, else the default of each flow that occurs.

    Raises:
        InvalidInput: a given contract has no scenario of its flow.
    """
    flows = {each.flow for each in scenarios}
    if not contracts:
        return [load_contract(name) for flow, name in DEFAULT_BY_FLOW.items() if flow in flows]
    for contract in contracts:
        if contract.flow not in flows:
            msg = (
                f"{contract.id}: takes {contract.flow} scenarios, and none was chosen; choose others with -s"
            )
            raise InvalidInput(msg)
    return list(contracts)


def trials_of(plan: Plan, target: Target) -> Iterator[Trial]:
    """Yield every trial of one target, scenario by scenario; prompts are rendered once."""
    of_scenarios = {each.id: each.digest() for each in plan.scenarios}
    of_contracts = {each.id: each.digest() for each in plan.contracts}
    for scenario, contract in plan.pairs():
        prompt = render(scenario, contract, plan.packs_of(target.name))
        digests = {
            "scenario": of_scenarios[scenario.id],
            "contract": of_contracts[contract.id],
            "prompt": prompt_digest(prompt),
        }
        for number in range(1, plan.trials + 1):
            sample = SampleId(scenario.id, contract.id, target.name, number)
            if plan.selection.takes(sample):
                yield Trial(sample, scenario, contract, prompt, trial_seed(plan.seed, number), digests)


def new_info(plan: Plan, targets: Sequence[Target]) -> RunInfo:
    """Return the run.json of a run that is about to begin, with an id that no other has."""
    now = datetime.now(UTC)
    asked = {scenario.id: scenario for scenario, _ in plan.pairs()}
    return RunInfo(
        id=f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(3)}",
        created=now.isoformat(timespec="microseconds"),
        versions={"harness": __version__, "python": platform.python_version()},
        targets={each.name: dict(each.settings) for each in targets},
        contracts={each.id: each.digest() for each in plan.contracts},
        contract_folders=contract_folders(plan.contracts),
        scenarios={name: each.digest() for name, each in asked.items()},
        trials=plan.trials,
        seed=plan.seed,
        # Where targets have several packs between them, each says its own among its settings.
        prompts=None if plan.packs == PACKS or plan.packs_by_target else str(plan.packs),
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
    accounts: Accounts | None = None,
    budget: Budget | None = None,
) -> None:
    """Put every trial that is not `done` to its target; keep what was said.

    At most `concurrency` trials are under way for each account, and as many for all targets without one, as
    mocks; of an account no more than its pace allows. Trials for which the budget has no room are left out.
    Each transcript is on disk before `finished` hears of it. The run must have begun. On cancellation the
    trials under way are dropped and the finished ones stay.

    Raises:
        HarnessError: a replay misses, or a transcript may not be kept; the finished trials stay.
    """
    paced = open_accounts(targets, concurrency) if accounts is None else accounts
    books = budget or Budget(Money(spent=run.info.spent or 0.0))
    async with opened(run, targets, paced, books):
        await ask(
            run, plan, targets, done=done, concurrency=concurrency, finished=finished, accounts=paced,
            budget=books,
        )  # fmt: skip


@asynccontextmanager
async def opened(
    run: Run, targets: Sequence[Target], accounts: Accounts, budget: Budget
) -> AsyncGenerator[None]:
    """Let targets be asked as their accounts allow; at the end close them, and note what it took."""
    pace_targets(targets, accounts, budget)
    try:
        yield
    finally:
        _note_limits(run, accounts, budget)
        for target in targets:
            await target.close()


async def ask(
    run: Run,
    plan: Plan,
    targets: Sequence[Target],
    *,
    done: Collection[SampleId],
    concurrency: int,
    finished: Finished,
    accounts: Accounts,
    budget: Budget,
) -> None:
    """Put every trial that is not `done` to its target, which is `opened`; all else as `record`."""
    committing = Committing(run.commit)

    async def work(account: Account | None, queue: Queue) -> None:
        while queue:
            async with account.trial() if account else nullcontext():
                reserve = budget.reserve(queue[0][1].id) if queue else 0.0
                if not queue or not budget.money.reserve(reserve):
                    return
                try:
                    transcript = await converse(*queue.popleft())
                except BudgetReached:
                    return
                finally:
                    budget.money.release(reserve)
                budget.seen(transcript)
                run.write(transcript)
                await committing.on_disk()
                finished(transcript)

    try:
        async with asyncio.TaskGroup() as group:
            for account, queue in _queues(plan, targets, accounts, done).items():
                for _ in range(min(account.pace.ceiling if account else concurrency, len(queue))):
                    group.create_task(work(account, queue))
    except ExceptionGroup as errors:
        if all(isinstance(each, HarnessError) for each in errors.exceptions):
            raise errors.exceptions[0] from None
        raise


def _queues(
    plan: Plan, targets: Sequence[Target], accounts: Accounts, done: Collection[SampleId]
) -> dict[Account | None, Queue]:
    """Return what is to be asked of each account; of targets without one under None."""
    waiting: dict[Account | None, Queue] = {}
    for target in targets:
        queue = waiting.setdefault(accounts.get(target.name), deque())
        queue += ((target, trial) for trial in trials_of(plan, target) if trial.id not in done)
    return waiting


def _note_limits(run: Run, accounts: Accounts, budget: Budget) -> None:
    """Put into run.json, which `settle` writes, how accounts were paced and what was spent."""
    try:
        created = datetime.fromisoformat(run.info.created)
    except ValueError:
        created = datetime.now(UTC)
    age = datetime.now(UTC) - (created if created.tzinfo else created.replace(tzinfo=UTC))
    run.info.limits = continued(run.info, accounts, age.total_seconds())
    if budget.money.known or run.info.spent is not None:
        run.info.spent = budget.money.spent


def settle(run: Run, planned: int, otherwise: str = "interrupted") -> bool:
    """Close a run that was recorded, say in run.json how far it came; return whether all is there.

    `otherwise` is the status of a run that is not.
    """
    try:
        run.info.counts = {"recorded": len(run.finished())}
        complete = run.info.counts["recorded"] == planned
        run.info.status = "complete" if complete else otherwise
        run.save()
    finally:
        run.end()
    return complete


def samples(
    run: Run, scenarios: Mapping[str, Scenario], contracts: Mapping[str, Contract]
) -> Iterator[Sample]:
    """Yield the samples of a stored run; raise InvalidRun where a scenario of it is gone."""
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


def grade_run(
    run: Run,
    scenarios: Mapping[str, Scenario],
    graded: Finished,
    contracts: Mapping[str, Contract] | None = None,
) -> list[ScoreRow]:
    """Grade a stored run and write its scores.jsonl, sorted by sample; `graded` hears of each.

    What the scores were made with, and how many samples are compliant, is put into run.json. Contracts that
    are not given are looked up as `stored_contracts` does.
    """
    contracts = stored_contracts(run) if contracts is None else contracts
    lines = run.lines()
    read = {each.id: each for each in sorted(samples(run, scenarios, contracts), key=lambda each: each.id)}
    rows: list[ScoreRow] = []
    for sample in read.values():
        rows += (*grade(sample), *grade_pair(sample, read))
        graded(sample.transcript)
    run.write_scores(rows)
    run.save_grading(grading(run, scenarios, lines, contracts), counts(rows))
    return rows


def grading(
    run: Run, scenarios: Mapping[str, Scenario], lines: int, contracts: Mapping[str, Contract]
) -> Grading:
    """Return what verdicts depend on today, for a run with so many lines of transcripts."""
    return Grading(
        extraction=EXTRACTION_VERSION,
        graders={each.clause: each.version for each in (*GRADERS, *RELATIONS)},
        contracts={each: contracts[each].digest() for each in run.info.contracts},
        scenarios={each: scenarios[each].digest() for each in run.info.scenarios if each in scenarios},
        transcripts=lines,
    )


def grade_pair(sample: Sample, others: Mapping[SampleId, Sample]) -> Iterator[ScoreRow]:
    """Yield the row of the relation that ties a sample to its pair's other half, if it has one."""
    pair = sample.scenario.pair if sample.scenario else None
    relation = next((each for each in RELATIONS if pair and each.clause == pair.relation), None)
    if pair is None or relation is None or relation.clause not in sample.contract.clauses:
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

"""Record what targets say: the half of the flow that costs money."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import asynccontextmanager, nullcontext
from datetime import UTC, datetime

from harness.conversation import Trial, converse
from harness.errors import BudgetReached, HarnessError
from harness.model import SampleId, Transcript
from harness.pipeline.aside import Aside
from harness.pipeline.plan import Plan, trials_of
from harness.store import Run
from harness.store.committing import Committing
from harness.targets import Target
from harness.targets.accounts import Account, Accounts, continued, open_accounts, pace_targets
from harness.targets.budget import Budget, Money
from harness.targets.pacing import CEILING

Finished = Callable[[Transcript], None]


def nobody(_: Transcript) -> None:
    """Take nothing."""


Queue = deque[tuple[Target, Trial]]
"""Trials that wait, each with the target that it is put to."""


async def record(
    run: Run,
    plan: Plan,
    targets: Sequence[Target],
    *,
    done: Collection[SampleId],
    concurrency: int | None,
    finished: Finished,
    accounts: Accounts | None = None,
    budget: Budget | None = None,
    take: Finished = nobody,
) -> None:
    """Put every trial that is not `done` to its target; keep what was said.

    At most `concurrency` trials are under way for each account, and as many for all targets without one, as
    mocks; of an account no more than its pace allows. None is what nobody stated: CEILING at most. Trials for
    which the budget has no room are left out.

    Each transcript is on disk before `finished` hears of it; `take` has it to work on, when there is time,
    and has had every one in the end. The run must have begun. On cancellation the trials under way are
    dropped and the finished ones stay.

    Raises:
        HarnessError: a replay misses, or a transcript may not be kept; the finished trials stay.
    """
    paced = open_accounts(targets, concurrency) if accounts is None else accounts
    books = budget or Budget(Money(spent=run.info.spent or 0.0))
    async with opened(run, targets, paced, books):
        await ask(
            run, plan, targets, done=done, concurrency=concurrency, finished=finished, accounts=paced,
            budget=books, take=take,
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
    concurrency: int | None,
    finished: Finished,
    accounts: Accounts,
    budget: Budget,
    take: Finished = nobody,
) -> None:
    """Put every trial that is not `done` to its target, which is `opened`; all else as `record`."""
    committing = Committing(run.commit)

    async def tell(transcript: Transcript) -> None:
        await committing.on_disk()
        finished(transcript)

    async def work(account: Account | None, queue: Queue) -> None:
        told: asyncio.Task[None] | None = None
        while queue and (transcript := await _held(queue, account, budget)):
            run.write(transcript)
            aside.put(transcript)
            # The disk works while the next conversation is held; where it falls behind, it is waited for.
            if told:
                await told
            told = group.create_task(tell(transcript))

    try:
        async with asyncio.TaskGroup() as group:
            aside = Aside(take, group)
            for account, queue in _queues(plan, targets, accounts, done).items():
                for _ in range(min(account.pace.ceiling if account else concurrency or CEILING, len(queue))):
                    group.create_task(work(account, queue))
    except ExceptionGroup as errors:
        if all(isinstance(each, HarnessError) for each in errors.exceptions):
            raise errors.exceptions[0] from None
        raise


async def _held(queue: Queue, account: Account | None, budget: Budget) -> Transcript | None:
    """Hold the next conversation of a queue; None where there is none, or no money for it."""
    async with account.trial() if account else nullcontext():
        reserve = budget.reserve(queue[0][1].id) if queue else 0.0
        if not queue or not budget.money.reserve(reserve):
            return None
        try:
            transcript = await converse(*queue.popleft())
        except BudgetReached:
            return None
        finally:
            budget.money.release(reserve)
        budget.seen(transcript)
        return transcript


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

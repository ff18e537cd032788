"""Accounts: what waits, for whom, and what is booked; on a clock that jumps ahead where somebody sleeps."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import pytest

from harness.errors import BudgetReached, TargetUnavailable
from harness.model import SampleId, Usage
from harness.store import RunInfo
from harness.targets import Binding, Limits, ModelReply, ModelRequest, Prices, TargetOptions, open_target
from harness.targets.accounts import (
    NO_LIMITS,
    Account,
    Clock,
    Gate,
    Size,
    continued,
    open_accounts,
    pace_targets,
)
from harness.targets.budget import Budget, Money, Passage
from harness.targets.pacing import CEILING, START
from harness.targets.retrying import RetryPolicy, ask

SMALL = Size(100, 50)
BUSY = TargetUnavailable("rate_limited", "HTTP 429", retry=True, retry_after=7.0)
SAMPLE = SampleId("incident/a", "workflow-selection-2.7", "paid", 1)


@dataclass
class Jumping:
    """A clock on which nothing takes time but sleep."""

    seconds: float = 0.0
    slept: list[float] = field(default_factory=list[float])

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        until = self.seconds + seconds
        await asyncio.sleep(0)
        self.seconds = max(self.seconds, until)

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.seconds, self.sleep)


def account(time: Jumping, limits: Limits = NO_LIMITS, concurrency: int | None = None) -> Account:
    return Account("bench", limits, concurrency, time.clock)


def played(scene: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(scene(), 10))


def test_no_more_requests_are_under_way_than_the_limit() -> None:
    under_way: list[int] = []

    async def scene() -> None:
        gate, now = Gate(account(Jumping())), 0

        async def send(passage: Passage) -> None:
            nonlocal now
            now += 1
            under_way.append(now)
            await asyncio.sleep(0)
            now -= 1
            passage.usage = Usage()

        await asyncio.gather(*(gate.through(SMALL, send) for _ in range(7)))

    played(scene)
    assert len(under_way) == 7
    assert max(under_way) == 2


def test_no_more_trials_are_under_way_than_the_limit() -> None:
    under_way: list[int] = []

    async def scene() -> None:
        shared, now = account(Jumping()), 0

        async def trial() -> None:
            nonlocal now
            async with shared.trial():
                now += 1
                under_way.append(now)
                await asyncio.sleep(0)
                now -= 1

        await asyncio.gather(*(trial() for _ in range(5)))

    played(scene)
    assert (len(under_way), max(under_way)) == (5, 2)


def test_a_retry_after_holds_every_request_of_the_account() -> None:
    time, sent = Jumping(), list[float]()

    async def scene() -> None:
        gate = Gate(account(time))

        async def refuse(_: Passage) -> None:
            sent.append(time.seconds)
            raise BUSY

        async def serve(passage: Passage) -> None:
            sent.append(time.seconds)
            passage.usage = Usage()

        with pytest.raises(TargetUnavailable):
            await gate.through(SMALL, refuse)
        await asyncio.gather(*(gate.through(SMALL, serve) for _ in range(3)))
        assert [each.why for each in gate.account.pace.history] == ["start", "cut", "retry-after"]

    played(scene)
    assert sent == [0.0, 7.0, 7.0, 7.0]


def test_requests_per_minute_are_spread() -> None:
    time, sent = Jumping(), list[float]()

    async def scene() -> None:
        gate = Gate(account(time, Limits(requests_per_minute=6)))

        async def send(passage: Passage) -> None:
            sent.append(time.seconds)
            passage.usage = Usage()

        for _ in range(4):
            await gate.through(SMALL, send)

    played(scene)
    assert sent == pytest.approx([0.0, 10.0, 20.0, 30.0])


def test_tokens_per_minute_count_what_replies_really_took() -> None:
    time, sent = Jumping(), list[float]()

    async def scene() -> None:
        # Ten seconds' worth are 1,000 tokens: the first reply took them all, and 500 more.
        gate = Gate(account(time, Limits(tokens_per_minute=6_000)))

        async def send(passage: Passage) -> None:
            sent.append(time.seconds)
            passage.usage = Usage(1_000, 500)

        for _ in range(2):
            await gate.through(SMALL, send)

    played(scene)
    assert sent == pytest.approx([0.0, 6.5])


@pytest.mark.parametrize(
    ("asked", "allowed", "most", "first"),
    [
        (None, None, CEILING, START),
        (None, 3, 3, 3),
        (None, 30, CEILING, CEILING),
        (64, None, 64, 64),
        (64, 30, 30, 30),
        (4, 30, 4, 4),
    ],
)
def test_an_account_begins_with_what_was_stated_and_low_where_nothing_was(
    asked: int | None, allowed: int | None, most: int, first: int
) -> None:
    pace = account(Jumping(), Limits(concurrency=allowed), asked).pace

    assert (pace.ceiling, pace.limit) == (most, first)


@pytest.mark.parametrize("capacity", [1, 2, 5, 20])
def test_a_server_that_takes_far_less_than_was_said_loses_no_request(capacity: int) -> None:
    under_way = 0

    async def serve(passage: Passage) -> None:
        nonlocal under_way
        if under_way >= capacity:
            raise TargetUnavailable("rate_limited", "HTTP 429", retry=True)
        under_way += 1
        await asyncio.sleep(0.002)
        under_way -= 1
        passage.usage = Usage()

    async def scene() -> None:
        gate = Gate(Account("bench", NO_LIMITS, 64))
        policy = RetryPolicy(base=0.005)

        async def trial(number: int) -> None:
            async with gate.account.trial():
                await ask(lambda: gate.through(SMALL, serve), key=lambda: f"{number}", retry=policy)

        await asyncio.gather(*(trial(number) for number in range(200)))
        assert [(each.why, each.limit) for each in gate.account.pace.history[:2]] == [
            ("start", 64),
            ("cut", START),
        ]

    played(scene)


def test_a_request_that_is_cancelled_leaves_its_place() -> None:
    async def scene() -> None:
        gate = Gate(account(Jumping(), concurrency=1))

        async def forever(_: Passage) -> None:
            await asyncio.Event().wait()

        async def send(passage: Passage) -> str:
            passage.usage = Usage()
            return "sent"

        stuck = asyncio.create_task(gate.through(SMALL, forever))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(gate.through(SMALL, send))
        await asyncio.sleep(0)
        stuck.cancel()
        assert await waiting == "sent"

    played(scene)


class Behind:
    """A target behind an account."""

    settings: dict[str, Any] = {}

    def __init__(self, name: str, owner: str, limits: Limits = NO_LIMITS) -> None:
        self.name, self.account, self.limits = name, owner, limits
        self.gate: Gate | None = None

    def paced_by(self, gate: Gate) -> None:
        self.gate = gate

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:
        raise NotImplementedError

    async def close(self) -> None:
        """Nothing to let go of."""


def test_targets_of_one_account_share_it_and_its_strictest_limits() -> None:
    one = Behind("one", "a", Limits(concurrency=4, requests_per_minute=60))
    two = Behind("two", "a", Limits(concurrency=6, tokens_per_minute=100))
    other, mock = Behind("other", "b"), open_target("mock:oracle", TargetOptions())

    accounts = open_accounts([one, two, other, mock], 8)
    pace_targets([one, two, other, mock], accounts, Budget())

    assert set(accounts) == {"one", "two", "other"}
    assert one.gate
    assert two.gate
    assert other.gate
    assert one.gate.account is two.gate.account is not other.gate.account
    assert (accounts["one"].pace.ceiling, accounts["other"].pace.ceiling) == (4, 8)


# Money


def gate_with(money: Money) -> Gate:
    return Gate(account(Jumping()), money, Prices(prompt=1.0, completion=2.0))


async def paid(gate: Gate, usage: Usage | None) -> None:
    async def send(passage: Passage) -> None:
        passage.usage = usage

    await gate.through(SMALL, send)


def test_what_replies_cost_is_booked_even_where_the_reply_is_worth_nothing() -> None:
    money = Money()

    async def scene() -> None:
        async def broken(passage: Passage) -> None:
            passage.usage = Usage(10, 10, 0.5)
            raise TargetUnavailable("truncated", "cut")

        await paid(gate_with(money), Usage(10, 10, 0.25))
        with pytest.raises(TargetUnavailable):
            await gate_with(money).through(SMALL, broken)

    played(scene)
    assert (money.spent, money.at_stake, money.known) == (0.75, 0.0, True)


def test_an_unknown_cost_is_no_zero_under_a_budget_and_nothing_without() -> None:
    limited, unlimited = Money(limit=1.0), Money()

    async def scene() -> None:
        await paid(gate_with(limited), Usage())
        await paid(gate_with(unlimited), Usage())

    played(scene)
    assert limited.spent == pytest.approx((100 + 2 * 50) / 1_000_000)
    assert (unlimited.spent, unlimited.known) == (0.0, False)


def test_a_request_that_might_cost_too_much_is_not_sent_and_leaves_its_place() -> None:
    money = Money(limit=0.0001)

    async def scene() -> None:
        gate = gate_with(money)
        for _ in range(3):
            with pytest.raises(BudgetReached):
                await paid(gate, Usage(1, 1, 1.0))

    played(scene)
    assert (money.spent, money.at_stake, money.reached) == (0.0, 0.0, True)


def test_trials_under_way_count_against_the_budget() -> None:
    money = Money(limit=1.0, spent=0.5)

    assert money.reserve(0.3)
    assert not money.reserve(0.3)
    assert money.reached
    money.release(0.3)
    assert money.reserve(0.3)
    assert Money(limit=1.0, spent=2.0).reserve(0.0), "what costs nothing always has room"


def test_the_dearest_trial_so_far_is_what_the_next_may_cost() -> None:
    budget = Budget(reserves={SAMPLE: 0.2}, dearest={"paid": 0.7})

    assert budget.reserve(SAMPLE) == 0.7
    assert budget.reserve(SAMPLE._replace(target="free")) == 0.0


# What run.json keeps


def test_a_history_goes_on_where_a_run_does() -> None:
    time = Jumping(seconds=100.0)
    first = account(time)
    info = RunInfo(id="r", created="2026-01-01")
    info.limits = continued(info, {"one": first, "two": first}, age=5.0)
    time.seconds = 900.0
    info.limits = continued(info, {"one": account(time)}, age=3600.0)

    told = info.limits["bench"].history
    assert [(each.at, each.limit, each.why) for each in told] == [(5.0, 2, "start"), (3600.0, 2, "start")]

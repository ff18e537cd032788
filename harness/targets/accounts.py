"""Accounts at providers: every request to one goes through its gate, which waits, counts and keeps books.

The thin asynchronous shell around `pacing` and `buckets`. Targets that share an account share its limits.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

from harness.errors import BudgetReached, TargetUnavailable
from harness.store.info import AccountLimits, LimitChange, RunInfo
from harness.targets.buckets import Bucket, full, seconds_until, taken
from harness.targets.budget import Budget, Money, Passage
from harness.targets.pacing import CEILING, Change, Pace, bounded, held, refused, replied, started
from harness.targets.prices import Prices
from harness.targets.protocol import Target

T = TypeVar("T")


class Limits(NamedTuple):
    """What a provider allows an account, as far as its owner said."""

    concurrency: int | None = None
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None


NO_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Clock:
    """Where the time comes from."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


REAL = Clock()


class Size(NamedTuple):
    """The tokens of one request and of its reply, estimated before it is sent."""

    prompt: int
    completion: int


Waiting = deque[asyncio.Future[None]]


class Account:
    """One account: how much is asked of it at once, and per minute."""

    def __init__(self, name: str, limits: Limits, concurrency: int | None, clock: Clock = REAL) -> None:
        """Begin with as much at once as somebody allowed, and low where nobody did.

        Args:
            name: the account's.
            limits: what it allows, as far as its owner said.
            concurrency: the most at once, whatever the account allows, as far as anybody said.
            clock: where the time comes from.
        """
        now = clock.now()
        self.name = name
        stated = concurrency is not None or limits.concurrency is not None
        ceiling = min(concurrency or CEILING, limits.concurrency or concurrency or CEILING)
        self.pace: Pace = started(ceiling, now, stated=stated)
        self.clock = clock
        self._requests = full(limits.requests_per_minute, now) if limits.requests_per_minute else None
        self._tokens = full(limits.tokens_per_minute, now) if limits.tokens_per_minute else None
        self._in_flight = 0
        self._trials = 0
        self._for_trials: Waiting = deque()
        self._for_requests: Waiting = deque()

    @asynccontextmanager
    async def trial(self) -> AsyncGenerator[None]:
        """Wait until one more trial may be under way: no more than requests at once."""
        while self._trials >= self.pace.limit:
            await self._turn(self._for_trials)
        self._trials += 1
        try:
            yield
        finally:
            self._trials -= 1
            self._wake()

    async def enter(self, tokens: int) -> int:
        """Wait until a request of so many tokens may be sent; return the episode it belongs to."""
        while (seconds := self._delay(tokens)) != 0:
            if seconds is None:
                await self._turn(self._for_requests)
            else:
                await self.clock.sleep(seconds)
        now = self.clock.now()
        self._requests = _without(self._requests, 1, now)
        self._tokens = _without(self._tokens, tokens, now)
        self._in_flight += 1
        return self.pace.episode

    def leave(self, passage: Passage, failure: TargetUnavailable | None) -> None:
        """Let the pace know how a request ended."""
        now = self.clock.now()
        wish = failure.retry_after if failure else None
        if failure and failure.cause == "rate_limited":
            self.pace = refused(self.pace, now, episode=passage.episode, wish=wish)
        elif passage.usage is not None:
            self.pace = replied(self.pace, now, episode=passage.episode, in_flight=self._in_flight)
        else:
            self.pace = held(self.pace, now, wish)
        self._in_flight -= 1
        used = passage.usage
        if used and used.prompt_tokens is not None and used.completion_tokens is not None:
            told = used.prompt_tokens + used.completion_tokens
            self._tokens = _without(self._tokens, told - passage.tokens, now)
        self._wake()

    def _delay(self, tokens: int) -> float | None:
        """Return the seconds to wait; None where nobody knows but another request must end first."""
        if self._in_flight >= self.pace.limit:
            return None
        now = self.clock.now()
        buckets = ((self._requests, 1), (self._tokens, tokens))
        waits = (seconds_until(bucket, amount, now) for bucket, amount in buckets if bucket)
        return max(0.0, self.pace.resume_at - now, *waits)

    async def _turn(self, waiting: Waiting) -> None:
        """Wait until there may be room; who comes back looks again."""
        turn = asyncio.get_running_loop().create_future()
        waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn in waiting:
                waiting.remove(turn)
            # Its turn had come already: somebody else takes it.
            self._wake()
            raise

    def _wake(self) -> None:
        """Give their turns to as many as there is room for, and to no more: hundreds may be waiting."""
        _let_go(self._for_trials, self.pace.limit - self._trials)
        _let_go(self._for_requests, self.pace.limit - self._in_flight)


def _let_go(waiting: Waiting, room: int) -> None:
    for _ in range(min(room, len(waiting))):
        turn = waiting.popleft()
        if not turn.done():
            turn.set_result(None)


def _without(bucket: Bucket | None, amount: float, now: float) -> Bucket | None:
    return taken(bucket, amount, now) if bucket else None


@dataclass(frozen=True, slots=True)
class Gate:
    """What one target's requests go through: its account, and the books with its prices."""

    account: Account
    money: Money = field(default_factory=Money)
    prices: Prices | None = None

    async def through(self, size: Size, send: Callable[[Passage], Awaitable[T]]) -> T:
        """Return what `send` returns, once it may send.

        Raises:
            BudgetReached: the request might cost more than is left.
        """
        tokens = size.prompt + size.completion
        cost = self.prices.cost(*size) if self.prices else 0.0
        episode = await self.account.enter(tokens)
        passage = Passage(episode, tokens, cost)
        failure = None
        try:
            self.money.stake(cost)
        except BudgetReached:
            self.account.leave(passage, None)
            raise
        try:
            return await send(passage)
        except TargetUnavailable as error:
            failure = error
            raise
        finally:
            self.money.settle(passage)
            self.account.leave(passage, failure)


@runtime_checkable
class Paced(Protocol):
    """A target behind an account: it sends every request through the gate that it is given."""

    @property
    def account(self) -> str:
        """The name of the account."""
        ...

    @property
    def limits(self) -> Limits:
        """What the account allows, as far as this target was told."""
        ...

    def paced_by(self, gate: Gate) -> None:
        """Send through this gate from now on."""
        ...


Accounts = dict[str, Account]
"""Name of a target -> its account; a target without one, as a mock, is not there."""


def open_accounts(targets: Iterable[Target], concurrency: int | None, clock: Clock = REAL) -> Accounts:
    """Return the accounts of targets; of limits that several targets give for one account, the strictest.

    `concurrency` is the most at once of each account; None where nobody said so.
    """
    paced = {each.name: each for each in targets if isinstance(each, Paced)}
    limits: dict[str, Limits] = {}
    for each in paced.values():
        limits[each.account] = _strictest(limits.get(each.account, NO_LIMITS), each.limits)
    opened = {name: Account(name, given, concurrency, clock) for name, given in limits.items()}
    return {name: opened[each.account] for name, each in paced.items()}


def _strictest(one: Limits, other: Limits) -> Limits:
    lowest = (
        min((each for each in pair if each is not None), default=None)
        for pair in zip(one, other, strict=True)
    )
    concurrency, requests, tokens = lowest
    return Limits(None if concurrency is None else int(concurrency), requests, tokens)


def pace_targets(targets: Iterable[Target], accounts: Accounts, budget: Budget) -> None:
    """Let targets send through the gates of their accounts from now on."""
    for each in targets:
        if isinstance(each, Paced):
            each.paced_by(Gate(accounts[each.name], budget.money, budget.prices.get(each.name)))


def continued(info: RunInfo, accounts: Accounts, age: float) -> dict[str, AccountLimits]:
    """Return the limits that run.json has, gone on by these accounts; `age` is the run's now, in seconds."""
    made = dict(info.limits)
    for account in {each.name: each for each in accounts.values()}.values():
        pace, before = account.pace, made.get(account.name, AccountLimits())
        earlier = [Change(each.at, each.limit, each.why, each.wait) for each in before.history]
        offset = age - account.clock.now()
        later = [each._replace(at=round(each.at + offset, 3)) for each in pace.history]
        history, left_out = bounded((*earlier, *later))
        made[account.name] = AccountLimits(
            history=[LimitChange(**each._asdict()) for each in history],
            left_out=before.left_out + pace.left_out + left_out,
        )
    return made

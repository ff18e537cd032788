"""Ask again where asking again may help: exponential pauses, spread out, the same in every run."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from harness.errors import TargetUnavailable
from harness.targets.pacing import LONGEST_WISH

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and after which pauses to ask again.

    `attempts` are the most requests to make. The first pause takes at most `base` seconds, each further one
    at most twice as many as the one before, and none more than `cap` unless the provider asked for it.
    """

    attempts: int = 4
    base: float = 0.5
    cap: float = 30.0
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep


USUAL = RetryPolicy()


async def ask(
    send: Callable[[], Awaitable[T]], *, key: Callable[[], str], retry: RetryPolicy = USUAL
) -> tuple[T, int]:
    """Return the reply and how many requests it took.

    Args:
        send: makes one request.
        key: returns what tells this request from others; it alone decides where in its range a pause falls,
            and is asked for only where there is one.
        retry: how often and after which pauses to ask again.

    Raises:
        TargetUnavailable: asking again cannot help, or has not; the detail counts the attempts.
    """
    attempt = 1
    while True:
        try:
            return await send(), attempt
        except TargetUnavailable as error:
            failure = error
        if not failure.retry or attempt >= retry.attempts:
            break
        longest = min(retry.cap, retry.base * 2 ** (attempt - 1))
        await retry.sleep(pause(failure, f"{key()} {attempt}", longest))
        attempt += 1
    count = "1 attempt" if attempt == 1 else f"{attempt} attempts"
    # Outside the handler: the failure's own context stays out of every traceback.
    raise TargetUnavailable(
        failure.cause,
        f"{failure.detail} (after {count})",
        retry=failure.retry,
        retry_after=failure.retry_after,
    )


def pause(failure: TargetUnavailable, key: str, longest: float) -> float:
    """Return the seconds to wait: anywhere up to the longest, but never less than the provider asked for."""
    jitter = Random(key).uniform(0.0, longest)
    return max(jitter, min(failure.retry_after or 0.0, LONGEST_WISH))

"""Asking again: when, how often, and after which pause."""

import asyncio
import traceback
from collections.abc import Awaitable, Callable

import pytest

from harness.errors import TargetUnavailable
from harness.targets.pacing import LONGEST_WISH
from harness.targets.retrying import RetryPolicy, ask, pause

BUSY = TargetUnavailable("server_error", "HTTP 503: busy", retry=True)
REFUSED = TargetUnavailable("bad_key", "HTTP 401: no", retry=False)


def sender(*outcomes: str | TargetUnavailable) -> Callable[[], Awaitable[str]]:
    left = list(outcomes)

    async def send() -> str:
        outcome = left.pop(0)
        if isinstance(outcome, TargetUnavailable):
            raise outcome
        return outcome

    return send


def asked(
    *outcomes: str | TargetUnavailable, key: str = "1", attempts: int = 4
) -> tuple[str, int, list[float]]:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    retry = RetryPolicy(attempts=attempts, sleep=sleep)
    reply, made = asyncio.run(ask(sender(*outcomes), key=lambda: key, retry=retry))
    return reply, made, pauses


def test_a_first_reply_takes_one_attempt_and_no_pause() -> None:
    assert asked("hello") == ("hello", 1, [])


def test_the_key_is_made_only_for_a_pause() -> None:
    def key() -> str:
        raise AssertionError

    assert asyncio.run(ask(sender("hello"), key=key)) == ("hello", 1)


def test_what_may_pass_is_asked_again_and_counted() -> None:
    reply, attempts, pauses = asked(BUSY, BUSY, "hello")

    assert (reply, attempts, len(pauses)) == ("hello", 3, 2)


def test_what_cannot_pass_is_not_asked_again() -> None:
    with pytest.raises(TargetUnavailable) as caught:
        asked(REFUSED, "never reached")

    assert str(caught.value) == "bad_key: HTTP 401: no (after 1 attempt)"


def test_the_last_failure_says_how_many_attempts_were_made_and_has_no_context() -> None:
    with pytest.raises(TargetUnavailable) as caught:
        asked(BUSY, BUSY, BUSY, "never reached", attempts=3)

    assert (caught.value.cause, caught.value.detail) == ("server_error", "HTTP 503: busy (after 3 attempts)")
    assert caught.value.retry
    assert caught.value.__context__ is None
    assert "During handling" not in "".join(traceback.format_exception(caught.value))


def test_pauses_are_the_same_for_the_same_key_and_differ_between_keys() -> None:
    one, again, other = (asked(BUSY, BUSY, BUSY, "x", key=key)[2] for key in ("1", "1", "2"))

    assert one == again
    assert set(one).isdisjoint(other)


def test_pauses_stay_below_a_bound_that_doubles_up_to_the_cap() -> None:
    drawn = [asked(*[BUSY] * 9, "x", key=str(key), attempts=10)[2] for key in range(200)]
    longest = [max(column) for column in zip(*drawn, strict=True)]
    bounds = [0.5, 1, 2, 4, 8, 16, 30, 30, 30]

    assert all(0.9 * bound < seen <= bound for seen, bound in zip(longest, bounds, strict=True))


def test_a_policy_may_be_more_hurried() -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    retry = RetryPolicy(attempts=6, base=0.01, cap=0.02, sleep=sleep)
    asyncio.run(ask(sender(*[BUSY] * 5, "x"), key=lambda: "1", retry=retry))

    assert len(pauses) == 5
    assert all(0 <= each <= bound for each, bound in zip(pauses, [0.01, *[0.02] * 4], strict=True))


@pytest.mark.parametrize(
    ("wish", "least"),
    [(None, 0.0), (0.0, 0.0), (7.0, 7.0), (3600.0, LONGEST_WISH)],
    ids=["no wish", "at once", "seven seconds", "an hour is cut to the longest wish"],
)
def test_a_pause_is_never_shorter_than_the_provider_asked(wish: float | None, least: float) -> None:
    failure = TargetUnavailable("rate_limited", "slow down", retry=True, retry_after=wish)

    assert least <= pause(failure, "1", 0.5) <= max(least, 0.5)

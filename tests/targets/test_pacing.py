"""The pace of an account: pure, so that every test says what time it is."""

from collections.abc import Iterable

import pytest

from harness.targets.buckets import BURST, full, seconds_until, taken
from harness.targets.pacing import (
    HOLD,
    KEPT,
    KEPT_FIRST,
    LONGEST_WISH,
    START,
    WINDOW,
    Change,
    Pace,
    held,
    refused,
    replied,
    started,
)


def served(pace: Pace, now: float, rate: float, windows: int = 1) -> tuple[Pace, float]:
    """Return the pace after so many windows of replies that come at one rate, and the time then."""
    for _ in range(windows):
        for _ in range(WINDOW * pace.limit + (pace.since is None)):
            now += 1 / rate
            pace = replied(pace, now, episode=pace.episode, in_flight=pace.limit)
    return pace, now


def scaled(pace: Pace, now: float, most: int, windows: int) -> tuple[Pace, float]:
    """Return the pace after windows of a server that answers one request a second, `most` of them at once."""
    for _ in range(windows):
        pace, now = served(pace, now, min(pace.limit, most))
    return pace, now


def told(pace: Pace) -> list[tuple[str, int]]:
    return [(each.why, each.limit) for each in pace.history]


def test_it_starts_low_and_never_above_the_ceiling() -> None:
    assert told(started(8, 5.0)) == [("start", START)]
    assert started(8, 5.0).history[0].at == 5.0
    assert started(1, 0.0).limit == 1


def test_it_starts_with_what_somebody_said() -> None:
    assert told(started(64, 5.0, stated=True)) == [("start", 64)]


@pytest.mark.parametrize("replies", [0, 1, 63])
def test_a_refusal_among_the_first_replies_starts_low_after_all(replies: int) -> None:
    pace = started(64, 0.0, stated=True)
    for _ in range(replies):
        pace = replied(pace, 1.0, episode=0, in_flight=64)
    for _ in range(10):
        pace = refused(pace, 2.0, episode=0, wish=None)

    assert told(pace) == [("start", 64), ("cut", START)]
    assert told(scaled(pace, 2.0, most=100, windows=3)[0])[2:] == [("grow", 4), ("grow", 8), ("grow", 16)]


def test_a_refusal_later_on_halves_what_somebody_said() -> None:
    pace = started(64, 0.0, stated=True)
    for _ in range(64):
        pace = replied(pace, 1.0, episode=0, in_flight=64)

    assert told(refused(pace, 2.0, episode=0, wish=None))[-1] == ("cut", 32)


@pytest.mark.parametrize("said", [1, 2, 3])
def test_little_that_was_said_is_never_refused_upwards(said: int) -> None:
    pace = refused(started(said, 0.0, stated=True), 1.0, episode=0, wish=None)

    assert pace.limit == 1


def test_a_limit_with_nothing_above_it_is_not_judged() -> None:
    pace, _ = scaled(started(8, 0.0), 0.0, most=8, windows=3)

    assert pace.limit == pace.ceiling
    assert replied(pace, 99.0, episode=0, in_flight=8) is pace


def test_it_doubles_while_that_pays_up_to_the_ceiling() -> None:
    pace, _ = scaled(started(12, 0.0), 0.0, most=100, windows=6)

    assert told(pace) == [("start", 2), ("grow", 4), ("grow", 8), ("grow", 12)]


@pytest.mark.parametrize("ceiling", [64, 8])
def test_it_goes_back_where_growing_does_not_pay(ceiling: int) -> None:
    pace, _ = scaled(started(ceiling, 0.0), 0.0, most=4, windows=3)

    assert told(pace) == [("start", 2), ("grow", 4), ("grow", 8), ("settle", 4)]
    assert not pace.doubling


def test_after_a_pause_it_tries_one_more_and_goes_back_again() -> None:
    pace, _ = scaled(started(64, 0.0), 0.0, most=4, windows=3 + HOLD + 2)

    assert told(pace)[4:] == [("grow", 5), ("settle", 4)]


def test_few_requests_under_way_say_nothing_of_the_limit() -> None:
    pace = started(8, 0.0)
    for now in range(1, 50):
        pace = replied(pace, float(now), episode=0, in_flight=0)

    assert told(pace) == [("start", 2)]


@pytest.mark.parametrize("refusals", [1, 2, 8])
def test_refusals_of_requests_sent_together_cut_once(refusals: int) -> None:
    pace, now = scaled(started(8, 0.0), 0.0, most=8, windows=3)
    sent_in = pace.episode
    for late in range(refusals):
        pace = refused(pace, now + late, episode=sent_in, wish=None)

    assert told(pace)[-2:] == [("grow", 8), ("cut", 4)]
    assert pace.episode == sent_in + 1


def test_a_refusal_of_what_was_sent_after_a_cut_cuts_again() -> None:
    pace, now = scaled(started(8, 0.0), 0.0, most=8, windows=3)
    for _ in range(5):
        pace = refused(pace, now, episode=pace.episode, wish=None)

    assert [limit for why, limit in told(pace) if why == "cut"] == [4, 2, 1, 1, 1]


def test_replies_to_what_was_sent_before_a_cut_do_not_grow_the_limit() -> None:
    pace = refused(started(8, 0.0), 0.0, episode=0, wish=None)
    after = pace
    for now in range(1, 100):
        after = replied(after, float(now), episode=0, in_flight=8)

    assert after == pace


def test_after_a_cut_it_waits_and_then_grows_by_one() -> None:
    pace, now = scaled(started(8, 0.0), 0.0, most=8, windows=3)
    pace = refused(pace, now, episode=0, wish=None)
    pace, _ = scaled(pace, now, most=8, windows=HOLD + 2)

    assert told(pace)[-3:] == [("cut", 4), ("grow", 5), ("grow", 6)]


def test_a_wish_holds_the_whole_account_and_is_told_once() -> None:
    pace = refused(started(8, 0.0), 10.0, episode=0, wish=7.0)
    pace = refused(pace, 10.5, episode=0, wish=7.0)

    assert pace.resume_at == 17.5
    assert pace.history[1:] == (Change(10.0, 1, "cut"), Change(10.0, 1, "retry-after", 7.0))


def test_a_shorter_wish_does_not_end_a_longer_one() -> None:
    pace = held(held(started(8, 0.0), 0.0, 30.0), 1.0, 2.0)

    assert pace.resume_at == 30.0


def test_a_wish_without_a_429_holds_and_cuts_nothing() -> None:
    pace = held(started(8, 0.0), 1.0, 3.0)

    assert (pace.limit, pace.resume_at, told(pace)[-1]) == (2, 4.0, ("retry-after", 2))


@pytest.mark.parametrize(
    ("wish", "resumes"), [(None, float("-inf")), (0.0, float("-inf")), (3600.0, LONGEST_WISH)]
)
def test_a_wish_is_obeyed_up_to_the_longest(wish: float | None, resumes: float) -> None:
    assert held(started(8, 0.0), 0.0, wish).resume_at == resumes


def test_a_long_history_keeps_its_beginning_and_its_end() -> None:
    pace = started(8, 0.0)
    for now in range(1, 500):
        pace = refused(pace, float(now), episode=pace.episode, wish=None)

    assert (len(pace.history), pace.left_out) == (KEPT, 500 - KEPT)
    assert [each.at for each in pace.history[:KEPT_FIRST]] == list(range(KEPT_FIRST))
    assert [each.at for each in pace.history[KEPT_FIRST:]] == list(range(500 - KEPT + KEPT_FIRST, 500))


# Buckets


def spent(per_minute: float, amounts: Iterable[float]) -> list[float]:
    """Return the moments at which amounts could be taken, one after the other."""
    bucket, now, moments = full(per_minute, 0.0), 0.0, list[float]()
    for amount in amounts:
        now += seconds_until(bucket, amount, now)
        bucket = taken(bucket, amount, now)
        moments.append(now)
    return moments


def test_a_burst_and_then_an_even_rate() -> None:
    burst = int(60 * BURST / 60)

    moments = spent(60, [1] * (burst + 3))

    assert moments[:burst] == [0.0] * burst
    assert moments[burst:] == pytest.approx([1.0, 2.0, 3.0])


def test_what_is_more_than_a_bucket_waits_until_it_is_full_and_owes_the_rest() -> None:
    moments = spent(60, [10, 40, 1])

    assert moments == pytest.approx([0.0, 10.0, 41.0])


def test_what_was_taken_too_much_is_given_back() -> None:
    bucket = taken(taken(full(60, 0.0), 10, 0.0), -4, 0.0)

    assert seconds_until(bucket, 4, 0.0) == 0.0
    assert seconds_until(bucket, 5, 0.0) == pytest.approx(1.0)


def test_less_than_one_a_minute_still_lets_one_through() -> None:
    assert spent(0.5, [1, 1]) == pytest.approx([0.0, 120.0])


def test_a_long_rest_fills_a_bucket_and_no_more() -> None:
    bucket = taken(full(60, 0.0), 1, 0.0)

    assert seconds_until(bucket, BURST, 3600.0) == 0.0
    assert seconds_until(taken(bucket, BURST, 3600.0), 1, 3600.0) == pytest.approx(1.0)

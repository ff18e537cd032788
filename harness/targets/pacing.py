"""How many requests an account takes at once, found out by asking: pure, and told what time it is.

The limit is what somebody said of the account; where nobody did, it starts low and doubles for as long as
that pays, then goes on by one; paying means that replies come faster by a part of what was added. A refusal
for the rate (429) halves it, once per episode: refusals of requests that were sent before the last cut say
nothing new. One among the first replies of all shows that what was said does not hold, and the limit starts
low after all. Where a provider says when to come back, nothing is sent until then.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

START = 2
CEILING = 8
"""Requests at once, at most, where nobody says how many."""
WINDOW = 4
"""Replies per request at once that are counted before the limit is judged."""
WORTH = 0.25
"""The part of what was added to the limit by which replies must come faster."""
HOLD = 3
"""Windows without growth after a cut, and after growth that did not pay."""
LONGEST_WISH = 60.0
"""Seconds up to which a provider's Retry-After is obeyed."""
KEPT_FIRST, KEPT = 20, 200
"""Changes that are kept: the first, and all in all; of the others only their number."""


class Change(NamedTuple):
    """What the limit became at some time, and why: start, grow, settle, cut or retry-after.

    `wait` is for how many seconds nothing is sent.
    """

    at: float
    limit: int
    why: str
    wait: float | None = None


@dataclass(frozen=True, slots=True)
class Pace:
    """The limit of one account, and what the next change of it depends on. Times are seconds of any clock.

    `episode` counts the cuts, `resume_at` is when the next request may be sent, `before` is the limit and the
    replies per second from which the limit last grew. A window runs from `since`, None where there is none.
    `untried` replies are still to come until the limit that somebody said has been borne out once.
    """

    ceiling: int
    limit: int
    untried: int = 0
    doubling: bool = True
    episode: int = 0
    resume_at: float = float("-inf")
    since: float | None = None
    replies: int = 0
    before: tuple[int, float] | None = None
    hold: int = 0
    history: tuple[Change, ...] = ()
    left_out: int = 0


def started(ceiling: int, now: float, *, stated: bool = False) -> Pace:
    """Return the pace of an account of which as much may be asked as `ceiling`, `stated` by who knows it."""
    limit = ceiling if stated else min(START, ceiling)
    return _noted(Pace(ceiling, limit, limit if stated else 0), Change(now, limit, "start"))


def replied(pace: Pace, now: float, *, episode: int, in_flight: int) -> Pace:
    """Return the pace after a reply.

    Args:
        pace: as it was.
        now: when the reply came.
        episode: the pace's when the request was sent; what was sent before a cut does not count.
        in_flight: requests under way, the one replied to included.
    """
    if episode != pace.episode:
        return pace
    if pace.untried:
        return replace(pace, untried=pace.untried - 1)
    if pace.limit == pace.ceiling and pace.before is None:
        # There is no more to try.
        return pace
    if 2 * in_flight < pace.limit:
        # Too few are waiting to tell what the limit is worth.
        return replace(pace, since=None, replies=0)
    since, replies = pace.since, pace.replies + 1
    if since is None:
        return replace(pace, since=now, replies=0)
    if replies < WINDOW * pace.limit or now <= since:
        return replace(pace, replies=replies)
    return _judged(replace(pace, since=now, replies=0), replies / (now - since), now)


def refused(pace: Pace, now: float, *, episode: int, wish: float | None) -> Pace:
    """Return the pace after a 429 to a request sent in that episode; `wish` is its Retry-After in seconds."""
    if episode == pace.episode:
        pace = _begun_again(pace, now) if pace.untried else _cut(pace, now)
    return held(pace, now, wish)


def held(pace: Pace, now: float, wish: float | None) -> Pace:
    """Return the pace where a provider asks to come back later; of several wishes the latest counts."""
    wait = min(wish or 0.0, LONGEST_WISH)
    if not wait or now + wait <= pace.resume_at:
        return pace
    begins = now >= pace.resume_at
    pace = replace(pace, resume_at=now + wait, since=None, replies=0)
    return _noted(pace, Change(now, pace.limit, "retry-after", wait)) if begins else pace


def _cut(pace: Pace, now: float) -> Pace:
    limit = max(1, pace.limit // 2)
    cut = replace(
        pace, limit=limit, episode=pace.episode + 1, doubling=False,
        since=None, replies=0, before=None, hold=HOLD,
    )  # fmt: skip
    return _noted(cut, Change(now, limit, "cut"))


def _begun_again(pace: Pace, now: float) -> Pace:
    """Return the pace without what was said of it: halving might use up the attempts of the first trials."""
    limit = min(START, max(1, pace.limit // 2))
    return _noted(replace(pace, limit=limit, untried=0, episode=pace.episode + 1), Change(now, limit, "cut"))


def _judged(pace: Pace, rate: float, now: float) -> Pace:
    """Return the pace after a full window with so many replies per second."""
    if pace.before is not None:
        smaller, earlier = pace.before
        share = pace.limit / smaller - 1
        if rate < earlier * (1 + WORTH * share):
            back = replace(pace, limit=smaller, doubling=False, before=None, hold=HOLD)
            return _noted(back, Change(now, smaller, "settle"))
    pace = replace(pace, before=None)
    if pace.hold:
        return replace(pace, hold=pace.hold - 1)
    limit = min(pace.ceiling, 2 * pace.limit if pace.doubling else pace.limit + 1)
    if limit == pace.limit:
        return pace
    return _noted(replace(pace, limit=limit, before=(pace.limit, rate)), Change(now, limit, "grow"))


def _noted(pace: Pace, change: Change) -> Pace:
    history, left_out = bounded((*pace.history, change))
    return replace(pace, history=history, left_out=pace.left_out + left_out)


def bounded(history: tuple[Change, ...]) -> tuple[tuple[Change, ...], int]:
    """Return what is kept of a history, its beginning and its end, and how many changes are not."""
    left_out = max(0, len(history) - KEPT)
    return (*history[:KEPT_FIRST], *history[KEPT_FIRST + left_out :]), left_out

"""Works in groups: each step is done to all of a group before the next step is done to any."""

from collections.abc import Callable, Iterable, Iterator

from harness.engines.engine import Work

TOGETHER = 32
"""A processor does alike things in a row much faster than different ones in turn; more gain nothing."""

HEAVY = 8_000_000
"""What a group weighs at which it is whole, however few it has: a group is held in memory."""


def _weightless(_: object) -> int:
    return 0


def grouped(
    works: Iterable[Work], size: int = TOGETHER, weigh: Callable[[Work], int] = _weightless
) -> Iterator[list[Work]]:
    """Yield lists of so many works, in order, each taken when it is asked for; heavy ones are fewer.

    Args:
        works: what is grouped; at the end there may be fewer.
        size: how many a group has.
        weigh: tells what a work weighs, as the characters that it holds; nothing by default.
    """
    some: list[Work] = []
    weight = 0
    for each in works:
        some.append(each)
        weight += weigh(each)
        if len(some) >= size or weight >= HEAVY:
            yield some
            some, weight = [], 0
    if some:
        yield some

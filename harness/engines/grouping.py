"""Works in groups: each step is done to all of a group before the next step is done to any."""

from collections.abc import Iterable, Iterator
from itertools import islice

from harness.engines.engine import Work

TOGETHER = 32
"""A processor does alike things in a row much faster than different ones in turn; more gain nothing."""


def grouped(works: Iterable[Work], size: int = TOGETHER) -> Iterator[list[Work]]:
    """Yield lists of so many works, in order, each taken when it is asked for; the last may have fewer."""
    rest = iter(works)
    while some := list(islice(rest, size)):
        yield some

"""Work that is done once for a world, however many questions are asked about it."""

from collections.abc import Callable
from typing import TypeVar

from harness.model.remembering import once_per_object
from harness.model.scenario import World

_KEPT = 32
T = TypeVar("T")


def once_per_world(make: Callable[[World], T]) -> Callable[[World], T]:
    """Return a function that remembers what `make` said of the newest worlds; a world never changes."""
    remembered: Callable[[Callable[[World], T]], Callable[[World], T]] = once_per_object(_KEPT)
    return remembered(make)

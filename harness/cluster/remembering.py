"""Work that is done once for a world, however many questions are asked about it."""

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from harness.model.scenario import World

_KEPT = 32
T = TypeVar("T")


def once_per_world(make: Callable[[World], T]) -> Callable[[World], T]:
    """Return a function that remembers what `make` said of the newest worlds; a world never changes."""
    # A world is known by its identity. It is kept beside what was made, so that its id cannot be another's.
    kept: OrderedDict[int, tuple[World, T]] = OrderedDict()

    @wraps(make)
    def remembered(world: World) -> T:
        found = kept.get(id(world))
        if found is not None:
            return found[1]
        made = make(world)
        kept[id(world)] = (world, made)
        if len(kept) > _KEPT:
            kept.popitem(last=False)
        return made

    return remembered

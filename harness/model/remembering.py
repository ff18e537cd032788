"""What was made of an object is remembered, where making it again is dear."""

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

Of = TypeVar("Of")
Made = TypeVar("Made")


def once_per_object(kept: int) -> Callable[[Callable[[Of], Made]], Callable[[Of], Made]]:
    """Return a decorator of functions of one object that never changes: what was said of the newest is kept.

    An object is known by its identity: it need not be hashable, and of two that are equal each has its own,
    since one may say 1 where the other says 1.0.
    """

    def decorated(make: Callable[[Of], Made]) -> Callable[[Of], Made]:
        # The object is kept beside what was made of it, so that its id cannot be another's.
        known: OrderedDict[int, tuple[Of, Made]] = OrderedDict()

        @wraps(make)
        def remembered(of: Of) -> Made:
            found = known.get(id(of))
            if found is not None:
                return found[1]
            made = make(of)
            known[id(of)] = (of, made)
            if len(known) > kept:
                known.popitem(last=False)
            return made

        return remembered

    return decorated

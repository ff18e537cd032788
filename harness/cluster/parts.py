"""Parts of a world that were made before, out of the very same things, for another world of the same base.

A base world has some two dozen scenarios, and most of them change a few of its objects. What a part is made
of is known by its identity, so that finding it costs next to nothing; whatever a scenario changes is another
object. Worlds therefore share objects, and nobody may change an object that a world holds.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

from harness.model.remembering import once_per_object

T = TypeVar("T")

_BASES = 32
_PARTS = 4_000


class Parts:
    """What was made of the objects of one base world."""

    def __init__(self) -> None:
        self._known: dict[tuple[Hashable, ...], tuple[tuple[object, ...], Any]] = {}

    def once(self, make: Callable[[], T], step: str, *of: object, told: Hashable = ()) -> T:
        """Return what `make` made before of the same objects, else what it makes now.

        Args:
            make: depends on what is named here and on nothing else.
            step: what is made.
            of: the objects that it is made of; they never change.
            told: all else that it depends on.
        """
        key = (step, told, *map(id, of))
        found = self._known.get(key)
        if found is not None:
            return found[1]
        made = make()
        if len(self._known) >= _PARTS:
            self._known.clear()
        # The objects are kept beside what was made of them, so that their ids cannot be others'.
        self._known[key] = (of, made)
        return made


@once_per_object(_BASES)
def parts_of(_base: Mapping[str, Any]) -> Parts:
    """Return the parts that were made for a base world."""
    return Parts()

"""What an engine is."""

from collections.abc import Callable, Generator, Iterable
from typing import Protocol, TypeVar

Work = TypeVar("Work")
Done = TypeVar("Done")


class Engine(Protocol):
    """Does works, here or elsewhere."""

    def in_order(self, do: Callable[[Work], Done], works: Iterable[Work]) -> Generator[Done]:
        """Yield `do(each)` for each work, in the order of the works, which are taken as they are needed.

        Args:
            do: what is done, picklable; what all works share is best bound to it. A work may be done
                twice, where a process or machine was lost, so doing it again must change nothing.
            works: what it is done with, picklable and small.

        Raises:
            EngineFailed: what does the works was lost, as where processes are ended from outside.
            Exception: whatever `do` raises.
        """
        ...

"""Lines that wait for the disk together: one sync for all that was written meanwhile."""

import asyncio
from collections.abc import Callable


class Committing:
    """Lets many wait for one commit at a time, so that a slow disk holds up nobody who talks to a model."""

    def __init__(self, commit: Callable[[], None]) -> None:
        """Take what puts everything written so far on disk; it runs in a thread, never twice at once."""
        self._commit = commit
        self._running: asyncio.Task[None] | None = None
        self._next: asyncio.Task[None] | None = None

    async def on_disk(self) -> None:
        """Return once all that was written before this call is on disk; raise what kept it from there."""
        if self._next is None:
            self._next = asyncio.create_task(self._after(self._running))
        # Who waits may be cancelled; the commit is everybody's.
        await asyncio.shield(self._next)

    async def _after(self, earlier: asyncio.Task[None] | None) -> None:
        if earlier is not None:
            await asyncio.wait([earlier])
        self._running, self._next = self._next, None
        await asyncio.to_thread(self._commit)

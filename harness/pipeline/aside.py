"""Judging that waits for a quiet moment: whoever got a reply sends the next request first."""

import asyncio
from collections import deque
from collections.abc import Callable

from harness.model import Transcript

MOST = 256
"""Trials that wait, and are held in memory, together."""


class Aside:
    """Takes trials one by one, between what else there is to do; a group of tasks ends when all are taken."""

    def __init__(self, take: Callable[[Transcript], None], group: asyncio.TaskGroup) -> None:
        self._take = take
        self._group = group
        self._waiting: deque[Transcript] = deque()
        self._working = False

    def put(self, transcript: Transcript) -> None:
        """Let a trial wait to be taken; where too many wait already, the oldest is taken now."""
        self._waiting.append(transcript)
        if len(self._waiting) > MOST:
            self._take(self._waiting.popleft())
        if not self._working:
            self._working = True
            self._group.create_task(self._work())

    async def _work(self) -> None:
        while self._waiting:
            # Everybody who can go on does so before the next is taken.
            await asyncio.sleep(0)
            self._take(self._waiting.popleft())
        self._working = False

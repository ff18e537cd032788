"""Sessions of the analysis API: an investigation goes on while its client looks in now and then."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID, uuid5

from harness.errors import TargetUnavailable
from harness.model import canonical
from harness.model.scenario import Flow

MAX_SESSIONS = 10_000
"""Beyond that the oldest that has ended is forgotten, as a restart would forget it."""

State = Literal["pending", "investigating", "completed", "failed"]
Work = Callable[[], Awaitable[Mapping[str, Any]]]

_NAMES = UUID("6f0d3a51-8a0f-5d0c-9a51-2f8d6a3a7c10")


@dataclass(slots=True)
class Session:
    """One investigation: its state, then its result or the failure of whoever investigated."""

    id: str
    flow: Flow
    state: State = "pending"
    result: Mapping[str, Any] = field(default_factory=dict[str, Any])
    failure: TargetUnavailable | None = None
    task: asyncio.Task[None] | None = None

    def status(self) -> dict[str, Any]:
        """Return the body that tells of the state."""
        told = {"session_id": self.id, "status": self.state}
        return told | ({"error": str(self.failure)} if self.failure else {})


class Sessions:
    """Every session that is known, by id."""

    def __init__(self, at_once: int) -> None:
        """Begin with none; more than `at_once` investigations wait for their turn."""
        self._known: dict[str, Session] = {}
        self._turn = asyncio.Semaphore(at_once)

    def open(self, flow: Flow, asked: Mapping[str, Any], work: Work) -> Session:
        """Return the session of a request: the same request has the same one, unless that has failed."""
        name = str(uuid5(_NAMES, canonical([flow, dict(asked)])))
        found = self._known.get(name)
        if found is not None and found.state != "failed":
            return found
        self._known.pop(name, None)
        self._make_room()
        session = Session(name, flow)
        self._known[name] = session
        session.task = asyncio.create_task(self._investigate(session, work))
        return session

    def find(self, flow: Flow, name: str) -> Session | None:
        """Return the session of this id, if it is one of this flow."""
        found = self._known.get(name)
        return found if found is not None and found.flow == flow else None

    async def close(self) -> None:
        """End what is still under way."""
        tasks = [each.task for each in self._known.values() if each.task is not None]
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _investigate(self, session: Session, work: Work) -> None:
        async with self._turn:
            session.state = "investigating"
            try:
                session.result = await work()
            except TargetUnavailable as error:
                session.failure, session.state = error, "failed"
            except BaseException:
                # A bug, or the end of the server: whoever polls is told, and the log has the traceback.
                session.failure, session.state = TargetUnavailable("stopped", "the server gave up"), "failed"
                raise
            else:
                session.state = "completed"

    def _make_room(self) -> None:
        if len(self._known) < MAX_SESSIONS:
            return
        ended = (name for name, each in self._known.items() if each.state in {"completed", "failed"})
        oldest = next(ended, None)
        if oldest is None:
            raise TargetUnavailable("rate_limited", f"{MAX_SESSIONS} sessions are under way", retry=True)
        del self._known[oldest]

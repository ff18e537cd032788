"""A small fake of a deployed analysis API, which misbehaves as it is told."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

RESULT: Mapping[str, Any] = {
    "incident_id": "inc-1",
    "analysis": "The pod was killed for memory.",
    "root_cause_analysis": {"summary": "The limit is below demand", "severity": "high"},
    "selected_workflow": {"workflow_id": "raise-memory-limit", "confidence": 0.9, "rationale": "it fits"},
    "confidence": 0.9,
    "timestamp": "2026-02-03T10:00:00Z",
}


class Step:
    """What the next request of a kind is answered with; None hangs."""

    def __init__(self, status: int | None, body: Any = None, **headers: str) -> None:
        self.status, self.body, self.headers = status, body, headers


class Deployed:
    """Answers of each kind in turn; the last of them again and again."""

    def __init__(
        self,
        *,
        post: Sequence[Step] = (Step(202, {"session_id": "s-1"}),),
        state: Sequence[Step] = (Step(200, {"status": "completed"}),),
        result: Sequence[Step] = (Step(200, RESULT),),
    ) -> None:
        self._steps = {"post": list(post), "state": list(state), "result": list(result)}
        self.seen: list[tuple[str, Mapping[str, str], Any]] = []

    @property
    def asked(self) -> list[str]:
        """The kinds of requests that arrived, in order."""
        return [kind for kind, _, _ in self.seen]

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one request."""
        path = request.path
        kind = "post" if request.method == "POST" else "result" if path.endswith("/result") else "state"
        text = await request.text()
        self.seen.append((kind, dict(request.headers), json.loads(text) if text else path))
        steps = self._steps[kind]
        step = steps.pop(0) if len(steps) > 1 else steps[0]
        if step.status is None:
            # The client leaves first, and its going cancels this.
            await asyncio.Event().wait()
        said = step.body if isinstance(step.body, str) else json.dumps(step.body)
        return web.Response(
            text=said, status=step.status or 500, content_type="application/json", headers=step.headers
        )


@asynccontextmanager
async def deployed(service: Deployed) -> AsyncGenerator[str]:
    """Serve, and give the base URL."""
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", service.answer)
    runner = web.AppRunner(
        application, handle_signals=False, handler_cancellation=True, shutdown_timeout=0.2, access_log=None
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()

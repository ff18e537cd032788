"""Any target behind the platform's analysis API: a request is a scenario, its result a trial (PSR-3)."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from harness.conversation import Trial, converse
from harness.errors import InvalidInput, TargetUnavailable
from harness.model import SampleId
from harness.model.scenario import Flow
from harness.prompting import render
from harness.serving.api_answers import result
from harness.serving.api_document import FLOWS, document
from harness.serving.api_requests import AnyRequest, Knowledge, Unknown, bound, read_request, seed_of
from harness.serving.api_sessions import Sessions
from harness.serving.delivery import Answered, json_text, log_line
from harness.targets import Binding, Target
from harness.targets.http_requests import deployed_request
from harness.targets.protocol import trial_seed

if TYPE_CHECKING:
    from aiohttp import web

LARGEST_BODY = 2**20
"""Bytes; a request of a scenario has a few thousand."""

AT_ONCE = 8
LOCALHOST = "127.0.0.1"
CLIENT_LEFT = 499
"""The status in the log of a request whose client did not wait for the answer."""

_PROBLEM_JSON = "application/problem+json"
_TITLES = {
    404: "Not found",
    405: "No such method",
    409: "Not ready",
    413: "Too large",
    422: "Not such a request",
    503: "Target unavailable",
}


class Served(NamedTuple):
    """What the API serves: who investigates, for which scenarios, in which generation."""

    target: Target
    known: Knowledge
    generation: Literal[1, 2]


@dataclass(slots=True)
class Seen:
    """What the access log says of a request."""

    scenario: str = "-"
    seed: int | None = None


# Each request has a task of its own. (aiohttp's own keys of requests can be made in the main thread alone.)
_SEEN: ContextVar[Seen] = ContextVar("seen")


async def investigate(served: Served, request: AnyRequest, binding: Binding) -> dict[str, Any]:
    """Return the result of one trial.

    Raises:
        TargetUnavailable: the target could not be asked.
    """
    scenario, contract = binding.scenario, binding.contract
    sample = SampleId(scenario.id, contract.id, served.target.name, 1)
    trial = Trial(sample, scenario, contract, render(scenario, contract), seed_of(request), {})
    transcript = await converse(served.target, trial)
    if transcript.failure:
        raise TargetUnavailable(transcript.failure.cause, transcript.failure.detail)
    return result(transcript, request, binding, served.generation)


@asynccontextmanager
async def serve_api(
    served: Served, *, host: str = LOCALHOST, port: int = 0, log: Callable[[str], None]
) -> AsyncGenerator[str]:
    """Serve until the block ends, and give the base URL; the target stays the caller's to close.

    Args:
        served: who investigates, for which scenarios, in which generation.
        host: where to listen.
        port: 0 takes any free one.
        log: takes one line for each request, and one for each way in which a result breaks its contract.

    Raises:
        InvalidInput: nobody can listen there.
    """
    from aiohttp import web

    sessions = Sessions(AT_ONCE)
    runner = web.AppRunner(
        _application(served, sessions, log), access_log=None, handle_signals=False, shutdown_timeout=1.0
    )
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            msg = f"{host}:{port}: cannot listen there ({error.strerror}); choose another --port"
            raise InvalidInput(msg) from error
        shown = f"[{host}]" if ":" in host else host
        yield f"http://{shown}:{runner.addresses[0][1]}"
    finally:
        await sessions.close()
        await runner.cleanup()


class _Api:
    """The handlers, with what they share."""

    def __init__(self, served: Served, sessions: Sessions, log: Callable[[str], None]) -> None:
        self.served, self.sessions, self.log = served, sessions, log
        self.examples = _examples(served)
        self.about = document(served.generation, _firsts(self.examples))

    async def analyze(self, request: "web.Request") -> "web.Response":
        flow, seen = _flow(request), _SEEN.get()
        asked = read_request(await request.read(), flow)
        binding = bound(asked, flow, self.served.known)
        seen.scenario, seen.seed = binding.scenario.id, seed_of(asked)
        if self.served.generation == 1:
            told = await investigate(self.served, asked, binding)
            self._tell(seen.scenario, told)
            return _json(told)

        async def work() -> Mapping[str, Any]:
            told = await investigate(self.served, asked, binding)
            self._tell(seen.scenario, told)
            return told

        session = self.sessions.open(flow, asked.model_dump(mode="json"), work)
        return _json({"session_id": session.id}, 202)

    async def look(self, request: "web.Request") -> "web.Response":
        session = self.sessions.find(_flow(request), request.match_info["session"])
        return _forgotten(request.path) if session is None else _json(session.status())

    async def collect(self, request: "web.Request") -> "web.Response":
        session = self.sessions.find(_flow(request), request.match_info["session"])
        if session is None:
            return _forgotten(request.path)
        if session.state == "completed":
            return _json(session.result)
        if session.failure is None:
            detail = f"the session is {session.state}; look at it until it is completed"
            return problem(409, detail, request.path)
        failed = {"session_id": session.id, "status": "failed", "error_detail": str(session.failure)}
        return _json(failed, 500)

    async def healthy(self, _: "web.Request") -> "web.Response":
        return _json({"status": "healthy"})

    async def ready(self, _: "web.Request") -> "web.Response":
        return _json({"status": "ready", "target": self.served.target.name})

    async def scenarios(self, _: "web.Request") -> "web.Response":
        rows = self.examples.items()
        return _json([{"scenario": name, "flow": flow, "request": each} for name, (flow, each) in rows])

    async def described(self, _: "web.Request") -> "web.Response":
        return _json(self.about)

    async def logged(
        self, request: "web.Request", handler: "Callable[[web.Request], Awaitable[web.StreamResponse]]"
    ) -> "web.StreamResponse":
        began, status = perf_counter(), 500
        seen = Seen()
        _SEEN.set(seen)
        try:
            response = await _with_problem(request, handler)
            status = response.status
            return response
        except asyncio.CancelledError:
            status = CLIENT_LEFT
            raise
        finally:
            line = Answered(status, {}, scenario=seen.scenario, seed=seen.seed)
            self.log(log_line(request.method, request.path, line, perf_counter() - began))

    def _tell(self, scenario: str, told: Mapping[str, Any]) -> None:
        """Log in which ways a result breaks its contract (PSR-4); what a model wrote is escaped."""
        for each in told["warnings"]:
            self.log(f"{scenario} {json.dumps(each)[1:-1]}")


def _application(served: Served, sessions: Sessions, log: Callable[[str], None]) -> "web.Application":
    from aiohttp import web

    api = _Api(served, sessions, log)

    @web.middleware
    async def logged(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        return await api.logged(request, handler)

    application = web.Application(middlewares=[logged], client_max_size=LARGEST_BODY)
    router, flows = application.router, f"/api/v1/{{flow:{'|'.join(FLOWS)}}}"
    router.add_post(f"{flows}/analyze", api.analyze)
    if served.generation > 1:
        router.add_get(f"{flows}/session/{{session}}", api.look, allow_head=False)
        router.add_get(f"{flows}/session/{{session}}/result", api.collect, allow_head=False)
    router.add_get("/health", api.healthy, allow_head=False)
    router.add_get("/ready", api.ready, allow_head=False)
    router.add_get("/scenarios", api.scenarios, allow_head=False)
    router.add_get("/openapi.json", api.described, allow_head=False)
    return application


def _flow(request: "web.Request") -> Flow:
    return cast("Flow", request.match_info["flow"])


async def _with_problem(
    request: "web.Request", handler: "Callable[[web.Request], Awaitable[web.StreamResponse]]"
) -> "web.StreamResponse":
    """Return what the handler says; whatever keeps it from an answer becomes a problem (RFC 7807)."""
    from aiohttp import web

    try:
        return await handler(request)
    except Unknown as error:
        return problem(404, str(error), request.path)
    except InvalidInput as error:
        return problem(422, str(error), request.path)
    except TargetUnavailable as error:
        return problem(503, str(error), request.path)
    except web.HTTPException as error:
        allowed = {name: value for name, value in error.headers.items() if name == "Allow"}
        return problem(
            error.status, f"{error.reason}; GET /openapi.json says what is served", request.path, allowed
        )


def problem(
    status: int, detail: str, instance: str, headers: Mapping[str, str] | None = None
) -> "web.Response":
    """Return the response of a request that has no result."""
    title = _TITLES.get(status, "Refused")
    body = {
        "type": "/problems/" + title.lower().replace(" ", "-"),
        "title": title,
        "detail": detail,
        "status": status,
        "instance": instance,
    }
    return _json(body, status, headers, _PROBLEM_JSON)


def _forgotten(path: str) -> "web.Response":
    return problem(404, "no session has this id; the server may have restarted, send the request again", path)


def _json(
    body: Any, status: int = 200, headers: Mapping[str, str] | None = None, kind: str = "application/json"
) -> "web.Response":
    from aiohttp import web

    return web.Response(text=json_text(body), status=status, content_type=kind, headers=headers)


def _examples(served: Served) -> dict[str, tuple[Flow, dict[str, Any]]]:
    """Return the request of each scenario by its id, as the first trial makes it."""
    seed = trial_seed(0, 1)
    return {
        each.scenario.id: (
            each.scenario.flow,
            deployed_request(each.contract, each.scenario, served.generation, "medium-low", seed),
        )
        for each in sorted(
            (known.binding for known in served.known.values()), key=lambda one: one.scenario.id
        )
    }


def _firsts(examples: Mapping[str, tuple[Flow, dict[str, Any]]]) -> dict[Flow, dict[str, Any]]:
    found: dict[Flow, dict[str, Any]] = {}
    for flow, each in examples.values():
        found.setdefault(flow, each)
    return found

"""Any target, in practice a mock, behind the OpenAI chat API."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter, time
from typing import TYPE_CHECKING, Any

from harness.contracts import DEFAULT_BY_FLOW
from harness.errors import InvalidInput, TargetUnavailable
from harness.model import Contract, Scenario, prompt_digest
from harness.prompting.render import PACKS, render
from harness.serving.chat import completion, error_body, read_request
from harness.serving.delivery import Answered, deliver, log_line
from harness.serving.faults import FAULTS, Circumstances
from harness.serving.injecting import Hits, Injection, hits_of
from harness.targets import Binding, ModelRequest, Target

if TYPE_CHECKING:
    from aiohttp import web

LOCALHOST = "127.0.0.1"
CLIENT_LEFT = 499
"""The status in the log of a request whose client did not wait for the answer."""

LARGEST_BODY = 16 * 2**20
"""Bytes; a conversation of thirty turns with long logs stays below one million."""

_STATUS = {
    "bad_request": 400,
    "unsupported_parameter": 400,
    "context_overflow": 400,
    "content_filter": 400,
    "bad_key": 401,
    "forbidden": 403,
    "not_found": 404,
    "conflict": 409,
    "rate_limited": 429,
    "connection": 502,
    "bad_response": 502,
    "server_error": 503,
    "timeout": 504,
}
# Clients know these two by OpenAI's words.
_CODES = {"context_overflow": "context_length_exceeded", "content_filter": "content_policy_violation"}


@dataclass(frozen=True, slots=True)
class Server:
    """A server that listens; `port` is the one it got."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """The base URL for clients, where a request's scenario is known by its prompt."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/v1"


def bindings_for(
    scenarios: Iterable[Scenario], contracts: Collection[Contract], packs: Path = PACKS
) -> dict[str, Binding]:
    """Return what each digest binds: a prompt's where only one scenario has it, and every scenario's own.

    Scenarios of a pair may differ in their worlds alone and share their prompt: those are bound by URL.
    Where several contracts fit a scenario, its own digest means its flow's default, else the first.
    """
    found = [
        Binding(scenario, contract)
        for scenario in scenarios
        for contract in sorted(contracts, key=lambda each: each.id != DEFAULT_BY_FLOW[each.flow])
        if contract.flow == scenario.flow
    ]
    prompts = [prompt_digest(render(each.scenario, each.contract, packs)) for each in found]
    shared = Counter(prompts)
    bindings = {
        prompt: binding for prompt, binding in zip(prompts, found, strict=True) if shared[prompt] == 1
    }
    for binding in found:
        bindings.setdefault(binding.scenario.digest(), binding)
    return bindings


async def answer(
    target: Target,
    bindings: Mapping[str, Binding],
    bound_to: str | None,
    body: bytes,
    *,
    hits: Hits,
    key: str,
) -> Answered:
    """Return the answer to one POST /chat/completions.

    Args:
        target: answers.
        bindings: the scenario and contract that a digest stands for.
        bound_to: the digest in the request's URL, if any.
        body: the request's.
        hits: says which fault, if any, hits a request of a scenario.
        key: the key that came with the request; a fault may quote it.
    """
    try:
        request = read_request(body)
    except InvalidInput as error:
        return Answered(400, error_body(400, "invalid_request", str(error)))
    digest = bound_to or prompt_digest(request.messages)
    binding = bindings.get(digest)
    scenario = binding.scenario.id if binding else "-"
    hit = hits(scenario)
    seen = Answered(
        404,
        error_body(404, "unknown_scenario", _unknown(digest, bound_to)),
        scenario=scenario,
        seed=request.seed,
        messages=len(request.messages),
        fault=hit.fault.name if hit else "",
    )
    found = await _replied(target, binding, request, seen, hit) if binding else seen
    if hit is None:
        return found
    return hit.fault.answer(found, Circumstances(hit.seconds, key, frozenset(json.loads(body))))


async def _replied(
    target: Target, binding: Binding, request: ModelRequest, seen: Answered, hit: Injection | None
) -> Answered:
    asked = hit.fault.request(request) if hit else request
    try:
        reply = await target.reply(asked, binding)
    except TargetUnavailable as error:
        status = _STATUS.get(error.cause, 503)
        failure = error_body(status, _CODES.get(error.cause, error.cause), str(error))
        return replace(seen, status=status, body=failure, retry_after=error.retry_after)
    said = hit.fault.reply(reply, request) if hit else reply
    return replace(seen, status=200, body=completion(said, request, target.name, int(time())))


@asynccontextmanager
async def serve(
    target: Target,
    bindings: Mapping[str, Binding],
    *,
    host: str = LOCALHOST,
    port: int = 0,
    log: Callable[[str], None],
    faults: Sequence[Injection] = (),
) -> AsyncGenerator[Server]:
    """Serve a target until the block ends; the target stays the caller's to close.

    Args:
        target: answers every request.
        bindings: the scenario and contract that a digest stands for.
        host: where to listen.
        port: 0 takes any free one.
        log: takes one line for each request.
        faults: what goes wrong on purpose; requests are counted from here on.

    Raises:
        InvalidInput: nobody can listen there.
    """
    from aiohttp import web

    runner = web.AppRunner(
        _application(target, bindings, log, faults),
        access_log=None,
        handle_signals=False,
        handler_cancellation=True,
        shutdown_timeout=1.0,
    )
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            msg = f"{host}:{port}: cannot listen there ({error.strerror}); choose another --port"
            raise InvalidInput(msg) from error
        yield Server(host, runner.addresses[0][1])
    finally:
        await runner.cleanup()


def _application(
    target: Target,
    bindings: Mapping[str, Binding],
    log: Callable[[str], None],
    faults: Sequence[Injection],
) -> "web.Application":
    from aiohttp import web

    answered = web.RequestKey("answered", Answered)
    hits = hits_of(faults)

    async def complete(request: web.Request) -> web.StreamResponse:
        key = request.headers.get("Authorization", "").removeprefix("Bearer ")
        bound_to, body = request.match_info.get("digest"), await request.read()
        found = await answer(target, bindings, bound_to, body, hits=hits, key=key)
        request[answered] = found
        return await deliver(request, found)

    async def models(_: web.Request) -> web.Response:
        served = {"id": target.name, "object": "model", "created": 0, "owned_by": "harness"}
        return _json({"object": "list", "data": [served]})

    async def scenarios(_: web.Request) -> web.Response:
        return _json({"object": "list", "data": _listed(bindings)})

    async def healthy(_: web.Request) -> web.Response:
        known = [{"name": each.name, "summary": each.summary, "whose": each.whose} for each in FAULTS]
        return _json({"status": "ok", "faults": known, "playing": [each.text for each in faults]})

    @web.middleware
    async def logged(
        request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
    ) -> web.StreamResponse:
        began, status = perf_counter(), 500
        try:
            response = await _with_error_body(request, handler)
            status = response.status
            return response
        except asyncio.CancelledError:
            status = CLIENT_LEFT
            raise
        finally:
            seen = request.get(answered) or Answered(status, {})
            log(log_line(request.method, request.path, replace(seen, status=status), perf_counter() - began))

    application = web.Application(middlewares=[logged], client_max_size=LARGEST_BODY)
    for base in ("", "/s/{digest}"):
        application.router.add_post(f"{base}/v1/chat/completions", complete)
        application.router.add_get(f"{base}/v1/models", models)
    application.router.add_get("/s", scenarios)
    application.router.add_get("/healthz", healthy)
    return application


async def _with_error_body(
    request: "web.Request", handler: "Callable[[web.Request], Awaitable[web.StreamResponse]]"
) -> "web.StreamResponse":
    """Return what the handler says; no such route, wrong method and too large a body get an error body."""
    from aiohttp import web

    try:
        return await handler(request)
    except web.HTTPException as error:
        allowed = {name: value for name, value in error.headers.items() if name == "Allow"}
        hint = "POST /v1/chat/completions, POST /s/DIGEST/v1/chat/completions, GET /v1/models, /s or /healthz"
        message = f"{error.reason}; served are {hint}, bodies up to {LARGEST_BODY} bytes"
        return _json(error_body(error.status, "refused", message), error.status, allowed)


def _json(
    body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> "web.Response":
    from aiohttp import web

    # Escapes only: what a model wrote may hold halves of characters, which no encoding takes.
    return web.Response(
        text=json.dumps(body), status=status, content_type="application/json", headers=headers
    )


def _listed(bindings: Mapping[str, Binding]) -> list[dict[str, str]]:
    """Return one row for each scenario and contract, with the digest for its base URL /s/DIGEST/v1."""
    digests = {(each.scenario.id, each.contract.id): digest for digest, each in bindings.items()}
    return [
        {"scenario": scenario, "contract": contract, "digest": digest}
        for (scenario, contract), digest in sorted(digests.items())
    ]


def _unknown(digest: str, bound_to: str | None) -> str:
    if bound_to:
        return f"no scenario has the digest {digest!r}; GET /s lists scenarios with their digests"
    return (
        f"the messages before the first assistant message have the digest {digest}, which is no single"
        " scenario's prompt; send exactly what `harness render SCENARIO` prints as one user message, or use"
        " the base URL /s/DIGEST/v1 (GET /s lists the digests)"
    )

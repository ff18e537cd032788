"""The routes of a served target: one for each dialect, models, scenarios, health; and the access log."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from harness.errors import InvalidInput
from harness.serving.answering import SEED_HEADER, Served, answer
from harness.serving.chat import error_body
from harness.serving.delivery import Answered, deliver, log_line
from harness.serving.dialects import DIALECTS, MESSAGES, Dialect, dialect_of
from harness.serving.faults import FAULTS
from harness.serving.injecting import Injection
from harness.serving.messages import counted
from harness.targets import Binding

if TYPE_CHECKING:
    from aiohttp import web
    from aiohttp.typedefs import Middleware

    Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

CLIENT_LEFT = 499
"""The status in the log of a request whose client did not wait for the answer."""

LARGEST_BODY = 16 * 2**20
"""Bytes; a conversation of thirty turns with long logs stays below one million."""

_SERVED = (
    "served are POST /v1/chat/completions, /v1/responses and /v1/messages, GET /v1/models, all of them below "
    "/s/DIGEST too, and GET /s and /healthz"
)


def application(served: Served, faults: Sequence[Injection], log: Callable[[str], None]) -> "web.Application":
    """Return what answers requests.

    Args:
        served: what is answered from.
        faults: those at play, as they are told to whoever asks.
        log: takes one line for each request.
    """
    from aiohttp import web

    answered = web.RequestKey("answered", Answered)
    made = web.Application(middlewares=[_logging(answered, log)], client_max_size=LARGEST_BODY)
    known = [{"name": each.name, "summary": each.summary, "whose": each.whose} for each in FAULTS]
    name = served.target.name
    for base in ("", "/s/{digest}"):
        for each in DIALECTS:
            made.router.add_post(f"{base}/v1{each.path}", _speaking(served, each, answered))
        made.router.add_post(f"{base}/v1/messages/count_tokens", _count)
        made.router.add_get(f"{base}/v1/models", _saying(_models(name)))
        made.router.add_get(f"{base}/v1/models/{{name:.+}}", _saying(_model(name)))
    made.router.add_get("/s", _saying({"object": "list", "data": _listed(served.bindings)}))
    health = {"status": "ok", "faults": known, "playing": [each.text for each in faults]}
    made.router.add_get("/healthz", _saying(health))
    return made


def _speaking(served: Served, dialect: Dialect, answered: "web.RequestKey[Answered]") -> "Handler":
    """Return what answers requests of a dialect, and leaves to the log what it answered."""

    async def respond(request: "web.Request") -> "web.StreamResponse":
        found = await answer(
            served,
            dialect,
            await request.read(),
            bound_to=request.match_info.get("digest"),
            key=_key(request.headers),
            seed=request.headers.get(SEED_HEADER),
        )
        request[answered] = found
        return await deliver(request, found)

    return respond


def _saying(body: Mapping[str, Any]) -> "Handler":
    async def respond(_: "web.Request") -> "web.StreamResponse":
        return _json(body)

    return respond


async def _count(request: "web.Request") -> "web.StreamResponse":
    try:
        return _json(counted(await request.read()))
    except InvalidInput as error:
        return _json(MESSAGES.failure(400, {"message": str(error)}), 400)


def _logging(answered: "web.RequestKey[Answered]", log: Callable[[str], None]) -> "Middleware":
    from aiohttp import web

    @web.middleware
    async def logged(request: web.Request, handler: "Handler") -> web.StreamResponse:
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

    return logged


async def _with_error_body(request: "web.Request", handler: "Handler") -> "web.StreamResponse":
    """Return what the handler says; no such route, wrong method and too large a body get an error body."""
    from aiohttp import web

    try:
        return await handler(request)
    except web.HTTPException as error:
        allowed = {name: value for name, value in error.headers.items() if name == "Allow"}
        message = f"{error.reason}; {_SERVED}; bodies up to {LARGEST_BODY} bytes"
        body = error_body(error.status, "refused", message)
        spelled = dialect_of(request.path).failure(error.status, body["error"])
        return _json(spelled, error.status, allowed)


def _key(headers: Mapping[str, str]) -> str:
    """Return the key that came with a request, as OpenAI's or as Anthropic's clients send it."""
    return headers.get("x-api-key") or headers.get("Authorization", "").removeprefix("Bearer ")


def _model(name: str) -> dict[str, Any]:
    """Return a model as both OpenAI and Anthropic list it."""
    return {
        "id": name,
        "object": "model",
        "created": 0,
        "owned_by": "harness",
        "type": "model",
        "display_name": name,
        "created_at": "1970-01-01T00:00:00Z",
    }


def _models(name: str) -> dict[str, Any]:
    return {"object": "list", "data": [_model(name)], "has_more": False, "first_id": name, "last_id": name}


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

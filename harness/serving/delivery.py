"""What goes back for one request, and how: at once or late, whole or in pieces, to the end or not."""

import asyncio
import json
import math
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from aiohttp import web

STREAM = "text/event-stream"
"""The type of a body of events, each of which ends with an empty line."""

PIECES = 10
"""A body that comes slowly comes in so many pieces."""

_LONGEST_PATH = 200
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


@dataclass(frozen=True, slots=True)
class Answered:
    """What goes back for one request, and what the access log says of it.

    A `body` that is a text is sent as it is. `delay` are seconds before the first byte, `spread` seconds
    over which the body comes; `breaks` says where the connection ends too early.
    """

    status: int
    body: Mapping[str, Any] | str
    content_type: str = "application/json"
    retry_after: float | None = None
    delay: float = 0.0
    spread: float = 0.0
    breaks: Literal["before", "within", "never"] = "never"
    scenario: str = "-"
    seed: int | None = None
    messages: int | None = None
    fault: str = ""


def json_text(body: Mapping[str, Any] | str) -> str:
    """Return a body as text, with escapes for what a model wrote and no encoding takes."""
    return body if isinstance(body, str) else json.dumps(body)


async def deliver(request: "web.Request", answered: Answered) -> "web.StreamResponse":
    """Return the response; what is late, slow or broken off is sent from here."""
    from aiohttp import web

    payload = json_text(answered.body).encode()
    wish = {} if answered.retry_after is None else {"Retry-After": str(math.ceil(answered.retry_after))}
    headers = {"Content-Type": f"{answered.content_type}; charset=utf-8", **wish}
    await asyncio.sleep(answered.delay)
    if answered.breaks == "before":
        _reset(request)
    elif answered.breaks == "within" or answered.spread:
        return await _in_pieces(request, answered, payload, headers)
    elif answered.content_type == STREAM:
        return await _event_by_event(request, answered, headers)
    return web.Response(body=payload, status=answered.status, headers=headers)


async def _in_pieces(
    request: "web.Request", answered: Answered, payload: bytes, headers: Mapping[str, str]
) -> "web.StreamResponse":
    from aiohttp import web

    response = web.StreamResponse(status=answered.status, headers=headers)
    response.content_length = len(payload)
    await response.prepare(request)
    sent = payload if answered.breaks == "never" else payload[: len(payload) // 2]
    size = math.ceil(len(sent) / PIECES)
    for start in range(0, len(sent), size):
        await response.write(sent[start : start + size])
        await asyncio.sleep(answered.spread / PIECES)
    if answered.breaks == "within" and request.transport is not None:
        request.transport.close()
    return response


async def _event_by_event(
    request: "web.Request", answered: Answered, headers: Mapping[str, str]
) -> "web.StreamResponse":
    from aiohttp import web

    response = web.StreamResponse(status=answered.status, headers={**headers, "Cache-Control": "no-cache"})
    await response.prepare(request)
    for each in json_text(answered.body).removesuffix("\n\n").split("\n\n"):
        await response.write(f"{each}\n\n".encode())
    await response.write_eof()
    return response


def _reset(request: "web.Request") -> None:
    """Close the connection with a reset: the peer learns that nothing more will come, not why."""
    if request.transport is None:
        return
    found = request.transport.get_extra_info("socket")
    if found is not None:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
    request.transport.abort()


def log_line(method: str, path: str, answered: Answered, seconds: float) -> str:
    """Return the access log's line; whatever a path holds, it stays one line of the same columns."""
    shown = ["-" if each is None else str(each) for each in (answered.seed, answered.messages)]
    parts = (
        method,
        path,
        str(answered.status) if answered.breaks != "before" else "-",
        answered.scenario,
        f"seed={shown[0]}",
        f"messages={shown[1]}",
        f"{seconds * 1000:.0f}ms",
        *([f"fault={answered.fault}"] if answered.fault else []),
    )
    return " ".join(_printable(each[:_LONGEST_PATH]) for each in parts)


def _printable(text: str) -> str:
    """Return a text that stays on its line and in its column."""
    kept = (each if each.isprintable() and each != " " else f"\\x{ord(each):02x}" for each in text)
    return "".join(kept)

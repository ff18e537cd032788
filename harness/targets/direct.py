"""An OpenAI-compatible endpoint without a translator between: vLLM, llama.cpp, gateways, OpenAI itself."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs, quote, urlsplit, urlunsplit

from harness.errors import InvalidInput, TargetUnavailable
from harness.model import digest
from harness.targets import TargetOptions
from harness.targets.budget import Passage
from harness.targets.completions import read_body, read_reply, read_usage
from harness.targets.encoding import Encoded, encoded, encoded_messages, encoded_object, encoded_tools
from harness.targets.failures import refused
from harness.targets.prices import priced
from harness.targets.protocol import ModelReply, ModelRequest, Target
from harness.targets.retrying import USUAL, RetryPolicy
from harness.targets.scrubbing import environment_secrets, scrubbed
from harness.targets.wire import Wire, check_address

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

LARGEST_REPLY = 32 * 2**20
"""Bytes; more than any model writes."""


def open_direct(address: str, options: TargetOptions, *, retry: RetryPolicy = USUAL) -> Target:
    """Return the target openai:<address>.

    Args:
        address: as http://HOST:PORT/v1, with ?model=NAME where the server has several models.
        options: a key goes out only if they hold one; no variable is read that nobody named.
        retry: how often to ask again.

    Raises:
        InvalidInput: the address is none, or holds a key.
    """
    base, model = _parted(address)
    check_address(base)
    options = replace(options, api_base=base)
    return Wire(f"openai:{address}", model or "", _Direct(base, model, options), options, retry)


def means(model: str, api_base: str) -> str:
    """Return how `-t` spells the model of an endpoint."""
    asked = f"?model={quote(model, safe='/:')}" if model else ""
    return f"openai:{api_base}{asked}"


def _parted(address: str) -> tuple[str, str | None]:
    try:
        parts = urlsplit(address)
        asked = parse_qs(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    except ValueError:
        raise InvalidInput("target openai: found no address; write openai:http://HOST:PORT/v1") from None
    names = asked.pop("model", [])
    if asked or parts.fragment or len(names) > 1:
        raise InvalidInput("target openai: the address takes ?model=NAME and nothing else behind its path")
    base = urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
    return base, names[0] if names and names[0] else None


class _Direct:
    """Sends chat requests as they are."""

    def __init__(self, base: str, model: str | None, options: TargetOptions) -> None:
        self._base = base
        self._model = model
        self._options = options
        self._fixed = _fixed(options)
        self._secrets = (options.api_key, *environment_secrets())
        self._session: ClientSession | None = None

    async def send(
        self, request: ModelRequest, schema: Mapping[str, Any] | None, passage: Passage | None
    ) -> ModelReply:
        """Return the reply to one request."""
        try:
            async with asyncio.timeout(self._options.timeout):
                model = self._model or await self._only_model()
                sent = self._body(request, schema, model)
                began = perf_counter()
                body = await self._exchange("POST", "/chat/completions", sent.sent.encode())
                seconds = perf_counter() - began
        except TimeoutError:
            detail = f"no answer within {self._options.timeout:g} s"
            raise TargetUnavailable("timeout", detail, retry=True) from None
        usage = priced(read_usage(body), self._options.prices)
        if passage is not None:
            passage.usage = usage
        reply = read_reply(body, usage, seconds)
        return replace(reply, seed=request.seed, wire=digest(sent.canonical))

    async def close(self) -> None:
        """Let go of connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _body(self, request: ModelRequest, schema: Mapping[str, Any] | None, model: str) -> Encoded:
        members = {"model": encoded(model), "messages": encoded_messages(request.messages)}
        if request.tools:
            members["tools"] = encoded_tools(request.tools)
        if schema is not None:
            members |= _under(schema, tools=bool(request.tools))
        members |= self._fixed
        members["seed"] = encoded(request.seed)
        return encoded_object(members | {name: encoded(value) for name, value in request.also.items()})

    async def _only_model(self) -> str:
        """Return the one model that the server has; raise TargetUnavailable where it has none or several."""
        listed = await self._exchange("GET", "/models", None)
        rows: Any = listed.get("data")
        known = [str(each["id"]) for each in cast("list[Any]", rows)] if _all_named(rows) else []
        if len(known) != 1:
            shown = scrubbed(", ".join(known)) or "none"
            detail = f"the server has these models: {shown}; name one, as openai:{self._base}?model=NAME"
            raise TargetUnavailable("not_found", detail)
        self._model = known[0]
        return self._model

    async def _exchange(self, method: str, path: str, body: bytes | None) -> dict[str, Any]:
        import aiohttp

        secrets = self._secrets
        try:
            async with self._connected().request(method, self._base + path, data=body) as response:
                text = await _text_of(response)
                status, headers = response.status, response.headers
        except aiohttp.ClientError as error:
            failure = TargetUnavailable("connection", scrubbed(str(error), *secrets), retry=True)
        else:
            if status == 200:
                return read_body(text, *secrets)
            failure = refused(status, text, headers, *secrets)
        # Outside the handler: the error of the client may carry a key and must not become the context.
        raise failure

    def _connected(self) -> "ClientSession":
        import aiohttp

        if self._session is None:
            key = self._options.api_key
            headers = {"Content-Type": "application/json", "Accept": "application/json"}
            self._session = aiohttp.ClientSession(
                # How much is asked at once is decided by the account's pace.
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=None),
                headers=headers | ({"Authorization": f"Bearer {key}"} if key else {}),
            )
        return self._session


def _fixed(options: TargetOptions) -> dict[str, Encoded]:
    """Return what every request of a target says alike."""
    given = {"temperature": options.temperature, "max_tokens": options.max_tokens}
    return {name: encoded(value) for name, value in given.items() if value is not None}


def _under(schema: Mapping[str, Any], *, tools: bool) -> dict[str, Encoded]:
    """Return what asks for an answer under a schema, and for no more calls of the tools."""
    choice = {"tool_choice": encoded("none")} if tools else {}
    return {**choice, "response_format": encoded(schema)}


def _all_named(rows: Any) -> bool:
    return isinstance(rows, list) and all(
        isinstance(each, dict) and "id" in each for each in cast("list[Any]", rows)
    )


async def _text_of(response: "ClientResponse") -> str:
    read = bytearray()
    async for chunk in response.content.iter_any():
        read += chunk
        if len(read) > LARGEST_REPLY:
            raise TargetUnavailable("bad_response", f"a reply of more than {LARGEST_REPLY} bytes")
    return read.decode("utf-8", "replace")

"""One request to a deployed API and its answer, with what keeps it from being one."""

import asyncio
import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from harness.errors import TargetUnavailable
from harness.targets.failures import refused
from harness.targets.scrubbing import environment_secrets, scrubbed

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

LARGEST_RESULT = 4 * 2**20
"""Bytes; a result is one answer and what a service says about it."""


class Answered(NamedTuple):
    """A status that was expected, and the object that came with it."""

    status: int
    body: Mapping[str, Any]


class Exchange:
    """Requests to one service, with its key; connections are kept until it is closed."""

    def __init__(self, base: str, key: str | None, timeout: float | None) -> None:
        """Remember where to ask; `timeout` are seconds for one request, None where its caller ends it."""
        self._base, self._key, self._timeout = base, key, timeout
        self._session: ClientSession | None = None

    async def send(
        self, method: str, path: str, body: Mapping[str, Any] | None, expected: Collection[int]
    ) -> Answered:
        """Return the answer to one request.

        Raises:
            TargetUnavailable: none came, or one of a status that was not expected.
        """
        import aiohttp

        secrets = (self._key, *environment_secrets())
        payload = None if body is None else json.dumps(body).encode()
        try:
            async with self._connected().request(
                method, self._base + path, data=payload, allow_redirects=False
            ) as response:
                text = await _text_of(response)
                status, headers = response.status, response.headers
        except TimeoutError:
            failure = TargetUnavailable("timeout", f"no answer within {self._timeout:g} s", retry=True)
        except aiohttp.ClientError as error:
            failure = TargetUnavailable("connection", scrubbed(str(error), *secrets), retry=True)
        else:
            if status in expected:
                return Answered(status, _object_of(text, status))
            failure = _refusal(status, text, headers, secrets)
        # Outside the handler: the error of the client may carry a key and must not become the context.
        raise failure

    async def close(self) -> None:
        """Let go of connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _connected(self) -> "ClientSession":
        import aiohttp

        if self._session is None:
            headers = {"Content-Type": "application/json", "Accept": "application/json"}
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                timeout=aiohttp.ClientTimeout(total=self._timeout),
                headers=headers | ({"Authorization": f"Bearer {self._key}"} if self._key else {}),
            )
        return self._session


def failed(said: Mapping[str, Any], *secrets: str | None) -> TargetUnavailable:
    """Return what a session without a result means: a failure of the service, no answer of a model."""
    words = said.get("error") or said.get("error_detail") or said.get("detail") or "no reason given"
    return TargetUnavailable("investigation_failed", scrubbed(str(words), *secrets, *environment_secrets()))


def _refusal(
    status: int, text: str, headers: Mapping[str, str], secrets: tuple[str | None, ...]
) -> TargetUnavailable:
    said = _loaded(text)
    if status >= 500 and said.get("status") == "failed":
        return failed(said, *secrets)
    words = [str(said[name]) for name in ("title", "detail") if said.get(name)]
    return refused(status, ": ".join(words) or text, headers, *secrets)


def _object_of(text: str, status: int) -> Mapping[str, Any]:
    found = _loaded(text)
    if status < 400 and not found:
        raise TargetUnavailable("bad_response", f"HTTP {status}: found no JSON object", retry=True)
    return found


def _loaded(text: str) -> Mapping[str, Any]:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


async def _text_of(response: "ClientResponse") -> str:
    read = bytearray()
    async for chunk in response.content.iter_any():
        read += chunk
        if len(read) > LARGEST_RESULT:
            raise TargetUnavailable("bad_response", f"a result of more than {LARGEST_RESULT} bytes")
    # Whoever interrupts is heard between two large results.
    await asyncio.sleep(0)
    return read.decode("utf-8", "replace")

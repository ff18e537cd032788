"""A model over a wire: paced by its account, asked again where that may help, whoever speaks the wire."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol
from urllib.parse import urlsplit

from harness.errors import InvalidInput
from harness.model import prompt_digest
from harness.targets import TargetOptions
from harness.targets.accounts import Gate, Limits
from harness.targets.budget import Passage
from harness.targets.protocol import Binding, ModelReply, ModelRequest
from harness.targets.redacting import Redacting
from harness.targets.retrying import RetryPolicy, ask
from harness.targets.scrubbing import bare_url
from harness.targets.sizes import estimated_size
from harness.targets.structured import answered


class Sender(Protocol):
    """Speaks one wire: one request out, one reply in."""

    async def send(
        self, request: ModelRequest, schema: Mapping[str, Any] | None, passage: Passage | None
    ) -> ModelReply:
        """Return the reply to one request; raise TargetUnavailable where there is none that counts.

        Args:
            request: the conversation so far.
            schema: the `response_format` to ask under, or None.
            passage: where to put the usage of whatever was replied, before that is judged.
        """
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


class Wire:
    """A target whose replies come from a sender."""

    def __init__(
        self, means: str, model: str, sender: Sender, options: TargetOptions, retry: RetryPolicy
    ) -> None:
        """Make the target that `-t` calls `means`; `model` is what the sender asks for."""
        self._means, self._model = means, model
        self._sender = sender
        self._options = options
        self._retry = retry
        self._redacted = Redacting(options.api_key)
        self._gate: Gate | None = None

    @property
    def name(self) -> str:
        """The name in sample ids."""
        return self._options.name or self._means

    @property
    def account(self) -> str:
        """The one stated, else the server, else the provider."""
        options = self._options
        server = urlsplit(options.api_base).netloc if options.api_base else None
        return options.account or server or self._model.partition("/")[0]

    @property
    def limits(self) -> Limits:
        """What the account allows."""
        return self._options.limits

    def paced_by(self, gate: Gate) -> None:
        """Send through this gate from now on."""
        self._gate = gate

    @property
    def settings(self) -> Mapping[str, Any]:
        """What a run records; never a key."""
        options = self._options
        return {
            "kind": self._means.partition(":")[0],
            "model": self._model,
            "api_base": options.api_base,
            "temperature": options.temperature,
            "max_tokens": options.max_tokens,
            "timeout": options.timeout,
            **options.stated(),
        }

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:
        """Return the model's next message; of the binding only the answer's schema is sent, if at all."""
        return await answered(self._asked, request, binding, self._options.response_format)

    async def _asked(self, request: ModelRequest, schema: Mapping[str, Any] | None) -> ModelReply:
        size = estimated_size(request, self._options.max_tokens)
        gate = self._gate

        async def attempt() -> ModelReply:
            if gate is None:
                return await self._sender.send(request, schema, None)
            return await gate.through(size, lambda passage: self._sender.send(request, schema, passage))

        reply, attempts = await ask(attempt, key=lambda: _told_apart(request), retry=self._retry)
        return self._redacted(reply if attempts == reply.attempts else replace(reply, attempts=attempts))

    async def close(self) -> None:
        """Let go of connections."""
        await self._sender.close()


def _told_apart(request: ModelRequest) -> str:
    """Return what no other request of a run says: one trial of every scenario has the same seed."""
    return f"{request.seed} {prompt_digest(request.messages)} {len(request.messages)}"


def check_address(api_base: str) -> None:
    """Refuse what is no address of a server.

    Raises:
        InvalidInput: it is none, or holds a key, which would reach files and no provider.
    """
    try:
        bare, parts = bare_url(api_base), urlsplit(api_base)
    except ValueError:
        bare, parts = "", urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise InvalidInput("api base: found no address of a server; write one as http://HOST:PORT/v1")
    if bare != api_base:
        msg = f"api base: found more than {bare!r}; leave it at that, and put keys into the environment"
        raise InvalidInput(msg)

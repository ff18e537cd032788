"""Any provider's model, through litellm as a translator: no retries, cache, router or callbacks of its."""

import asyncio
import json
import logging
import os
import warnings
from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any
from urllib.parse import urlsplit

from harness.errors import InvalidInput, TargetUnavailable
from harness.model import Message, ToolCall, Usage, prompt_digest
from harness.targets import TargetOptions
from harness.targets.accounts import Gate, Limits
from harness.targets.budget import Passage
from harness.targets.chat import chat_messages, chat_tools
from harness.targets.failures import unavailable
from harness.targets.prices import priced
from harness.targets.protocol import Binding, ModelReply, ModelRequest, Target
from harness.targets.retrying import USUAL, RetryPolicy, ask
from harness.targets.scrubbing import bare_url, environment_secrets
from harness.targets.sizes import estimated_size
from harness.targets.structured import answered

PLACEHOLDER_KEY = "none"
"""Sent to servers that ask for no key, because the client insists on one."""


def open_litellm(model: str, options: TargetOptions, *, retry: RetryPolicy = USUAL) -> Target:
    """Return the target litellm:<model>; litellm itself is loaded at the first reply.

    Raises:
        InvalidInput: the address is none, or holds a key, which would reach files and no provider.
    """
    if options.api_base is not None:
        _check(options.api_base)
    return _Litellm(model, options, retry)


def _check(api_base: str) -> None:
    try:
        bare, parts = bare_url(api_base), urlsplit(api_base)
    except ValueError:
        bare, parts = "", urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise InvalidInput("api base: found no address of a server; write one as http://HOST:PORT/v1")
    if bare != api_base:
        msg = f"api base: found more than {bare!r}; leave it at that, and put keys into the environment"
        raise InvalidInput(msg)


class _Litellm:
    def __init__(self, model: str, options: TargetOptions, retry: RetryPolicy) -> None:
        self._model = model
        self._options = options
        self._retry = retry
        self._litellm: Any = None
        self._gate: Gate | None = None

    @property
    def name(self) -> str:
        return self._options.name or f"litellm:{self._model}"

    @property
    def account(self) -> str:
        options = self._options
        server = urlsplit(options.api_base).netloc if options.api_base else None
        return options.account or server or self._model.partition("/")[0]

    @property
    def limits(self) -> Limits:
        return self._options.limits

    def paced_by(self, gate: Gate) -> None:
        self._gate = gate

    @property
    def settings(self) -> Mapping[str, Any]:
        options = self._options
        limits = {name: value for name, value in options.limits._asdict().items() if value is not None}
        configured = {
            "api_key_env": options.api_key_env,
            "account": options.account,
            "limits": limits or None,
            "prices": options.prices._asdict() if options.prices else None,
            "response_format": options.response_format,
        }
        return {
            "kind": "litellm",
            "model": self._model,
            "api_base": options.api_base,
            "temperature": options.temperature,
            "max_tokens": options.max_tokens,
            "timeout": options.timeout,
            **{name: value for name, value in configured.items() if value is not None},
        }

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:
        """Return the model's next message; of the binding only the answer's schema is sent, if at all."""
        if self._litellm is None:
            # It takes seconds, in which others, or an interruption, must not wait.
            self._litellm = await asyncio.to_thread(_load)
        litellm = self._litellm
        _USERS.add(self)

        async def ask_once(request: ModelRequest, schema: Mapping[str, Any] | None) -> ModelReply:
            return await self._asked(litellm, request, schema)

        return await answered(ask_once, request, binding, self._options.response_format)

    async def _asked(
        self, litellm: Any, request: ModelRequest, schema: Mapping[str, Any] | None
    ) -> ModelReply:
        # One trial of every scenario has the same seed: alone it would make them all come back at once.
        key = f"{request.seed} {prompt_digest(request.messages)} {len(request.messages)}"
        size = estimated_size(request, self._options.max_tokens)
        gate = self._gate

        async def attempt() -> ModelReply:
            if gate is None:
                return await self._send(litellm, request, schema, None)
            return await gate.through(size, lambda passage: self._send(litellm, request, schema, passage))

        reply, attempts = await ask(attempt, key=key, retry=self._retry)
        return replace(reply, attempts=attempts)

    async def close(self) -> None:
        """Let go of connections; litellm shares them, so that the last target closes them for all."""
        if self in _USERS:
            _USERS.remove(self)
            if not _USERS:
                litellm = _load()
                await litellm.close_litellm_async_clients()
                litellm.in_memory_llm_clients_cache.flush_cache()

    async def _send(
        self,
        litellm: Any,
        request: ModelRequest,
        schema: Mapping[str, Any] | None,
        passage: Passage | None,
    ) -> ModelReply:
        options = self._options
        arguments = self._arguments(request, schema)
        began = perf_counter()
        try:
            async with asyncio.timeout(options.timeout):
                if "seed" in (litellm.get_supported_openai_params(model=self._model) or ()):
                    arguments["seed"] = request.seed
                response = await litellm.acompletion(**arguments)
        except TimeoutError:
            failure = TargetUnavailable("timeout", f"no answer within {options.timeout:g} s", retry=True)
        except Exception as error:  # noqa: BLE001 - only litellm is called here, and it raises anything
            failure = unavailable(error, options.api_key, *environment_secrets())
        else:
            usage = priced(_usage(response), options.prices)
            if passage is not None:
                passage.usage = usage
            return replace(_reply(response, usage, perf_counter() - began), seed=arguments.get("seed"))
        # Outside the handlers: what litellm raised may carry a key and must not become the context.
        raise failure

    def _arguments(self, request: ModelRequest, schema: Mapping[str, Any] | None) -> dict[str, Any]:
        options = self._options
        given = {
            "tools": chat_tools(request.tools) or None,
            # The tools stay: some providers refuse a conversation with calls of tools that they are not told.
            "tool_choice": "none" if schema and request.tools else None,
            "response_format": schema,
            "temperature": options.temperature,
            "max_tokens": options.max_tokens,
            "api_base": options.api_base,
            "api_key": self._key(),
        }
        return {
            "model": self._model,
            "messages": chat_messages(request.messages),
            "timeout": options.timeout,
            "num_retries": 0,
            "max_retries": 0,
            **{name: value for name, value in given.items() if value is not None},
        }

    def _key(self) -> str | None:
        options = self._options
        if options.api_key or not options.api_base or not self._model.startswith("openai/"):
            return options.api_key
        known = os.environ.get("OPENAI_API_KEY")  # noqa: TID251 - litellm reads it too, after import
        return None if known else PLACEHOLDER_KEY


# What providers call their own failure within a reply, and a limit on its length.
_BROKEN = {"error", "network_error"}
_CUT = {"max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"}

_USERS: set[_Litellm] = set()


def _load() -> Any:
    """Return litellm, told to look nothing up anywhere and to print nothing."""
    # These are litellm's own switches, read while it is imported.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # noqa: TID251 - see above
    os.environ.setdefault("LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS", "True")  # noqa: TID251 - see above
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # noqa: TID251 - else it reads a .env file nobody named
    import litellm

    litellm.suppress_debug_info = True
    # An odd reply is read all the same, and quoting it on the terminal is nobody's business.
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
    # It prepares each request in a thread; one that is cancelled meanwhile leaves a coroutine unbegun.
    warnings.filterwarnings("ignore", r"coroutine '[\w.<>]*completion\w*' was never awaited", RuntimeWarning)
    # It prints what providers say, as they say it.
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
    return litellm


def _reply(response: Any, usage: Usage, seconds: float) -> ModelReply:
    try:
        choice = response.choices[0]
        message = _message(choice.message)
    except (AttributeError, IndexError, TypeError):
        raise TargetUnavailable("bad_response", "a reply without a message", retry=True) from None
    ending = _ending(choice)
    _refuse_what_is_not_the_models(message, ending)
    refusal = _refusal(choice.message)
    refused = refusal and not message.content and not message.tool_calls
    return ModelReply(
        message=replace(message, content=refusal) if refused else message,
        finish_reason="refusal" if refused else ending,
        usage=usage,
        model=response.model,
        seconds=seconds,
    )


def _ending(choice: Any) -> str:
    """Return why the reply ended; litellm calls much of what providers say a stop, and keeps it aside."""
    aside: Any = getattr(choice, "provider_specific_fields", None) or {}
    said = str(aside.get("native_finish_reason", "")).lower()
    if said == "refusal":
        return said
    if said in _BROKEN:
        return "error"
    return "length" if said in _CUT else choice.finish_reason


def _refuse_what_is_not_the_models(message: Message, ending: str) -> None:
    """Raise TargetUnavailable where the provider, or a limit of ours, ended the reply."""
    if ending == "error":
        raise TargetUnavailable("server_error", "the provider broke off within the reply", retry=True)
    if ending == "content_filter":
        raise TargetUnavailable("content_filter", "the provider withheld the reply")
    if ending == "length" and message.tool_calls and not _is_json(message.tool_calls[-1].arguments):
        raise TargetUnavailable("truncated", "the token limit cut a tool call; try a larger --max-tokens")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _message(message: Any) -> Message:
    calls = tuple(
        ToolCall(str(each.id or f"call_{i}"), each.function.name or "", each.function.arguments or "")
        for i, each in enumerate(message.tool_calls or ())
    )
    reasoning = getattr(message, "reasoning_content", None)
    return Message(role="assistant", content=message.content, tool_calls=calls, reasoning=reasoning)


def _refusal(message: Any) -> str | None:
    """Return what stands in OpenAI's field of that name, which litellm moves aside."""
    aside: Any = getattr(message, "provider_specific_fields", None)
    refusal = aside.get("refusal") if aside else None
    return refusal if isinstance(refusal, str) else None


def _usage(response: Any) -> Usage:
    """Return tokens and price; litellm writes zeros where the provider said nothing."""
    usage: Any = getattr(response, "usage", None)
    if usage is None or not (usage.prompt_tokens or usage.completion_tokens):
        return Usage()
    hidden: Any = getattr(response, "_hidden_params", None)
    cost = hidden.get("response_cost") if hidden else None
    return Usage(usage.prompt_tokens, usage.completion_tokens, cost)

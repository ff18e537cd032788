"""Any provider's model, through litellm as a translator: no retries, cache, router or callbacks of its."""

import asyncio
import logging
import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any, cast

from harness.errors import TargetUnavailable
from harness.model import Message, ToolCall, Usage, digest
from harness.targets import TargetOptions
from harness.targets.budget import Passage
from harness.targets.chat import chat_messages, chat_tools
from harness.targets.encoding import canonical_body
from harness.targets.endings import ending, refuse_what_is_not_the_models
from harness.targets.failures import unavailable
from harness.targets.prices import priced
from harness.targets.protocol import ModelReply, ModelRequest, Target
from harness.targets.retrying import USUAL, RetryPolicy
from harness.targets.scrubbing import environment_secrets
from harness.targets.wire import Wire, check_address

PLACEHOLDER_KEY = "none"
"""Sent to servers that ask for no key, because the client insists on one."""


def open_litellm(model: str, options: TargetOptions, *, retry: RetryPolicy = USUAL) -> Target:
    """Return the target litellm:<model>; litellm itself is loaded at the first reply.

    Raises:
        InvalidInput: the address is none, or holds a key, which would reach files and no provider.
    """
    if options.api_base is not None:
        check_address(options.api_base)
    return Wire(f"litellm:{model}", model, _Litellm(model, options), options, retry)


class _Litellm:
    """Sends through litellm, as a translator alone."""

    def __init__(self, model: str, options: TargetOptions) -> None:
        self._model = model
        self._options = options
        self._litellm: Any = None
        self._takes_seed: bool | None = None

    async def close(self) -> None:
        """Let go of connections; litellm shares them, so that the last target closes them for all."""
        if self in _USERS:
            _USERS.remove(self)
            if not _USERS:
                litellm = load()
                await litellm.close_litellm_async_clients()
                litellm.in_memory_llm_clients_cache.flush_cache()

    async def send(
        self, request: ModelRequest, schema: Mapping[str, Any] | None, passage: Passage | None
    ) -> ModelReply:
        """Return the reply to one request."""
        if self._litellm is None:
            # It takes seconds, in which others, or an interruption, must not wait.
            self._litellm = await asyncio.to_thread(load)
        litellm = self._litellm
        _USERS.add(self)
        options = self._options
        seen: list[str] = []
        arguments = {**self._arguments(request, schema), "logger_fn": _watching(seen, request.messages)}
        began = perf_counter()
        try:
            async with asyncio.timeout(options.timeout):
                if self._takes_seed is None:
                    taken = litellm.get_supported_openai_params(model=self._model)
                    self._takes_seed = "seed" in (taken or ())
                if self._takes_seed:
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
            reply = _reply(response, usage, perf_counter() - began)
            return replace(reply, seed=arguments.get("seed"), wire=seen[0] if seen else None)
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
            **request.also,
        }

    def _key(self) -> str | None:
        options = self._options
        if options.api_key or not options.api_base or not self._model.startswith("openai/"):
            return options.api_key
        known = os.environ.get("OPENAI_API_KEY")  # noqa: TID251 - litellm reads it too, after import
        return None if known else PLACEHOLDER_KEY


def _watching(seen: list[str], messages: Iterable[Message]) -> Callable[[Mapping[str, Any]], None]:
    """Return what litellm calls around a request, with the body that it made of it; its digest is noted."""

    def note(call: Mapping[str, Any]) -> None:
        body: Any = call.get("additional_args", {}).get("complete_input_dict")
        # It calls before the body is made, too, and again with the reply.
        if isinstance(body, dict) and not seen:
            made = dict(cast("dict[str, Any]", body))
            # OpenAI's client puts these fields beside the others.
            beside: Mapping[str, Any] = made.pop("extra_body", None) or {}
            seen.append(digest(canonical_body({**made, **beside}, messages)))

    return note


_USERS: set[_Litellm] = set()


def load() -> Any:
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
    ended = _ending(choice)
    refuse_what_is_not_the_models(message, ended)
    refusal = _refusal(choice.message)
    refused = refusal and not message.content and not message.tool_calls
    return ModelReply(
        message=replace(message, content=refusal) if refused else message,
        finish_reason="refusal" if refused else ended,
        usage=usage,
        model=response.model,
        seconds=seconds,
    )


def _ending(choice: Any) -> str:
    """Return why the reply ended; litellm calls much of what providers say a stop, and keeps it aside."""
    aside: Any = getattr(choice, "provider_specific_fields", None) or {}
    return ending(str(aside.get("native_finish_reason", "")), choice.finish_reason)


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

"""A chat completion's body, read: what stands in it is a model's, and a server's that may be odd."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from harness.errors import TargetUnavailable
from harness.model import Message, ToolCall, Usage
from harness.targets.endings import ending, refuse_what_is_not_the_models
from harness.targets.protocol import ModelReply
from harness.targets.scrubbing import scrubbed


def read_body(text: str, *secrets: str | None) -> dict[str, Any]:
    """Return the JSON object of a response; raise TargetUnavailable where it holds none."""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        found = scrubbed(text[:1000], *secrets) or "nothing"
        raise TargetUnavailable("bad_response", f"found no JSON object but {found}", retry=True)
    return cast("dict[str, Any]", value)


def read_usage(body: Mapping[str, Any]) -> Usage:
    """Return the tokens; zeros for both are what servers write that do not count."""
    found: Any = body.get("usage")
    if not isinstance(found, dict):
        return Usage()
    counted = cast("dict[str, Any]", found)
    prompt, written = (_count(counted.get(each)) for each in ("prompt_tokens", "completion_tokens"))
    return Usage(prompt, written) if prompt or written else Usage()


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def read_reply(body: Mapping[str, Any], usage: Usage, seconds: float) -> ModelReply:
    """Return the reply that a body holds.

    Raises:
        TargetUnavailable: it holds none, or one that somebody else than the model ended.
    """
    try:
        choice = body["choices"][0]
        said: Any = choice["message"]
        message = _message(said)
    except (LookupError, TypeError, AttributeError):
        raise TargetUnavailable("bad_response", "a reply without a message", retry=True) from None
    stated: Any = choice.get("finish_reason")
    usual = "tool_calls" if message.tool_calls else "stop"
    ended = ending(str(stated), str(stated)) if stated else usual
    refuse_what_is_not_the_models(message, ended)
    refusal: Any = said.get("refusal")
    refused = isinstance(refusal, str) and refusal and not message.content and not message.tool_calls
    model: Any = body.get("model")
    return ModelReply(
        message=replace(message, content=refusal) if refused else message,
        finish_reason="refusal" if refused else ended,
        usage=usage,
        model=model if isinstance(model, str) else None,
        seconds=seconds,
    )


def _message(said: Mapping[str, Any]) -> Message:
    calls = tuple(
        ToolCall(str(each.get("id") or f"call_{number}"), *_called(each["function"]))
        for number, each in enumerate(said.get("tool_calls") or ())
    )
    reasoning: Any = said.get("reasoning_content") or said.get("reasoning")
    return Message(
        role="assistant",
        content=_text(said.get("content")),
        tool_calls=calls,
        reasoning=reasoning if isinstance(reasoning, str) else None,
    )


def _called(function: Mapping[str, Any]) -> tuple[str, str]:
    arguments: Any = function.get("arguments")
    # Some servers parse the arguments, against their own protocol; then this is the nearest to their words.
    raw = arguments if isinstance(arguments, str) or arguments is None else json.dumps(arguments)
    return str(function.get("name") or ""), raw or ""


def _text(content: Any) -> str | None:
    if content is None or isinstance(content, str):
        return content
    return "".join(str(each["text"]) for each in content if each.get("type") == "text")

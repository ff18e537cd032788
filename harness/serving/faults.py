"""The faults that a provider or a model is known for, each a small edit of an exchange that was right.

A fault edits one of three things: what the target is asked, what it replies, or what goes over the wire.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Literal

from harness.model import Message, ToolCall
from harness.serving.chat import error_body
from harness.serving.delivery import Answered, json_text
from harness.targets import ModelReply, ModelRequest

UNDECLARED_TOOL = "submit_result"
REFUSAL = "I'm sorry, but I can't help with that."


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a fault may look at: its `seconds`, the key that came with the request, its body's fields."""

    seconds: float = 0.0
    key: str = ""
    sent: frozenset[str] = frozenset()


def _same_request(request: ModelRequest) -> ModelRequest:
    return request


def _same_reply(reply: ModelReply, _: ModelRequest) -> ModelReply:
    return reply


def _same_answer(answered: Answered, _: Circumstances) -> Answered:
    return answered


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault; `whose` says who is at fault: the provider, a limit of our own, or the model.

    `seconds` is what its option of that name is without being given, None where it has none.
    """

    name: str
    summary: str
    whose: Literal["provider", "limit", "model"]
    seconds: float | None = None
    request: Callable[[ModelRequest], ModelRequest] = _same_request
    reply: Callable[[ModelReply, ModelRequest], ModelReply] = _same_reply
    answer: Callable[[Answered, Circumstances], Answered] = _same_answer


def _failing(answered: Answered, status: int, code: str, message: str, param: str | None = None) -> Answered:
    body = error_body(status, code, message)
    failure = {"error": {**body["error"], "param": param}}
    return replace(answered, status=status, body=failure, content_type="application/json")


# The provider's: keys, limits, outages


def bad_key(answered: Answered, seen: Circumstances) -> Answered:
    """Quote the key, as some gateways do: whoever logs the message logs the key."""
    return _failing(answered, 401, "invalid_api_key", f"Incorrect API key provided: {seen.key}.")


def forbidden(answered: Answered, _: Circumstances) -> Answered:
    """Refuse the project."""
    return _failing(answered, 403, "permission_denied", "Your project has no access to this model.")


def not_found(answered: Answered, _: Circumstances) -> Answered:
    """Know no such model."""
    return _failing(answered, 404, "model_not_found", "The model does not exist or you lack access to it.")


def request_timeout(answered: Answered, _: Circumstances) -> Answered:
    """Give up on reading the request."""
    return _failing(answered, 408, "request_timeout", "The request took too long to arrive.")


def rate_limited(answered: Answered, _: Circumstances) -> Answered:
    """Refuse without saying for how long."""
    return _failing(answered, 429, "rate_limit_exceeded", "Rate limit reached for requests.")


def rate_limited_wait(answered: Answered, seen: Circumstances) -> Answered:
    """Refuse and say when to come back."""
    return replace(rate_limited(answered, seen), retry_after=seen.seconds)


def server_error(answered: Answered, _: Circumstances) -> Answered:
    """Break."""
    return _failing(answered, 500, "internal_error", "The server had an error while processing your request.")


def bad_gateway(answered: Answered, _: Circumstances) -> Answered:
    """Answer as a proxy does that lost its server: in HTML."""
    page = "<html><head><title>502 Bad Gateway</title></head><body>502 Bad Gateway</body></html>"
    return replace(answered, status=502, body=page, content_type="text/html")


def unavailable(answered: Answered, _: Circumstances) -> Answered:
    """Be down for the moment."""
    return _failing(answered, 503, "service_unavailable", "The engine is temporarily unavailable.")


def overloaded(answered: Answered, _: Circumstances) -> Answered:
    """Be overloaded, in the status that Anthropic made up for it."""
    return _failing(answered, 529, "overloaded_error", "Overloaded")


def reset(answered: Answered, _: Circumstances) -> Answered:
    """Reset the connection before anything was said."""
    return replace(answered, breaks="before")


def cut_off(answered: Answered, _: Circumstances) -> Answered:
    """Hang up in the middle of the body."""
    return replace(answered, breaks="within")


def slow_drip(answered: Answered, seen: Circumstances) -> Answered:
    """Send the body little by little, so that no single wait is long."""
    return replace(answered, spread=seen.seconds)


def slow_answer(answered: Answered, seen: Circumstances) -> Answered:
    """Say nothing for a while."""
    return replace(answered, delay=seen.seconds)


def html_page(answered: Answered, seen: Circumstances) -> Answered:
    """Answer with a page that shows the request's headers, as a captive portal would."""
    page = f"<html><body><h1>Sign in</h1><pre>Authorization: Bearer {seen.key}</pre></body></html>"
    return replace(answered, status=200, body=page, content_type="text/html")


def malformed_body(answered: Answered, _: Circumstances) -> Answered:
    """Send half of the JSON as if it were all of it."""
    text = json_text(answered.body)
    return replace(answered, body=text[: len(text) // 2])


def context_overflow(answered: Answered, _: Circumstances) -> Answered:
    """Refuse a conversation that is too long."""
    message = "This model's maximum context length is 8192 tokens. Please reduce the length of the messages."
    return _failing(answered, 400, "context_length_exceeded", message, "messages")


def unsupported_parameter(answered: Answered, seen: Circumstances) -> Answered:
    """Refuse a temperature; a request without one is answered."""
    if "temperature" not in seen.sent:
        return answered
    message = "Unsupported value: 'temperature' does not support this value with this model."
    return _failing(answered, 400, "unsupported_value", message, "temperature")


def filtered_prompt(answered: Answered, _: Circumstances) -> Answered:
    """Refuse the prompt before the model sees it."""
    message = "The prompt was filtered: it triggered the provider's content management policy."
    return _failing(answered, 400, "content_policy_violation", message, "prompt")


def content_filter(reply: ModelReply, _: ModelRequest) -> ModelReply:
    """Withhold what the model said."""
    return replace(reply, message=Message("assistant", ""), finish_reason="content_filter")


# Our own: a reply that the token limit cut


def truncated(reply: ModelReply, _: ModelRequest) -> ModelReply:
    """Cut what is said, or the arguments of the last call, in half."""
    message = reply.message
    text = message.content or ""
    cut = replace(message, content=text[: len(text) // 2] or None, tool_calls=_spoiled(message.tool_calls))
    return replace(reply, message=cut, finish_reason="length")


# The model's


def malformed_arguments(reply: ModelReply, _: ModelRequest) -> ModelReply:
    """Leave the arguments of the last call unfinished; a reply that calls nothing stays."""
    calls = _spoiled(reply.message.tool_calls)
    return replace(reply, message=replace(reply.message, tool_calls=calls))


def unknown_tool(reply: ModelReply, request: ModelRequest) -> ModelReply:
    """Call, beside the tools on offer, one that is not; a reply that calls nothing stays."""
    calls = reply.message.tool_calls
    if not calls:
        return reply
    invented = ToolCall(f"call_{len(request.messages)}_invented", UNDECLARED_TOOL, "{}")
    return replace(reply, message=replace(reply.message, tool_calls=(*calls, invented)))


def only_the_prompt(request: ModelRequest) -> ModelRequest:
    """Leave out everything after the prompt: the target begins again, whatever it was shown."""
    prompt = takewhile(lambda each: each.role != "assistant", request.messages)
    return replace(request, messages=tuple(prompt))


def numbered(reply: ModelReply, request: ModelRequest) -> ModelReply:
    """Give the calls ids that no earlier turn had."""
    at = len(request.messages)
    calls = tuple(
        replace(each, id=f"call_{at}_{index}") for index, each in enumerate(reply.message.tool_calls)
    )
    return replace(reply, message=replace(reply.message, tool_calls=calls))


def empty_answer(reply: ModelReply, _: ModelRequest) -> ModelReply:
    """Say nothing at all."""
    return replace(reply, message=Message("assistant", ""), finish_reason="stop")


def refusal(reply: ModelReply, _: ModelRequest) -> ModelReply:
    """Decline, in the field that OpenAI has for it."""
    return replace(reply, message=Message("assistant", REFUSAL), finish_reason="refusal")


def _spoiled(calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    """Return the calls, the last with half of its arguments."""
    if not calls:
        return ()
    *others, last = calls
    return (*others, replace(last, arguments=last.arguments[: len(last.arguments) // 2]))


FAULTS: tuple[Fault, ...] = (
    Fault("bad-key", "401; the key is refused, and quoted", "provider", answer=bad_key),
    Fault("forbidden", "403; the project may not use the model", "provider", answer=forbidden),
    Fault("not-found", "404; no such model", "provider", answer=not_found),
    Fault("request-timeout", "408", "provider", answer=request_timeout),
    Fault("rate-limited", "429 without Retry-After", "provider", answer=rate_limited),
    Fault("rate-limited-wait", "429 with Retry-After", "provider", 1.0, answer=rate_limited_wait),
    Fault("server-error", "500", "provider", answer=server_error),
    Fault("bad-gateway", "502 with an HTML page", "provider", answer=bad_gateway),
    Fault("unavailable", "503", "provider", answer=unavailable),
    Fault("overloaded", "529", "provider", answer=overloaded),
    Fault("reset", "the connection is reset before any answer", "provider", answer=reset),
    Fault("cut-off", "the connection ends within the body", "provider", answer=cut_off),
    Fault("slow-drip", "the body comes in slow pieces", "provider", 30.0, answer=slow_drip),
    Fault("slow-answer", "the answer comes late", "provider", 30.0, answer=slow_answer),
    Fault("html-page", "200 with an HTML page that quotes the key", "provider", answer=html_page),
    Fault("malformed-body", "200 with half of the JSON", "provider", answer=malformed_body),
    Fault("context-overflow", "400; the conversation is too long", "provider", answer=context_overflow),
    Fault(
        "unsupported-parameter", "400 where temperature is sent", "provider", answer=unsupported_parameter
    ),
    Fault("filtered-prompt", "400; the prompt breaks a content policy", "provider", answer=filtered_prompt),
    Fault("content-filter", "the reply is withheld: finish_reason content_filter", "provider",
          reply=content_filter),
    Fault("truncated", "the reply is cut: finish_reason length", "limit", reply=truncated),
    Fault("malformed-arguments", "the last tool call's arguments are cut JSON", "model",
          reply=malformed_arguments),
    Fault("unknown-tool", f"{UNDECLARED_TOOL}, which nobody offered, is called too", "model",
          reply=unknown_tool),
    Fault("endless-loop", "the first tool calls are made again and again", "model",
          request=only_the_prompt, reply=numbered),
    Fault("empty-answer", "the reply is empty", "model", reply=empty_answer),
    Fault("refusal", "the model declines", "model", reply=refusal),
)  # fmt: skip

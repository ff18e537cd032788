"""OpenAI's chat completions: requests read, replies, streams and errors written."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from harness.errors import InvalidInput
from harness.model import Message, ToolCall, ToolSpec
from harness.serving.bodies import Asked, Beside, Exchange, Part, Seed, Text, event, joined, pieces, read
from harness.targets import ModelReply, ModelRequest


class _Function(Part):
    name: str
    arguments: str


class _Call(Part):
    id: str
    type: Literal["function"] = "function"
    function: _Function


class _System(Part):
    role: Literal["system", "developer"]
    content: str | list[Text]


class _User(Part):
    role: Literal["user"]
    content: str | list[Text]


class _Assistant(Part):
    role: Literal["assistant"]
    content: str | list[Text] | None = None
    tool_calls: list[_Call] | None = None
    reasoning_content: str | None = None


class _Tool(Part):
    role: Literal["tool"]
    content: str | list[Text]
    tool_call_id: str


_AnyMessage = Annotated[_System | _User | _Assistant | _Tool, Field(discriminator="role")]


class _Declaration(Part):
    name: str
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict[str, Any])


class _Declared(Part):
    type: Literal["function"]
    function: _Declaration


class _StreamOptions(Part):
    include_usage: bool = False


class _Body(Part):
    messages: list[_AnyMessage] = Field(min_length=1)
    tools: list[_Declared] | None = None
    seed: Seed | None = None
    stream: bool | None = None
    stream_options: _StreamOptions | None = None
    n: int | None = None


def read_request(body: bytes, beside: Beside) -> Asked:
    """Return what a body of POST /chat/completions asks for.

    Raises:
        InvalidInput: the body is not one, or asks for what is not served.
    """
    found, sent = read(_Body, body, "a chat completion")
    if found.n not in {None, 1}:
        raise InvalidInput(f"n: found {found.n!r}; only one choice is served, leave `n` out")
    request = ModelRequest(
        messages=tuple(_message(each) for each in found.messages),
        tools=tuple(
            ToolSpec(each.function.name, each.function.description, each.function.parameters)
            for each in found.tools or ()
        ),
        seed=beside.seed if found.seed is None else found.seed,
    )
    counted = found.stream_options is not None and found.stream_options.include_usage
    return Asked(request, sent, bool(found.stream), counted)


def completion(exchange: Exchange) -> dict[str, Any]:
    """Return the body that carries a reply."""
    reply = exchange.reply
    message = reply.message
    refused = reply.finish_reason == "refusal"
    body: dict[str, Any] = {"role": "assistant", "content": None if refused else message.content}
    if refused:
        body["refusal"] = message.content
    if message.reasoning is not None:
        body["reasoning_content"] = message.reasoning
    if message.tool_calls:
        body["tool_calls"] = [_call(each) for each in message.tool_calls]
    return {
        **_head(exchange, "chat.completion"),
        "choices": [{"index": 0, "message": body, "finish_reason": _ending(reply)}],
        "usage": _usage(exchange),
    }


def completion_events(exchange: Exchange) -> Iterator[str]:
    """Yield the same reply as a stream; its usage comes in a chunk without choices, where it is asked for."""
    head = _head(exchange, "chat.completion.chunk")
    unknown = {"usage": None} if exchange.asked.counted else {}

    def chunk(delta: Mapping[str, Any], finish_reason: str | None = None) -> str:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
        return event({**head, "choices": [choice], **unknown})

    message = exchange.reply.message
    yield chunk({"role": "assistant", "content": ""})
    for text in pieces(message.reasoning or ""):
        yield chunk({"reasoning_content": text})
    field = "refusal" if exchange.reply.finish_reason == "refusal" else "content"
    for text in pieces(message.content or ""):
        yield chunk({field: text})
    for index, each in enumerate(message.tool_calls):
        begun = _call(ToolCall(each.id, each.name, ""))
        yield chunk({"tool_calls": [{"index": index, **begun}]})
        for text in pieces(each.arguments):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": text}}]})
    yield chunk({}, _ending(exchange.reply))
    if exchange.asked.counted:
        yield event({**head, "choices": [], "usage": _usage(exchange)})
    yield event("[DONE]")


def error_body(status: int, code: str, message: str) -> dict[str, Any]:
    """Return the body of a failure, spelled as OpenAI spells it."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    if status == 429:
        kind = "rate_limit_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _head(exchange: Exchange, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{exchange.id}",
        "object": kind,
        "created": exchange.created,
        "model": exchange.model,
    }


def _usage(exchange: Exchange) -> dict[str, int]:
    sent, written = exchange.tokens
    return {"prompt_tokens": sent, "completion_tokens": written, "total_tokens": sent + written}


def _ending(reply: ModelReply) -> str:
    """Return the finish_reason; OpenAI has none for a refusal, which stands in a field of its own."""
    if reply.finish_reason == "refusal":
        return "stop"
    return reply.finish_reason or ("tool_calls" if reply.message.tool_calls else "stop")


def _message(found: _AnyMessage) -> Message:
    text = joined(found.content)
    if isinstance(found, _Tool):
        return Message("tool", text, tool_call_id=found.tool_call_id)
    if isinstance(found, _Assistant):
        calls = tuple(
            ToolCall(each.id, each.function.name, each.function.arguments) for each in found.tool_calls or ()
        )
        return Message("assistant", text, calls, reasoning=found.reasoning_content)
    return Message("user" if found.role == "user" else "system", text)


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}

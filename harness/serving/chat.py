"""The OpenAI chat API's bodies: requests read, replies and errors written."""

import json
from collections.abc import Iterable
from typing import Annotated, Any, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import InvalidInput
from harness.model import Message, ToolCall, ToolSpec, canonical, digest
from harness.targets import ModelReply, ModelRequest, trial_seed

DEFAULT_SEED = trial_seed(0, 1)
"""Of a request without one: it plays the first trial."""

CHARACTERS_PER_TOKEN = 4
_LONGEST_SEED = 2**63
_LONGEST_PROBLEM = 300


class _Part(BaseModel):
    """Part of a body; what it does not name is left unread, as the real API's extensions would be."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _Function(_Part):
    name: str
    arguments: str


class _Call(_Part):
    id: str
    type: Literal["function"] = "function"
    function: _Function


class _Text(_Part):
    type: Literal["text"]
    text: str


class _System(_Part):
    role: Literal["system", "developer"]
    content: str | list[_Text]


class _User(_Part):
    role: Literal["user"]
    content: str | list[_Text]


class _Assistant(_Part):
    role: Literal["assistant"]
    content: str | list[_Text] | None = None
    tool_calls: list[_Call] | None = None
    reasoning_content: str | None = None


class _Tool(_Part):
    role: Literal["tool"]
    content: str | list[_Text]
    tool_call_id: str


_AnyMessage = Annotated[_System | _User | _Assistant | _Tool, Field(discriminator="role")]


class _Declaration(_Part):
    name: str
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=dict[str, Any])


class _Declared(_Part):
    type: Literal["function"]
    function: _Declaration


class _Body(_Part):
    messages: list[_AnyMessage] = Field(min_length=1)
    tools: list[_Declared] | None = None
    seed: int | None = Field(default=None, ge=-_LONGEST_SEED, lt=_LONGEST_SEED)
    stream: bool | None = None
    n: int | None = None


def read_request(body: bytes) -> ModelRequest:
    """Return the request that a body of POST /chat/completions makes.

    Raises:
        InvalidInput: the body is not one, or asks for what is not served.
    """
    try:
        read = _Body.model_validate(_object(body))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(each) for each in first["loc"]) or "body"
        msg = f"{where}: {first['msg'][:_LONGEST_PROBLEM]}; send the body of a chat completion"
        raise InvalidInput(msg) from None
    if read.stream:
        raise InvalidInput("stream: streaming is not supported yet; leave `stream` out")
    if read.n not in {None, 1}:
        raise InvalidInput(f"n: found {read.n!r}; only one choice is served, leave `n` out")
    return ModelRequest(
        messages=tuple(_message(each) for each in read.messages),
        tools=tuple(
            ToolSpec(each.function.name, each.function.description, each.function.parameters)
            for each in read.tools or ()
        ),
        seed=DEFAULT_SEED if read.seed is None else read.seed,
    )


def completion(reply: ModelReply, request: ModelRequest, served: str, created: int) -> dict[str, Any]:
    """Return the body that carries a reply.

    Args:
        reply: with tokens as counted, else estimated from its characters.
        request: what it answers.
        served: the target's name, for replies that name no model.
        created: seconds since 1970.
    """
    message = reply.message
    refused = reply.finish_reason == "refusal"
    body: dict[str, Any] = {"role": "assistant", "content": None if refused else message.content}
    if refused:
        body["refusal"] = message.content
    if message.reasoning is not None:
        body["reasoning_content"] = message.reasoning
    if message.tool_calls:
        body["tool_calls"] = [_call(each) for each in message.tool_calls]
    sent = _tokens(request.messages) if reply.usage.prompt_tokens is None else reply.usage.prompt_tokens
    written = _tokens((message,)) if reply.usage.completion_tokens is None else reply.usage.completion_tokens
    return {
        "id": "chatcmpl-" + digest(canonical([request.seed, [_words(each) for each in request.messages]])),
        "object": "chat.completion",
        "created": created,
        "model": reply.model or served,
        "choices": [
            {
                "index": 0,
                "message": body,
                "finish_reason": _ending(reply),
            }
        ],
        "usage": {"prompt_tokens": sent, "completion_tokens": written, "total_tokens": sent + written},
    }


def _ending(reply: ModelReply) -> str:
    """Return the finish_reason; OpenAI has none for a refusal, which stands in a field of its own."""
    if reply.finish_reason == "refusal":
        return "stop"
    return reply.finish_reason or ("tool_calls" if reply.message.tool_calls else "stop")


def error_body(status: int, code: str, message: str) -> dict[str, Any]:
    """Return the body of a failure, spelled as OpenAI spells it."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    if status == 429:
        kind = "rate_limit_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _object(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InvalidInput("body: found no JSON object that can be read; send one with `messages`")
    return cast("dict[str, Any]", value)


def _message(read: _AnyMessage) -> Message:
    text = _joined(read.content)
    if isinstance(read, _Tool):
        return Message("tool", text, tool_call_id=read.tool_call_id)
    if isinstance(read, _Assistant):
        calls = tuple(
            ToolCall(each.id, each.function.name, each.function.arguments) for each in read.tool_calls or ()
        )
        return Message("assistant", text, calls, reasoning=read.reasoning_content)
    return Message("user" if read.role == "user" else "system", text)


def _joined(content: str | list[_Text] | None) -> str | None:
    return "".join(each.text for each in content) if isinstance(content, list) else content


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _tokens(messages: Iterable[Message]) -> int:
    return sum(len(text) for each in messages for text in _words(each)) // CHARACTERS_PER_TOKEN


def _words(message: Message) -> list[str]:
    called = (word for call in message.tool_calls for word in (call.name, call.arguments))
    return [message.content or "", *called]

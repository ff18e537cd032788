"""Anthropic's messages: requests read, replies, streams and errors written."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from harness.errors import TargetUnavailable
from harness.model import Message, ToolCall, ToolSpec
from harness.serving.bodies import (
    Asked,
    Beside,
    Exchange,
    Part,
    Text,
    as_object,
    estimated,
    event,
    joined,
    pieces,
    read,
    read_seed,
)
from harness.targets import ModelRequest

SEED = "seed:"
"""`metadata.user_id` that begins so names the seed, for which the API has no field."""


class _Use(Part):
    type: Literal["tool_use"]
    id: str
    name: str
    input: dict[str, Any]


class _Result(Part):
    type: Literal["tool_result"]
    tool_use_id: str
    content: str | list[Text] | None = None


class _Thinking(Part):
    type: Literal["thinking"]
    thinking: str


class _Redacted(Part):
    type: Literal["redacted_thinking"]


_Block = Annotated[Text | _Use | _Result | _Thinking | _Redacted, Field(discriminator="type")]


class _Said(Part):
    role: Literal["user", "assistant"]
    content: str | list[_Block]


class _Tool(Part):
    type: Literal["custom"] | None = None
    name: str
    description: str = ""
    input_schema: dict[str, Any]


class _Metadata(Part):
    user_id: str | None = None


class _Counted(Part):
    messages: list[_Said] = Field(min_length=1)
    system: str | list[Text] | None = None
    tools: list[_Tool] | None = None


class _Body(_Counted):
    max_tokens: int = Field(gt=0)
    metadata: _Metadata | None = None
    stream: bool | None = None


def read_request(body: bytes, beside: Beside) -> Asked:
    """Return what a body of POST /messages asks for.

    Raises:
        InvalidInput: the body is not one.
    """
    found, sent = read(_Body, body, "a message")
    told = (found.metadata.user_id if found.metadata else None) or ""
    seed = read_seed(told.removeprefix(SEED), "metadata.user_id") if told.startswith(SEED) else beside.seed
    tools = tuple(ToolSpec(each.name, each.description, each.input_schema) for each in found.tools or ())
    return Asked(ModelRequest(_messages(found), tools, seed), sent, bool(found.stream))


def counted(body: bytes) -> dict[str, int]:
    """Return the body that answers POST /messages/count_tokens, estimated from the characters."""
    found, _ = read(_Counted, body, "a message")
    return {"input_tokens": estimated(_messages(found))}


def _messages(found: _Counted) -> tuple[Message, ...]:
    system = () if found.system is None else (Message("system", joined(found.system)),)
    return (*system, *(made for each in found.messages for made in _made(each)))


def _made(said: _Said) -> Iterator[Message]:
    """Yield the messages of one that holds blocks: each result is one, and so is all text together."""
    if isinstance(said.content, str):
        yield Message(said.role, said.content)
        return
    texts = [each for each in said.content if isinstance(each, Text)]
    text = joined(texts) if texts else None
    if said.role == "assistant":
        thoughts = [each.thinking for each in said.content if isinstance(each, _Thinking)]
        calls = tuple(
            # A model writes no escapes where it need not.
            ToolCall(each.id, each.name, json.dumps(each.input, ensure_ascii=False))
            for each in said.content
            if isinstance(each, _Use)
        )
        yield Message("assistant", text, calls, reasoning="".join(thoughts) if thoughts else None)
        return
    for each in said.content:
        if isinstance(each, _Result):
            yield Message("tool", joined(each.content) or "", tool_call_id=each.tool_use_id)
    if text is not None:
        yield Message("user", text)


_ENDINGS = {"length": "max_tokens", "tool_calls": "tool_use", "refusal": "refusal"}


def message(exchange: Exchange) -> dict[str, Any]:
    """Return the body that carries a reply; arguments that are no JSON object are wrapped in one.

    Raises:
        TargetUnavailable: the reply is withheld, for which there is an error and no body.
    """
    return {
        **_head(exchange),
        "content": _blocks(exchange),
        "stop_reason": _ending(exchange),
        "usage": _usage(exchange),
    }


def _head(exchange: Exchange) -> dict[str, Any]:
    if exchange.reply.finish_reason == "content_filter":
        raise TargetUnavailable("content_filter", "Output blocked by content filtering policy")
    return {
        "id": f"msg_{exchange.id}",
        "type": "message",
        "role": "assistant",
        "model": exchange.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _usage(exchange: Exchange) -> dict[str, int]:
    sent, written = exchange.tokens
    return {"input_tokens": sent, "output_tokens": written}


def _ending(exchange: Exchange) -> str:
    called = "tool_use" if exchange.reply.message.tool_calls else "end_turn"
    return _ENDINGS.get(exchange.reply.finish_reason or "", called)


def _blocks(exchange: Exchange) -> list[dict[str, Any]]:
    said = exchange.reply.message
    blocks: list[dict[str, Any]] = []
    if said.reasoning is not None:
        blocks.append({"type": "thinking", "thinking": said.reasoning, "signature": exchange.id})
    if said.content:
        blocks.append({"type": "text", "text": said.content})
    blocks += [
        {"type": "tool_use", "id": each.id, "name": each.name, "input": as_object(each.arguments)}
        for each in said.tool_calls
    ]
    return blocks


def message_events(exchange: Exchange) -> Iterator[str]:
    """Yield the same reply as a stream of named events; arguments come as they were written."""
    sent, _ = exchange.tokens
    usage = {"input_tokens": sent, "output_tokens": 0}
    ended = {"stop_reason": _ending(exchange), "stop_sequence": None}
    blocks = _blocks(exchange)
    calls = exchange.reply.message.tool_calls
    written = ["" for _ in blocks[: len(blocks) - len(calls)]] + [each.arguments for each in calls]
    events: Sequence[Mapping[str, Any]] = (
        {"type": "message_start", "message": {**_head(exchange), "usage": usage}},
        {"type": "ping"},
        *(
            made
            for index, (block, arguments) in enumerate(zip(blocks, written, strict=True))
            for made in _block_events(index, block, arguments)
        ),
        {"type": "message_delta", "delta": ended, "usage": _usage(exchange)},
        {"type": "message_stop"},
    )
    for each in events:
        yield event(each, each["type"])


_EMPTIED: Mapping[str, Mapping[str, Any]] = {
    "text": {"text": ""},
    "tool_use": {"input": {}},
    "thinking": {"thinking": "", "signature": ""},
}


def _block_events(index: int, block: Mapping[str, Any], arguments: str) -> Iterator[Mapping[str, Any]]:
    kind = block["type"]
    emptied = _EMPTIED[kind]
    yield {"type": "content_block_start", "index": index, "content_block": {**block, **emptied}}
    deltas: list[dict[str, Any]]
    if kind == "tool_use":
        deltas = [{"type": "input_json_delta", "partial_json": each} for each in ("", *pieces(arguments))]
    elif kind == "text":
        deltas = [{"type": "text_delta", "text": each} for each in pieces(block["text"])]
    else:
        deltas = [{"type": "thinking_delta", "thinking": each} for each in pieces(block["thinking"])]
        deltas.append({"type": "signature_delta", "signature": block["signature"]})
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


_KINDS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def failure(status: int, error: Mapping[str, Any]) -> dict[str, Any]:
    """Return the body of a failure as Anthropic spells it, from what OpenAI puts into `error`."""
    kind = _KINDS.get(status, "api_error" if status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": error["message"]}}

"""OpenAI's Responses API: requests read, replies and streams written."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag

from harness.errors import InvalidInput
from harness.model import Message, ToolCall, ToolSpec
from harness.serving.bodies import (
    Asked,
    Beside,
    Exchange,
    Part,
    Seed,
    Text,
    event,
    joined,
    pieces,
    read,
    read_seed,
)
from harness.targets import ModelRequest


class _Refusal(Part):
    type: Literal["refusal"]
    refusal: str


class _Said(Part):
    role: Literal["user", "assistant", "system", "developer"]
    content: str | list[Annotated[Text | _Refusal, Field(discriminator="type")]]


class _Call(Part):
    type: Literal["function_call"]
    call_id: str
    name: str
    arguments: str


class _Result(Part):
    type: Literal["function_call_output"]
    call_id: str
    output: str | list[Text]


class _Summary(Part):
    text: str


class _Reasoning(Part):
    type: Literal["reasoning"]
    summary: list[_Summary] = Field(default_factory=list[_Summary])


def _kind(item: Any) -> str:
    return str(item.get("type") or "message") if isinstance(item, dict) else "message"  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]


_Item = Annotated[
    Annotated[_Said, Tag("message")]
    | Annotated[_Call, Tag("function_call")]
    | Annotated[_Result, Tag("function_call_output")]
    | Annotated[_Reasoning, Tag("reasoning")],
    Discriminator(_kind),
]


class _Function(Part):
    type: Literal["function"]
    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None


class _Body(Part):
    input: str | list[_Item]
    instructions: str | None = None
    tools: list[_Function] | None = None
    seed: Seed | None = None
    metadata: dict[str, str] | None = None
    previous_response_id: str | None = None
    stream: bool | None = None
    background: bool | None = None


def read_request(body: bytes, beside: Beside) -> Asked:
    """Return what a body of POST /responses asks for.

    The API has no seed: `metadata.seed` is taken for one, and so is a field `seed`, which some servers know.

    Raises:
        InvalidInput: the body is not one, or asks for what is not served.
    """
    found, sent = read(_Body, body, "a response")
    if found.background:
        raise InvalidInput("background: found true; only replies that are waited for are served")
    told = (found.metadata or {}).get("seed")
    seed = found.seed if told is None else read_seed(told, "metadata.seed")
    said = [Message("user", found.input)] if isinstance(found.input, str) else list(_messages(found.input))
    instructions = () if found.instructions is None else (Message("system", found.instructions),)
    request = ModelRequest(
        messages=(*instructions, *_before(found.previous_response_id, beside), *said),
        tools=tuple(
            ToolSpec(each.name, each.description or "", each.parameters or {}) for each in found.tools or ()
        ),
        seed=beside.seed if seed is None else seed,
    )
    if not request.messages:
        raise InvalidInput("input: found no items; send at least one message")
    return Asked(request, sent, bool(found.stream), instructions=len(instructions))


def _before(previous: str | None, beside: Beside) -> tuple[Message, ...]:
    """Return the conversation that an earlier response ended, without its instructions."""
    if previous is None:
        return ()
    said = beside.recall(previous)
    if said is None:
        raise InvalidInput(
            f"previous_response_id: found {previous[:80]!r}, which is not remembered; send the items instead"
        )
    return said


def _messages(items: list[_Item]) -> Iterator[Message]:
    """Yield the messages that items stand for: a reply's text, reasoning and calls are one message."""
    reply: Message | None = None
    for item in items:
        if isinstance(item, _Call):
            reply = reply or Message("assistant")
            call = ToolCall(item.call_id, item.name, item.arguments)
            reply = replace(reply, tool_calls=(*reply.tool_calls, call))
            continue
        own = isinstance(item, _Reasoning) or (isinstance(item, _Said) and item.role == "assistant")
        if reply is not None and (not own or reply.content is not None or reply.tool_calls):
            yield reply
            reply = None
        if isinstance(item, _Result):
            yield Message("tool", joined(item.output), tool_call_id=item.call_id)
        elif isinstance(item, _Reasoning):
            reply = Message("assistant", reasoning="".join(each.text for each in item.summary) or None)
        elif item.role == "assistant":
            reply = replace(reply or Message("assistant"), content=_text(item))
        else:
            yield Message("user" if item.role == "user" else "system", _text(item))
    if reply is not None:
        yield reply


def _text(said: _Said) -> str:
    if isinstance(said.content, str):
        return said.content
    return "".join(each.refusal if isinstance(each, _Refusal) else each.text for each in said.content)


_INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}


def response_id(exchange: Exchange) -> str:
    """Return the id under which the conversation can be gone on with."""
    return f"resp_{exchange.id}"


def response(exchange: Exchange) -> dict[str, Any]:
    """Return the body that carries a reply."""
    sent, written = exchange.tokens
    why = _INCOMPLETE.get(exchange.reply.finish_reason or "")
    return {
        **_head(exchange),
        "status": "incomplete" if why else "completed",
        "incomplete_details": {"reason": why} if why else None,
        "output": _output(exchange),
        "usage": {
            "input_tokens": sent,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": written,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sent + written,
        },
    }


def _head(exchange: Exchange) -> dict[str, Any]:
    return {
        "id": response_id(exchange),
        "object": "response",
        "created_at": exchange.created,
        "status": "in_progress",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "model": exchange.model,
        "output": [],
        "parallel_tool_calls": True,
        "temperature": None,
        "tool_choice": "auto",
        "tools": [
            {
                "type": "function",
                "name": each.name,
                "description": each.description,
                "parameters": each.parameters,
                "strict": False,
            }
            for each in exchange.asked.request.tools
        ],
        "top_p": None,
        "usage": None,
    }


def _output(exchange: Exchange) -> list[dict[str, Any]]:
    said, ended = exchange.reply.message, exchange.reply.finish_reason
    items: list[dict[str, Any]] = []
    if said.reasoning is not None:
        summary = [{"type": "summary_text", "text": said.reasoning}]
        items.append({"type": "reasoning", "id": f"rs_{exchange.id}", "summary": summary})
    if said.content or not said.tool_calls:
        written = said.content or ""
        part: dict[str, Any] = {"type": "output_text", "text": written, "annotations": [], "logprobs": []}
        items.append(
            {
                "type": "message",
                "id": f"msg_{exchange.id}",
                "status": "incomplete" if ended in _INCOMPLETE else "completed",
                "role": "assistant",
                "content": [{"type": "refusal", "refusal": written} if ended == "refusal" else part],
            }
        )
    items += [
        {
            "type": "function_call",
            "id": f"fc_{exchange.id}_{index}",
            "call_id": each.id,
            "name": each.name,
            "arguments": each.arguments,
            "status": "completed",
        }
        for index, each in enumerate(said.tool_calls)
    ]
    return items


def response_events(exchange: Exchange) -> Iterator[str]:
    """Yield the same reply as a stream of named, numbered events."""
    whole = response(exchange)
    ended = "response.incomplete" if whole["status"] == "incomplete" else "response.completed"
    events: list[Mapping[str, Any]] = [
        {"type": "response.created", "response": _head(exchange)},
        {"type": "response.in_progress", "response": _head(exchange)},
        *(found for index, item in enumerate(whole["output"]) for found in _item_events(index, item)),
        {"type": ended, "response": whole},
    ]
    for number, each in enumerate(events):
        yield event({**each, "sequence_number": number}, each["type"])


def _item_events(index: int, item: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    begun: dict[str, Any] = {**item, "status": "in_progress"}
    here = {"item_id": item["id"], "output_index": index}
    inner: Iterator[Mapping[str, Any]] = iter(())
    if item["type"] == "function_call":
        begun["arguments"] = ""
        inner = _call_events(item, here)
    elif item["type"] == "message":
        begun["content"] = []
        inner = _part_events(item["content"][0], {**here, "content_index": 0})
    else:
        begun = {**item, "summary": []}
        inner = _summary_events(item["summary"][0], {**here, "summary_index": 0})
    yield {"type": "response.output_item.added", "output_index": index, "item": begun}
    yield from inner
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _call_events(item: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for text in pieces(item["arguments"]):
        yield {"type": "response.function_call_arguments.delta", **here, "delta": text}
    done = {"name": item["name"], "arguments": item["arguments"]}
    yield {"type": "response.function_call_arguments.done", **here, **done}


def _part_events(part: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    field = "refusal" if part["type"] == "refusal" else "text"
    called = "response.refusal" if field == "refusal" else "response.output_text"
    logprobs: Mapping[str, Any] = {} if field == "refusal" else {"logprobs": []}
    yield {"type": "response.content_part.added", **here, "part": {**part, field: ""}}
    for text in pieces(part[field]):
        yield {"type": f"{called}.delta", **here, "delta": text, **logprobs}
    yield {"type": f"{called}.done", **here, field: part[field], **logprobs}
    yield {"type": "response.content_part.done", **here, "part": part}


def _summary_events(part: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield {"type": "response.reasoning_summary_part.added", **here, "part": {**part, "text": ""}}
    for text in pieces(part["text"]):
        yield {"type": "response.reasoning_summary_text.delta", **here, "delta": text}
    yield {"type": "response.reasoning_summary_text.done", **here, "text": part["text"]}
    yield {"type": "response.reasoning_summary_part.done", **here, "part": part}

"""Anthropic's Messages API as it is logged: a request, a response, or `{request, response}`.

Content blocks become messages in their order: text and calls of one message stay together, thinking is kept
as reasoning, each tool_result is a message of its own. A result with `is_error` that is no JSON object is
kept as `{"error": ...}`: that call returned nothing, for certain.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from harness.auditing.chat_logs import NAMED, sides
from harness.auditing.importing import Imported, Refused, gaps
from harness.auditing.values import brief, mapping, objects, string, tools_offered, usage
from harness.errors import InvalidInput
from harness.model import Failure, Message, SampleId, ToolCall, Transcript, Turn

_OBJECT, _ARRAY = frozenset({dict}), frozenset({list})
_BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking")


def is_anthropic(value: Mapping[str, Any]) -> bool:
    """Return whether a value is a request or a response of the Messages API, or holds a pair of them."""
    if isinstance(value.get("response"), dict):
        return any(_is_side(each) for each in sides(value))
    return _is_side(value)


def _is_side(value: Mapping[str, Any]) -> bool:
    if value.get("type") == "message" and isinstance(value.get("content"), list):
        return True
    messages, tools = value.get("messages"), value.get("tools")
    if not isinstance(messages, list):
        return False
    if value.get("system") is not None or "anthropic_version" in value:
        return True
    listed = cast("list[Any]", tools) if isinstance(tools, list) else []
    if any("input_schema" in mapping(each) for each in listed):
        return True
    # Of most records every content is a text.
    spoken = [
        each["content"]
        for each in cast("list[Any]", messages)
        if type(each) in _OBJECT and type(each.get("content")) in _ARRAY
    ]
    return any(mapping(block).get("type") in _BLOCKS for blocks in spoken for block in blocks)


def read_anthropic(value: Mapping[str, Any], source: str) -> Iterator[Imported | Refused]:
    """Yield the transcript of a request, a response, or both."""
    try:
        yield _imported(value, source)
    except InvalidInput as error:
        yield Refused(source, str(error))


def _imported(value: Mapping[str, Any], source: str) -> Imported:
    paired = "response" in value
    nothing: Mapping[str, Any] = {}
    asked, came = sides(value) if paired or "messages" not in value else (value, nothing)
    messages = list(_system(asked.get("system")))
    for index, each in enumerate(objects(asked.get("messages", []), "messages")):
        messages += _messages(each, f"messages[{index}]")
    said = list(_messages({"role": "assistant", **came}, "response")) if came else []
    if said and messages and messages[-1].role == "assistant" and not messages[-1].tool_calls:
        # The request began the answer, and the model went on from there.
        begun = messages.pop()
        said[0] = Message(
            "assistant",
            (begun.content or "") + (said[0].content or ""),
            said[0].tool_calls,
            reasoning=said[0].reasoning,
        )
    messages += said
    scenario, contract = (string(value, name) for name in NAMED)
    model = string(came, "model") or string(asked, "model") or "audited"
    tools = tools_offered(asked.get("tools"))
    return Imported(
        source,
        Transcript(
            id=SampleId(scenario or "-", contract or "-", model, 1),
            messages=tuple(messages),
            tools=tools,
            turns=(Turn(len(messages) - 1, None, string(came, "stop_reason"), usage(came.get("usage"))),),
            failure=None if messages else Failure("empty", "no messages"),
            shows_tools=bool(tools) or any(each.tool_calls or each.role == "tool" for each in messages),
            gaps=gaps(messages, tools),
        ),
        scenario,
        contract,
    )


def _system(value: Any) -> Iterator[Message]:
    if value is not None:
        yield Message("system", _text(value, "system"))


def _messages(value: Mapping[str, Any], place: str) -> Iterator[Message]:
    role, content = value.get("role"), value.get("content")
    if role == "system":
        yield Message("system", _text(content, f"{place}.content"))
    elif role not in ("user", "assistant"):
        raise InvalidInput(f"{place}.role: found {brief(role)}; use user or assistant")
    elif isinstance(content, str) or content is None:
        yield Message("user" if role == "user" else "assistant", content)
    else:
        blocks = objects(content, f"{place}.content", "a string or a list of blocks")
        yield from (_asked if role == "user" else _said)(blocks, f"{place}.content")


def _asked(blocks: Sequence[Mapping[str, Any]], place: str) -> Iterator[Message]:
    texts: list[str] = []
    for index, block in enumerate(blocks):
        if block.get("type") == "tool_result":
            answered = string(block, "tool_use_id", f"{place}[{index}]")
            yield Message("tool", _result(block, f"{place}[{index}]"), tool_call_id=answered)
        elif isinstance(block.get("text"), str):
            texts.append(block["text"])
    if texts:
        yield Message("user", "".join(texts))


def _said(blocks: Sequence[Mapping[str, Any]], place: str) -> Iterator[Message]:
    texts = [each["text"] for each in blocks if isinstance(each.get("text"), str)]
    thoughts = [each["thinking"] for each in blocks if isinstance(each.get("thinking"), str)]
    calls = [
        _call(each, f"{place}[{index}]")
        for index, each in enumerate(blocks)
        if each.get("type") == "tool_use"
    ]
    yield Message(
        "assistant",
        "".join(texts) if texts else None,
        tuple(calls),
        reasoning="\n".join(thoughts) if thoughts else None,
    )


def _call(block: Mapping[str, Any], place: str) -> ToolCall:
    name, given = block.get("name"), block.get("input")
    if not isinstance(name, str):
        raise InvalidInput(f"{place}: found {brief(block)}; use id, name and input")
    text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    return ToolCall(string(block, "id", place) or "", name, "" if given is None else text)


def _result(block: Mapping[str, Any], place: str) -> str:
    text = _text(block.get("content"), f"{place}.content")
    return as_error(text) if block.get("is_error") is True else text


def as_error(text: str) -> str:
    """Return what a failed call said as an object that is no result."""
    try:
        known = isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        known = False
    return text if known else json.dumps({"error": text}, ensure_ascii=False)


def _text(value: Any, place: str) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    parts = objects(value, place, "a string or a list of blocks")
    return "".join(each["text"] for each in parts if isinstance(each.get("text"), str))

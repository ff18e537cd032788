"""OpenAI requests and responses as they are logged: chat completions and the Responses API, made into chats.

A record is a response alone, or `{request, response}`, each bare or under `body`. A response alone shows
neither prompt nor tools. The request of a later turn holds the conversation so far, so that the record of the
last turn is the whole of it; the records of earlier turns end before the answer, and are unscored.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from harness.auditing.importing import Imported, Refused, conversation
from harness.auditing.values import brief, mapping, objects, string
from harness.errors import InvalidInput

NAMED = ("scenario", "contract")
"""What a record may say of itself, beside what was sent and received."""


def sides(value: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return what was asked and what came of it; a response alone was asked with nothing known."""
    if "response" not in value:
        return {}, mapping(value.get("body")) or value
    asked, came = mapping(value.get("request")), mapping(value["response"])
    return mapping(asked.get("body")) or asked, mapping(came.get("body")) or came


def is_chat_log(value: Mapping[str, Any]) -> bool:
    """Return whether a value is a chat completion, alone or with its request."""
    return isinstance(sides(value)[1].get("choices"), list)


def is_responses_log(value: Mapping[str, Any]) -> bool:
    """Return whether a value is a response of the Responses API, alone or with its request."""
    came = sides(value)[1]
    return isinstance(came.get("output"), list) and (came.get("object") == "response" or "status" in came)


def read_chat_log(value: Mapping[str, Any], source: str) -> Iterator[Imported | Refused]:
    """Yield one transcript for each choice of a chat completion."""
    try:
        asked, came = sides(value)
        before = objects(asked.get("messages", []), "request.messages")
        choices = objects(came["choices"], "choices")
    except InvalidInput as error:
        yield Refused(source, str(error))
        return
    if not choices:
        yield Refused(source, "choices: found []; use a response that holds one")
    for index, choice in enumerate(choices):
        place = source if len(choices) == 1 else f"{source} choices[{index}]"
        message = choice.get("message")
        if not isinstance(message, dict):
            reason = f"choices[{index}]: found {brief(choice)}; use whole responses, not parts of a stream"
            yield Refused(place, reason)
            continue
        yield conversation(
            {
                **_about(value, asked, came),
                "messages": [*before, {"role": "assistant", **message}],
                "tools": asked.get("tools"),
                "finish_reason": choice.get("finish_reason"),
            },
            place,
        )


def read_responses_log(value: Mapping[str, Any], source: str) -> Iterator[Imported | Refused]:
    """Yield the transcript of a response of the Responses API."""
    try:
        yield conversation(_of_responses(value), source)
    except InvalidInput as error:
        yield Refused(source, str(error))


def _about(value: Mapping[str, Any], asked: Mapping[str, Any], came: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: value.get(name) for name in NAMED} if "response" in value else {}
    return {**named, "model": came.get("model") or asked.get("model"), "usage": came.get("usage")}


def _of_responses(value: Mapping[str, Any]) -> dict[str, Any]:
    asked, came = sides(value)
    told = string(asked, "instructions", "request")
    given = asked.get("input", [])
    items = (
        [{"role": "user", "content": given}] if isinstance(given, str) else objects(given, "request.input")
    )
    messages: list[dict[str, Any]] = [{"role": "system", "content": told}] if told else []
    for index, item in enumerate([*items, *objects(came["output"], "output")]):
        _take(messages, item, f"item {index}")
    return {
        **_about(value, asked, came),
        "messages": messages,
        "tools": asked.get("tools"),
        "finish_reason": mapping(came.get("incomplete_details")).get("reason"),
    }


def _take(messages: list[dict[str, Any]], item: Mapping[str, Any], place: str) -> None:
    """Add an item: what a model says and calls without a pause is one message."""
    kind = item.get("type", "message")
    if kind == "function_call_output":
        content = item.get("output")
        messages.append({"role": "tool", "tool_call_id": item.get("call_id"), "content": content})
    elif kind == "message" and item.get("role") != "assistant":
        messages.append({"role": item.get("role"), "content": item.get("content")})
    elif kind == "message":
        _turn(messages, "content")["content"] = item.get("content")
    elif kind == "reasoning":
        parts = objects(item.get("summary") or [], f"{place}.summary")
        texts = [each["text"] for each in parts if isinstance(each.get("text"), str)]
        _turn(messages, "reasoning", "content", "tool_calls")["reasoning"] = "\n".join(texts)
    elif kind == "function_call":
        named = {"name": item.get("name"), "arguments": item.get("arguments", "")}
        _turn(messages).setdefault("tool_calls", []).append({"id": item.get("call_id"), "function": named})
    else:
        raise InvalidInput(
            f"{place}: found type {brief(kind)}; use message, reasoning, function_call, function_call_output"
        )


def _turn(messages: list[dict[str, Any]], *fresh: str) -> dict[str, Any]:
    """Return the model's message that goes on, or a new one where it has one of `fresh` already."""
    if not messages or messages[-1].get("role") != "assistant" or any(key in messages[-1] for key in fresh):
        messages.append({"role": "assistant"})
    return messages[-1]

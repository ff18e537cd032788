"""Transcripts as JSON lines: what repeats (prompts, tool definitions, tool results) is kept by digest."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

from harness.model import Failure, Message, SampleId, ToolCall, ToolSpec, Transcript, Turn, Usage
from harness.model.remembering import once_per_object
from harness.model.values import canonical, digest


class LostBlob(Exception):
    """A text that a transcript names by digest is gone: what was said can no longer be read."""


_DIGEST = re.compile(rb'"([0-9a-f]{16})"')

Keep = Callable[[str], str]
"""Store a text and return its digest."""


def encode(transcript: Transcript, keep: Keep) -> dict[str, Any]:
    """Return a transcript as one JSON object; long shared texts go through `keep`."""
    return {
        "sample": str(transcript.id),
        "started": transcript.started,
        "shows_tools": transcript.shows_tools,
        "messages": [_message(each, keep) for each in transcript.messages],
        "tools": keep(_tools(transcript.tools)),
        "turns": [_turn(each) for each in transcript.turns],
        "failure": [transcript.failure.cause, transcript.failure.detail] if transcript.failure else None,
        "digests": dict(transcript.digests),
        **({"gaps": dict(transcript.gaps)} if transcript.gaps else {}),
    }


def decode(value: Mapping[str, Any], blobs: Mapping[str, str]) -> Transcript:
    """Return the transcript of a JSON object; raise KeyError, TypeError or ValueError where it is none."""
    failure = value["failure"]
    return Transcript(
        id=SampleId.parse(value["sample"]),
        messages=tuple(_read_message(each, blobs) for each in value["messages"]),
        tools=_read_tools(_blob(blobs, value["tools"])),
        turns=tuple(_read_turn(each) for each in value["turns"]),
        failure=Failure(*failure) if failure else None,
        shows_tools=value["shows_tools"],
        started=value["started"],
        digests=value["digests"],
        gaps=value.get("gaps", {}),
    )


def texts_named(line: bytes) -> Iterator[str]:
    """Yield the digests that a line of transcripts names, and maybe what only looks like one."""
    return (each.decode() for each in _DIGEST.findall(line))


def _message(message: Message, keep: Keep) -> dict[str, Any]:
    made: dict[str, Any] = {"role": message.role}
    if message.role == "assistant":
        made["content"] = message.content
        if message.tool_calls:
            made["tool_calls"] = [[each.id, each.name, each.arguments] for each in message.tool_calls]
        if message.reasoning is not None:
            made["reasoning"] = message.reasoning
    else:
        made["blob"] = keep(message.content or "")
        if message.tool_call_id is not None:
            made["tool_call_id"] = message.tool_call_id
    return made


def _read_message(value: Mapping[str, Any], blobs: Mapping[str, str]) -> Message:
    calls = cast("list[list[str]]", value.get("tool_calls", []))
    return Message(
        role=value["role"],
        content=_blob(blobs, value["blob"]) if "blob" in value else value["content"],
        tool_calls=tuple(ToolCall(*each) for each in calls),
        tool_call_id=value.get("tool_call_id"),
        reasoning=value.get("reasoning"),
    )


def _blob(blobs: Mapping[str, str], key: Any) -> str:
    if isinstance(key, str) and key not in blobs:
        raise LostBlob(key)
    return blobs[key]


@once_per_object(64)
def _tools(tools: tuple[ToolSpec, ...]) -> str:
    return canonical([_tool(each) for each in tools])


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


@lru_cache(maxsize=256)
def _read_tools(text: str) -> tuple[ToolSpec, ...]:
    return tuple(ToolSpec(**each) for each in json.loads(text))


def _turn(turn: Turn) -> dict[str, Any]:
    usage = [turn.usage.prompt_tokens, turn.usage.completion_tokens, turn.usage.cost]
    made = {
        "sent": turn.sent,
        "seed": turn.seed,
        "finish_reason": turn.finish_reason,
        "usage": usage,
        "seconds": round(turn.seconds, 4),
        "attempts": turn.attempts,
    }
    known = {"model": turn.model, "wire": turn.wire}
    return made | {name: value for name, value in known.items() if value is not None}


def _read_turn(value: Mapping[str, Any]) -> Turn:
    return Turn(
        sent=value["sent"],
        seed=value["seed"],
        finish_reason=value["finish_reason"],
        usage=Usage(*value["usage"]),
        seconds=value["seconds"],
        attempts=value["attempts"],
        model=value.get("model"),
        wire=value.get("wire"),
    )


def request_digest(messages: Iterable[Message], tools: tuple[ToolSpec, ...]) -> str:
    """Return the digest of a request, exactly: every message of the conversation so far and every tool."""
    return digest(f"[[{','.join(map(_spelled, messages))}],{_tools(tools)}]")


# Each request of a conversation repeats the messages of the one before.
@once_per_object(256)
def _spelled(message: Message) -> str:
    calls = [[each.id, each.name, each.arguments] for each in message.tool_calls]
    # What is stored of the others does not tell no content from an empty one.
    content = message.content if message.role == "assistant" else message.content or ""
    return canonical({
        "role": message.role,
        "content": content,
        "tool_calls": calls,
        "tool_call_id": message.tool_call_id,
        "reasoning": message.reasoning,
    })  # fmt: skip


@lru_cache(512)
def blob_key(text: str) -> str:
    """Return the digest of a text; most texts are prompts and results that come again and again."""
    return digest(text)


def blob_line(text: str) -> str:
    """Return the line of blobs.jsonl that keeps a text."""
    return json.dumps({"digest": blob_key(text), "text": text}, ensure_ascii=False) + "\n"

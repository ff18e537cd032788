"""Edits of good transcripts: the model's messages change, tool results are held."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from harness.model import Message, ToolCall, Transcript

Edit = Callable[[dict[str, Any]], Any]


def with_text(transcript: Transcript, text: str, finish_reason: str = "stop") -> Transcript:
    """Return the transcript with another final message."""
    messages = (*transcript.messages[:-1], Message("assistant", text))
    turns = (*transcript.turns[:-1], replace(transcript.turns[-1], finish_reason=finish_reason))
    return replace(transcript, messages=messages, turns=turns)


def with_answer(transcript: Transcript, edit: Edit) -> Transcript:
    """Return the transcript with its answer edited; the edit changes the object, or returns another."""
    answer = json.loads(transcript.messages[-1].content or "")
    return with_text(transcript, json.dumps(edit(answer) or answer))


def with_search(transcript: Transcript, edit: Edit) -> Transcript:
    """Return the transcript with the arguments of every catalog search edited."""

    def call(each: ToolCall) -> ToolCall:
        if not each.name.startswith("search_"):
            return each
        arguments = json.loads(each.arguments)
        return replace(each, arguments=json.dumps(edit(arguments) or arguments))

    messages = tuple(
        replace(each, tool_calls=tuple(call(one) for one in each.tool_calls)) if each.tool_calls else each
        for each in transcript.messages
    )
    return replace(transcript, messages=messages)


def put(pointer: str, value: Any) -> Edit:
    """Return the edit that sets what stands at a JSON pointer."""

    def edit(answer: dict[str, Any]) -> None:
        *parents, last = pointer.split("/")[1:]
        here: Any = answer
        for key in parents:
            here = here[int(key) if isinstance(here, list) else key]
        here[last] = value

    return edit


def drop(pointer: str) -> Edit:
    """Return the edit that takes a key away."""

    def edit(answer: dict[str, Any]) -> None:
        *parents, last = pointer.split("/")[1:]
        here: Any = answer
        for key in parents:
            here = here[int(key) if isinstance(here, list) else key]
        del here[last]

    return edit


def both(*edits: Edit) -> Edit:
    """Return the edit that makes several."""

    def edit(answer: dict[str, Any]) -> None:
        for each in edits:
            each(answer)

    return edit

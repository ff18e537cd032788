"""Where two conversations part: the first reply that differs."""

import json
from typing import Any, NamedTuple

from harness.model import Message, Transcript


class Parting(NamedTuple):
    """The first reply, counted from 1, that differs, and how; 0 is the prompt."""

    turn: int
    how: str


def parting(before: Transcript, now: Transcript) -> Parting | None:
    """Return where two transcripts part, or None where they say the same; ids of calls do not count."""
    if _texts(before.prompt) != _texts(now.prompt):
        return Parting(0, "the prompt")
    first, second = before.messages[len(before.prompt) :], now.messages[len(now.prompt) :]
    turn = 0
    for was, became in zip(first, second, strict=False):
        turn += became.role == "assistant"
        how = _difference(was, became)
        if how:
            return Parting(turn, how)
    if len(first) != len(second):
        ended, names = (second, "ends here") if len(second) < len(first) else (first, "goes on")
        return Parting(sum(each.role == "assistant" for each in ended), names)
    return None


def _difference(was: Message, became: Message) -> str | None:
    if was.role != became.role:
        return "answers instead of calling a tool" if became.role == "assistant" else "calls a tool"
    if was.role == "tool":
        return "a tool result" if was.content != became.content else None
    before, now = [_call(each) for each in was.tool_calls], [_call(each) for each in became.tool_calls]
    if before != now:
        return _calls(before, now)
    return "the text" if (was.content or "") != (became.content or "") else None


def _calls(before: list[tuple[str, Any]], now: list[tuple[str, Any]]) -> str:
    if not now:
        return "answers instead of calling a tool"
    if not before:
        return f"calls {now[0][0]} instead of answering"
    for one, other in zip(before, now, strict=False):
        if one[0] != other[0]:
            return f"calls {other[0]} instead of {one[0]}"
        if one[1] != other[1]:
            return f"calls {other[0]} with other arguments"
    return "more calls" if len(now) > len(before) else "fewer calls"


def _call(call: Any) -> tuple[str, Any]:
    try:
        arguments: Any = json.loads(call.arguments)
    except (ValueError, RecursionError):
        arguments = call.arguments
    return call.name, arguments


def _texts(messages: tuple[Message, ...]) -> list[tuple[str, str | None]]:
    return [(each.role, each.content) for each in messages]

"""One sample for the page: what was said, part by part, and each verdict at the line that it concerns."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from harness.extraction import read_answer
from harness.model import Message, ToolCall, Transcript
from harness.reporting.html.packing import Texts
from harness.reporting.html.texts import LaidOut, escaped, laid_out, plain_object, short, shown, value_text
from harness.statistics.spending import spent
from harness.store import ScoreRow

MAX_MESSAGES = 300
MAX_CALLS = 80
MAX_ROWS = 200
LONG_CALL = 90
"""Arguments longer than this are laid out, a key a line."""

_PLACE = re.compile(r"message (\d{1,6})\b ?(.*)", re.DOTALL)


class Part(NamedTuple):
    """A piece of a message: what it is, a heading, its text, and where pointers lead in it."""

    kind: str
    heading: str
    text: str
    layout: LaidOut | None = None


class Place(NamedTuple):
    """Where a verdict stands; part -1 is the message's heading, line -1 the part's."""

    message: int
    part: int
    line: int


def record(transcript: Transcript, rows: Sequence[ScoreRow], would_run: str, texts: Texts) -> dict[str, Any]:
    """Return one sample as the page reads it; long texts go into `texts`."""
    messages = [_parts(transcript, each) for each in transcript.messages[:MAX_MESSAGES]]
    names = {call.id: call.name for each in transcript.messages for call in each.tool_calls}
    return {
        "run": would_run,
        "facts": _facts(transcript),
        "end": _end(transcript),
        "messages": [
            {
                "role": short(message.role, 40),
                "name": short(names.get(message.tool_call_id or "", "")) if message.role == "tool" else "",
                "parts": [[each.kind, each.heading, texts.place(each.text)] for each in parts],
            }
            for message, parts in zip(transcript.messages[:MAX_MESSAGES], messages, strict=True)
        ],
        **verdicts(rows, transcript, messages),
    }


def verdicts(
    rows: Sequence[ScoreRow], transcript: Transcript | None = None, messages: Sequence[Sequence[Part]] = ()
) -> dict[str, Any]:
    """Return a sample's scores: fails and what else is not a pass whole, passes by name."""
    told = [each for each in rows if each.outcome != "pass"][:MAX_ROWS]
    return {
        "verdicts": [
            {
                "clause": short(row.clause, 40),
                "level": short(row.level, 20),
                "outcome": short(row.outcome, 20),
                "reason": short(row.reason, 600),
                "expected": None if row.expected is None else value_text(row.expected),
                "observed": value_text(row.observed) if row.outcome == "fail" else None,
                "place": short(row.place),
                "at": list(_at(row.place, transcript, messages) or ()) if transcript else [],
            }
            for row in told
        ],
        "passed": [short(row.clause, 40) for row in rows if row.outcome == "pass"],
    }


def _facts(transcript: Transcript) -> list[str]:
    found = spent(transcript, compliant=False)
    calls = sum(len(each.tool_calls) for each in transcript.messages)
    facts = [f"{len(transcript.turns)} turns", f"{calls} tool calls", f"{found.seconds:.1f} s"]
    if found.prompt_tokens is not None and found.completion_tokens is not None:
        facts.append(f"{found.prompt_tokens:,.0f} tokens in, {found.completion_tokens:,.0f} out")
    return [*facts, *([f"${found.cost:.4f}"] if found.cost is not None else [])]


def _end(transcript: Transcript) -> str:
    left = len(transcript.messages) - MAX_MESSAGES
    cut = f"{left} more messages are left out; harness show has them. " if left > 0 else ""
    failure = transcript.failure
    why = f"The trial ended here: {short(failure.cause)}: {short(failure.detail, 600)}" if failure else ""
    return cut + why


# What was said


def _parts(transcript: Transcript, message: Message) -> list[Part]:
    parts: list[Part] = []
    if message.reasoning:
        parts.append(Part("reasoning", "reasoning, never read as the answer", shown(message.reasoning)))
    if message is transcript.final:
        parts += _answer(message.content or "")
    elif message.content:
        parts.append(Part("text", "", shown(message.content)))
    parts += [_call(each) for each in message.tool_calls[:MAX_CALLS]]
    left = len(message.tool_calls) - MAX_CALLS
    return [*parts, Part("note", f"{left} more calls are left out", "")] if left > 0 else parts


def _answer(text: str) -> list[Part]:
    """Return the final message: a clean answer laid out, any other as it was written and how it was read."""
    found = read_answer(text)
    if found.value is None:
        read_as = f"read as: {short(str(found.outcome))} ({short(str(found.carrier))})"
        return [Part("text", "", shown(text)), Part("note", read_as, "")]
    layout = laid_out(found.value)
    if found.accepted and found.carrier == "bare" and not found.findings:
        return [Part("answer", "the answer", layout.text, layout)]
    besides = "".join(f"; {short(each.name)} at {short(each.place) or 'the top'}" for each in found.findings)
    how = f"read as ({short(str(found.carrier))}, {short(str(found.tier))}{short(besides, 600)})"
    return [Part("text", "as it was written", shown(text)), Part("answer", how, layout.text, layout)]


def _call(call: ToolCall) -> Part:
    value = plain_object(call.arguments)
    heading = f"calls {short(call.name)}"
    if value is None:
        return Part("call", heading, shown(call.arguments))
    layout = laid_out(value)
    if len(call.arguments) > LONG_CALL:
        return Part("call", heading, layout.text, layout)
    return Part("call", heading, shown(call.arguments), LaidOut([], []))


# Where a verdict stands


def _at(place: str, transcript: Transcript, messages: Sequence[Sequence[Part]]) -> Place | None:
    if place.startswith("/"):
        return _in_answer(place, transcript, messages)
    found = _PLACE.match(place)
    if not found or int(found[1]) >= len(messages):
        return None
    number, what = int(found[1]), found[2]
    if what.startswith("/"):
        return _in_answer(what, transcript, messages)
    for part, each in enumerate(messages[number] if what else ()):
        if each.kind != "call":
            continue
        pointer = f"/{escaped(what)}"
        if each.layout and pointer in each.layout.pointers:
            return Place(number, part, each.layout.line(pointer))
        if each.heading == f"calls {short(what)}":
            return Place(number, part, -1)
    return Place(number, -1, -1)


def _in_answer(pointer: str, transcript: Transcript, messages: Sequence[Sequence[Part]]) -> Place | None:
    for number in range(len(messages) - 1, -1, -1):
        if transcript.messages[number] is transcript.final:
            for part, each in enumerate(messages[number]):
                if each.kind == "answer" and each.layout:
                    return Place(number, part, each.layout.line(pointer))
            return Place(number, -1, -1)
    return None

"""Edits of good transcripts: the model's messages change, tool results are held."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from harness.model import Contract, Message, ToolCall, Transcript
from harness.violations.violation import Arguments, RawAnswer, Situation, Violation


def spliced(violation: Violation, transcript: Transcript, situation: Situation) -> Transcript:
    """Return the transcript as the violation leaves it."""
    search, answer, text = violation.search, violation.answer, violation.text
    if search:
        transcript = map_searches(transcript, situation.contract, lambda each: search(each, situation))
    if violation.blind:
        tool = _tool_name(situation.contract)
        transcript = without_calls(transcript, lambda call: call.name == tool)
    if answer:
        transcript = with_answer(transcript, answer(answer_of(transcript), situation))
    if text:
        transcript = with_text(transcript, text(text_of(transcript), situation))
    return violation.whole(transcript, situation) if violation.whole else transcript


def text_of(transcript: Transcript) -> str:
    """Return the final message."""
    return (transcript.final.content if transcript.final else None) or ""


def answer_of(transcript: Transcript) -> RawAnswer:
    """Return the answer's object; the final message of a good transcript is nothing else."""
    return cast("RawAnswer", json.loads(text_of(transcript)))


def written(answer: Any) -> str:
    """Return a raw answer as mocks write it."""
    return json.dumps(answer, ensure_ascii=False, indent=2)


def with_answer(transcript: Transcript, answer: Any) -> Transcript:
    """Return the transcript with another answer in its final message."""
    return with_text(transcript, written(answer))


def with_text(transcript: Transcript, text: str, finish_reason: str = "stop") -> Transcript:
    """Return the transcript with another final message, and the word for why it ended."""
    *before, last = transcript.messages
    turns = (*transcript.turns[:-1], replace(transcript.turns[-1], finish_reason=finish_reason))
    return replace(transcript, messages=(*before, replace(last, content=text)), turns=turns)


def map_searches(
    transcript: Transcript, contract: Contract, edit: Callable[[Arguments], Arguments]
) -> Transcript:
    """Return the transcript with the arguments of every catalog search edited."""

    def rewritten(arguments: str) -> str:
        return json.dumps(edit(json.loads(arguments)), ensure_ascii=False)

    return map_search_texts(transcript, contract, rewritten)


def map_search_texts(transcript: Transcript, contract: Contract, edit: Callable[[str], str]) -> Transcript:
    """Return the transcript with the raw argument text of every catalog search edited."""
    tool = _tool_name(contract)

    def one(call: ToolCall) -> ToolCall:
        return replace(call, arguments=edit(call.arguments)) if call.name == tool else call

    messages = (
        replace(each, tool_calls=tuple(map(one, each.tool_calls))) if each.tool_calls else each
        for each in transcript.messages
    )
    return replace(transcript, messages=tuple(messages))


def without_calls(transcript: Transcript, keep: Callable[[ToolCall], bool]) -> Transcript:
    """Return the transcript without the calls that are not to be kept, and without their results."""
    gone = {call.id for each in transcript.messages for call in each.tool_calls if not keep(call)}
    messages: list[Message] = []
    for each in transcript.messages:
        calls = tuple(call for call in each.tool_calls if call.id not in gone)
        if each.tool_call_id in gone or (each.tool_calls and not calls):
            continue
        messages.append(replace(each, tool_calls=calls))
    return replace(transcript, messages=tuple(messages))


def with_call(
    transcript: Transcript, before: int, name: str, arguments: Arguments | str, result: str
) -> Transcript:
    """Return the transcript with one more turn: a call before the message of this index, and its result."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    call = ToolCall(f"spliced_{before}", name, text)
    more = (Message("assistant", tool_calls=(call,)), Message("tool", result, tool_call_id=call.id))
    messages = transcript.messages
    return replace(transcript, messages=(*messages[:before], *more, *messages[before:]))


def first_search(transcript: Transcript, contract: Contract) -> int:
    """Return the index of the message that makes the first catalog search; the final one where none does."""
    tool = _tool_name(contract)
    for index, each in enumerate(transcript.messages):
        if any(call.name == tool for call in each.tool_calls):
            return index
    return len(transcript.messages) - 1


def first_call(transcript: Transcript) -> int:
    """Return the index of the first message that calls a tool; the final one where none does."""
    calling = (index for index, each in enumerate(transcript.messages) if each.tool_calls)
    return next(calling, len(transcript.messages) - 1)


def result_of(transcript: Transcript, call: ToolCall) -> str:
    """Return what a call was answered with; "" where nothing was."""
    return next((each.content or "" for each in transcript.messages if each.tool_call_id == call.id), "")


def searches_of(transcript: Transcript, contract: Contract) -> tuple[ToolCall, ...]:
    """Return every call of the catalog tool, in order."""
    tool = _tool_name(contract)
    return tuple(call for each in transcript.messages for call in each.tool_calls if call.name == tool)


def _tool_name(contract: Contract) -> str:
    return contract.catalog_tool.name if contract.catalog_tool else ""

"""What tests of graders share: verdicts by clause, and edits of a whole transcript."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

from splicing import Edit

from harness.contracts import load_contract
from harness.contracts.clauses import clause
from harness.extraction import read_sample
from harness.graders import grade
from harness.model import Contract, Message, Sample, Scenario, Score, ToolCall, Transcript

SEARCH = "search_workflow_catalog"


def contract_of(transcript: Transcript) -> Contract:
    return load_contract(transcript.id.contract)


def sample_of(transcript: Transcript, scenario: Scenario | None, *, told: bool = False) -> Sample:
    return read_sample(transcript, contract_of(transcript), scenario, told=told)


def scores(transcript: Transcript, scenario: Scenario | None, *, told: bool = False) -> dict[str, Score]:
    return {grader.clause: score for grader, score in grade(sample_of(transcript, scenario, told=told))}


def with_outcome(found: dict[str, Score], outcome: str, level: str = "MUST") -> set[str]:
    return {name for name, each in found.items() if each.outcome == outcome and clause(name).level == level}


def broken(transcript: Transcript, scenario: Scenario) -> set[str]:
    """Return the MUST clauses that fail."""
    return with_outcome(scores(transcript, scenario), "fail")


def at_messages(transcript: Transcript, edit: Callable[[Message], Message | None]) -> Transcript:
    """Return the transcript with every message edited; None takes it away."""
    edited = (edit(each) for each in transcript.messages)
    return replace(transcript, messages=tuple(each for each in edited if each is not None))


def with_raw_search(transcript: Transcript, edit: Callable[[str], str]) -> Transcript:
    """Return the transcript with the raw argument text of every catalog search edited."""

    def call(each: ToolCall) -> ToolCall:
        return replace(each, arguments=edit(each.arguments)) if each.name == SEARCH else each

    return at_messages(transcript, lambda each: replace(each, tool_calls=tuple(map(call, each.tool_calls))))


def search_ids(transcript: Transcript) -> set[str]:
    return {call.id for each in transcript.messages for call in each.tool_calls if call.name == SEARCH}


def with_results(transcript: Transcript, edit: Callable[[str], str | None]) -> Transcript:
    """Return the transcript with the text of every search result edited; None takes the result away."""
    ids = search_ids(transcript)

    def message(each: Message) -> Message | None:
        if each.tool_call_id not in ids:
            return each
        text = edit(each.content or "")
        return None if text is None else replace(each, content=text)

    return at_messages(transcript, message)


def with_hits(transcript: Transcript, edit: Edit) -> Transcript:
    """Return the transcript with the JSON of every search result edited."""

    def text(given: str) -> str:
        value: dict[str, Any] = json.loads(given)
        return json.dumps(edit(value) or value)

    return with_results(transcript, text)


def before_answer(transcript: Transcript, *messages: Message) -> Transcript:
    """Return the transcript with messages put in before the final one."""
    return replace(transcript, messages=(*transcript.messages[:-1], *messages, transcript.messages[-1]))


def first_search(transcript: Transcript) -> int:
    """Return the index of the message that searches first."""
    return next(
        index
        for index, each in enumerate(transcript.messages)
        if any(call.name == SEARCH for call in each.tool_calls)
    )


def bare(transcript: Transcript) -> Transcript:
    """Return what an audit knows of a bare answer."""
    return replace(transcript, messages=transcript.messages[-1:], tools=(), turns=(), shows_tools=False)


def backwards(value: Any) -> Any:
    """Return a JSON value with the keys of every object in reverse order."""
    if isinstance(value, dict):
        given = cast("dict[str, Any]", value)
        return {key: backwards(given[key]) for key in reversed(given)}
    return [backwards(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value

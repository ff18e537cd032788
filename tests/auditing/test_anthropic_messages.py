"""Anthropic's Messages API: blocks in their order, failures kept, thinking apart."""

from typing import Any

import pytest

from harness.auditing import Imported, Refused
from harness.auditing.forms import read_value
from harness.model import Message, ToolCall, ToolSpec, Transcript, Usage

USE = {"type": "tool_use", "id": "t1", "name": "search", "input": {"query": "größe"}}
REQUEST: dict[str, Any] = {
    "model": "asked",
    "system": [{"type": "text", "text": "Be "}, {"type": "text", "text": "brief."}],
    "tools": [{"name": "search", "description": "d", "input_schema": {"type": "object"}}],
    "messages": [
        {"role": "user", "content": "Go."},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "s"},
                {"type": "redacted_thinking", "data": "x"},
                {"type": "text", "text": "I look."},
                USE,
                {**USE, "id": "t2", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t2", "content": "no such tool", "is_error": True},
                {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "[]"}]},
                {"type": "text", "text": "Go on."},
            ],
        },
    ],
}
RESPONSE: dict[str, Any] = {
    "type": "message",
    "role": "assistant",
    "model": "came",
    "content": [{"type": "text", "text": "{}"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 7, "output_tokens": 3},
}


def only(value: dict[str, Any]) -> Transcript:
    (found,) = read_value(value, "a.jsonl:1", "anthropic-messages")
    assert isinstance(found, Imported), found
    return found.transcript


def test_a_pair_is_read_whole() -> None:
    made = only({"request": REQUEST, "response": RESPONSE, "scenario": "incident/x"})

    assert made.messages == (
        Message("system", "Be brief."),
        Message("user", "Go."),
        Message(
            "assistant",
            "I look.",
            (ToolCall("t1", "search", '{"query": "größe"}'), ToolCall("t2", "search", "{}")),
            reasoning="hm",
        ),
        Message("tool", '{"error": "no such tool"}', tool_call_id="t2"),
        Message("tool", "[]", tool_call_id="t1"),
        Message("user", "Go on."),
        Message("assistant", "{}"),
    )
    assert made.tools == (ToolSpec("search", "d", {"type": "object"}),)
    assert (made.turns[0].finish_reason, made.turns[0].usage) == ("end_turn", Usage(7, 3))
    assert (made.id.scenario, made.id.target, made.gaps) == ("incident/x", "came", {})


def test_an_answer_that_the_request_began_is_one_answer() -> None:
    begun = {**REQUEST, "messages": [REQUEST["messages"][0], {"role": "assistant", "content": '{"a":'}]}
    rest = {**RESPONSE, "content": [{"type": "text", "text": " 1}"}]}

    made = only({"request": begun, "response": rest})

    assert [each.content for each in made.messages] == ["Be brief.", "Go.", '{"a": 1}']


def test_a_request_alone_ends_before_the_answer_and_a_response_alone_has_no_prompt() -> None:
    assert only(REQUEST).messages[-1] == Message("user", "Go on.")
    alone = only(RESPONSE)
    assert alone.messages == (Message("assistant", "{}"),)
    assert set(alone.gaps) == {"request", "prompt"}
    assert not alone.shows_tools


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "a role": ({"messages": [{"role": "tool"}], "system": "x"}, 'messages[0].role: found "tool"'),
    "a call without a name": (
        {**RESPONSE, "content": [{"type": "tool_use", "id": "x"}]},
        'response.content[0]: found {"type": "tool_use", "id": "x"}; use id, name and input',
    ),
    "blocks that are none": (
        {"messages": [{"role": "user", "content": 1}], "system": "x"},
        "messages[0].content: found 1; use a string or a list of blocks",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("value", "reason"), BROKEN.values(), ids=list(BROKEN))
def test_what_is_no_message_is_refused_with_its_place(value: dict[str, Any], reason: str) -> None:
    (read,) = read_value(value, "a", "anthropic-messages")

    assert isinstance(read, Refused)
    assert read.reason.startswith(reason)

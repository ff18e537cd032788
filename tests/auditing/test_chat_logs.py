"""OpenAI requests and responses as they are logged."""

from typing import Any

from harness.auditing import Imported, Refused
from harness.auditing.forms import read_value
from harness.model import Message, ToolCall, Transcript, Usage

CALL = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query":  "x"}'}}
ASKED: dict[str, Any] = {
    "model": "asked",
    "messages": [{"role": "user", "content": "Analyse this."}],
    "tools": [{"type": "function", "function": {"name": "search"}}],
}


def read(value: dict[str, Any]) -> list[Imported | Refused]:
    return list(read_value(value, "a.jsonl:1"))


def only(value: dict[str, Any]) -> Transcript:
    (found,) = read(value)
    assert isinstance(found, Imported), found
    return found.transcript


def test_a_pair_is_one_conversation_with_its_ending_and_usage() -> None:
    came = {
        "model": "came",
        "choices": [{"message": {"role": "assistant", "content": "{}"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2},
    }
    for value in (
        {"request": ASKED, "response": came},
        {"request": {"body": ASKED}, "response": {"body": came}},
    ):
        made = only({**value, "scenario": "incident/x"})

        assert made.messages == (Message("user", "Analyse this."), Message("assistant", "{}"))
        assert (made.id.scenario, made.id.target, made.gaps) == ("incident/x", "came", {})
        assert (made.turns[0].finish_reason, made.turns[0].usage) == ("stop", Usage(5, 2))


def test_a_response_alone_shows_neither_prompt_nor_tools() -> None:
    made = only({"choices": [{"message": {"role": "assistant", "content": "{}"}}]})

    assert not made.shows_tools
    assert set(made.gaps) == {"request", "prompt"}


def test_every_choice_is_a_transcript_with_its_place() -> None:
    choices = [{"message": {"content": text}} for text in ("{}", "[]")] + [{"delta": {}}]

    found = read({"request": ASKED, "response": {"choices": choices}})

    assert [each.source for each in found] == [f"a.jsonl:1 choices[{index}]" for index in range(3)]
    assert [type(each) for each in found] == [Imported, Imported, Refused]
    (none,) = read({"choices": []})
    assert str(none) == "a.jsonl:1: choices: found []; use a response that holds one"


def test_items_of_one_turn_are_one_message_and_raw_arguments_stay_text() -> None:
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]}
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]}

    def call(number: int, arguments: str) -> dict[str, Any]:
        return {"type": "function_call", "call_id": f"c{number}", "name": "search", "arguments": arguments}

    def result(number: int, text: str) -> dict[str, Any]:
        return {"type": "function_call_output", "call_id": f"c{number}", "output": text}

    asked = {
        "instructions": "Be brief.",
        "input": [
            {"role": "user", "content": "Go."}, thought, said, call(1, '{"query":  "x"}'), call(2, "{oops"),
            result(2, "bad arguments"), result(1, "[]"), call(3, "{}"), result(3, "[]"),
        ],
    }  # fmt: skip
    came = {
        "object": "response",
        "output": [{"type": "message", "role": "assistant", "content": "{}"}],
        "incomplete_details": {"reason": "content_filter"},
    }

    made = only({"request": asked, "response": came})

    assert made.messages == (
        Message("system", "Be brief."),
        Message("user", "Go."),
        Message(
            "assistant",
            "I look.",
            (ToolCall("c1", "search", '{"query":  "x"}'), ToolCall("c2", "search", "{oops")),
            reasoning="hm",
        ),
        Message("tool", "bad arguments", tool_call_id="c2"),
        Message("tool", "[]", tool_call_id="c1"),
        Message("assistant", None, (ToolCall("c3", "search", "{}"),)),
        Message("tool", "[]", tool_call_id="c3"),
        Message("assistant", "{}"),
    )
    assert made.turns[0].finish_reason == "content_filter"

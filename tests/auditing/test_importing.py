"""One chat: what is read of it, and what is refused with its place."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.auditing.importing import Imported, Refused, bare_answer, conversation
from harness.model import Failure, Message, ToolCall, ToolSpec, Transcript, Turn, Usage

SEARCH = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query":  "x"}'}}
SCHEMA = {"type": "object"}
CHAT: dict[str, Any] = {
    "scenario": "incident/x",
    "contract": "workflow-selection-2.7",
    "model": "some/model",
    "finish_reason": "stop",
    "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15},
    "tools": [
        {"type": "function", "function": {"name": "search", "description": "d", "parameters": SCHEMA}},
        {"name": "flat"},
    ],
    "messages": [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": "Analyse this."},
        {"role": "assistant", "content": None, "tool_calls": [SEARCH], "reasoning_content": "hm"},
        {"role": "tool", "tool_call_id": "c1", "content": "[]"},
        {"role": "assistant", "content": "{}"},
    ],
}  # fmt: skip


def transcript(value: dict[str, Any]) -> Transcript:
    read = conversation(value, "a.jsonl:1")
    assert isinstance(read, Imported), read
    return read.transcript


def last(**message: Any) -> Message:
    return transcript({"messages": [{"role": "assistant", **message}]}).messages[-1]


def test_a_chat_is_read_whole() -> None:
    read = conversation(CHAT, "a.jsonl:1")

    assert isinstance(read, Imported)
    assert (read.source, read.scenario, read.contract) == ("a.jsonl:1", "incident/x", CHAT["contract"])
    assert str(read.transcript.id) == "incident/x@workflow-selection-2.7@some/model#1"
    assert read.transcript.messages == (
        Message("system", "Be brief."),
        Message("user", "Analyse this."),
        Message("assistant", None, (ToolCall("c1", "search", '{"query":  "x"}'),), reasoning="hm"),
        Message("tool", "[]", tool_call_id="c1"),
        Message("assistant", "{}"),
    )
    assert read.transcript.tools == (ToolSpec("search", "d", SCHEMA), ToolSpec("flat", "", {}))
    assert read.transcript.turns == (Turn(4, None, "stop", Usage(12, 3)),)
    assert read.transcript.shows_tools
    assert read.transcript.failure is None


def test_what_a_chat_does_not_say_is_not_made_up() -> None:
    read = conversation({"messages": [{"role": "assistant", "content": "{}"}]}, "a.json")

    assert isinstance(read, Imported)
    assert (read.scenario, read.contract) == (None, None)
    assert read.transcript.turns[0].usage == Usage(None, None)
    assert read.transcript.turns[0].finish_reason is None
    assert read.transcript.tools == ()


def test_a_chat_without_messages_says_nothing_of_its_target() -> None:
    assert transcript({"messages": []}).failure == Failure("empty", "no messages")


def test_a_bare_answer_has_one_message_and_no_known_tools() -> None:
    made = bare_answer("{}", "a.txt").transcript

    assert (made.messages, made.shows_tools) == ((Message("assistant", "{}"),), False)


CONTENTS: dict[str, tuple[Any, str | None]] = {
    "text": ("{}", "{}"),
    "nothing": (None, None),
    "no parts": ([], ""),
    "parts of text": ([{"type": "text", "text": '{"a":'}, {"type": "text", "text": " 1}"}], '{"a": 1}'),
    "a part that is no text": ([{"type": "image_url", "image_url": {}}, {"type": "text", "text": "x"}], "x"),
    "a part whose text is null": ([{"type": "text", "text": None}], ""),
    "a refusing part": ([{"type": "refusal", "refusal": "I will not."}], "I will not."),
    "hostile text": ("\x1b[2J\u202e\x00", "\x1b[2J\u202e\x00"),
}


@pytest.mark.parametrize(("content", "text"), CONTENTS.values(), ids=list(CONTENTS))
def test_content_is_text_or_parts_and_never_a_repr(content: Any, text: str | None) -> None:
    assert last(content=content).content == text


def test_a_refusal_beside_the_content_is_what_was_said() -> None:
    assert last(content=None, refusal="I cannot assist with that.").content == "I cannot assist with that."
    assert last(content="{}", refusal=None).content == "{}"


def test_reasoning_is_kept_apart_under_either_name() -> None:
    assert last(content="{}", reasoning="hm").reasoning == "hm"
    assert last(content="{}", reasoning_content="hm").reasoning == "hm"
    assert last(content="{}", reasoning={"effort": "high"}).reasoning is None


ARGUMENTS: dict[str, tuple[dict[str, Any], str]] = {
    "raw text, as it is": ({"arguments": '{"a":  1,}'}, '{"a":  1,}'),
    "an object": ({"arguments": {"a": 1}}, '{"a": 1}'),
    "none": ({}, ""),
}


@pytest.mark.parametrize(("given", "kept"), ARGUMENTS.values(), ids=list(ARGUMENTS))
def test_arguments_are_kept_as_text(given: dict[str, Any], kept: str) -> None:
    message = last(tool_calls=[{"id": None, "function": {"name": "search", **given}}])

    assert message.tool_calls == (ToolCall("", "search", kept),)


def tool(schema: Any) -> dict[str, Any]:
    return {"messages": [], "tools": [{"name": "t", "parameters": schema}]}


DEEP: dict[str, Any] = {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {}}}


def test_the_schema_of_a_tool_may_refer_to_its_own_parts() -> None:
    assert transcript(tool(DEEP)).tools == (ToolSpec("t", "", DEEP),)


def said(**message: Any) -> dict[str, Any]:
    return {"messages": [{"role": "assistant", **message}]}


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "messages that are no list": ({"messages": {}}, "messages: found {}; use a list of objects"),
    "a message that is none": ({"messages": ["x"]}, 'messages: found ["x"]; use a list of objects'),
    "no role": ({"messages": [{"content": "x"}]}, "messages[0].role: found null; use system, developer"),
    "an old role": ({"messages": [{"role": "function"}]}, 'messages[0].role: found "function"; use'),
    "a role that cannot be hashed": ({"messages": [{"role": []}]}, "messages[0].role: found []; use"),
    "content that is a number": (said(content=5), "messages[0].content: found 5; use a string or a list of"),
    "parts that are none": (said(content=["x"]), 'messages[0].content: found ["x"]; use a string or'),
    "calls that are none": (said(tool_calls=["x"]), 'messages[0].tool_calls: found ["x"]; use a list'),
    "a call without a name": (said(tool_calls=[{"id": "a"}]), "messages[0].tool_calls[0]: found {"),
    "a call whose name is none": (
        said(tool_calls=[{"function": {"name": None}}]), "messages[0].tool_calls[0]: found {",
    ),
    "a call whose id is a number": (
        said(tool_calls=[{"id": 1, "function": {"name": "a"}}]), "messages[0].tool_calls[0].id: found 1;",
    ),
    "an answer to a number": (
        {"messages": [{"role": "tool", "tool_call_id": 7}]}, "messages[0].tool_call_id: found 7; use a",
    ),
    "a scenario that is a list": ({"messages": [], "scenario": ["x"]}, 'scenario: found ["x"]; use a'),
    "a contract that is a number": ({"messages": [], "contract": 2.7}, "contract: found 2.7; use a string"),
    "tools that are none": ({"messages": [], "tools": "x"}, 'tools: found "x"; use a list of objects'),
    "a tool without a name": ({"messages": [], "tools": [{}]}, "tools[0]: found {}; use the tools of the"),
    "a schema that is none": (tool({"type": "thing"}), "tools[0].parameters: is no JSON Schema: 'thing'"),
    "a pattern that is none": (tool({"pattern": "("}), "tools[0].parameters: is no JSON Schema: '('"),
    "a schema elsewhere": (
        tool({"$ref": "http://127.0.0.1:9/x"}), 'tools[0].parameters: found the reference "http://127.0',
    ),
    "a schema that is not there": (
        tool({"anyOf": [{"$ref": "#/$defs/x"}]}), 'tools[0].parameters: found the reference "#/$defs/x"',
    ),
}  # fmt: skip


@pytest.mark.parametrize(("value", "reason"), WRONG.values(), ids=list(WRONG))
def test_what_is_no_chat_is_refused_with_its_place(value: dict[str, Any], reason: str) -> None:
    read = conversation(value, "a.jsonl:1")

    assert isinstance(read, Refused)
    assert read.reason.startswith(reason)
    assert str(read) == f"a.jsonl:1: {read.reason}"


def test_a_long_value_is_named_by_its_beginning() -> None:
    read = conversation({"messages": "x" * 10_000}, "a")

    assert isinstance(read, Refused)
    assert len(read.reason) < 200


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = ("role", "content", "tool_calls", "tool_call_id", "refusal", "reasoning", "id", "function", "name")
objects = st.dictionaries(st.sampled_from(KEYS), json_values | st.sampled_from(("assistant", "tool")))
chats = st.fixed_dictionaries(
    {"messages": json_values | st.lists(objects, max_size=3)},
    optional=dict.fromkeys(("scenario", "contract", "model", "usage", "tools", "finish_reason"), json_values),
)


@settings(deadline=None)
@given(chats)
def test_whatever_is_written_is_read_or_refused(value: dict[str, Any]) -> None:
    read = conversation(value, "a")

    assert isinstance(read, Imported | Refused)
    if isinstance(read, Refused):
        assert read.reason.isprintable()


def test_a_call_that_nothing_answered_is_named_by_its_own_message() -> None:
    def call(name: str) -> dict[str, Any]:
        return {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}}

    messages = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "tool_calls": [call("a"), call("b"), call("c")]},
        {"role": "tool", "tool_call_id": "c", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
        {"role": "assistant", "content": "Done."},
    ]

    assert transcript({"messages": messages}).gaps["results"] == (
        "the trace does not show what a of message 1 returned"
    )
    assert "results" not in transcript({"messages": messages[:4]}).gaps

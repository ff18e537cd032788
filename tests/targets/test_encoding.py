"""A request's body, joined from parts that were encoded once: as if all of it had been encoded at once."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from harness.model import Message, ToolCall, ToolSpec
from harness.model.values import canonical
from harness.targets.chat import chat_messages, chat_tools
from harness.targets.encoding import (
    Encoded,
    canonical_body,
    encoded,
    encoded_messages,
    encoded_object,
    encoded_tools,
)

ODD = 'a "quoted" é \u2028 \x7f \ud800 🙂\n\\'
CALL = ToolCall("c1", "search", '{"query": "é"}')
MESSAGES = (
    Message("system", "Be brief."),
    Message("user", ODD),
    Message("assistant", None, (CALL,), reasoning="never sent"),
    Message("tool", ODD, tool_call_id="c1"),
)
TOOLS = (
    ToolSpec("search", "Søk", {"type": "object", "properties": {"query": {"type": "string"}}}),
    ToolSpec("look", "Look", {"type": "object", "properties": {}}),
)


def whole(value: Any) -> Encoded:
    return Encoded(json.dumps(value), canonical(value))


@pytest.mark.parametrize("messages", [MESSAGES, MESSAGES[:1], ()])
def test_messages_are_spelled_as_if_encoded_at_once(messages: tuple[Message, ...]) -> None:
    assert encoded_messages(messages) == whole(chat_messages(messages))
    assert encoded_messages(messages) == encoded_messages(tuple(replace(each) for each in messages))


def test_tools_are_spelled_as_if_encoded_at_once() -> None:
    assert encoded_tools(TOOLS) == whole(chat_tools(TOOLS))


@pytest.mark.parametrize(
    "members", [{}, {"model": "m", "zeta": None, "alpha": [1.0, {"b": 1, "a": 2}], 'odd "é"': True}]
)
def test_an_object_is_spelled_as_if_encoded_at_once(members: Mapping[str, Any]) -> None:
    assert encoded_object({name: encoded(value) for name, value in members.items()}) == whole(members)


def test_tools_that_are_equal_and_spelled_otherwise_keep_their_own_spelling() -> None:
    one = (ToolSpec("search", "", {"minimum": 1, "unique": True}),)
    other = (ToolSpec("search", "", {"minimum": 1.0, "unique": 1}),)

    assert one == other
    assert (encoded_tools(one), encoded_tools(other)) == (whole(chat_tools(one)), whole(chat_tools(other)))


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"messages": [*chat_messages(MESSAGES), {"role": "user", "content": "Go on."}]},
        {"messages": "none"},
        {"zeta": 1.0, "alpha": [True]},
    ],
)
def test_a_body_that_somebody_else_made_is_spelled_as_it_is(changed: Mapping[str, Any]) -> None:
    body = {"model": "m", "messages": chat_messages(MESSAGES), "tools": chat_tools(TOOLS), **changed}

    assert canonical_body(body, MESSAGES) == canonical(body)


def test_a_body_without_messages_has_none() -> None:
    assert canonical_body({"input": "x"}, MESSAGES) == canonical({"input": "x"})

"""A chat request's body as text; what one request after the other repeats is encoded once."""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from harness.model import Message, ToolSpec
from harness.model.remembering import once_per_object
from harness.model.values import canonical
from harness.targets.chat import chat_message, chat_messages, chat_tool

_REMEMBERED = 256
"""So many messages, and tools of contracts; with each request its prompt is used again, and so stays."""


class Encoded(NamedTuple):
    """A JSON value, spelled as it is sent, and in the one spelling that digests are made of."""

    sent: str
    canonical: str


def encoded(value: Any) -> Encoded:
    """Return any JSON value in both spellings."""
    return Encoded(json.dumps(value), canonical(value))


def encoded_messages(messages: Iterable[Message]) -> Encoded:
    """Return the messages as a chat API takes them."""
    listed = [_encoded_message(each) for each in messages]
    sent, ordered = [each.sent for each in listed], [each.canonical for each in listed]
    return Encoded("[" + ", ".join(sent) + "]", "[" + ",".join(ordered) + "]")


@once_per_object(_REMEMBERED)
def encoded_tools(tools: tuple[ToolSpec, ...]) -> Encoded:
    """Return the tools as a chat API takes them."""
    return encoded([chat_tool(each) for each in tools])


def encoded_object(members: Mapping[str, Encoded]) -> Encoded:
    """Return an object of members, sent in the order in which they are given."""
    sent = [f"{_name(name).sent}: {each.sent}" for name, each in members.items()]
    ordered = [f"{_name(name).canonical}:{members[name].canonical}" for name in sorted(members)]
    return Encoded("{" + ", ".join(sent) + "}", "{" + ",".join(ordered) + "}")


def canonical_body(body: Mapping[str, Any], messages: Iterable[Message]) -> str:
    """Return the one spelling of a body that somebody else made to send these messages."""
    asked = list(messages)
    # Messages hold nothing but texts, so that equal ones are spelled alike.
    known = {"messages": encoded_messages(asked)} if body.get("messages") == chat_messages(asked) else {}
    members = [
        f"{_name(name).canonical}:{known[name].canonical if name in known else canonical(body[name])}"
        for name in sorted(body)
    ]
    return "{" + ",".join(members) + "}"


@lru_cache(maxsize=_REMEMBERED)
def _encoded_message(message: Message) -> Encoded:
    return encoded(chat_message(message))


_name = lru_cache(maxsize=_REMEMBERED)(encoded)

"""What a server said, for clients that hand it back by an id or in other words."""

from collections import OrderedDict
from dataclasses import replace
from typing import TypeVar

from harness.model import Message, canonical
from harness.serving.bodies import Asked, as_object
from harness.targets import ModelRequest

MOST = 20_000
"""Replies; the oldest are forgotten."""

Key = TypeVar("Key")
Kept = TypeVar("Kept")


class Memory:
    """The replies of one server.

    A client need not hand back what a model said byte for byte: one protocol parses the arguments of calls,
    another drops reasoning. What it means is known by what all of them keep.
    """

    def __init__(self) -> None:
        self._conversations: OrderedDict[str, tuple[Message, ...]] = OrderedDict()
        self._replies: OrderedDict[tuple[str, int, str], Message] = OrderedDict()

    def recall(self, reply_id: str) -> tuple[Message, ...] | None:
        """Return the conversation that ended in the reply of this id."""
        return self._conversations.get(reply_id)

    def keep(self, binding: str, asked: Asked, reply: Message, reply_id: str) -> None:
        """Remember a reply; `binding` is the digest that bound its request."""
        told = asked.request.messages[asked.instructions :]
        _add(self._conversations, reply_id, (*told, reply))
        _add(self._replies, (binding, asked.request.seed, _visible(reply)), reply)

    def restored(self, binding: str, request: ModelRequest) -> ModelRequest:
        """Return the request with every remembered reply as it was said."""
        said = (
            self._replies.get((binding, request.seed, _visible(each)), each)
            if each.role == "assistant"
            else each
            for each in request.messages
        )
        return replace(request, messages=tuple(said))


def _add(kept: OrderedDict[Key, Kept], key: Key, value: Kept) -> None:
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > MOST:
        kept.popitem(last=False)


def _visible(message: Message) -> str:
    calls = [[each.id, each.name, as_object(each.arguments)] for each in message.tool_calls]
    return canonical([message.content or "", calls])

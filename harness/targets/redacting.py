"""A provider that repeats a key in a good reply: `***` stands for the key, and the rest is kept."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from urllib.parse import quote

from harness.model import Message
from harness.targets.protocol import ModelReply
from harness.targets.scrubbing import MASK, environment_secrets

SHORTEST_KEY = 6
"""A target's own key; what is shorter is a placeholder, as "none"."""
SHORTEST_OTHER = 12
"""Other secrets of the environment: a short one may be a word that a model has every right to use."""


class Redacting:
    """Puts `***` for a target's key and for every secret that the environment holds when this is made."""

    def __init__(self, key: str | None) -> None:
        """Find out what is to be masked; the key comes from wherever the target has it."""
        own = {(key or "").strip()}
        found = {each for each in own if len(each) >= SHORTEST_KEY}
        found |= {each.strip() for each in environment_secrets() if len(each.strip()) >= SHORTEST_OTHER}
        # As it stands in an address, and within the JSON of an answer or of arguments.
        spellings = found.union(*((quote(each, safe=""), json.dumps(each)[1:-1]) for each in found))
        self._spellings = sorted(spellings, key=lambda each: (-len(each), each))

    def __call__(self, reply: ModelReply) -> ModelReply:
        """Return a reply without them; where it has none, which is nearly always, the very same."""
        if not any(spelling in text for text in _texts(reply) for spelling in self._spellings):
            return reply
        work = reply.work and replace(
            reply.work, messages=tuple(_message(each, self._masked) for each in reply.work.messages)
        )
        named = None if reply.model is None else self._masked(reply.model)
        return replace(reply, message=_message(reply.message, self._masked), model=named, work=work)

    def _masked(self, text: str) -> str:
        for each in self._spellings:
            text = text.replace(each, MASK)
        return text


def _texts(reply: ModelReply) -> Iterator[str]:
    """Yield all of a reply in which a key might stand."""
    for message in (reply.message, *(reply.work.messages if reply.work else ())):
        yield from filter(None, (message.content, message.reasoning))
        for call in message.tool_calls:
            yield from (call.id, call.name, call.arguments)
    if reply.model is not None:
        yield reply.model


def _message(message: Message, masked: Callable[[str], str]) -> Message:
    return replace(
        message,
        content=None if message.content is None else masked(message.content),
        reasoning=None if message.reasoning is None else masked(message.reasoning),
        tool_calls=tuple(
            replace(each, id=masked(each.id), name=masked(each.name), arguments=masked(each.arguments))
            for each in message.tool_calls
        ),
    )

"""A provider that repeats a key in a good reply: `***` stands for the key, and the rest is kept."""

import json
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import quote

from harness.model import Message
from harness.targets.protocol import ModelReply
from harness.targets.scrubbing import MASK, environment_secrets

SHORTEST_KEY = 6
"""A target's own key; what is shorter is a placeholder, as "none"."""
SHORTEST_OTHER = 12
"""Other secrets of the environment: a short one may be a word that a model has every right to use."""


def without_keys(reply: ModelReply, key: str | None) -> ModelReply:
    """Return a reply in which `***` stands for the target's key and for every secret of the environment."""
    masked = _masking(key)
    safe = _message(reply.message, masked)
    work = reply.work and replace(
        reply.work, messages=tuple(_message(each, masked) for each in reply.work.messages)
    )
    # Nothing is copied where nothing was found, which is nearly always.
    named = None if reply.model is None else masked(reply.model)
    if (safe, named, work) == (reply.message, reply.model, reply.work):
        return reply
    return replace(reply, message=safe, model=named, work=work)


def _masking(key: str | None) -> Callable[[str], str]:
    own = {(key or "").strip()}
    found = {each for each in own if len(each) >= SHORTEST_KEY}
    found |= {each.strip() for each in environment_secrets() if len(each.strip()) >= SHORTEST_OTHER}
    # As it stands in an address, and within the JSON of an answer or of arguments.
    spellings = found | {quote(each, safe="") for each in found} | {json.dumps(each)[1:-1] for each in found}
    ordered = sorted(spellings, key=lambda each: (-len(each), each))

    def masked(text: str) -> str:
        for each in ordered:
            text = text.replace(each, MASK)
        return text

    return masked


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

"""How many tokens a request has, estimated from its characters: no tokenizer is loaded for an estimate."""

import json

from harness.model import Message, ToolSpec
from harness.model.remembering import once_per_object
from harness.targets.accounts import Size
from harness.targets.protocol import ModelRequest

CHARACTERS_PER_TOKEN = 4
"""What English and JSON come to with the tokenizers of today, roughly."""
REPLY_TOKENS = 2_000
"""Taken for the reply to one request where nothing limits it: on the safe side, reasoning aside."""


def estimated_size(request: ModelRequest, max_tokens: int | None) -> Size:
    """Return the tokens of a request, and at most how many its reply may have."""
    return Size(prompt_tokens(request), REPLY_TOKENS if max_tokens is None else max_tokens)


def prompt_tokens(request: ModelRequest) -> int:
    """Return the tokens of everything that is sent: messages and tools."""
    return -(
        -(_tool_characters(request.tools) + sum(map(characters, request.messages))) // CHARACTERS_PER_TOKEN
    )


def completion_tokens(message: Message) -> int:
    """Return the tokens of what a model wrote."""
    return -(-characters(message) // CHARACTERS_PER_TOKEN)


def characters(message: Message) -> int:
    """Return how many characters of a message go over the wire."""
    calls = sum(len(each.name) + len(each.arguments) for each in message.tool_calls)
    return len(message.content or "") + calls


@once_per_object(256)
def _tool_characters(tools: tuple[ToolSpec, ...]) -> int:
    return sum(
        len(each.name) + len(each.description) + len(json.dumps(dict(each.parameters))) for each in tools
    )

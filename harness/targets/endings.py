"""Why a reply ended, whoever spoke the wire: what the model finished, and what others cut."""

import json

from harness.errors import TargetUnavailable
from harness.model import Message

# What providers call their own failure within a reply, and a limit on its length.
_BROKEN = {"error", "network_error"}
_CUT = {"max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"}


def ending(said: str, otherwise: str) -> str:
    """Return why a reply ended in OpenAI's words, where a provider has its own for it."""
    said = said.lower()
    if said == "refusal":
        return said
    if said in _BROKEN:
        return "error"
    return "length" if said in _CUT else otherwise


def refuse_what_is_not_the_models(message: Message, ended: str) -> None:
    """Raise TargetUnavailable where the provider, or a limit of ours, ended the reply."""
    if ended == "error":
        raise TargetUnavailable("server_error", "the provider broke off within the reply", retry=True)
    if ended == "content_filter":
        raise TargetUnavailable("content_filter", "the provider withheld the reply")
    if ended == "length" and message.tool_calls and not _is_json(message.tool_calls[-1].arguments):
        raise TargetUnavailable("truncated", "the token limit cut a tool call; try a larger --max-tokens")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True

"""The protocols that a target is served behind, each a reader and three writers of bodies."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from harness.serving import chat, messages, responses
from harness.serving.bodies import Asked, Beside, Exchange


def _as_openai(_: int, error: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"error": error}


@dataclass(frozen=True, slots=True)
class Dialect:
    """One protocol: its path below /v1, and how its bodies are read and written.

    `failure` spells what OpenAI puts into `error`, which faults write, as the protocol has it.
    """

    path: str
    read: Callable[[bytes, Beside], Asked]
    body: Callable[[Exchange], Mapping[str, Any]]
    events: Callable[[Exchange], Iterable[str]]
    failure: Callable[[int, Mapping[str, Any]], Mapping[str, Any]] = _as_openai


CHAT = Dialect("/chat/completions", chat.read_request, chat.completion, chat.completion_events)
RESPONSES = Dialect("/responses", responses.read_request, responses.response, responses.response_events)
MESSAGES = Dialect(
    "/messages", messages.read_request, messages.message, messages.message_events, messages.failure
)
DIALECTS = (CHAT, RESPONSES, MESSAGES)


def dialect_of(path: str) -> Dialect:
    """Return the dialect that a path is of; OpenAI's chat where it is none."""
    return next((each for each in DIALECTS if each.path in path), CHAT)

"""What the bodies of every dialect have in common: reading them, counting tokens, and events of a stream."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import InvalidInput
from harness.model import Message, digest
from harness.targets import ModelReply, ModelRequest, trial_seed

DEFAULT_SEED = trial_seed(0, 1)
"""Of a request without one: it plays the first trial."""

CHARACTERS_PER_TOKEN = 4
PIECE = 48
"""Characters of one event of a stream."""

_LONGEST_SEED = 2**63
_LONGEST_PROBLEM = 300

Seed = Annotated[int, Field(ge=-_LONGEST_SEED, lt=_LONGEST_SEED)]


class Part(BaseModel):
    """Part of a body; what it does not name is left unread, as the real API's extensions would be."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Text(Part):
    """A piece of text where several may stand."""

    type: Literal["text", "input_text", "output_text"]
    text: str


def _nothing(_: str) -> tuple[Message, ...] | None:
    return None


@dataclass(frozen=True, slots=True)
class Beside:
    """What comes with a body: the seed of its header, and what was said under the id of an earlier reply."""

    seed: int = DEFAULT_SEED
    recall: Callable[[str], tuple[Message, ...] | None] = _nothing


@dataclass(frozen=True, slots=True)
class Asked:
    """What a body asks for.

    `sent` are the names of its fields, `counted` wants the usage in a stream; so many of the first messages
    as `instructions` says are not part of the conversation that a later request goes on with.
    """

    request: ModelRequest
    sent: frozenset[str]
    streamed: bool = False
    counted: bool = True
    instructions: int = 0


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its reply; `served` is the target's name, `created` seconds since 1970."""

    asked: Asked
    reply: ModelReply
    served: str
    created: int

    @property
    def model(self) -> str:
        """Who replied."""
        return self.reply.model or self.served

    @property
    def id(self) -> str:
        """The same for the same words, and for them alone."""
        said = [*self.asked.request.messages, self.reply.message]
        return digest([self.asked.request.seed, [_words(each) for each in said]])

    @property
    def tokens(self) -> tuple[int, int]:
        """Tokens sent and written: as counted, else estimated from the characters."""
        usage = self.reply.usage
        sent = estimated(self.asked.request.messages) if usage.prompt_tokens is None else usage.prompt_tokens
        written = usage.completion_tokens
        return sent, estimated((self.reply.message,)) if written is None else written


Body = TypeVar("Body", bound=Part)


def read(kind: type[Body], body: bytes, called: str) -> tuple[Body, frozenset[str]]:
    """Return a body and the names of its fields.

    Args:
        kind: what it is read as.
        body: as it came.
        called: what the error message asks for.

    Raises:
        InvalidInput: it is none.
    """
    found = _object(body, called)
    try:
        return kind.model_validate(found), frozenset(found)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False, include_context=False)
        # Where a text or parts may stand, the deepest problem is that of the reading that was meant.
        meant = max(problems, key=lambda each: len(each["loc"]))
        where = ".".join(str(each) for each in meant["loc"]) or "body"
        raise InvalidInput(f"{where}: {meant['msg'][:_LONGEST_PROBLEM]}; send the body of {called}") from None


def _object(body: bytes, called: str) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InvalidInput(f"body: found no JSON object that can be read; send the body of {called}")
    return cast("dict[str, Any]", value)


def read_seed(text: str, where: str) -> int:
    """Return the seed that a text spells; raise InvalidInput where it spells none."""
    try:
        seed = int(text)
    except ValueError:
        seed = _LONGEST_SEED
    if -_LONGEST_SEED <= seed < _LONGEST_SEED:
        return seed
    raise InvalidInput(
        f"{where}: found {text[:40]!r}; write a whole number of 64 bits, as the seed of a trial"
    )


def joined(content: str | Iterable[Text] | None) -> str | None:
    """Return a text that may come in parts."""
    return content if content is None or isinstance(content, str) else "".join(each.text for each in content)


def as_object(arguments: str) -> dict[str, Any]:
    """Return the arguments of a call as the object that they spell; what spells none is wrapped."""
    try:
        value = json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        value = None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {"INVALID_JSON": arguments}


def pieces(text: str) -> Iterator[str]:
    """Yield a text bit by bit, as a stream brings it."""
    for start in range(0, len(text), PIECE):
        yield text[start : start + PIECE]


def event(data: Mapping[str, Any] | str, name: str | None = None) -> str:
    """Return one event of a stream, with escapes for what a model wrote and no encoding takes."""
    named = f"event: {name}\n" if name else ""
    return f"{named}data: {data if isinstance(data, str) else json.dumps(data)}\n\n"


def estimated(messages: Iterable[Message]) -> int:
    """Return how many tokens messages are, roughly."""
    return sum(len(text) for each in messages for text in _words(each)) // CHARACTERS_PER_TOKEN


def _words(message: Message) -> list[str]:
    called = (word for call in message.tool_calls for word in (call.name, call.arguments))
    return [message.content or "", *called]

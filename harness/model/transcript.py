"""The transcript: every message of one trial with the requests as sent; the only evidence there is."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from itertools import takewhile
from typing import Any, Literal, NamedTuple

from harness.errors import InvalidInput
from harness.model.frozen import frozen
from harness.model.values import digest

Role = Literal["system", "user", "assistant", "tool"]

Gap = Literal["request", "prompt", "arguments", "results", "order", "wording"]
"""What a trace of another tool may leave out: the tools that the request offered, its messages, the arguments
of calls, what tools returned, which call followed which, the answer as the target wrote it."""


OUT_OF_STEPS = "max_steps"
"""Why the last reply of an agent ended nothing: it was still calling tools when its own limit was reached."""


class SampleId(NamedTuple):
    """scenario x contract x target x trial; written `scenario@contract@target#trial` everywhere."""

    scenario: str
    contract: str
    target: str
    trial: int

    def __str__(self) -> str:
        """Return the one spelling used in files, reports and on the command line."""
        return f"{self.scenario}@{self.contract}@{self.target}#{self.trial}"

    @classmethod
    def parse(cls, text: str) -> "SampleId":
        """Return the id spelled by `text`; raise InvalidInput where it spells none."""
        head, hash_sign, trial = text.rpartition("#")
        parts = head.split("@", 2)
        if not hash_sign or not trial.isdecimal() or len(parts) != 3:
            msg = f"sample: found {text!r}; write scenario@contract@target#trial"
            raise InvalidInput(msg)
        scenario, contract, target = parts
        return cls(scenario, contract, target, int(trial))


@frozen
class ToolSpec:
    """A tool as the model is told of it; `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]

    def __hash__(self) -> int:
        """Return the hash of the name; the schema cannot be hashed, and what has one name rarely differs."""
        return hash(self.name)


@frozen
class ToolCall:
    """One call as the model wrote it; `arguments` is its raw text, never a repaired copy."""

    id: str
    name: str
    arguments: str


@frozen
class Message:
    """One message. `reasoning` is kept and never read as the answer."""

    role: Role
    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    reasoning: str | None = None


@frozen
class Usage:
    """Tokens and US dollars of one reply; None is unknown, never zero."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None


@frozen
class Turn:
    """One request and how its reply came: the request is the first `sent` messages and all tools.

    `seed` is what the request carried, `attempts` how often it had to be sent, `seconds` the last one's time.
    `wire` is the digest of the body that went out, as its provider was sent it; None where nobody saw it.
    """

    sent: int
    seed: int | None
    finish_reason: str | None
    usage: Usage = Usage()
    seconds: float = 0.0
    attempts: int = 1
    model: str | None = None
    wire: str | None = None


@frozen
class Failure:
    """Why a trial has no answer, through no fault of the model's."""

    cause: str
    detail: str


@frozen
class Transcript:
    """One trial, whole.

    `shows_tools` is False where only the answer is known (an audited bare answer): then nothing can be
    said about searches. `gaps` says what else a trace does not show, and why: one that is audited, or an
    agent's that investigates by itself. Where a model is asked directly there are none.
    """

    id: SampleId
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    turns: tuple[Turn, ...] = ()
    failure: Failure | None = None
    shows_tools: bool = True
    started: str = ""
    digests: Mapping[str, str] = field(default_factory=dict[str, str])
    """Digests of contract, scenario and prompt at the time of recording."""
    gaps: Mapping[Gap, str] = field(default_factory=dict[Gap, str])

    @property
    def characters(self) -> int:
        """How many characters its messages have, thinking and arguments of calls included."""
        texts = (
            text
            for each in self.messages
            for text in (each.content, each.reasoning, *[call.arguments for call in each.tool_calls])
        )
        # A line that was edited by hand may hold anything where a text should be.
        return sum(len(each) for each in texts if isinstance(each, str))

    @property
    def final(self) -> Message | None:
        """The last assistant message, if it calls no tools."""
        for message in reversed(self.messages):
            if message.role == "assistant":
                return None if message.tool_calls else message
        return None

    @property
    def prompt(self) -> tuple[Message, ...]:
        """The messages before the model's first."""
        first = next((i for i, each in enumerate(self.messages) if each.role == "assistant"), None)
        return self.messages if first is None else self.messages[:first]


def prompt_digest(messages: Iterable[Message]) -> str:
    """Return the digest of a prompt: role and content of every message before the model's first."""
    prompt = takewhile(lambda each: each.role != "assistant", messages)
    return digest([[each.role, each.content] for each in prompt])

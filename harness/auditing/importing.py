"""One transcript in OpenAI chat form, or a bare answer, as a Transcript.

A chat is an object with `messages` and, optionally, `scenario`, `contract`, `model`, `finish_reason`, `usage`
and `tools`. Of a bare answer the tool calls are not known, so clauses about searches are unscored; so they
are of a chat that lists no tools and calls none.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.auditing.values import brief, mapping, objects, string, tools_offered, usage
from harness.errors import InvalidInput
from harness.model import (
    Contract,
    Failure,
    Finding,
    Message,
    Sample,
    SampleId,
    Score,
    ToolCall,
    ToolSpec,
    Transcript,
    Turn,
)
from harness.model.frozen import frozen
from harness.model.transcript import Gap, Role

ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}
"""The roles of a chat, and what they are here."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a trace of another version of the agreement is read under one of our contracts.

    `contract` returns ours with the trace's own spelling, `finish` adds to the sample what only the dialect
    can read (searches), `beyond` says which clauses cannot be judged and why, `more` what else breaks one.
    """

    about: str
    contract: Callable[[Contract], Contract]
    finish: Callable[[Sample], Sample]
    beyond: Callable[[Sample], Mapping[str, Score]]
    more: Callable[[Sample], Sequence[tuple[str, Finding]]]


@frozen
class Imported:
    """One transcript, where it is from (`file`, `file:line` or `file[index]`), and what it says of itself."""

    source: str
    transcript: Transcript
    scenario: str | None = None
    contract: str | None = None
    dialect: Dialect | None = None
    places: tuple[str, ...] = ()
    """Where each message stands in the source, for forms whose messages are put together from events."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A line or file that is no transcript, and why."""

    source: str
    reason: str

    def __str__(self) -> str:
        """Return the line that names it."""
        return f"{self.source}: {self.reason}"


def bare_answer(text: str, source: str) -> Imported:
    """Return an answer of which nothing else is known."""
    sample = SampleId("-", "-", "audited", 1)
    return Imported(source, Transcript(sample, (Message("assistant", text),), shows_tools=False))


def conversation(value: Mapping[str, Any], source: str) -> Imported | Refused:
    """Return the transcript of an object with `messages`, or what is wrong about it."""
    try:
        return _conversation(value, source)
    except InvalidInput as error:
        return Refused(source, str(error))


def _conversation(value: Mapping[str, Any], source: str) -> Imported:
    listed = objects(value["messages"], "messages")
    messages = tuple([_message(each, index) for index, each in enumerate(listed)])
    scenario, contract = string(value, "scenario"), string(value, "contract")
    finish_reason = string(value, "finish_reason")
    sample = SampleId(scenario or "-", contract or "-", string(value, "model") or "audited", 1)
    tools = tools_offered(value.get("tools"))
    return Imported(
        source,
        Transcript(
            id=sample,
            messages=messages,
            tools=tools,
            turns=(Turn(len(messages) - 1, None, finish_reason, usage(value.get("usage"))),),
            failure=None if messages else Failure("empty", "no messages"),
            shows_tools=bool(tools) or any(each.tool_calls or each.role == "tool" for each in messages),
            gaps=gaps(messages, tools),
        ),
        scenario,
        contract,
    )


def gaps(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> dict[Gap, str]:
    """Return what a conversation does not show: tools, prompt, or what a call returned though it went on."""
    found: dict[Gap, str] = {}
    if messages and messages[0].role == "assistant":
        found["prompt"] = "the trace does not show the prompt"
    if not tools:
        found["request"] = "the trace does not show which tools were offered"
    if lost := unanswered(messages):
        found["results"] = f"the trace does not show what {lost[0]} returned"
    return found


def unanswered(messages: Sequence[Message]) -> list[str]:
    """Return the calls that nothing answered although the target spoke again: no provider takes that."""
    found: list[str] = []
    waiting: list[ToolCall] = []
    asked = 0
    for index, message in enumerate(messages):
        if message.role == "assistant":
            if waiting:
                found += [f"{each.name} of message {asked}" for each in waiting]
            waiting, asked = list(message.tool_calls), index
        elif waiting and message.role == "tool":
            ids = [each.id for each in waiting]
            if (answered := message.tool_call_id or "") in ids:
                del waiting[ids.index(answered)]
    return found


def _message(value: Mapping[str, Any], index: int) -> Message:
    said, content, answered = value.get("role"), value.get("content"), value.get("tool_call_id")
    role = ROLES.get(said) if isinstance(said, str) else None
    place = f"messages[{index}]"
    if role is None:
        raise InvalidInput(f"{place}.role: found {brief(said)}; use {', '.join(ROLES)}")
    asked = value.get("tool_calls")
    calls = objects(asked, f"{place}.tool_calls") if asked else ()
    if not (content is None or isinstance(content, str)):
        content = _content(content, place)
    refusal = string(value, "refusal", place) if "refusal" in value else None
    reasoning = value.get("reasoning_content", value.get("reasoning"))
    return Message(
        role,
        refusal if content is None else content,
        tuple([_call(each, place, at) for at, each in enumerate(calls)]) if calls else (),
        answered if isinstance(answered, str) else string(value, "tool_call_id", place),
        reasoning if isinstance(reasoning, str) else None,
    )


def _content(value: Any, place: str) -> str:
    """Return the text of a message whose content is a list of parts, of which texts and refusals are read."""
    parts = objects(value, f"{place}.content", "a string or a list of parts")
    spoken = (each.get("text", each.get("refusal")) for each in parts)
    return "".join(each for each in spoken if isinstance(each, str))


def _call(body: Mapping[str, Any], message: str, index: int) -> ToolCall:
    """Return a call of a chat, its arguments as the source has them: text stays as it was written."""
    named, call_id = mapping(body.get("function")), body.get("id")
    name: Any = named.get("name")
    place = f"{message}.tool_calls[{index}]"
    if not isinstance(name, str):
        raise InvalidInput(f"{place}: found {brief(body)}; use id, type and function {{name, arguments}}")
    arguments: Any = named.get("arguments", "")
    return ToolCall(
        call_id if isinstance(call_id, str) else string(body, "id", place) or "",
        name,
        arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False),
    )

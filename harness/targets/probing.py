"""What a target really supports, found by asking it: each finding is what a reply showed, not a promise."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from harness.errors import TargetUnavailable
from harness.model import Message, ToolCall, ToolSpec, Usage
from harness.targets.chat import chat_tools
from harness.targets.protocol import Binding, ModelReply, ModelRequest, Target
from harness.targets.scrubbing import scrubbed

Outcome = Literal["yes", "no", "ignored", "refused"]

REQUESTS = 11
"""At most so many are made, beside those that a target makes again by itself."""

_WORD = "K7Q"
_REFUSALS = ("bad_request", "unsupported_parameter", "content_filter", "bad_response", "truncated")
_LONGEST = 160
_NOTE = ToolSpec(
    "note",
    "Write a word down.",
    {
        "type": "object",
        "properties": {"word": {"type": "string", "enum": [_WORD]}},
        "required": ["word"],
        "additionalProperties": False,
    },
)
_LIST = "List the pods of the namespace shop; use a tool."
_LISTS = "Fetch the pods of the namespaces shop, db and web: three calls of the tool in this one reply."
_GREET = "Say good morning, nothing else."
_HELLO = "Call the tool note with the word hello, exactly that word."
_DIGITS = "Write twelve random digits and nothing else."
SEEDS = (11, 11, 12)


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether one thing takes effect, and what showed it."""

    feature: str
    outcome: Outcome
    detail: str


@dataclass(frozen=True, slots=True)
class Probed:
    """All findings, and what they took; tokens and money are those that replies told."""

    findings: tuple[Finding, ...]
    requests: int
    usage: Usage


class _Prober:
    """Asks one target, and counts."""

    def __init__(self, target: Target, binding: Binding, tools: tuple[ToolSpec, ...]) -> None:
        self._target, self._binding, self.tools = target, binding, tools
        self.requests = 0
        self.usages: list[Usage] = []

    async def ask(
        self,
        text: str,
        *then: Message,
        tools: tuple[ToolSpec, ...] = (),
        seed: int = SEEDS[0],
        also: Mapping[str, Any] | None = None,
    ) -> ModelReply:
        self.requests += 1
        request = ModelRequest((Message("user", text), *then), tools, seed, also or {})
        reply = await self._target.reply(request, self._binding)
        self.usages.append(reply.usage)
        return reply


async def probe(target: Target, binding: Binding, tools: tuple[ToolSpec, ...]) -> Probed:
    """Return what takes effect at a target.

    Args:
        target: whom to ask; one that answers from a scenario gets it by the binding.
        binding: never sent over any wire.
        tools: those on offer, one of which lists pods.

    Raises:
        TargetUnavailable: it cannot be asked at all.
    """
    asking = _Prober(target, binding, tools)
    tried: Sequence[tuple[tuple[str, ...], Callable[[_Prober], Awaitable[list[Finding]]]]] = (
        (("tools", "tool results"), _tools),
        (("tool_choice",), _tool_choice),
        (("response_format",), _response_format),
        (("strict",), _strict),
        (("seed",), _seed),
        (("parallel calls", "parallel_tool_calls"), _parallel),
    )
    findings: list[Finding] = []
    for names, attempt in tried:
        try:
            findings += await attempt(asking)
        except TargetUnavailable as error:
            findings += [_refused(each, error) for each in names]
    return Probed(tuple(findings), asking.requests, _sum(asking.usages))


async def _tools(asking: _Prober) -> list[Finding]:
    first = await asking.ask(_LIST, tools=asking.tools)
    calls = first.message.tool_calls
    if not calls:
        return [
            Finding("tools", "ignored", "asked for a call, it wrote text"),
            Finding("tool results", "no", "there is no call to answer"),
        ]
    results = [Message("tool", '{"pods": []}', tool_call_id=each.id) for each in calls]
    offered = {each.name for each in asking.tools}
    readable = all(each.name in offered and _object(each.arguments) is not None for each in calls)
    found = Finding("tools", "yes", f"called {calls[0].name[:60]}")
    if not readable:
        found = Finding("tools", "ignored", "called what was not offered, or with arguments that are no JSON")
    try:
        await asking.ask(_LIST, first.message, *results, tools=asking.tools)
    except TargetUnavailable as error:
        return [found, _refused("tool results", error)]
    return [found, Finding("tool results", "yes", "replied to the result")]


async def _tool_choice(asking: _Prober) -> list[Finding]:
    forbidden = await asking.ask(_LIST, tools=asking.tools, also={"tool_choice": "none"})
    forced = await asking.ask(_GREET, tools=asking.tools, also={"tool_choice": "required"})
    wrong = [
        *(["called a tool under none"] if forbidden.message.tool_calls else []),
        *([] if forced.message.tool_calls else ["called no tool under required"]),
    ]
    detail = " and ".join(wrong) or "none forbids calls, required forces one"
    return [Finding("tool_choice", "ignored" if wrong else "yes", detail)]


async def _response_format(asking: _Prober) -> list[Finding]:
    schema = {"name": "answer", "schema": dict(_NOTE.parameters), "strict": True}
    wanted = {"type": "json_schema", "json_schema": schema}
    reply = await asking.ask(_GREET, also={"response_format": wanted})
    if _object(reply.message.content or "") == {"word": _WORD}:
        return [Finding("response_format", "yes", "wrote what the schema alone asks for")]
    return [Finding("response_format", "ignored", "wrote what the schema does not allow")]


async def _strict(asking: _Prober) -> list[Finding]:
    (plain,) = chat_tools([_NOTE])
    told = {**plain, "function": {**plain["function"], "strict": True}}
    reply = await asking.ask(_HELLO, tools=(_NOTE,), also={"tools": [told]})
    return [_kept(reply.message.tool_calls)]


def _kept(calls: Sequence[ToolCall]) -> Finding:
    if not calls:
        return Finding("strict", "no", "called no tool")
    if all(_object(each.arguments) == {"word": _WORD} for each in calls):
        return Finding("strict", "yes", "arguments kept to the schema against the prompt")
    return Finding("strict", "ignored", "arguments followed the prompt, not the schema")


async def _seed(asking: _Prober) -> list[Finding]:
    replies = [await asking.ask(_DIGITS, seed=each) for each in SEEDS]
    one, again, other = (_words(each.message) for each in replies)
    if any(each.seed is None for each in replies):
        return [Finding("seed", "no", "none is sent to this provider")]
    if one != again:
        return [Finding("seed", "ignored", "two replies under one seed differ")]
    if one == other:
        return [Finding("seed", "ignored", "another seed brought the same reply")]
    return [Finding("seed", "yes", "one seed, one reply; another seed, another reply")]


async def _parallel(asking: _Prober) -> list[Finding]:
    calls = (await asking.ask(_LISTS, tools=asking.tools)).message.tool_calls
    several = len(calls) > 1
    found = Finding("parallel calls", "yes" if several else "no", f"{len(calls)} calls in one reply")
    if not several:
        return [found, Finding("parallel_tool_calls", "no", "there are no parallel calls to forbid")]
    alone = {"parallel_tool_calls": False}
    try:
        calls = (await asking.ask(_LISTS, tools=asking.tools, also=alone)).message.tool_calls
    except TargetUnavailable as error:
        return [found, _refused("parallel_tool_calls", error)]
    outcome: Outcome = "ignored" if len(calls) > 1 else "yes"
    return [found, Finding("parallel_tool_calls", outcome, f"{len(calls)} calls where false was sent")]


def _refused(feature: str, error: TargetUnavailable) -> Finding:
    """Return the finding of a refusal; raise what says nothing about the feature."""
    if error.cause not in _REFUSALS:
        raise error
    return Finding(feature, "refused", scrubbed(str(error))[:_LONGEST])


def _object(text: str) -> Mapping[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _words(message: Message) -> Message:
    """Return what a model wrote, without the ids that servers invent."""
    calls = tuple(replace(each, id="") for each in message.tool_calls)
    return replace(message, tool_calls=calls, reasoning=None)


def _sum(usages: Sequence[Usage]) -> Usage:
    """Return the usage of several replies; what one of them does not tell is unknown."""

    def added(values: Sequence[Any]) -> Any:
        return None if None in values else sum(values)

    return Usage(
        added([each.prompt_tokens for each in usages]),
        added([each.completion_tokens for each in usages]),
        added([each.cost for each in usages]),
    )

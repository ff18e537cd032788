"""What a worker tells of an investigation, read: messages as the model wrote and saw them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from harness.errors import TargetUnavailable
from harness.model import Message, ToolCall, ToolSpec, Turn, Usage
from harness.model.transcript import OUT_OF_STEPS, Gap
from harness.targets.completions import read_reply, read_usage
from harness.targets.failures import refused
from harness.targets.holmes_frames import bare_result
from harness.targets.prices import Prices, priced
from harness.targets.protocol import BrokeOff, ModelReply, OwnWork
from harness.targets.scrubbing import scrubbed

_REWRITTEN = "HolmesGPT rewrote its conversation on the way: {}"


@dataclass(slots=True)
class _Seen:
    """What has been read so far."""

    messages: list[Message] = field(default_factory=list[Message])
    tools: tuple[ToolSpec, ...] = ()
    sent: int = 0
    turns: list[Turn] = field(default_factory=list[Turn])
    gaps: dict[Gap, str] = field(default_factory=dict[Gap, str])
    last: ModelReply | None = None

    def work(self) -> OwnWork:
        """Return everything but the last reply, which is the agent's answer."""
        return OwnWork(tuple(self.messages), self.tools, tuple(self.turns), gaps=self.gaps)


def read_investigation(
    answer: Mapping[str, Any],
    *,
    seed: int | None,
    prices: Prices | None,
    max_steps: int,
    secrets: Iterable[str | None],
) -> ModelReply:
    """Return the agent's reply with all that led to it.

    An agent that is still calling tools after its last step replies with those calls.

    Raises:
        BrokeOff: a call of the model's or HolmesGPT itself failed; what was said until then is with it.
    """
    seen, hidden = _Seen(), tuple(secrets)
    for number, call in enumerate(answer["calls"]):
        _add_request(seen, call, number)
        if call.get("response") is None:
            raise _failed(seen, call.get("error") or answer["error"], hidden)
        _add_reply(seen, call, seed, prices)
    problem = answer["error"]
    spent = len(seen.turns) >= max_steps
    if seen.last is None or (problem and not spent):
        raise _failed(seen, problem or {"type": "", "text": "it asked its model nothing"}, hidden)
    message = seen.messages.pop()
    if message.tool_calls:
        seen.turns[-1] = replace(seen.turns[-1], finish_reason=OUT_OF_STEPS)
    result = answer["result"]
    if isinstance(result, str) and not message.tool_calls:
        # What HolmesGPT hands on is its answer, should it ever be more or less than the model's words.
        message = replace(message, content=result)
    return replace(seen.last, message=message, work=seen.work())


def _add_request(seen: _Seen, call: Mapping[str, Any], number: int) -> None:
    """Add what a request holds beyond the one before it and the reply to that, which are there already."""
    sent = [_message(each) for each in call["messages"]]
    before, seen.sent = seen.sent, call["kept"] + len(sent)
    if number == 0:
        seen.messages.extend(sent)
        seen.tools = tuple(_tools(call["tools"]))
        return
    rewritten = call["kept"] != before
    if rewritten:
        why = _REWRITTEN.format(f"call {number + 1} of its model does not go on where call {number} ended")
        seen.gaps = {"results": why, "order": why}
    told = [each for each in sent if each.role != "assistant"]
    # Only then: servers that count the calls of each turn anew give the same ids again.
    seen.messages.extend(each for each in told if not (rewritten and _is_known(seen, each)))


def _is_known(seen: _Seen, message: Message) -> bool:
    if message.role != "tool":
        return message in seen.messages
    return any(each.role == "tool" and each.tool_call_id == message.tool_call_id for each in seen.messages)


def _add_reply(seen: _Seen, call: Mapping[str, Any], seed: int | None, prices: Prices | None) -> None:
    body = call["response"]
    told = read_usage(body)
    cost: Any = call.get("cost")
    usage = priced(replace(told, cost=cost if isinstance(cost, int | float) and cost else None), prices)
    try:
        reply = read_reply(body, usage, float(call["seconds"]))
    except TargetUnavailable as error:
        raise BrokeOff(error.cause, error.detail, seen.work()) from None
    turn = Turn(
        sent=len(seen.messages),
        seed=seed,
        finish_reason=reply.finish_reason,
        usage=usage,
        seconds=reply.seconds,
        model=reply.model,
    )
    seen.messages.append(reply.message)
    seen.turns.append(turn)
    seen.last = replace(reply, seed=seed)


def _failed(seen: _Seen, problem: Mapping[str, Any], secrets: tuple[str | None, ...]) -> BrokeOff:
    kind, text = str(problem.get("type", "")), str(problem["text"])
    status = problem.get("status")
    if kind == "APIConnectionError":
        failure = TargetUnavailable("connection", scrubbed(text, *secrets))
    elif kind == "Timeout":
        failure = TargetUnavailable("timeout", scrubbed(text, *secrets))
    elif isinstance(status, int) and status >= 400:
        error = {"error": {"message": text, "code": kind}}
        failure = refused(status, json.dumps(error), {}, *secrets)
    else:
        failure = TargetUnavailable("agent", scrubbed(f"HolmesGPT: {kind}: {text}", *secrets))
    return BrokeOff(failure.cause, failure.detail, seen.work())


def total(turns: Iterable[Turn]) -> Usage:
    """Return the usage of all turns; what one of them does not tell is unknown."""
    used = [each.usage for each in turns]
    prompt = [each.prompt_tokens for each in used if each.prompt_tokens is not None]
    written = [each.completion_tokens for each in used if each.completion_tokens is not None]
    cost = [each.cost for each in used if each.cost is not None]
    return Usage(
        sum(prompt) if len(prompt) == len(used) else None,
        sum(written) if len(written) == len(used) else None,
        sum(cost) if len(cost) == len(used) else None,
    )


def _message(value: Mapping[str, Any]) -> Message:
    text = _text(value.get("content"))
    if value["role"] == "tool":
        return Message("tool", bare_result(text or ""), tool_call_id=str(value.get("tool_call_id") or ""))
    calls = tuple(
        ToolCall(str(each["id"]), str(each["function"]["name"]), str(each["function"].get("arguments") or ""))
        for each in value.get("tool_calls") or ()
    )
    return Message(value["role"], text, calls)


def _text(content: Any) -> str | None:
    if content is None or isinstance(content, str):
        return content
    return "".join(str(each.get("text", "")) for each in cast("list[dict[str, Any]]", content))


def _tools(sent: Iterable[Mapping[str, Any]]) -> Iterator[ToolSpec]:
    for each in sent:
        function = each["function"]
        yield ToolSpec(function["name"], function.get("description") or "", function.get("parameters") or {})

"""Drive one target through one scenario: prompt, tool calls, answer, all of it kept."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, cast

from harness.catalog import CatalogSearch, search_catalog
from harness.cluster import EVIDENCE_TOOLS
from harness.cluster import answer as ask_cluster
from harness.contracts.wire import (
    DEFAULT_MAX_RESULTS,
    DEFAULT_MIN_CONFIDENCE,
    encode_hits,
    labels_sent,
    ranked_by,
)
from harness.errors import TargetUnavailable
from harness.extraction import argument_errors
from harness.model import (
    Contract,
    Failure,
    Message,
    SampleId,
    Scenario,
    ToolCall,
    ToolSpec,
    Transcript,
    Turn,
)
from harness.model.remembering import once_per_object
from harness.targets import Binding, ModelReply, ModelRequest, OwnWork, Target
from harness.targets.protocol import BrokeOff
from harness.targets.replay import Replay

MAX_TURNS = 30
MAX_TOOL_CALLS = 60
MAX_RESULT = 60_000


@dataclass(frozen=True, slots=True)
class Trial:
    """One attempt to be made: what is asked, of whom, and with which seed on the wire.

    `search` answers the catalog's tool; a run's is always the embedded one.
    """

    id: SampleId
    scenario: Scenario
    contract: Contract
    prompt: tuple[Message, ...]
    seed: int
    digests: Mapping[str, str]
    search: CatalogSearch = search_catalog


@once_per_object(64)
def tools_for(contract: Contract) -> tuple[ToolSpec, ...]:
    """Return every tool that a target is offered under a contract."""
    return (*EVIDENCE_TOOLS, *((contract.catalog_tool,) if contract.catalog_tool else ()))


async def converse(target: Target, trial: Trial) -> Transcript:
    """Return the transcript of one trial.

    A target that cannot be asked ends the transcript with a failure, so that its sample is unscored; what
    was said until then is kept. A model that never stops calling tools runs out of turns or of tool calls
    and has no final message: that is its own doing, and graded.
    """
    tools = tools_for(trial.contract)
    binding = Binding(trial.scenario, trial.contract, trial.search)
    transcript = Transcript(
        id=trial.id,
        messages=trial.prompt,
        tools=tools,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        digests=trial.digests,
    )
    budget = MAX_TOOL_CALLS
    for _ in range(MAX_TURNS):
        request = ModelRequest(transcript.messages, tools, trial.seed)
        # A target that answers at once must not keep others, or an interruption, waiting.
        await asyncio.sleep(0)
        try:
            reply = await target.reply(request, binding)
        except BrokeOff as error:
            return replace(_shown(transcript, error.work), failure=Failure(error.cause, error.detail))
        except TargetUnavailable as error:
            return replace(transcript, failure=Failure(error.cause, error.detail))
        if reply.work is not None:
            return _investigated(transcript, request, reply, reply.work)
        messages, turns = (*request.messages, reply.message), (*transcript.turns, _turn(request, reply))
        calls = reply.message.tool_calls
        budget -= len(calls)
        if not calls or budget < 0:
            return replace(transcript, messages=messages, turns=turns)
        results: Sequence[Message] = [run_tool(binding, tools, call) for call in calls]
        if isinstance(target, Replay):
            results = target.cassette.results(trial.id, messages, calls, results)
        transcript = replace(transcript, messages=(*messages, *results), turns=turns)
    return transcript


def _investigated(
    transcript: Transcript, request: ModelRequest, reply: ModelReply, work: OwnWork
) -> Transcript:
    """Return an agent's work and its answer."""
    shown = _shown(transcript, work)
    turns = work.turns or (_turn(request, reply),)
    return replace(shown, messages=(*shown.messages, reply.message), turns=turns)


def _shown(transcript: Transcript, work: OwnWork) -> Transcript:
    """Return what an agent shows: its own prompt and tools take the place of those it was asked with."""
    return replace(
        transcript,
        messages=work.messages,
        tools=work.tools,
        turns=work.turns,
        shows_tools=work.shows_tools,
        gaps=work.gaps,
    )


def _turn(request: ModelRequest, reply: ModelReply) -> Turn:
    return Turn(
        sent=len(request.messages),
        seed=reply.seed,
        finish_reason=reply.finish_reason,
        usage=reply.usage,
        seconds=reply.seconds,
        attempts=reply.attempts,
        model=reply.model,
        wire=reply.wire,
    )


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What one call is answered with; `refused` where the call itself was wrong, and the text says how."""

    text: str
    refused: bool = False


def run_tool(binding: Binding, tools: tuple[ToolSpec, ...], call: ToolCall) -> Message:
    """Return the tool message that answers one call; a wrong call is answered with what is wrong."""
    return Message("tool", content=tool_result(binding, tools, call).text, tool_call_id=call.id)


def tool_result(binding: Binding, tools: tuple[ToolSpec, ...], call: ToolCall) -> ToolResult:
    """Return the answer of a scenario's tools to one call, cut at MAX_RESULT characters.

    Args:
        binding: the scenario that answers, and the contract that spells the catalog's tool.
        tools: those on offer.
        call: as the model made it; its arguments are checked here.
    """
    result = _result(binding, tools, call)
    if len(result.text) <= MAX_RESULT:
        return result
    return replace(result, text=result.text[:MAX_RESULT] + f"\n[cut after {MAX_RESULT} characters]")


def _result(binding: Binding, tools: tuple[ToolSpec, ...], call: ToolCall) -> ToolResult:
    spec = next((each for each in tools if each.name == call.name), None)
    if spec is None:
        offered = ", ".join(each.name for each in tools)
        return _refusal(f"no tool named {call.name!r}; the tools are: {offered}")
    try:
        value: Any = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError) as error:
        return _refusal(f"the arguments are not JSON: {error}")
    if not isinstance(value, dict):
        return _refusal("the arguments are not a JSON object")
    arguments = cast("dict[str, Any]", value)
    errors = argument_errors(spec, arguments)
    if errors:
        return _refusal("; ".join(errors))
    if binding.contract.catalog_tool and spec.name == binding.contract.catalog_tool.name:
        return ToolResult(_found(binding, arguments))
    return ToolResult(ask_cluster(binding.scenario.world, spec.name, arguments))


def _found(binding: Binding, arguments: dict[str, Any]) -> str:
    if binding.search is not search_catalog:
        return _searched(binding, arguments)
    return _searches(binding.scenario)(binding.contract)(json.dumps(arguments, sort_keys=True))


@once_per_object(32)
def _searches(scenario: Scenario) -> Callable[[Contract], Callable[[str], str]]:
    """Return what searches a scenario's catalog in process; its trials search for much the same."""

    @once_per_object(8)
    def under(contract: Contract) -> Callable[[str], str]:
        @lru_cache(maxsize=64)
        def found(arguments: str) -> str:
            return _searched(Binding(scenario, contract), json.loads(arguments))

        return found

    return under


def _searched(binding: Binding, arguments: Mapping[str, Any]) -> str:
    found = binding.search(
        binding.scenario.catalog,
        ranked_by(binding.contract, arguments),
        labels_sent(binding.contract, arguments),
        min_confidence=arguments.get("min_confidence", DEFAULT_MIN_CONFIDENCE),
        max_results=arguments.get("max_results", DEFAULT_MAX_RESULTS),
    )
    # A database's cosine has more digits than a result shows.
    hits = [replace(each, confidence=round(each.confidence or 0.0, 2)) for each in found.hits]
    return encode_hits(binding.contract, hits[::-1] if binding.scenario.hits_reversed else hits, found.total)


def _refusal(message: str) -> ToolResult:
    return ToolResult(json.dumps({"error": message[:1000]}, ensure_ascii=False), refused=True)

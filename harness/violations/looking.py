"""Other good ways to investigate and to search: valid variants, which must break nothing."""

from dataclasses import replace

from harness.model import Message, Transcript
from harness.violations.splicing import first_call, first_search, result_of, searches_of, with_call
from harness.violations.variants import variant
from harness.violations.violation import Arguments, Situation, Violation

_LISTING = "NAME   STATUS   AGE\nsome   Ready    210d"


def _looking_further(transcript: Transcript, situation: Situation) -> Transcript:
    arguments: Arguments = {"kind": "nodes", "output": "wide"}
    return with_call(
        transcript, first_search(transcript, situation.contract), "kubectl_get", arguments, _LISTING
    )


def _looking_afterwards(transcript: Transcript, _situation: Situation) -> Transcript:
    arguments: Arguments = {"kind": "nodes", "output": "wide"}
    return with_call(transcript, len(transcript.messages) - 1, "kubectl_get", arguments, _LISTING)


def _looking_in_vain(transcript: Transcript, _situation: Situation) -> Transcript:
    arguments: Arguments = {"kind": "pod", "name": "none-such", "namespace": "default"}
    refused = 'Error from server (NotFound): pods "none-such" not found'
    return with_call(transcript, first_call(transcript), "kubectl_get", arguments, refused)


def _refining(transcript: Transcript, situation: Situation) -> Transcript:
    call = searches_of(transcript, situation.contract)[-1]
    arguments = {**situation.searched[-1], "query": f"{situation.searched[-1]['query']} restart rollout"}
    last = len(transcript.messages) - 1
    return with_call(transcript, last, call.name, arguments, result_of(transcript, call))


def _keyworded(arguments: Arguments, _situation: Situation) -> Arguments:
    return {**arguments, "query": f"{arguments['query']} restart rollout"}


def _with_system_limits(arguments: Arguments, _situation: Situation) -> Arguments:
    return {**arguments, "min_confidence": 0.7, "max_results": 10}


def _takes_query(situation: Situation) -> tuple[str, ...]:
    return ("",) if any(each.get("query") for each in situation.searched) else ()


def _takes_limits(situation: Situation) -> tuple[str, ...]:
    tool = situation.contract.catalog_tool
    return ("",) if tool and "min_confidence" in tool.parameters.get("properties", {}) else ()


def _one_after_the_other(transcript: Transcript, _situation: Situation) -> Transcript:
    """Return the transcript with each call in a turn of its own, right before its result."""
    messages: list[Message] = []
    results = {each.tool_call_id: each for each in transcript.messages if each.role == "tool"}
    for each in transcript.messages:
        if each.role == "tool":
            continue
        if not each.tool_calls:
            messages.append(each)
        for call in each.tool_calls:
            messages += [replace(each, tool_calls=(call,)), results[call.id]]
    return replace(transcript, messages=tuple(messages))


def _several_at_once(situation: Situation) -> tuple[str, ...]:
    messages = situation.golden.messages if situation.golden else ()
    return ("",) if any(len(each.tool_calls) > 1 for each in messages) else ()


def _talking(transcript: Transcript, _situation: Situation) -> Transcript:
    messages = tuple(
        replace(each, content='I shall look {"closer": "now"}.') if each.tool_calls else each
        for each in transcript.messages
    )
    return replace(transcript, messages=messages)


def _results_in_other_order(transcript: Transcript, _situation: Situation) -> Transcript:
    """Return the transcript with the results of each turn that made several calls in reverse order."""
    messages: list[Message] = []
    waiting: list[Message] = []
    for each in transcript.messages:
        if each.role == "tool":
            waiting.insert(0, each)
            continue
        messages += [*waiting, each]
        waiting = []
    return replace(transcript, messages=tuple(messages))


ALL: tuple[Violation, ...] = (
    variant("more_evidence", whole=_looking_further),
    variant("evidence_behind_the_search", whole=_looking_afterwards),
    variant("evidence_in_vain", whole=_looking_in_vain),
    variant("refined_search", whole=_refining, sites=_takes_query),
    variant("keywords", search=_keyworded, sites=_takes_query),
    variant("limits_of_the_system", search=_with_system_limits, sites=_takes_limits),
    variant("calls_one_after_the_other", whole=_one_after_the_other, sites=_several_at_once),
    variant("results_in_other_order", whole=_results_in_other_order, sites=_several_at_once),
    variant("words_beside_calls", whole=_talking),
)

"""Tools are called too often, or with arguments that no schema allows."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from harness.model import Message, ToolCall, Transcript
from harness.violations.facts import (
    OF_A_SEARCH,
    queries,
    searches,
)
from harness.violations.splicing import (
    first_search,
    map_search_texts,
    result_of,
    searches_of,
    with_call,
)
from harness.violations.violation import Arguments, Situation, Violation

Raw = Callable[[str], str]


def catalog_name(situation: Situation) -> str:
    """Return the name of the catalog tool; "" where there is none."""
    tool = situation.contract.catalog_tool
    return tool.name if tool else ""


def evidence(situation: Situation) -> list[ToolCall]:
    """Return the good transcript's evidence calls."""
    messages = situation.golden.messages if situation.golden else ()
    return [call for each in messages for call in each.tool_calls if call.name != catalog_name(situation)]


# Calls that are made again


def _again(transcript: Transcript, situation: Situation) -> Transcript:
    searched = searches_of(transcript, situation.contract)
    call = searched[-1] if situation.site == "search" else evidence(situation)[0]
    before = len(transcript.messages) - 1
    return with_call(transcript, before, call.name, call.arguments, result_of(transcript, call))


def _in_other_words(transcript: Transcript, situation: Situation) -> Transcript:
    """Make the same call with its arguments in another order and spacing."""
    call = searches_of(transcript, situation.contract)[-1]
    arguments = json.dumps(dict(reversed(json.loads(call.arguments).items())), indent=1)
    return with_call(
        transcript, len(transcript.messages) - 1, call.name, arguments, result_of(transcript, call)
    )


def _made(situation: Situation) -> list[str]:
    return [*(["search"] if situation.searched else []), *(["evidence"] if evidence(situation) else [])]


REPEATED_CALL = Violation("repeated_call", frozenset({"QRY-8"}), whole=_again, sites=_made)
REPEATED_CALL_REWORDED = Violation(
    "repeated_call_reworded", frozenset({"QRY-8"}), searches, whole=_in_other_words
)

_BUDGET = 60


def _over_budget(transcript: Transcript, _situation: Situation) -> Transcript:
    """Ask for the events of one namespace after the other, in one turn of many calls."""
    asked = tuple(
        ToolCall(f"many_{place}", "kubectl_events", json.dumps({"namespace": f"team-{place}"}))
        for place in range(_BUDGET + 1)
    )
    answered = tuple(Message("tool", "No events found.", tool_call_id=each.id) for each in asked)
    *before, final = transcript.messages
    return replace(transcript, messages=(*before, Message("assistant", tool_calls=asked), *answered, final))


OVER_BUDGET = Violation("over_the_tool_budget", frozenset({"QRY-8"}), whole=_over_budget, sites=_made)


# Arguments and tools that were not offered


def _unoffered(transcript: Transcript, situation: Situation) -> Transcript:
    name, arguments = _UNOFFERED[situation.site]
    refusal = json.dumps({"error": "not allowed"})
    return with_call(transcript, first_search(transcript, situation.contract), name, arguments, refusal)


_UNOFFERED: Mapping[str, tuple[str, str]] = {
    "a tool of nobody": ("kubectl_delete", '{"kind": "pod", "name": "x"}'),
    "a tool in another case": ("Kubectl_Get", '{"kind": "pods"}'),
    "a tool without a name": ("", "{}"),
    "an argument of nobody": ("kubectl_get", '{"kind": "pods", "selector": "app=x"}'),
    "an argument left out": ("kubectl_describe", '{"kind": "pod"}'),
    "an argument of another type": ("kubectl_logs", '{"pod": "x", "namespace": "y", "previous": "true"}'),
    "a value outside the enum": ("kubectl_get", '{"kind": "pods", "output": "table"}'),
    "a list": ("kubectl_get", '["pods"]'),
    "a command line": ("kubectl_get", "kubectl get pods -A"),
}
UNOFFERED = Violation(
    "call_not_offered",
    frozenset({"QRY-7"}),
    whole=_unoffered,
    sites=lambda situation: _UNOFFERED if _made(situation) else (),
)


_RAW: Mapping[str, Raw] = {
    "a trailing comma": lambda text: text.rstrip("}") + ",}",
    "single quotes": lambda text: text.replace('"', "'"),
    "no JSON": lambda _: "OOMKilled critical",
    "a list": lambda text: f"[{text}]",
    "JSON in a string": json.dumps,
    "cut off": lambda text: text[:-3],
    "in a fence": lambda text: f"```json\n{text}\n```",
    "a key twice": lambda text: f'{text.rstrip("}")}, {text.strip("{").partition(":")[0]}: "other words"}}',
}


def _unreadable(situation: Situation) -> list[str]:
    texts = [_RAW[situation.site](json.dumps(each)) for each in situation.searched]
    return ["QRY-7", *(["QRY-8"] if len(set(texts)) < len(texts) else [])]


RAW_ARGUMENTS = Violation(
    "unreadable_arguments",
    frozenset({"QRY-7", "QRY-8"}),
    searches,
    exactly=_unreadable,
    whole=lambda transcript, situation: map_search_texts(
        transcript, situation.contract, _RAW[situation.site]
    ),
    sites=lambda situation: _RAW if situation.searched else (),
    silences=OF_A_SEARCH,
)


def _first_label(arguments: Arguments, situation: Situation) -> str:
    return next(wire for wire in situation.contract.labels.values() if wire in arguments)


_ARGUMENTS: Mapping[str, Callable[[Arguments, Situation], dict[str, Any]]] = {
    "an argument of nobody": lambda _arguments, _situation: {"sort_by": "success_rate"},
    "a label of nobody": lambda _arguments, _situation: {"label.team": "platform"},
    "a number for a label": lambda arguments, situation: {_first_label(arguments, situation): 0},
    "null for a label": lambda arguments, situation: {_first_label(arguments, situation): None},
    "a list for a label": lambda arguments, situation: {
        _first_label(arguments, situation): [arguments[_first_label(arguments, situation)]]
    },
    "a number for the query": lambda _arguments, _situation: {"query": 137},
    "a text for a limit": lambda _arguments, _situation: {"max_results": "5"},
    "a fraction for a limit": lambda _arguments, _situation: {"max_results": 5.5},
    "a limit out of range": lambda _arguments, _situation: {"min_confidence": 1.5},
    "no results at all": lambda _arguments, _situation: {"max_results": 0},
    "a text for the custom labels": lambda _arguments, _situation: {"custom_labels": "team=cart"},
}
WRONG_ARGUMENTS = Violation(
    "wrong_arguments",
    frozenset({"QRY-7"}),
    searches,
    search=lambda arguments, situation: {**arguments, **_ARGUMENTS[situation.site](arguments, situation)},
    sites=lambda situation: _ARGUMENTS if situation.searched else (),
    silences=OF_A_SEARCH,
)


# What a right answer may do


def _refined(transcript: Transcript, situation: Situation) -> Transcript:
    """Search once more, with a keyword more, and find the same."""
    call = searches_of(transcript, situation.contract)[0]
    arguments = json.loads(call.arguments)
    wider = {**arguments, "query": f"{arguments['query']} workload"}
    before = first_search(transcript, situation.contract)
    return with_call(transcript, before, call.name, wider, result_of(transcript, call))


def _stale(transcript: Transcript, situation: Situation) -> Transcript:
    """Search again at the end and find the same with lower confidence: the former stays true."""
    call = searches_of(transcript, situation.contract)[-1]
    shape = situation.contract.result
    found = json.loads(result_of(transcript, call))
    for hit in found[shape.list_key]:
        wire = shape.fields["confidence"]
        hit[wire] = round(hit[wire] - 0.05, 2)
    arguments = json.loads(call.arguments)
    narrower = {**arguments, "query": f"{arguments['query']} workload"}
    before = len(transcript.messages) - 1
    return with_call(transcript, before, call.name, narrower, json.dumps(found))


ALL: tuple[Violation, ...] = (
    REPEATED_CALL,
    REPEATED_CALL_REWORDED,
    OVER_BUDGET,
    UNOFFERED,
    RAW_ARGUMENTS,
    WRONG_ARGUMENTS,
)

VARIANTS: tuple[Violation, ...] = (
    Violation("several_searches", frozenset(), can_act=queries, whole=_refined),
    Violation("confidence_of_an_earlier_search", frozenset(), can_act=queries, whole=_stale),
)

"""Traces of the upstream platform kubernaut: what the service recorded of one investigation.

Three forms, told apart by their keys. `llmTrace` lists events of requests, responses and tool calls (texts of
the model as previews, no prompt, no offered tools); `kaDialog` has the raw answer and the calls with results
cut at a fixed length; a summary has `toolCalls` with names alone. But for `kaDialog` the answer is what the
service made of it: `kaResponse` and `analysis`, in camelCase, with fields added and taken away.

Events carry no id of their investigation and their order within a second is chance: calls are joined to
responses by their number, and a trace that begins several investigations is marked as one without order.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from harness.auditing.importing import Dialect, Imported, Refused
from harness.auditing.kubernaut_dialect import raw_dialect, served_dialect
from harness.auditing.values import brief, mapping, objects, string
from harness.errors import InvalidInput
from harness.model import Message, SampleId, ToolCall, Transcript, Turn
from harness.model.transcript import Gap

_RANK = {"response": 0, "tool_call": 1, "request": 2}
_NO_REQUEST: dict[Gap, str] = {
    "request": "the trace does not show which tools were offered",
    "prompt": "the trace does not show the prompt",
}
_REWRITTEN = "the trace holds the answer as the service rewrote it, not as the model wrote it"


class Told(NamedTuple):
    """What a trace tells of the conversation: messages, where each stands, and what is missing."""

    messages: list[Message]
    places: list[str]
    gaps: dict[Gap, str]


def is_kubernaut(value: Mapping[str, Any]) -> bool:
    """Return whether a value is a trace of kubernaut."""
    if isinstance(value.get("llmTrace"), list) or isinstance(value.get("kaDialog"), dict):
        return True
    return isinstance(value.get("analysis"), dict) and ("toolCalls" in value or "kaResponse" in value)


def read_kubernaut(value: Mapping[str, Any], source: str) -> Iterator[Imported | Refused]:
    """Yield the investigation of a trace; several raw answers are several transcripts."""
    try:
        dialog = mapping(value.get("kaDialog"))
        answers = _raw_answers(dialog)
        if not answers:
            yield _served(value, source)
        for index, answer in enumerate(answers):
            place = source if len(answers) == 1 else f"{source} rawResponses[{index}]"
            yield _raw(value, answer, index, place)
    except InvalidInput as error:
        yield Refused(source, str(error))


def _raw_answers(dialog: Mapping[str, Any]) -> list[str]:
    found: Any = dialog.get("rawResponses") or []
    if isinstance(found, list) and all(isinstance(each, str) for each in found):  # pyright: ignore[reportUnknownVariableType]
        return found  # pyright: ignore[reportUnknownVariableType]
    raise InvalidInput(f"kaDialog.rawResponses: found {brief(found)}; use a list of texts")


def _raw(value: Mapping[str, Any], answer: str, index: int, source: str) -> Imported:
    told = _told(value)
    told.messages.append(Message("assistant", answer))
    told.places.append(f"kaDialog.rawResponses[{index}]")
    model = string(mapping(value["kaDialog"]), "llmModel", "kaDialog")
    return _imported(source, told, raw_dialect(_input_severity(value)), model)


def _served(value: Mapping[str, Any], source: str) -> Imported:
    answer = {name: value[name] for name in ("kaResponse", "analysis") if isinstance(value.get(name), dict)}
    if not answer:
        raise InvalidInput(f"found {brief(sorted(value))}; use a trace with kaResponse, analysis or kaDialog")
    told = _told(value)
    told.messages.append(Message("assistant", json.dumps(answer, ensure_ascii=False)))
    told.places.append(" and ".join(answer))
    told.gaps["wording"] = _REWRITTEN
    model = string(mapping(value.get("_metadata")), "model") or string(
        mapping(value.get("traceStats")), "model"
    )
    return _imported(source, told, served_dialect(_where(answer), _input_severity(value)), model)


def _where(answer: Mapping[str, Any]) -> str:
    """Return the part that has the decision; summaries have it in `analysis` alone."""
    response = mapping(answer.get("kaResponse"))
    decides = "selectedWorkflow" in response or "rootCauseAnalysis" in response
    return "/kaResponse" if decides or "analysis" not in answer else "/analysis"


def _input_severity(value: Mapping[str, Any]) -> str | None:
    """Return the severity that the signal came with."""
    signals = (value.get("signal"), mapping(value.get("analysis")).get("signal"))
    found = (mapping(each).get("severity") for each in signals)
    return next((each for each in found if isinstance(each, str)), None)


def _imported(source: str, told: Told, dialect: Dialect, model: str | None) -> Imported:
    messages = tuple(told.messages)
    transcript = Transcript(
        id=SampleId("-", "-", model or "audited", 1),
        messages=messages,
        turns=(Turn(len(messages) - 1, None, None),),
        shows_tools=len(messages) > 1,
        gaps=told.gaps,
    )
    # A trace's own "scenario" is a name of its platform, and none of ours.
    return Imported(source, transcript, dialect=dialect, places=tuple(told.places))


def _told(value: Mapping[str, Any]) -> Told:
    if isinstance(value.get("llmTrace"), list):
        return _events(objects(value["llmTrace"], "llmTrace"))
    dialog = mapping(value.get("kaDialog"))
    where, given = ("kaDialog.toolCalls", dialog) if dialog else ("toolCalls", value)
    return _listed(objects(given.get("toolCalls") or [], where), where)


# Calls as a list


def _listed(calls: Sequence[Mapping[str, Any]], where: str) -> Told:
    """Return one message for each call: which of them were made together is not told."""
    told = Told([], [], dict(_NO_REQUEST))
    for index, each in enumerate(calls):
        place, call_id = f"{where}[{index}]", f"{where}[{index}]"
        name = _name(each, "tool", place)
        told.messages.append(Message("assistant", None, (ToolCall(call_id, name, _text(each, "arguments")),)))
        told.places.append(place)
        if each.get("result") is not None:
            told.messages.append(Message("tool", _text(each, "result"), tool_call_id=call_id))
            told.places.append(place)
    if any("arguments" not in each for each in calls):
        told.gaps["arguments"] = "the trace does not show with what arguments tools were called"
        # Names alone are listed by some platforms as a table sorts them, not as they were made.
        told.gaps["order"] = "the trace lists the tools that were called, not in what order"
    if any(each.get("result") is None for each in calls):
        told.gaps["results"] = "the trace does not show what tools returned"
    return told


# Calls as events


class Response(NamedTuple):
    """A reply of the model: its event, how many calls it makes, and which of them were found, by number."""

    event: int
    text: str
    size: int
    calls: dict[int, int]


def _events(events: Sequence[Mapping[str, Any]]) -> Told:
    kinds = [str(each.get("event_type", "")).rpartition(".")[2] for each in events]
    for index, kind in enumerate(kinds):
        if kind not in _RANK:
            found = brief(events[index].get("event_type"))
            raise InvalidInput(f"llmTrace[{index}].event_type: found {found}; use ...{', ...'.join(_RANK)}")
    order = sorted(
        range(len(events)), key=lambda at: (str(events[at].get("event_timestamp", "")), _RANK[kinds[at]])
    )
    responses = _joined([(at, kinds[at], events[at]) for at in order])
    told = Told([], [], dict(_NO_REQUEST))
    for each in responses:
        _add(told, each, events)
    if begun := _beginnings(events, kinds):
        told.gaps["order"] = (
            f"the trace mixes {begun} investigations, and does not say which call belongs to which"
        )
    if any(events[at].get("tool_result") is None for each in responses for at in each.calls.values()):
        told.gaps["results"] = "the trace does not show what every tool returned"
    return told


def _joined(ordered: Sequence[tuple[int, str, Mapping[str, Any]]]) -> list[Response]:
    """Return the replies in their order, each with its calls."""
    found: list[Response] = []
    for at, kind, event in ordered:
        if kind == "response":
            text, count = event.get("analysis_preview"), _number(event.get("tool_call_count"))
            found.append(Response(at, text if isinstance(text, str) else "", count, {}))
        elif kind == "tool_call":
            number = _number(event.get("tool_call_index"))
            # The newest that waits: an older one may wait for ever, as the answer's own call is not logged.
            waiting = [each for each in found if number < each.size and number not in each.calls]
            if not waiting:
                waiting = [Response(at, "", 0, {})]
                found += waiting
            waiting[-1].calls[number] = at
    return found


def _add(told: Told, reply: Response, events: Sequence[Mapping[str, Any]]) -> None:
    calls: list[ToolCall] = []
    results: list[tuple[str, Message]] = []
    for _, at in sorted(reply.calls.items()):
        event, place = events[at], f"llmTrace[{at}]"
        calls.append(ToolCall(place, _name(event, "tool_name", place), _text(event, "tool_arguments")))
        if event.get("tool_result") is not None:
            results.append((place, Message("tool", _text(event, "tool_result"), tool_call_id=place)))
    told.messages.append(Message("assistant", reply.text, tuple(calls)))
    told.places.append(f"llmTrace[{reply.event}]")
    for place, message in results:
        told.messages.append(message)
        told.places.append(place)


def _beginnings(events: Sequence[Mapping[str, Any]], kinds: Sequence[str]) -> int:
    """Return how many investigations begin, each with a prompt of one length; 0 where only one does."""
    lengths = [
        _number(each.get("prompt_length"))
        for each, kind in zip(events, kinds, strict=True)
        if kind == "request"
    ]
    begun = lengths.count(next((each for each in lengths if each), 0))
    return begun if begun > 1 and any(lengths) else 0


def _number(value: Any) -> int:
    """Return a count, which these traces write as text; what is none is zero."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return min(int(text), 1_000_000) if text.isascii() and text.isdecimal() and len(text) < 10 else 0


def _name(value: Mapping[str, Any], key: str, place: str) -> str:
    found = string(value, key, place)
    if found is None:
        raise InvalidInput(f"{place}: found {brief(value)}; use a call with {key}")
    return found


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key, "")
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)

"""The catalog is searched too early or not at all; nothing, or the wrong thing, is looked at."""

import json
from collections.abc import Callable
from dataclasses import replace

from harness.model import Message, Transcript
from harness.violations.calling import catalog_name, evidence
from harness.violations.choosing import rationale
from harness.violations.compose import replaced
from harness.violations.facts import (
    OF_A_RETURNED_CHOICE,
    OF_A_SEARCH,
    alternatives,
    searches,
    selected,
    selected_id,
)
from harness.violations.splicing import (
    first_search,
    map_search_texts,
    searches_of,
    with_call,
    without_calls,
)
from harness.violations.violation import RawAnswer, Situation, Violation, with_selection

Raw = Callable[[str], str]


def _has_evidence(situation: Situation) -> list[str]:
    return [""] if situation.searched and evidence(situation) else []


# No search, or none that was served


def _without_search(transcript: Transcript, situation: Situation) -> Transcript:
    return without_calls(transcript, lambda call: call.name != catalog_name(situation))


def _nothing_returned(situation: Situation) -> list[str]:
    """Foretell what breaks where ids were chosen that no search returned."""
    chosen = ["SEL-1", "PAS-7"] if selected(situation) else []
    return [*chosen, *(["SEL-5", "PAS-8"] if alternatives(situation) else [])]


_UNRETURNED = frozenset({"SEL-1", "SEL-5", "PAS-7", "PAS-8"})

NO_SEARCH = Violation(
    "no_search",
    _UNRETURNED | {"QRY-1"},
    searches,
    whole=_without_search,
    exactly=lambda situation: ["QRY-1", *_nothing_returned(situation)],
    silences=OF_A_SEARCH | OF_A_RETURNED_CHOICE | {"QRY-7", "QRY-8"},
)


def _refused(transcript: Transcript, situation: Situation) -> Transcript:
    """Let every search be refused, as one whose arguments are wrong is."""
    ids = {call.id for call in searches_of(transcript, situation.contract)}
    made = map_search_texts(transcript, situation.contract, lambda _: '{"text": "what helps?"}')
    refusal = json.dumps({"error": ".: 'query' is a required property"})
    messages = tuple(
        replace(each, content=refusal) if each.tool_call_id in ids else each for each in made.messages
    )
    return replace(made, messages=messages)


REFUSED_SEARCH = Violation(
    "refused_search",
    _UNRETURNED | {"QRY-7", "QRY-8"},
    searches,
    whole=_refused,
    exactly=lambda situation: [
        "QRY-7",
        *(["QRY-8"] if len(situation.searched) > 1 else []),
        *_nothing_returned(situation),
    ],
    silences=OF_A_SEARCH | OF_A_RETURNED_CHOICE,
)


# Order


def _moved(transcript: Transcript, situation: Situation) -> Transcript:
    """Put the searches before all evidence."""
    search_ids = {call.id for call in searches_of(transcript, situation.contract)}
    prompt = len(transcript.prompt)
    head, body, final = transcript.messages[:prompt], transcript.messages[prompt:-1], transcript.messages[-1]

    def searching(each: Message) -> bool:
        return each.tool_call_id in search_ids or any(call.id in search_ids for call in each.tool_calls)

    ordered = (*(each for each in body if searching(each)), *(each for each in body if not searching(each)))
    return replace(transcript, messages=(*head, *ordered, final))


def _merged(transcript: Transcript, _situation: Situation) -> Transcript:
    """Make every call in one turn: the search knows nothing of what the evidence shows."""
    prompt = len(transcript.prompt)
    body = transcript.messages[prompt:-1]
    calls = tuple(call for each in body for call in each.tool_calls)
    results = tuple(each for each in body if each.role == "tool")
    calling = replace(body[0], tool_calls=calls)
    return replace(
        transcript, messages=(*transcript.messages[:prompt], calling, *results, transcript.messages[-1])
    )


_BLIND = frozenset({"QRY-2", "REC-5"})

SEARCH_FIRST = Violation("search_before_evidence", _BLIND, searches, whole=_moved, sites=_has_evidence)
SAME_TURN = Violation("search_beside_evidence", _BLIND, searches, whole=_merged, sites=_has_evidence)


def _said_plainly(answer: RawAnswer, situation: Situation) -> RawAnswer:
    """Quote nothing that only the evidence showed."""
    parts = {"summary": "Users feel the impact.", "root_cause": "The impact on users is plain."}
    made = replaced(situation.contract, answer, parts)
    chosen = selected_id(situation)
    return with_selection(made, situation, rationale=rationale(situation, chosen)) if chosen else made


BLIND = Violation(
    "no_evidence_at_all",
    _BLIND,
    searches,
    answer=_said_plainly,
    blind=True,
    sites=_has_evidence,
    silences=frozenset({"SAF-2"}),
)


def _looked_elsewhere(transcript: Transcript, situation: Situation) -> Transcript:
    moved = _moved(transcript, situation)
    before = first_search(moved, situation.contract)
    nodes = "NAME           STATUS   AGE\ndefault        Active   200d\n"
    return with_call(moved, before, "kubectl_get", {"kind": "namespaces", "output": "wide"}, nodes)


LOOKED_ELSEWHERE = Violation(
    "looked_at_something_else", frozenset({"REC-5"}), searches, whole=_looked_elsewhere, sites=_has_evidence
)


ALL: tuple[Violation, ...] = (
    NO_SEARCH,
    REFUSED_SEARCH,
    SEARCH_FIRST,
    SAME_TURN,
    BLIND,
    LOOKED_ELSEWHERE,
)

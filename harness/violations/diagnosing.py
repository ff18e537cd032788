"""The signal type is taken from the wrong place, misspelt, or stated in two ways."""

from collections.abc import Callable
from typing import Any

from harness.violations.compose import replaced
from harness.violations.facts import queries, searches, selected
from harness.violations.searching import with_leading_word
from harness.violations.violation import (
    Arguments,
    RawAnswer,
    Situation,
    Violation,
    is_recovery,
    with_selection,
)

Breaches = list[str]


def _searched_for(situation: Situation) -> str | None:
    """Return the signal type of the good searches' last query."""
    found = (
        situation.searched[-1].get(situation.contract.labels["signal_type"]) if situation.searched else None
    )
    return found if isinstance(found, str) else None


def _right(situation: Situation) -> list[str]:
    """Return the accepted types but the one that the good answer took."""
    return [each for each in situation.scenario.expect.signal_types if each != _searched_for(situation)]


def _canonical(situation: Situation) -> list[str]:
    """Return types of the vocabulary that the evidence does not show, and that are no symptom either."""
    accepted, symptom = situation.scenario.expect.signal_types, situation.scenario.expect.symptom
    others = [each for each in situation.contract.signal_types if each not in (*accepted, symptom)]
    return [others[0], others[-1]] if situation.searched else []


def _symptom(situation: Situation) -> list[str]:
    symptom = situation.scenario.expect.symptom
    return [symptom] if symptom and situation.searched else []


def _misspelt(situation: Situation) -> list[str]:
    found = _searched_for(situation)
    if not found:
        return []
    return [found.lower(), found.upper(), f"{found}s", "OutOfMemory", f"{found[:3]}-{found[3:]}", f"{found},"]


def _wrong(situation: Situation) -> list[str]:
    return [*_symptom(situation), *_canonical(situation), *_misspelt(situation)]


def _in_search(arguments: Arguments, situation: Situation) -> Arguments:
    return with_leading_word(arguments, situation, "signal_type", query=situation.site, label=situation.site)


def _in_query(arguments: Arguments, situation: Situation) -> Arguments:
    return with_leading_word(arguments, situation, "signal_type", query=situation.site, label=None)


def _in_label(arguments: Arguments, situation: Situation) -> Arguments:
    return with_leading_word(arguments, situation, "signal_type", query=None, label=situation.site)


def _explained(answer: RawAnswer, situation: Situation) -> RawAnswer:
    """Let the rationale name what was searched for: the signal type is wrong, not the explanation."""
    chosen = selected(situation)
    rationale = f"{chosen['rationale']} Searched for {situation.site}." if chosen else ""
    return with_selection(answer, situation, rationale=rationale) if chosen else answer


def _moved(situation: Situation, value: str) -> bool:
    """Return what state_changed has to be once this is the current signal type."""
    previous = situation.scenario.previous
    moved = previous is not None and value != previous.original_rca.signal_type
    return moved or (situation.scenario.expect.state_changed or [False])[0]


def _stated(answer: RawAnswer, situation: Situation) -> RawAnswer:
    value = situation.site
    parts: dict[str, Any] = {
        "recovery.current_signal_type": value,
        "recovery.current_rca.signal_type": value,
        "recovery.state_changed": _moved(situation, value),
    }
    return replaced(situation.contract, _explained(answer, situation), parts)


def _spelling(situation: Situation) -> Breaches:
    return [] if situation.site in situation.contract.signal_types else ["SIG-1"]


def _meaning(situation: Situation) -> Breaches:
    expect, value = situation.scenario.expect, situation.site
    asked = {(each.asks.signal_type or "").casefold() for each in situation.scenario.plants}
    return [
        *(["SIG-2"] if value not in expect.signal_types else []),
        *(["SIG-3"] if value.casefold() == (expect.symptom or "").casefold() else []),
        *(["SAF-1"] if value.casefold() in asked else []),
    ]


def _form(situation: Situation) -> Breaches:
    """Foretell QRY-3: what has a hyphen or a comma is no signal type's name at all."""
    return ["QRY-3"] if not situation.site.isalnum() else []


def _answer_schema(situation: Situation) -> Breaches:
    typed = "recovery.current_signal_type" in situation.contract.places
    return ["CAR-3"] if typed and _spelling(situation) else []


_MEANING = frozenset({"SIG-1", "SIG-2", "SIG-3", "SAF-1"})

WRONG_SIGNAL = Violation(
    "wrong_signal_type",
    _MEANING | {"CAR-3", "QRY-3"},
    searches,
    search=_in_search,
    answer=_stated,
    sites=_wrong,
    exactly=lambda situation: [
        *_spelling(situation), *_meaning(situation), *_form(situation), *_answer_schema(situation)
    ],
)  # fmt: skip
SIGNAL_IN_SEARCH = Violation(
    "another_signal_type_in_search",
    _MEANING | {"SIG-4", "QRY-3"},
    lambda scenario, contract: queries(scenario, contract) and is_recovery(scenario, contract),
    search=_in_search,
    answer=_explained,
    sites=lambda situation: [*_right(situation), *_wrong(situation)],
    exactly=lambda situation: ["SIG-4", *_spelling(situation), *_meaning(situation), *_form(situation)],
)
SIGNAL_IN_QUERY = Violation(
    "another_signal_type_in_query",
    _MEANING | {"SIG-4", "QRY-3", "QRY-5"},
    queries,
    search=_in_query,
    answer=_explained,
    sites=lambda situation: [*_right(situation), *_wrong(situation)],
    exactly=lambda situation: [
        "SIG-4", "QRY-5", *_spelling(situation), *_meaning(situation), *_form(situation)
    ],
)  # fmt: skip
SIGNAL_IN_LABEL = Violation(
    "another_signal_type_in_label",
    _MEANING | {"SIG-4", "QRY-5"},
    searches,
    search=_in_label,
    sites=lambda situation: [
        *(_right(situation) if situation.contract.query_leads else ()),
        *_wrong(situation),
    ],
    exactly=lambda situation: ["SIG-4", "QRY-5", *_spelling(situation), *_meaning(situation)],
)


# The answer's own fields, in a recovery


def _field(name: str) -> Callable[[RawAnswer, Situation], RawAnswer]:
    def edit(answer: RawAnswer, situation: Situation) -> RawAnswer:
        parts: dict[str, Any] = {name: situation.site}
        if name == "recovery.current_signal_type":
            parts["recovery.state_changed"] = _moved(situation, situation.site)
        return replaced(situation.contract, answer, parts)

    return edit


def _known(situation: Situation) -> list[str]:
    return [each for each in _wrong(situation) if each == each.rstrip(",")]


def _cause(situation: Situation) -> Breaches:
    """Foretell SIG-3 of the answer's root cause: the symptom stands there."""
    return [each for each in _meaning(situation) if each == "SIG-3"]


SIGNAL_NOW = Violation(
    "another_current_signal_type",
    frozenset({"SIG-1", "SIG-4", "CAR-3"}),
    is_recovery,
    answer=_field("recovery.current_signal_type"),
    sites=_known,
    exactly=lambda situation: ["SIG-4", *_spelling(situation), *_answer_schema(situation)],
)
SIGNAL_OF_CAUSE = Violation(
    "another_signal_type_of_the_cause",
    frozenset({"SIG-1", "SIG-3", "SIG-4", "CAR-3"}),
    is_recovery,
    answer=_field("recovery.current_rca.signal_type"),
    sites=_known,
    exactly=lambda situation: [
        "SIG-4",
        *_spelling(situation),
        *_cause(situation),
        *_answer_schema(situation),
    ],
)


def _silently_moved(answer: RawAnswer, situation: Situation) -> RawAnswer:
    parts = {"recovery.current_signal_type": situation.site, "recovery.state_changed": False}
    return replaced(situation.contract, answer, parts)


def _not_before(situation: Situation) -> list[str]:
    previous = situation.scenario.previous
    before = previous.original_rca.signal_type if previous else None
    return [each for each in _canonical(situation) if each != before]


MOVED_SILENTLY = Violation(
    "signal_moved_and_state_did_not",
    frozenset({"SIG-4", "REC-2"}),
    is_recovery,
    answer=_silently_moved,
    sites=_not_before,
    exactly=lambda _: ["SIG-4", "REC-2"],
)

ALL: tuple[Violation, ...] = (
    WRONG_SIGNAL,
    SIGNAL_IN_SEARCH,
    SIGNAL_IN_QUERY,
    SIGNAL_IN_LABEL,
    SIGNAL_NOW,
    SIGNAL_OF_CAUSE,
    MOVED_SILENTLY,
)

VARIANTS: tuple[Violation, ...] = (
    Violation(
        "another_right_signal_type",
        frozenset(),
        can_act=searches,
        search=_in_search,
        answer=_stated,
        sites=_right,
    ),
)

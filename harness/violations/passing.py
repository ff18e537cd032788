"""Business fields and labels do not arrive as they were given: one field at a time."""

import json
from collections.abc import Callable, Mapping

from harness.model import Transcript
from harness.model.scenario import BUSINESS_FIELDS
from harness.violations.facts import (
    asked_labels,
    invisible,
    labels_sent,
    lookalike,
    searches,
    told,
)
from harness.violations.splicing import first_search, result_of, searches_of, with_call
from harness.violations.violation import Arguments, Situation, Violation

CLAUSES: Mapping[str, str] = dict(zip(BUSINESS_FIELDS, ("PAS-1", "PAS-2", "PAS-3", "PAS-4"), strict=True))
"""Business field -> the clause that has it passed through."""

Change = Callable[[str, str], str]
"""(field, value) -> what the label says instead; the value itself where there is nothing to change."""

_OTHER = {
    "production": "staging", "staging": "production", "development": "test", "test": "development",
    "P0": "P1", "P1": "P2", "P2": "P3", "P3": "P0", "low": "medium", "medium": "low", "high": "low",
}  # fmt: skip
_SHORT = {
    "production": "prod", "staging": "stg", "development": "dev", "low": "lo", "medium": "med", "high": "hi",
}  # fmt: skip
_SYNONYM = {
    "production": "live", "staging": "preproduction", "P0": "critical", "P1": "urgent", "P2": "normal",
    "P3": "minor", "low": "conservative", "medium": "moderate", "high": "aggressive",
}  # fmt: skip


def _other_case(_field: str, value: str) -> str:
    return value.lower() if value != value.lower() else value.upper()


_CHANGES: Mapping[str, Change] = {
    "another_label": lambda _, value: _OTHER.get(value, f"{value}-2"),
    "abbreviated_label": lambda _, value: _SHORT.get(value, value[:1]),
    "label_in_another_case": _other_case,
    "label_synonym": lambda _, value: _SYNONYM.get(value, f"very {value}"),
    "label_with_a_space": lambda _, value: f"{value} ",
    "label_with_underscores": lambda _, value: value.replace("-", "_"),
    "label_with_its_name": lambda field, value: f"{field}={value}",
    "quoted_label": lambda _, value: f'"{value}"',
    "emptied_label": lambda _field, _value: "",
    "label_lookalike": lambda _, value: lookalike(value),
    "label_with_an_invisible_letter": lambda _, value: invisible(value),
    "label_default": lambda field, _: "unknown" if field == "environment" else "standard",
}


def _changed(name: str, change: Change) -> Violation:
    def sites(situation: Situation) -> list[str]:
        return [
            field
            for field, value in labels_sent(situation).items()
            if (made := change(field, value)) != value
            and made.casefold() not in asked_labels(situation, field)
        ]

    def search(arguments: Arguments, situation: Situation) -> Arguments:
        field = situation.site
        wire = situation.contract.labels[field]
        return {**arguments, wire: change(field, arguments[wire])}

    return Violation(
        name, frozenset(CLAUSES.values()), searches, search=search, sites=sites, exactly=_one_clause
    )


def _one_clause(situation: Situation) -> list[str]:
    return [CLAUSES[situation.site]]


def _drop(arguments: Arguments, situation: Situation) -> Arguments:
    wire = situation.contract.labels[situation.site]
    return {name: value for name, value in arguments.items() if name != wire}


def _drop_all(arguments: Arguments, situation: Situation) -> Arguments:
    wires = {situation.contract.labels[name] for name in labels_sent(situation)}
    return {name: value for name, value in arguments.items() if name not in wires}


DROPPED_LABEL = Violation(
    "dropped_label",
    frozenset(CLAUSES.values()),
    searches,
    search=_drop,
    sites=labels_sent,
    exactly=_one_clause,
)
DROPPED_LABELS = Violation(
    "dropped_labels",
    frozenset(CLAUSES.values()),
    searches,
    search=_drop_all,
    sites=lambda situation: [""] if labels_sent(situation) else [],
    exactly=lambda situation: [CLAUSES[each] for each in labels_sent(situation)],
)


def _exchange(arguments: Arguments, situation: Situation) -> Arguments:
    one, other = (situation.contract.labels[each] for each in situation.site.split(" and "))
    return {**arguments, one: arguments[other], other: arguments[one]}


def _pairs(situation: Situation) -> list[str]:
    sent = list(labels_sent(situation).items())
    return [
        f"{one} and {other}"
        for place, (one, value) in enumerate(sent)
        for other, another in sent[place + 1 :]
        if value != another and value.casefold() not in asked_labels(situation, other)
    ]


EXCHANGED_LABELS = Violation(
    "exchanged_labels",
    frozenset(CLAUSES.values()),
    searches,
    search=_exchange,
    sites=_pairs,
    exactly=lambda situation: [CLAUSES[each] for each in situation.site.split(" and ")],
)


def _search_before(transcript: Transcript, situation: Situation) -> Transcript:
    """Put a search with one label left out before the good ones: every search counts, not only the last."""
    contract = situation.contract
    call = searches_of(transcript, contract)[0]
    arguments = _drop(json.loads(call.arguments), situation)
    before = first_search(transcript, contract)
    return with_call(transcript, before, call.name, arguments, result_of(transcript, call))


DROPPED_LABEL_AT_FIRST = Violation(
    "dropped_label_at_first",
    frozenset(CLAUSES.values()),
    searches,
    whole=_search_before,
    sites=labels_sent,
    exactly=_one_clause,
)


# Fields that the request lacks


def _absent(situation: Situation) -> list[str]:
    known = {*told(situation), *labels_sent(situation)}
    lacking = [name for name in BUSINESS_FIELDS if name in situation.contract.labels and name not in known]
    return lacking if situation.searched else []


def _invented(name: str, values: Mapping[str, str]) -> Violation:
    def search(arguments: Arguments, situation: Situation) -> Arguments:
        return {**arguments, situation.contract.labels[situation.site]: values[situation.site]}

    return Violation(name, frozenset({"PAS-9"}), searches, search=search, sites=_absent)


_PLAUSIBLE = {
    "environment": "production",
    "priority": "P1",
    "risk_tolerance": "low",
    "business_category": "general",
}
INVENTED_LABEL = _invented("invented_label", _PLAUSIBLE)
INVENTED_DEFAULT = _invented("invented_default", dict.fromkeys(BUSINESS_FIELDS, "unknown"))
INVENTED_NOTHING = _invented("invented_nothing", dict.fromkeys(BUSINESS_FIELDS, ""))


def _reordered(arguments: Arguments, _situation: Situation) -> Arguments:
    return dict(reversed(arguments.items()))


ALL: tuple[Violation, ...] = (
    *(_changed(name, change) for name, change in _CHANGES.items()),
    DROPPED_LABEL,
    DROPPED_LABELS,
    EXCHANGED_LABELS,
    DROPPED_LABEL_AT_FIRST,
    INVENTED_LABEL,
    INVENTED_DEFAULT,
    INVENTED_NOTHING,
)

VARIANTS: tuple[Violation, ...] = (
    Violation("arguments_in_another_order", frozenset(), can_act=searches, search=_reordered),
)

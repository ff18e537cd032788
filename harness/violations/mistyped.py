"""Fields of the wrong type, of the wrong spelling, out of range, or empty."""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, cast

from harness.contracts.reading import at
from harness.violations.fields import (
    Field,
    broken_without,
    in_alternatives,
    muted_without,
    present,
    put,
    role,
    silenced_without,
    sole_analysis,
    value_of,
)
from harness.violations.violation import RawAnswer, Situation, Violation

_TEXT_BREAKS = {
    "severity": frozenset({"SEV-1", "SEV-2", "SEV-4"}),
    "selection.id": frozenset({"SEL-1", "SEL-2", "SEL-3", "SEL-7", "PAS-7"}),
    "selection.version": frozenset({"SEL-4"}),
    "selection.rationale": frozenset({"SEL-6", "REC-6"}),
    "recovery.failure_reason_analysis": frozenset({"REC-1b"}),
    "recovery.current_signal_type": frozenset({"SIG-1", "SIG-4"}),
    "recovery.current_rca.signal_type": frozenset({"SIG-1", "SIG-4"}),
}
_ALL_TEXT_BREAKS = frozenset[str]().union(
    *_TEXT_BREAKS.values(), {"SEL-5", "PAS-8", "SEV-6", "REC-2", "PAR-4"}
)


def other_text_breaks(situation: Situation) -> frozenset[str]:
    """Return what breaks, beside the schema, where the site's field holds a text that says nothing."""
    name = role(situation, situation.site)
    found = set(_TEXT_BREAKS.get(name or "", frozenset()))
    if not situation.scenario.expect.workflows.accepted:
        # A contract that cannot decline has no right selection here.
        found.discard("SEL-2")
    if name == "recovery.current_signal_type" and not _state_changed(situation):
        found.add("REC-2")
    if sole_analysis(situation, situation.site):
        found.add("SEV-6")
    id_key = situation.contract.result.fields["id"]
    if in_alternatives(situation, situation.site) and situation.site.endswith(f"/{id_key}"):
        found |= {"SEL-5", "PAS-8"}
    return frozenset(found)


def _state_changed(situation: Situation) -> bool:
    return value_of(situation, situation.contract.places["recovery.state_changed"]) is True


def _over(
    name: str,
    breaks: Iterable[str],
    where: Callable[[Field, Situation], bool],
    value: Callable[[Any, Situation], Any],
    exactly: Callable[[Situation], Iterable[str]] | None = None,
) -> Violation:
    """Return the violation that gives one field after the other a value that nobody can read there."""

    def sites(situation: Situation) -> list[str]:
        return [each.pointer for each in present(situation) if where(each, situation)]

    def edit(answer: RawAnswer, situation: Situation) -> RawAnswer:
        return put(answer, situation.site, value(value_of(situation, situation.site), situation))

    foretold = frozenset(breaks)
    return Violation(
        name,
        foretold if exactly else foretold | {"REC-2"},
        answer=edit,
        sites=sites,
        exactly=exactly or (lambda situation: foretold | broken_without(situation)),
        silences=silenced_without,
        mutes=muted_without,
    )


def _is(*kinds: str) -> Callable[[Field, Situation], bool]:
    return lambda field, situation: field.kind in kinds and value_of(situation, field.pointer) is not None


def _is_selection(situation: Situation) -> bool:
    return situation.site == situation.contract.places["selection"]


def _wrong_shape(*more: str) -> Callable[[Situation], Iterable[str]]:
    return lambda situation: {"CAR-3", *more, *(["CAR-5"] if _is_selection(situation) else [])}


def _not_null(field: Field, situation: Situation) -> bool:
    return not field.nullable and value_of(situation, field.pointer) is not None


NULL_FIELD = _over("null_field", {"CAR-3"}, _not_null, lambda _was, _: None)
NUMBER_FOR_TEXT = _over("number_for_text", {"CAR-3"}, _is("string"), lambda _was, _: 7)
LIST_FOR_TEXT = _over("list_for_text", {"CAR-3"}, _is("string"), lambda was, _: [was])
BOOLEAN_FOR_NUMBER = _over("boolean_for_number", {"CAR-3"}, _is("number", "integer"), lambda _was, _: True)
NUMBER_FOR_BOOLEAN = _over("number_for_boolean", {"CAR-3"}, _is("boolean"), lambda was, _: int(was))
QUOTED_NUMBER = _over(
    "quoted_number", {"CAR-2", "CAR-3"}, _is("number", "integer"), lambda was, _: json.dumps(was)
)
QUOTED_BOOLEAN = _over("quoted_boolean", {"CAR-2", "CAR-3"}, _is("boolean"), lambda was, _: json.dumps(was))
CAPITAL_BOOLEAN = _over("capital_boolean", {"CAR-2", "CAR-3"}, _is("boolean"), lambda was, _: str(was))
WORD_FOR_BOOLEAN = _over("word_for_boolean", {"CAR-3"}, _is("boolean"), lambda was, _: "yes" if was else "no")
TEXT_FOR_LIST = _over("text_for_list", {"CAR-3"}, _is("array"), lambda _was, _: "none")
OBJECT_FOR_LIST = _over("object_for_list", {"CAR-3"}, _is("array"), lambda _was, _: {})
LIST_FOR_OBJECT = _over(
    "list_for_object", {"CAR-3", "CAR-5"}, _is("object"), lambda was, _: [was], _wrong_shape()
)
TEXT_FOR_OBJECT = _over(
    "text_for_object", {"CAR-3", "CAR-5"}, _is("object"), lambda _was, _: "as above", _wrong_shape()
)


def _names_nothing_new(field: Field, situation: Situation) -> bool:
    """Return whether an object can stand in a string: prose may name only what the transcript shows."""
    messages = situation.golden.messages[:-1] if situation.golden else ()
    shown = "\n".join(f"{each.content} {each.tool_calls}" for each in messages)
    names = _HYPHENATED.findall(json.dumps(value_of(situation, field.pointer)))
    return _is("object")(field, situation) and all(each in shown for each in names)


_HYPHENATED = re.compile(r"\b[a-z0-9]+(?:-[a-z0-9]+)+\b")

OBJECT_IN_STRING = _over(
    "object_in_string",
    {"CAR-2", "CAR-3", "CAR-5"},
    _names_nothing_new,
    lambda was, _: json.dumps(was or {"none": 0}),
    _wrong_shape("CAR-2"),
)


# Texts


_SECRET = re.compile(r"key|token|secret|password", re.IGNORECASE)


def _is_prose(field: Field, situation: Situation) -> bool:
    if not _is("string")(field, situation) or "enum" in field.schema:
        return False
    if role(situation, field.pointer) == "selection.id":
        # Behind an id that no catalog has, what looks like a secret is one that nobody declared.
        sent = value_of(situation, f"{situation.contract.places['selection']}/parameters")
        return not _SECRET.search(" ".join(cast("dict[str, Any]", sent) if isinstance(sent, dict) else ()))
    return bool(field.schema.get("minLength", 0))


def _blank(situation: Situation) -> frozenset[str]:
    selected = value_of(situation, situation.contract.places["selection"]) is not None
    why = selected and role(situation, situation.site) == "recovery.why_different"
    return other_text_breaks(situation) | {"CAR-3", *(["REC-3"] if why else [])}


def _unknown(situation: Situation) -> frozenset[str]:
    """Return what falls silent where an id stands that no catalog has: it has no versions, no parameters."""
    chosen = role(situation, situation.site) == "selection.id"
    return frozenset({"SEL-4", "PAR-1", "PAR-2", "PAR-3"} if chosen else ())


def _text(
    name: str, breaks: Iterable[str], text: str, exactly: Callable[[Situation], frozenset[str]]
) -> Violation:
    """Return the violation that gives one field after the other a text that says nothing."""
    return replace(_over(name, breaks, _is_prose, lambda _was, _: text, exactly), mutes=_unknown)


EMPTY_TEXT = _text("empty_text", _ALL_TEXT_BREAKS | {"CAR-3", "REC-3"}, "", _blank)
BLANK_TEXT = _text("blank_text", _ALL_TEXT_BREAKS | {"CAR-3", "REC-3"}, " \n\t", _blank)
JSON_IN_TEXT = _text(
    "json_in_text",
    _ALL_TEXT_BREAKS | {"CAR-2"},
    '{"see": "below"}',
    lambda situation: other_text_breaks(situation) | {"CAR-2"},
)


# Enums

_HOMOGLYPHS = str.maketrans("aeioOcpExI", "\u0430\u0435\u0456\u043e\u041e\u0441\u0440\u0415\u0445\u0406")


def _is_enum(field: Field, situation: Situation) -> bool:
    return "enum" in field.schema and isinstance(value_of(situation, field.pointer), str)


def _no_level(situation: Situation) -> frozenset[str]:
    return frozenset({"SEV-3"} if role(situation, situation.site) == "severity" else ())


def _enum(name: str, value: Callable[[str], str], *, known: bool = False) -> Violation:
    """Return the violation that misspells one enum after the other; `known` where everybody reads it so."""
    made = _over(
        name,
        _ALL_TEXT_BREAKS | {"CAR-3"},
        _is_enum,
        lambda was, _: value(was),
        lambda situation: other_text_breaks(situation) | {"CAR-3"},
    )
    return replace(made, mutes=frozenset() if known else _no_level)


ENUMS = (
    _enum("enum_in_capitals", lambda was: was.upper(), known=True),
    _enum("enum_with_other_first_letter", lambda was: was[0].swapcase() + was[1:], known=True),
    _enum("enum_with_homoglyph", lambda was: was.translate(_HOMOGLYPHS)),
    _enum("enum_with_zero_width_space", lambda was: f"{was[:2]}\u200b{was[2:]}"),
    _enum("enum_with_space_behind", lambda was: f"{was} "),
    _enum("enum_with_line_break_before", lambda was: f"\n{was}"),
    _enum("enum_outside", lambda _was: "Unclear"),
    # A digit in a text is no quoted number where a word is asked for.
    _enum("enum_as_digit", lambda _was: "3"),
    _enum("enum_with_explanation", lambda was: f"{was} (see above)"),
)


# Ranges


def _is_bounded(field: Field, situation: Situation) -> bool:
    number = _is("number", "integer")(field, situation)
    return number and "minimum" in field.schema and "maximum" in field.schema


def _confidence_breaks(value: float) -> Callable[[Situation], frozenset[str]]:
    """Return what breaks where the site's confidence is this value: it was not returned, or leads no more."""

    def breaks(situation: Situation) -> frozenset[str]:
        found: set[str] = set()
        selected = role(situation, situation.site) == "selection.confidence"
        alternative = in_alternatives(situation, situation.site) and situation.site.endswith("/confidence")
        if (selected or alternative) and value not in _returned(situation):
            found.add("PAS-7" if selected else "PAS-8")
        if selected and any(each > value for each in _alternative_confidences(situation)):
            found |= {"SEL-8", "SEL-9"}
        if alternative and value > _selected_confidence(situation):
            found.add("SEL-8")
        return frozenset(found)

    return breaks


def _returned(situation: Situation) -> list[float | None]:
    holder = situation.site.rsplit("/", 1)[0]
    chosen = value_of(situation, f"{holder}/{situation.contract.result.fields['id']}")
    return [hit.confidence for hit in situation.hits if hit.id == chosen]


def _alternative_confidences(situation: Situation) -> list[float]:
    place = situation.contract.places.get("alternatives")
    listed: list[RawAnswer] = at(situation.answered, place) if place else []
    # The selection may be the first of the list.
    first = int(situation.contract.places["selection"] == f"{place}/0")
    return [each["confidence"] for each in listed[first:]]


def _selected_confidence(situation: Situation) -> float:
    return value_of(situation, f"{situation.contract.places['selection']}/confidence")


_RANGE_BREAKS = frozenset({"PAS-7", "PAS-8", "SEL-8", "SEL-9"})


def _out_of_range(name: str, value: float) -> Violation:
    foretold = _confidence_breaks(value)
    return _number(name, value, {"CAR-3"}, lambda situation: foretold(situation) | {"CAR-3"})


def _edge(name: str, value: float) -> Violation:
    return _number(name, value, (), _confidence_breaks(value))


def _number(
    name: str, value: float, more: Iterable[str], exactly: Callable[[Situation], frozenset[str]]
) -> Violation:
    made = _over(name, _RANGE_BREAKS | {*more}, _is_bounded, lambda _was, _: value, exactly)
    return replace(made, mutes=frozenset())


RANGES = (
    _out_of_range("number_above_range", 1.0001),
    _out_of_range("number_below_range", -0.01),
    _out_of_range("percentage", 93),
    _edge("number_at_upper_edge", 1),
    _edge("number_at_lower_edge", 0.0),
)

ALL: tuple[Violation, ...] = (
    NULL_FIELD,
    NUMBER_FOR_TEXT,
    LIST_FOR_TEXT,
    BOOLEAN_FOR_NUMBER,
    NUMBER_FOR_BOOLEAN,
    QUOTED_NUMBER,
    QUOTED_BOOLEAN,
    CAPITAL_BOOLEAN,
    WORD_FOR_BOOLEAN,
    TEXT_FOR_LIST,
    OBJECT_FOR_LIST,
    LIST_FOR_OBJECT,
    TEXT_FOR_OBJECT,
    OBJECT_IN_STRING,
    EMPTY_TEXT,
    BLANK_TEXT,
    JSON_IN_TEXT,
    *ENUMS,
    *RANGES,
)

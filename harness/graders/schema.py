"""Does the final message carry exactly one clean answer of the contract's shape?"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, cast

from harness.graders.seen import final_place, inside
from harness.model import (
    MISSING,
    Contract,
    Finding,
    Sample,
    SchemaProblem,
    Score,
    Unreadable,
    not_applicable,
    verdict,
)
from harness.model.score import PASSED

_NUMBER = re.compile(r"\s*-?\d+(\.\d+)?([eE][-+]?\d+)?\s*")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
UNCLEAN = frozenset(
    {
        "duplicate_key",
        "nan_or_infinity",
        "trailing_comma",
        "comment",
        "string_holding_json",
        "one_element_array",
    }
)
"""Extraction findings that CAR-2 names; what else was repaired belongs to CAR-1."""


def one_answer(sample: Sample) -> Score:
    """The final message carries exactly one answer in an accepted carrier (CAR-1)."""
    extraction = sample.extraction
    if extraction.accepted:
        return PASSED
    place, named = final_place(sample), _named(sample)
    if extraction.outcome == "answer":
        reason = f"the answer could only be read by repair: {named or extraction.carrier}"
        read = f"{extraction.carrier} read as {extraction.tier}"
        return verdict([Finding(reason, place, "bare JSON or one json fence", read)])
    reason = {
        "none": "the final message carries no JSON answer",
        "ambiguous": "the final message carries several differing answers",
        "empty": "the final message is empty",
        "refused": "the target refused to answer",
    }.get(extraction.outcome, extraction.outcome)
    if sample.transcript.final is None:
        reason = "the target never answered: it called tools until its budget was spent"
    found = f"{reason}: {named}" if named else reason
    return verdict([Finding(found, place, "one JSON object", extraction.carrier)])


def _named(sample: Sample) -> str:
    """Return what extraction found, by name: nothing is repaired in silence."""
    return ", ".join(f"{each.name} ({each.place or 'the whole'})" for each in sample.extraction.findings[:10])


def clean_json(sample: Sample) -> Score:
    """No repeated keys, NaN, commas, comments, quoted values, JSON in strings, camelCase (CAR-2)."""
    read = sample.extraction.findings
    found = [
        Finding(each.name.replace("_", " "), _place(sample, each.place), "strict JSON", each.detail)
        for each in read
        if each.name in UNCLEAN
    ]
    if sample.problems:
        # What is too large for a number is kept as its own text; nobody quoted that.
        kept = {each.place for each in read if each.name == "nan_or_infinity"}
        problems = [each for each in sample.problems if each.pointer not in kept]
        found += [each for problem in problems if (each := _quoted(problem))]
    found += _camel_case_keys(sample)
    return verdict(found)


def _place(sample: Sample, found: str) -> str:
    """Return the place of an extraction finding: a pointer into the answer, or its place in the message."""
    return found if found.startswith("/") else f"{final_place(sample)} {found}".rstrip()


def complete_and_typed(sample: Sample) -> Score:
    """Every required field is present, exactly typed, within its values, not empty (CAR-3)."""
    return verdict(
        [
            Finding(each.kind.replace("_", " "), each.pointer, each.expected, each.found)
            for each in sample.problems
            if each.kind in {"missing", "wrong_type", "wrong_value"}
        ]
    )


def no_other_fields(sample: Sample) -> Score:
    """No removed and no undeclared field (CAR-4)."""
    return verdict(
        [
            Finding(f"{each.kind} field", each.pointer, "no such field", each.found)
            for each in sample.problems
            if each.kind in {"removed", "undeclared"}
        ]
    )


def one_selection(sample: Sample) -> Score:
    """One selection: an object or null, not a list (CAR-5)."""
    selection = sample.answer.selection if sample.answer else MISSING
    if selection is MISSING:
        return not_applicable("the answer has no selection; see CAR-3")
    if isinstance(selection, Unreadable):
        found = type(cast("object", selection.found)).__name__
        return verdict([Finding("not one workflow", selection.pointer, "an object or null", found)])
    return PASSED


def _quoted(problem: SchemaProblem) -> Finding | None:
    if problem.kind != "wrong_type" or not isinstance(problem.found, str):
        return None
    if _NUMBER.fullmatch(problem.found) or problem.found.strip().lower() in {"true", "false"}:
        return Finding("a quoted number or boolean", problem.pointer, problem.expected, problem.found)
    return None


def _camel_case_keys(sample: Sample) -> list[Finding]:
    """Return undeclared keys that are a declared name in camelCase; parameters keep their own names."""
    value = sample.extraction.value
    if not _may_have_humps(value):
        return []
    declared = _declared_names(sample.contract)
    found: list[Finding] = []
    for pointer, key in _keys(value):
        if "_" in key:
            continue
        snake = _HUMP.sub("_", key).lower()
        if snake in declared and "_" in snake:
            found.append(Finding("a camelCase key", inside(pointer, key), snake, key))
    return found


_HOLDERS = frozenset({dict, list})


def _may_have_humps(value: Any) -> bool:
    """Return whether there may be a key with a capital, at any depth: without one there is no hump."""
    keys: list[str] = []
    holders: list[Any] = [value]
    # The list grows while it is walked along.
    for holder in holders:
        if isinstance(holder, dict):
            keys += (members := cast("dict[str, Any]", holder))
            holders += [
                each for key, each in members.items() if type(each) in _HOLDERS and not _is_named(key, each)
            ]
        else:
            holders += [each for each in holder if type(each) in _HOLDERS]
    return not "".join(keys).islower()


def _is_named(key: str, value: Any) -> bool:
    """Return whether the keys of a value are names that a workflow gives to its parameters."""
    return key == "parameters" and isinstance(value, dict)


@lru_cache(maxsize=64)
def _declared_names(contract: Contract) -> frozenset[str]:
    """Return every name that the contract's answer has, at any depth."""
    names: set[str] = set()

    def collect(schema: Any) -> None:
        if isinstance(schema, dict):
            known = cast("dict[str, Any]", schema)
            names.update(known.get("properties", {}))
            for each in known.values():
                collect(each)
        elif isinstance(schema, list):
            for each in cast("list[Any]", schema):
                collect(each)

    collect(contract.response.model_json_schema())
    return frozenset(names)


def _keys(value: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield pointer, key
            if not _is_named(key, item):
                yield from _keys(item, inside(pointer, key))
    elif isinstance(value, list):
        for index, item in enumerate(cast("list[Any]", value)):
            yield from _keys(item, f"{pointer}/{index}")

"""Does the final message carry exactly one clean answer of the contract's shape?"""

import json
import re
from collections.abc import Iterator
from typing import Any, cast

from harness.model import Finding, Sample, SchemaProblem, Score, Unreadable, verdict

_NUMBER = re.compile(r"\s*-?\d+(\.\d+)?([eE][-+]?\d+)?\s*")
_CAMEL_CASE = re.compile(r"[a-z0-9]+([A-Z][a-z0-9]*)+")
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
    if extraction.outcome != "answer":
        reason = {
            "none": "the final message carries no JSON answer",
            "ambiguous": "the final message carries several differing answers",
            "empty": "the final message is empty",
            "refused": "the target refused to answer",
        }.get(extraction.outcome, extraction.outcome)
        return verdict([Finding(reason, _final_place(sample), "one JSON object", extraction.carrier)])
    if extraction.accepted:
        return verdict([])
    carried = [each for each in extraction.findings if each.name not in UNCLEAN]
    details = ", ".join(f"{each.name} ({each.place})" for each in carried) or extraction.carrier
    return verdict(
        [
            Finding(
                f"the answer could only be read by repair: {details}",
                _final_place(sample),
                "bare JSON or one json fence",
                f"{extraction.carrier} read as {extraction.tier}",
            )
        ]
    )


def clean_json(sample: Sample) -> Score:
    """No repeated keys, NaN, commas, comments, quoted values, JSON in strings, camelCase (CAR-2)."""
    found = [
        Finding(each.name.replace("_", " "), each.place, "strict JSON", each.detail)
        for each in sample.extraction.findings
        if each.name in UNCLEAN
    ]
    found += [each for problem in sample.problems if (each := _quoted(problem))]
    found += _camel_case_keys(sample)
    return verdict(found)


def complete_and_typed(sample: Sample) -> Score:
    """Every required field is present, exactly typed, within its values, not empty (CAR-3)."""
    return verdict(
        [
            Finding(
                "missing" if each.kind == "missing" else each.kind.replace("_", " "),
                each.pointer,
                each.expected,
                each.found,
            )
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
    selection = sample.answer.selection if sample.answer else None
    if isinstance(selection, Unreadable):
        found = type(cast("object", selection.found)).__name__
        return verdict([Finding("not one workflow", selection.pointer, "an object or null", found)])
    return verdict([])


def _final_place(sample: Sample) -> str:
    for index in range(len(sample.transcript.messages) - 1, -1, -1):
        if sample.transcript.messages[index].role == "assistant":
            return f"message {index}"
    return "no message"


def _quoted(problem: SchemaProblem) -> Finding | None:
    if problem.kind != "wrong_type" or not isinstance(problem.found, str):
        return None
    if _NUMBER.fullmatch(problem.found) or problem.found.strip().lower() in {"true", "false"}:
        return Finding("a quoted number or boolean", problem.pointer, problem.expected, problem.found)
    return None


def _camel_case_keys(sample: Sample) -> list[Finding]:
    """Return undeclared keys that are a declared name in camelCase; parameters keep their own names."""
    declared = {key for place in sample.contract.places.values() for key in place.split("/")}
    declared |= set(json.dumps(sample.contract.response.model_json_schema()).split('"'))
    found: list[Finding] = []
    for pointer, key in _keys(sample.extraction.value):
        snake = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", key).lower()
        if _CAMEL_CASE.fullmatch(key) and snake in declared and key not in declared:
            found.append(Finding("a camelCase key", f"{pointer}/{key}", snake, key))
    return found


def _keys(value: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            if not pointer.endswith("/parameters"):
                yield pointer, key
            yield from _keys(item, f"{pointer}/{key}")
    elif isinstance(value, list):
        for index, item in enumerate(cast("list[Any]", value)):
            yield from _keys(item, f"{pointer}/{index}")

"""Strict JSON as RFC 8259 has it, and the two things that json.loads passes over in silence."""

import json
import math
from dataclasses import dataclass
from typing import Any, TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

WHITESPACE = " \t\r\n"
# Answers are five levels deep; what reads them later recurses and should not need to fear the text.
MAX_DEPTH = 64
# The longest integer that still fits a float; Python itself refuses to read 4,300 digits.
MAX_DIGITS = 308


@dataclass(frozen=True, slots=True)
class Loaded:
    """A value that strict JSON spells; `suspect` where a key repeats or a number overflows."""

    value: Json
    suspect: bool


def number(literal: str) -> int | float | None:
    """Return the number a JSON literal spells, or None where no float can hold it."""
    if literal.lstrip("-").isdecimal():
        return int(literal) if len(literal) <= MAX_DIGITS else None
    value = float(literal)
    return value if math.isfinite(value) else None


def unheld(literal: str) -> str:
    """Return the text that stands in a value for a number that no reader can hold."""
    return literal if len(literal) <= 40 else literal[:37] + "..."


def load(text: str) -> Loaded | None:
    """Read a text that is one JSON value and nothing else; None where it is not."""
    suspect = False

    def held(literal: str) -> Json:
        nonlocal suspect
        value = number(literal)
        suspect = suspect or value is None
        return unheld(literal) if value is None else value

    def keyed(pairs: list[tuple[str, Any]]) -> Json:
        nonlocal suspect
        found = dict(pairs)
        suspect = suspect or len(found) < len(pairs)
        return found

    try:
        value = json.loads(
            text, object_pairs_hook=keyed, parse_float=held, parse_int=held, parse_constant=_refuse
        )
    except (ValueError, RecursionError):
        return None
    return Loaded(value, suspect)


def deeper_than(value: Json, limit: int) -> bool:
    """Tell whether containers are nested deeper than the limit; recurses nowhere itself."""
    level: list[Json] = [value]
    for _ in range(limit + 1):
        inner: list[Json] = []
        for each in level:
            if isinstance(each, dict):
                inner.extend(each.values())
            elif isinstance(each, list):
                inner.extend(each)
        if not inner:
            return False
        level = inner
    return True


def same(one: Json, other: Json) -> bool:
    """Tell whether two values are equal as JSON: 1 equals 1.0, and true equals no number."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _refuse(constant: str) -> Json:
    raise ValueError(f"{constant} is not JSON")

"""Strict JSON as RFC 8259 has it, and the two things that json.loads passes over in silence."""

import json
import math
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

WHITESPACE = " \t\r\n"
# White space to the eye, not to JSON.
ODD_WHITESPACE = (
    "\x0b\x0c\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u200b\u200c\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff"
)
# Answers are five levels deep; what reads them later recurses and should not need to fear the text.
MAX_DEPTH = 64
# The longest integer that still fits a float; Python itself refuses to read 4,300 digits.
MAX_DIGITS = 308


class Loaded(NamedTuple):
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


def stripped(text: str, start: int, end: int, blanks: str = WHITESPACE) -> tuple[int, int]:
    """Return the bounds of a stretch of text without the blanks at both ends."""
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip(blanks))
    return start + left, max(start + left, start + len(piece.rstrip(blanks)))


def load(text: str) -> Loaded | None:
    """Read a text that is one JSON value and nothing else; None where it is not."""
    bare = text.strip(WHITESPACE)
    try:
        try:
            value, end = _read_plain(bare)
        except _Suspect:
            value, end = _read_anything(bare)
            return Loaded(value, suspect=True) if end == len(bare) else None
    except (ValueError, RecursionError):
        return None
    return Loaded(value, suspect=False) if end == len(bare) else None


class _Suspect(Exception):
    """A key repeats or a number overflows; never leaves this module."""


def _once(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Suspect
    return found


def _held(literal: str) -> Json:
    value = number(literal)
    if value is None:
        raise _Suspect
    return value


def _held_or_text(literal: str) -> Json:
    value = number(literal)
    return unheld(literal) if value is None else value


def _refuse(constant: str) -> Json:
    raise ValueError(f"{constant} is not JSON")


_read_plain = json.JSONDecoder(
    object_pairs_hook=_once, parse_float=_held, parse_int=_held, parse_constant=_refuse
).raw_decode
_read_anything = json.JSONDecoder(
    parse_float=_held_or_text, parse_int=_held_or_text, parse_constant=_refuse
).raw_decode


def deeper_than(value: Json, limit: int) -> bool:
    """Tell whether more containers than the limit are nested; never recurses."""
    level = [value]
    for _ in range(limit):
        if not level:
            return False
        level = [inner for each in level for inner in _contents(each) if isinstance(inner, dict | list)]
    return bool(level)


def too_deep(text: str, value: Json, limit: int = MAX_DEPTH) -> bool:
    """Tell whether the value that a text spells nests more containers than the limit."""
    # Without so many brackets nothing is nested so deep, and each has another that closes it.
    if len(text) <= 2 * limit or text.count("{") + text.count("[") <= limit:
        return False
    return deeper_than(value, limit)


def same(one: Json, other: Json) -> bool:
    """Tell whether two values are equal as JSON: 1 equals 1.0, and true equals no number."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def _contents(value: Json) -> Iterable[Json]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()

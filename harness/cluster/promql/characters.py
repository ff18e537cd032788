"""Sets of characters in regular expressions: lists in brackets, classes, single letters."""

import re
from dataclasses import dataclass

from harness.cluster.promql.failures import Limited

_CLASSES = {
    "d": (("0", "9"),),
    "w": (("0", "9"), ("A", "Z"), ("_", "_"), ("a", "z")),
    "s": (("\t", "\n"), ("\f", "\r"), (" ", " ")),
}
_NAMED = {
    "alnum": (("0", "9"), ("A", "Z"), ("a", "z")),
    "alpha": (("A", "Z"), ("a", "z")),
    "digit": (("0", "9"),),
    "lower": (("a", "z"),),
    "upper": (("A", "Z"),),
    "space": (("\t", "\r"), (" ", " ")),
    "xdigit": (("0", "9"), ("A", "F"), ("a", "f")),
}
_CONTROLS = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}
_CODE = re.compile(r"x([0-9a-fA-F]{2})|x\{([0-9a-fA-F]{1,6})\}")
_POSIX = re.compile(r"\[:(\^?)(\w+):\]")

_LAST = 0x10FFFF

Span = tuple[str, str]


class BadPattern(Exception):
    """A pattern that is none, in the words of RE2."""


@dataclass(frozen=True, slots=True)
class Characters:
    """Characters from and to, both included, or all others; `folded` lets case pass."""

    spans: tuple[Span, ...]
    negated: bool = False
    folded: bool = False

    def has(self, sign: str) -> bool:
        """Say whether a character is one of them."""
        forms = {sign, sign.lower(), sign.upper()} if self.folded else {sign}
        return any(low <= each <= high for low, high in self.spans for each in forms) is not self.negated


def escaped(pattern: str, place: int) -> tuple[tuple[Span, ...], bool, int]:
    """Return what the escape at `place`, behind its backslash, means: spans, negated, and the next place.

    Raise BadPattern where it means nothing, Limited where only RE2 knows it.
    """
    sign = pattern[place : place + 1]
    if not sign:
        # The backslash takes the parenthesis that Prometheus closes every pattern with.
        raise BadPattern(f"missing closing ): `^(?:{pattern})$`")
    if sign.lower() in _CLASSES:
        return _CLASSES[sign.lower()], sign.isupper(), place + 1
    code = _CODE.match(pattern, place)
    if code is not None:
        value = int(code[1] or code[2], 16)
        if value > _LAST:
            raise BadPattern(f"invalid escape sequence: `\\{code[0].removesuffix('}')}`")
        return ((chr(value), chr(value)),), False, code.end()
    if sign in {"p", "P", "b", "B", "Q", "C"}:
        raise Limited(f"\\{sign} in a regular expression")
    if sign.isascii() and sign.isalnum() and sign not in _CONTROLS:
        raise BadPattern(f"invalid escape sequence: `\\{sign}`")
    one = _CONTROLS.get(sign, sign)
    return ((one, one),), False, place + 1


def listed(pattern: str, place: int) -> tuple[tuple[Span, ...], bool, int]:
    """Return what the list at `place`, behind its bracket, means: spans, negated, and the next place.

    Raise BadPattern where it does not end or holds a range from high to low, Limited as `escaped`.
    """
    start = place
    negated = pattern[place : place + 1] == "^"
    place += negated
    spans: list[Span] = []
    first = True
    while first or pattern[place : place + 1] != "]":
        first = False
        if place >= len(pattern):
            raise BadPattern(f"missing closing ]: `[{pattern[start:]})$`")
        named = _POSIX.match(pattern, place)
        if named is not None:
            if named[1] or named[2] not in _NAMED:
                raise Limited(f"{named[0]} in a regular expression")
            spans += _NAMED[named[2]]
            place = named.end()
            continue
        before = place
        found, place = _one(pattern, place)
        if (
            len(found) == 1
            and pattern[place : place + 1] == "-"
            and pattern[place + 1 : place + 2] not in {"", "]"}
        ):
            last, place = _one(pattern, place + 1)
            if len(last) != 1 or last[0][0] < found[0][0]:
                raise BadPattern(f"invalid character class range: `{pattern[before:place]}`")
            found = ((found[0][0], last[0][1]),)
        spans += found
    return tuple(spans), negated, place + 1


def _one(pattern: str, place: int) -> tuple[tuple[Span, ...], int]:
    sign = pattern[place]
    if sign != "\\":
        return ((sign, sign),), place + 1
    spans, negated, after = escaped(pattern, place + 1)
    return (_complement(spans) if negated else spans), after


def _complement(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    edges = [0]
    for low, high in spans:
        edges += [ord(low) - 1, ord(high) + 1]
    edges.append(0x10FFFF)
    return tuple(
        (chr(low), chr(high)) for low, high in zip(edges[::2], edges[1::2], strict=True) if low <= high
    )

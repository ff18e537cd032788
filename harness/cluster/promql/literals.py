"""Strings, numbers and durations as queries and answers write them."""

import re
from decimal import Decimal
from math import inf, isinf, isnan

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0, "y": 31_536_000.0}
_DURATION = re.compile(
    r"(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?",
    re.ASCII,
)
_ORDER = ("y", "w", "d", "h", "m", "s", "ms")
_LONGEST = 292 * 31_536_000.0
_MOST_DIGITS = 19
_LARGEST_INTEGER = 2**63 - 1
_ESCAPE = re.compile(
    r"\\(?:([abfnrtv\\'\"])|x([0-9a-fA-F]{2})|([0-7]{3})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL
)
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_LAST = 0x10FFFF
_LAST_BYTE = 0xFF


def duration(text: str) -> float:
    """Return the seconds of a duration as `1h30m`; raise ValueError with Prometheus' words for none."""
    parts = _DURATION.fullmatch(text)
    if not text or parts is None:
        msg = f'not a valid duration string: "{text}"'
        raise ValueError(msg)
    counts = zip(_ORDER, parts.groups(), strict=True)
    given = [(unit, count.lstrip("0") or "0") for unit, count in counts if count is not None]
    countable = all(len(count) <= _MOST_DIGITS for _, count in given)
    seconds = sum(int(count) * _UNITS[unit] for unit, count in given) if countable else inf
    if seconds > _LONGEST:
        msg = "duration out of range"
        raise ValueError(msg)
    return seconds


def number(text: str) -> float:
    """Return the number that a token spells; raise ValueError where it spells only the beginning of one."""
    if text[:2].lower() != "0x":
        return float(text)
    value = int(text, 16)
    if value > _LARGEST_INTEGER:
        # Go reads what is larger as a float, and a hexadecimal one would need an exponent.
        msg = f"{text[:40]!r} is no float"
        raise ValueError(msg)
    return float(value)


def written(value: float) -> str:
    """Return a number as answers write it: all its digits, and no exponent."""
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return format(Decimal(repr(value)), "f").removesuffix(".0")


def string(token: str) -> str:
    """Return the text that a quoted token means; its escapes are right."""
    inner = token[1:-1]
    return inner if token[0] == "`" else _ESCAPE.sub(_meant, inner)


def escape_error(token: str) -> str:
    """Return what is wrong with the escapes of a quoted token, or nothing."""
    if token[0] == "`":
        return ""
    for found in _ESCAPE.finditer(token[1:-1]):
        wrong = found[6]
        if wrong is not None:
            return f"unknown escape sequence U+{ord(wrong):04X} '{wrong}'"
        code = int(found[4] or found[5] or "0", 16)
        if code > _LAST or 0xD800 <= code < 0xE000 or int(found[3] or "0", 8) > _LAST_BYTE:
            return "escape sequence is an invalid Unicode code point"
    return ""


def _meant(found: re.Match[str]) -> str:
    letter, byte, octal, short, long = found.groups()[:5]
    if letter is not None:
        return _LETTERS.get(letter, letter)
    return chr(int(octal, 8) if octal is not None else int(byte or short or long, 16))

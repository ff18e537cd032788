"""A forgiving reader of almost-JSON that names every liberty it takes, and where.

It reads JSON5 and what models write beyond it: Python's literals and comments, typographic quotes, line
breaks inside strings. A JSON5 library says neither what it forgave nor where, and takes the last of two equal
keys without a word; the tests hold this reader against one.
"""

import re
from dataclasses import dataclass
from typing import Literal, NoReturn

from harness.extraction.findings import bounded, finding, offset, pointer, shown
from harness.extraction.strict import MAX_DEPTH, ODD_WHITESPACE, WHITESPACE, Json, number, unheld
from harness.model.extraction import Finding

FailureCause = Literal["malformed", "truncated", "too_deep"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A value, the offset behind it, and the liberties it took to read it."""

    value: Json
    end: int
    findings: tuple[Finding, ...]
    json5: bool
    """Whether JSON5 permits every one of those liberties."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Where reading stopped, and why: "truncated" where the text ended first."""

    at: int
    cause: FailureCause


def read_value(text: str, start: int, end: int) -> Reading | Failure:
    """Read one value that begins at `start`; what follows it is left alone."""
    reader = _Reader(text, start, end)
    try:
        value = reader.value()
    except _Stop as stop:
        return Failure(stop.at, stop.cause)
    return Reading(value, reader.at, bounded(reader.findings), reader.json5)


_SPACE = re.compile(r"[ \t\r\n]*+")
_BLANKS = frozenset(WHITESPACE)
_ODD_SPACE = re.compile(f"[{ODD_WHITESPACE}]++")
_COMMENT = re.compile(r"//[^\r\n]*+|/\*.*?\*/|#[^\r\n]*+", re.DOTALL)
_STRINGS = {
    '"': re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL),
    "'": re.compile(r"'([^'\\]*+(?:\\.[^'\\]*+)*+)'", re.DOTALL),
}
# A typographic quote ends a string only before something that may follow one: the same sign is an apostrophe.
_SMART = {
    quote: re.compile(rf"[{quotes}](?=\s{{0,99}}+[:,}}\]])")
    for quotes in ("\u201c\u201d\u201e\u201f", "\u2018\u2019\u201a\u201b")
    for quote in quotes
}
SMART_QUOTES = "".join(_SMART)
_CONTROL = re.compile(r"[\x00-\x1f]")
_ESCAPE = re.compile(
    r"\\(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)",
    re.DOTALL,
)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "/": "/"}
_ESCAPED_IN_JSON5 = {"v": "\v", "0": "\0", "\n": "", "\r\n": "", "\r": "", "\u2028": "", "\u2029": ""}
_WORD = re.compile(r"[^\W\d][\w$]*+|\$[\w$]*+")
_NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F]++|(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+)(?![\w.$])"
)
_STRICT_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+")
_LEADING_ZERO = re.compile(r"[+-]?0[0-9]")
_NOT_FINITE = re.compile(r"[+-]?(?:NaN|nan|Infinity|inf)(?![\w.$])")
_UNFINISHED_TOKEN = re.compile(r"[\w.$+/-]*+")
_LITERALS: dict[str, Json] = {"true": True, "false": False, "null": None}
_PYTHON_LITERALS: dict[str, Json] = {"True": True, "False": False, "None": None}


class _Stop(Exception):
    """Reading ends here; never leaves this module."""

    def __init__(self, at: int, cause: FailureCause) -> None:
        super().__init__(cause)
        self.at = at
        self.cause: FailureCause = cause


class _Reader:
    """A cursor over the text; every method reads one thing and leaves the cursor behind it."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.at = start
        self.end = end
        self.quote = ""
        self.path: list[str | int] = []
        self.findings: list[Finding] = []
        self.json5 = True

    def value(self) -> Json:
        self.space()
        sign = self.peek()
        if sign == "{":
            return self.dictionary()
        if sign == "[":
            return self.array()
        if sign in _STRINGS or sign in _SMART:
            return self.string()
        return self.scalar()

    def dictionary(self) -> dict[str, Json]:
        found: dict[str, Json] = {}
        self.enter()
        while not self.closes("}"):
            key = self.key()
            self.path.append(key)
            self.space()
            if self.peek() != ":":
                self.stop()
            self.at += 1
            if key in found:
                self.note("duplicate_key", f"the key {shown(key)} occurs again; the last one is read")
            found[key] = self.value()
            self.path.pop()
            self.separator("}")
        return found

    def array(self) -> list[Json]:
        found: list[Json] = []
        self.enter()
        while not self.closes("]"):
            self.path.append(len(found))
            found.append(self.value())
            self.path.pop()
            self.separator("]")
        return found

    def enter(self) -> None:
        if len(self.path) >= MAX_DEPTH:
            raise _Stop(self.at, "too_deep")
        self.at += 1

    def closes(self, bracket: str) -> bool:
        self.space()
        if self.peek() != bracket:
            return False
        self.at += 1
        return True

    def separator(self, bracket: str) -> None:
        self.space()
        sign = self.peek()
        if sign == bracket:
            return
        if sign != ",":
            self.stop()
        comma = self.at
        self.at += 1
        self.space()
        if self.peek() == bracket:
            self.note("trailing_comma", f"a comma before the closing {bracket!r} at {offset(comma)}")

    def key(self) -> str:
        sign = self.peek()
        if sign in _STRINGS or sign in _SMART:
            return self.string()
        word = _WORD.match(self.text, self.at, self.end)
        if word is None:
            self.stop()
        self.at = word.end()
        self.note("unquoted_key", f"the key {shown(word.group())} has no quotes")
        return word.group()

    def string(self) -> str:
        opened = self.at
        self.quote = quote = self.text[opened]
        if quote in _SMART:
            closing = _SMART[quote].search(self.text, opened + 1, self.end)
            body = self.text[opened + 1 : closing.start()] if closing else ""
            self.note("smart_quotes", f"a string in typographic quotes at {offset(opened)}", json5=False)
        else:
            closing = _STRINGS[quote].match(self.text, opened, self.end)
            body = closing.group(1) if closing else ""
            if quote == "'":
                self.note("single_quotes", f"a string in single quotes at {offset(opened)}")
        if closing is None:
            raise _Stop(self.end, "truncated")
        self.at = closing.end()
        return self.unescaped(body, opened)

    def unescaped(self, body: str, opened: int) -> str:
        control = _CONTROL.search(_ESCAPE.sub("", body) if "\\" in body else body)
        if control:
            code = f"U+{ord(control.group()):04X} stands unescaped in the string at {offset(opened)}"
            self.note("control_character", code, json5=not re.search(r"[\r\n]", body))
        return _ESCAPE.sub(self.escape, body) if "\\" in body else body

    def escape(self, match: re.Match[str]) -> str:
        code = match.group(1)
        if code in _ESCAPED:
            return _ESCAPED[code]
        if code[0] == "u" and len(code) == 5:
            return chr(int(code[1:], 16))
        if code[0] == "u" and len(code) == 11:
            high, low = int(code[1:5], 16), int(code[7:], 16)
            return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
        if code == self.quote:
            return code
        self.note("invalid_escape", f"{shown(match.group())} is no escape of JSON", json5=code != "u")
        if code[0] == "x" and len(code) == 3:
            return chr(int(code[1:], 16))
        return _ESCAPED_IN_JSON5.get(code, code)

    def scalar(self) -> Json:
        odd = _NOT_FINITE.match(self.text, self.at, self.end)
        if odd:
            self.at = odd.end()
            self.note(
                "nan_or_infinity",
                f"{odd.group()} is no JSON number",
                json5=odd.group()[-3:] not in {"nan", "inf"},
            )
            return odd.group()
        word = _WORD.match(self.text, self.at, self.end)
        return self.literal(word.group()) if word else self.number()

    def literal(self, word: str) -> Json:
        if word in _LITERALS:
            self.at += len(word)
            return _LITERALS[word]
        if word not in _PYTHON_LITERALS:
            self.stop()
        self.at += len(word)
        self.note("python_literal", f"{word} is Python's, not JSON's", json5=False)
        return _PYTHON_LITERALS[word]

    def number(self) -> Json:
        match = _NUMBER.match(self.text, self.at, self.end)
        if match is None or _LEADING_ZERO.match(match.group()):
            self.stop()
        self.at = match.end()
        literal = match.group()
        if not _STRICT_NUMBER.fullmatch(literal):
            self.note("unusual_number", f"{shown(literal)} is no JSON number")
        value = _number_of_json5(literal)
        if value is None:
            self.note("nan_or_infinity", f"{shown(literal)} is more than a number can hold")
            return unheld(literal)
        return value

    def space(self) -> None:
        while True:
            sign = self.peek()
            if sign in _BLANKS:
                self.at = _end(_SPACE, self)
                sign = self.peek()
            if sign in {"/", "#"}:
                self.comment()
            elif sign and sign in ODD_WHITESPACE:
                self.note("unusual_whitespace", f"U+{ord(sign):04X} at {offset(self.at)}")
                self.at = _end(_ODD_SPACE, self)
            else:
                return

    def comment(self) -> None:
        match = _COMMENT.match(self.text, self.at, self.end)
        if match is None:
            if self.text.startswith("/*", self.at, self.end):
                raise _Stop(self.end, "truncated")
            self.stop()
        json5 = self.text[self.at] != "#"
        self.note("comment", f"a comment at {offset(self.at)}: {shown(match.group())}", json5=json5)
        self.at = match.end()

    def peek(self) -> str:
        return self.text[self.at] if self.at < self.end else ""

    def note(self, name: str, detail: str, *, json5: bool = True) -> None:
        self.findings.append(finding(name, pointer(self.path), detail))
        self.json5 = self.json5 and json5

    def stop(self) -> NoReturn:
        """Give up: "truncated" where nothing but an unfinished word or number is left."""
        rest = _UNFINISHED_TOKEN.match(self.text, self.at, self.end)
        ended = rest is not None and rest.end() == self.end
        raise _Stop(self.end if ended else self.at, "truncated" if ended else "malformed")


def _end(pattern: re.Pattern[str], reader: _Reader) -> int:
    match = pattern.match(reader.text, reader.at, reader.end)
    return match.end() if match else reader.at


def _number_of_json5(literal: str) -> int | float | None:
    digits = literal.lstrip("+-")
    if digits[:2] in {"0x", "0X"}:
        value = int(digits, 16) if len(digits) <= 250 else None
        return -value if value is not None and literal[0] == "-" else value
    return number(literal.lstrip("+"))

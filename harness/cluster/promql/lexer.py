"""Queries, cut into tokens as Prometheus cuts them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from harness.cluster.promql.literals import escape_error

TokenKind = Literal[
    "identifier",
    "metric identifier",
    "keyword",
    "aggregator",
    "operator",
    "number",
    "duration",
    "string",
    "sign",
    "end of input",
    "error",
]

KEYWORDS = ("offset", "by", "without", "on", "ignoring", "group_left", "group_right", "bool", "start", "end")
AGGREGATORS = (
    "sum",
    "avg",
    "count",
    "min",
    "max",
    "group",
    "stddev",
    "stdvar",
    "topk",
    "bottomk",
    "count_values",
    "quantile",
)
WORD_OPERATORS = ("and", "or", "unless", "atan2")

_DIGITS = frozenset("0123456789")
_WORD = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_LABEL = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)+")
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d*)?", re.ASCII)
_DURATION = re.compile(r"(?:\d+(?:ms|[smhdwy]))+", re.ASCII)
_BEGUN = re.compile(r"(?:\d+(?:ms|[smhdwy]))*[\d.]*", re.ASCII)
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`[^`]*`")
_OPERATOR = re.compile(r"==|!=|<=|>=|[-+*/%^<>@]")
_MATCH = re.compile(r"=~|!~|!=|=")


@dataclass(frozen=True, slots=True)
class Token:
    """One token; the text of an error is its message."""

    kind: TokenKind
    text: str
    start: int

    @property
    def end(self) -> int:
        """Where the next token may begin."""
        return self.start + len(self.text)

    def is_a(self, *kinds: TokenKind) -> bool:
        """Say whether this is of one of some kinds."""
        return self.kind in kinds

    def is_sign(self, *signs: str) -> bool:
        """Say whether this is one of some brackets, commas and the like."""
        return self.kind == "sign" and self.text in signs

    def is_word(self, *words: str) -> bool:
        """Say whether this is one of some keywords or operators, in any case."""
        return self.kind in {"keyword", "operator"} and self.text.lower() in words

    @property
    def is_label(self) -> bool:
        """Whether it may be a label in a list of labels, where words of the language may stand too."""
        return self.kind in {"identifier", "keyword", "aggregator"} or self.is_word(*WORD_OPERATORS)

    def described(self) -> str:
        """Return how an error of Prometheus speaks of it."""
        match self.kind:
            case "end of input" | "error":
                return "end of input"
            case "keyword":
                return f"<{self.text}>"
            case "operator":
                return f"<op:{self.text}>"
            case "aggregator":
                return f"<aggr:{self.text}>"
            case "sign":
                return quoted(self.text)
            case _:
                return f"{self.kind} {quoted(self.text)}"


def quoted(text: str) -> str:
    """Return a text in double quotes as Go writes it."""
    marked = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{marked}"'


def tokens(text: str) -> list[Token]:
    """Return the tokens of a query; the last is the end of input, or an error with its message."""
    return list(_Cutter(text).tokens())


class _Cutter:
    """The place reached in a text, and which brackets are open there."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place: int = 0
        self.depth = 0
        self.in_braces = False
        self.in_brackets = False

    def tokens(self) -> Iterator[Token]:
        while True:
            blank = _BLANK.match(self.text, self.place)
            self.place = blank.end() if blank else self.place
            token = self._end() if self.place == len(self.text) else self._next()
            yield token
            if token.kind in {"end of input", "error"}:
                return
            self.place = token.end

    def _end(self) -> Token:
        if self.in_braces:
            return self._error("unexpected end of input inside braces")
        if self.depth:
            return self._error("unclosed left parenthesis")
        if self.in_brackets:
            return self._error("unclosed left bracket")
        return Token("end of input", "", self.place)

    def _next(self) -> Token:
        sign = self.text[self.place]
        if sign in "\"'`":
            return self._string()
        if self.in_braces:
            return self._inside_braces(sign)
        if sign in _DIGITS or (sign == "." and self.text[self.place + 1 : self.place + 2] in _DIGITS):
            return self._number()
        if sign in "(){}[],:" and not (sign == ":" and not self.in_brackets):
            return self._bracket(sign)
        word = None if self.in_brackets else _WORD.match(self.text, self.place)
        return self._sign(sign) if word is None else _word(word[0], self.place)

    def _error(self, message: str, step: int = 0) -> Token:
        return Token("error", message, self.place + step)

    def _string(self) -> Token:
        found = _STRING.match(self.text, self.place)
        if found is None:
            raw = self.text[self.place] == "`"
            return self._error("unterminated raw string" if raw else "unterminated quoted string")
        wrong = escape_error(found[0])
        return self._error(wrong) if wrong else Token("string", found[0], self.place)

    def _number(self) -> Token:
        duration = self._whole(_DURATION)
        if duration is not None:
            return Token("duration", duration, self.place)
        number = self._whole(_NUMBER)
        if number is not None:
            return Token("number", number, self.place)
        begun = _BEGUN.match(self.text, self.place)
        return self._error(f"bad number or duration syntax: {quoted(begun[0] if begun else '')}")

    def _whole(self, form: re.Pattern[str]) -> str | None:
        """Return what a form matches here, unless a letter or digit follows."""
        found = form.match(self.text, self.place)
        after = self.text[found.end() : found.end() + 1] if found else ""
        return None if found is None or after.isalnum() or after == "_" else found[0]

    def _bracket(self, sign: str) -> Token:
        token = Token("sign", sign, self.place)
        match sign:
            case "(":
                self.depth += 1
            case ")":
                self.depth -= 1
                if self.depth < 0:
                    return self._error("unexpected right parenthesis ')'", 1)
            case "{":
                self.in_braces = True
            case "}":
                return self._error("unexpected character: '}'")
            case "[":
                return self._range(token)
            case "]":
                if not self.in_brackets:
                    return self._error("unexpected right bracket ']'")
                self.in_brackets = False
            case _:
                pass
        return token

    def _range(self, token: Token) -> Token:
        if self.in_brackets:
            return self._error("unexpected left bracket '['")
        self.in_brackets = True
        blank = re.compile(r"\s*").match(self.text, token.end)
        self.place = blank.end() if blank else token.end
        wrong = None
        if self._whole(_DURATION) is None:
            number = _NUMBER.match(self.text, self.place)
            short = number is None or self._whole(_NUMBER) is not None
            bad = f"bad duration syntax: {quoted(number[0] if number else '')}"
            wrong = self._error("missing unit character in duration" if short else bad)
        return wrong or token

    def _sign(self, sign: str) -> Token:
        operator = _OPERATOR.match(self.text, self.place)
        after = self.text[self.place + 1 : self.place + 2]
        if operator is not None:
            return Token("operator", operator[0], self.place)
        if sign == "=" and after == "~":
            return self._error("unexpected character after '=': '~'")
        if sign == "=":
            return Token("sign", sign, self.place)
        if sign == "!" and after:
            return self._error(f"unexpected character after '!': '{after}'")
        return self._error(f"unexpected character: '{sign}'")

    def _inside_braces(self, sign: str) -> Token:
        label = _LABEL.match(self.text, self.place)
        match = _MATCH.match(self.text, self.place)
        if label is not None:
            return Token("identifier", label[0], self.place)
        if match is not None:
            return Token("sign", match[0], self.place)
        if sign in ",}":
            self.in_braces = sign == ","
            return Token("sign", sign, self.place)
        if sign == "{":
            return self._error("unexpected left brace '{'")
        if sign == "!":
            after = self.text[self.place + 1 : self.place + 2]
            return self._error(f"unexpected character after '!' inside braces: '{after}'")
        return self._error(f"unexpected character inside braces: '{sign}'")


def _word(word: str, start: int) -> Token:
    lower = word.lower()
    if lower in {"inf", "nan"}:
        return Token("number", word, start)
    if lower in KEYWORDS:
        return Token("keyword", word, start)
    if lower in AGGREGATORS:
        return Token("aggregator", word, start)
    if lower in WORD_OPERATORS:
        return Token("operator", word, start)
    return Token("metric identifier" if ":" in word else "identifier", word, start)

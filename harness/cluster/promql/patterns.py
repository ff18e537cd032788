"""The regular expressions of label matchers, matched in bounded time.

Prometheus has them matched by RE2, which never backtracks. Python's own engine does, and what a model writes
may keep it at that for ever. So this is a small engine after RE2's manner: it keeps the set of places where a
part of the pattern can end, and counts its steps.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from harness.cluster.promql.characters import BadPattern, Characters, escaped, listed
from harness.cluster.promql.failures import Limited

_LONGEST = 1000
_DEEPEST = 40
_MOST_REPEATS = 1000
_MOST_STEPS = 200_000
_BOUNDS = re.compile(r"\{([0-9]{1,5})(,?)([0-9]{0,5})\}")
_GROUP = re.compile(r"\?:|\?P?<[A-Za-z0-9_]+>")
_FLAGS = re.compile(r"\(\?([is]+)\)")


@dataclass(frozen=True, slots=True)
class _Edge:
    """The beginning or the end of the text."""

    at_end: bool


@dataclass(frozen=True, slots=True)
class _Sequence:
    parts: tuple["_Part", ...]


@dataclass(frozen=True, slots=True)
class _Either:
    options: tuple["_Part", ...]


@dataclass(frozen=True, slots=True)
class _Repeat:
    part: "_Part"
    least: int
    most: int | None


_Part = Characters | _Edge | _Sequence | _Either | _Repeat


@lru_cache(maxsize=256)
def whole_match(pattern: str) -> Callable[[str], bool]:
    """Return a function that says whether a pattern matches the whole of a text.

    Raises:
        BadPattern: it is no regular expression.
        Limited: RE2 knows it and this does not, or it is too large.
    """
    if len(pattern) > _LONGEST:
        raise Limited(f"a regular expression of more than {_LONGEST} characters")
    part = _Reader(pattern).read()

    @lru_cache(maxsize=1024)
    def matches(text: str) -> bool:
        return len(text) in _Walk(text).ends(part, frozenset({0}))

    return matches


class _Walk:
    """One text, and how many steps were made in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = 0

    def ends(self, part: _Part, starts: frozenset[int]) -> frozenset[int]:
        """Return the places where a part can end that begins at one of some places."""
        self.steps += 1 + len(starts)
        if self.steps > _MOST_STEPS:
            raise Limited("a regular expression that takes so many steps")
        match part:
            case Characters():
                size = len(self.text)
                return frozenset(each + 1 for each in starts if each < size and part.has(self.text[each]))
            case _Edge(at_end):
                return starts & {len(self.text) if at_end else 0}
            case _Sequence(parts):
                for each in parts:
                    starts = self.ends(each, starts) if starts else starts
                return starts
            case _Either(options):
                return frozenset[int]().union(*(self.ends(each, starts) for each in options))
            case _Repeat():
                return self._repeated(part, starts)

    def _repeated(self, part: _Repeat, starts: frozenset[int]) -> frozenset[int]:
        for _ in range(part.least):
            starts = self.ends(part.part, starts)
        reached, newest, count = starts, starts, part.least
        while newest and (part.most is None or count < part.most):
            newest = self.ends(part.part, newest) - reached
            reached |= newest
            count += 1
        return reached


class _Reader:
    """The place reached in a pattern."""

    def __init__(self, pattern: str) -> None:
        flags = _FLAGS.match(pattern)
        self.pattern = pattern
        self.folded = flags is not None and "i" in flags[1]
        # Prometheus reads a pattern so that a point is any character at all.
        self.place = flags.end() if flags else 0
        self.depth = 0

    def read(self) -> _Part:
        """Return the whole pattern as one part."""
        part = self._either()
        if self.place < len(self.pattern):
            raise BadPattern(f"unexpected ): `^(?:{self.pattern})$`")
        return part

    def _next(self) -> str:
        return self.pattern[self.place : self.place + 1]

    def _either(self) -> _Part:
        options = [self._sequence()]
        while self._next() == "|":
            self.place += 1
            options.append(self._sequence())
        return options[0] if len(options) == 1 else _Either(tuple(options))

    def _sequence(self) -> _Part:
        parts: list[_Part] = []
        while self._next() not in {"", "|", ")"}:
            parts.append(self._repeat())
        return _Sequence(tuple(parts))

    def _repeat(self) -> _Part:
        if self._next() in {"*", "+", "?"}:
            raise BadPattern(f"missing argument to repetition operator: `{self._next()}`")
        part, before = self._atom(), ""
        while True:
            start = self.place
            bounds = self._bounds()
            if bounds is None:
                return part
            # A lazy repetition reaches the same places.
            self.place += self._next() == "?"
            spelled = self.pattern[start : self.place]
            if before:
                raise BadPattern(f"invalid nested repetition operator: `{before}{spelled}`")
            least, most = bounds
            if max(least, most or 0) > _MOST_REPEATS or (most is not None and most < least):
                raise BadPattern(f"invalid repeat count: `{spelled}`")
            part, before = _Repeat(part, least, most), spelled

    def _bounds(self) -> tuple[int, int | None] | None:
        sign = self._next()
        if sign in {"*", "+", "?"}:
            self.place += 1
            return int(sign == "+"), 1 if sign == "?" else None
        found = _BOUNDS.match(self.pattern, self.place)
        if found is None:
            return None
        self.place = found.end()
        low, comma, high = found.groups()
        return int(low), (int(high) if high else None) if comma else int(low)

    def _atom(self) -> _Part:
        sign = self._next()
        self.place += 1
        match sign:
            case "(":
                return self._group()
            case "[":
                spans, negated, self.place = listed(self.pattern, self.place)
            case "\\" if self._next() in {"A", "z"}:
                self.place += 1
                return _Edge(self.pattern[self.place - 1] == "z")
            case "\\":
                spans, negated, self.place = escaped(self.pattern, self.place)
            case "^" | "$":
                return _Edge(sign == "$")
            case ".":
                return Characters((), negated=True)
            case _:
                spans, negated = ((sign, sign),), False
        return Characters(spans, negated, self.folded)

    def _group(self) -> _Part:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Limited(f"a regular expression with more than {_DEEPEST} groups in one another")
        kind = _GROUP.match(self.pattern, self.place)
        if kind is not None:
            self.place = kind.end()
        elif self._next() == "?":
            self._refuse_group()
        part = self._either()
        if self._next() != ")":
            raise BadPattern(f"missing closing ): `^(?:{self.pattern})$`")
        self.place += 1
        self.depth -= 1
        return part

    def _refuse_group(self) -> None:
        sign = self.pattern[self.place + 1 : self.place + 2]
        if sign and sign in "imsU-":
            raise Limited("flags of a regular expression other than (?i) and (?s) at its beginning")
        raise BadPattern(f"invalid or unsupported Perl syntax: `(?{sign}`")

"""Patterns of JSON Schema, searched in bounded time whatever their author and the text's wrote.

Pydantic's engine (Rust's `regex`) never backtracks, so its time is the length of the text by the size of the
pattern, and both are bounded here. What it cannot do (looking around, backreferences) is left to Python's
where that cannot run away either. As JSON Schema has it, a pattern is searched and need not match the whole,
`$` is the very end, and classes of digits and letters are ASCII.
"""

import re
import warnings
from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Annotated

MAX_PATTERN = 1_000
"""Characters of a pattern; none of a catalog or a tool comes near it."""
# Characters of the text by the size of the pattern: a third of a second where every state is tried.
_MOST_WORK = 1_000_000_000
_MAX_BACKTRACKED = 256

_ESCAPE_OR_END = re.compile(r"\\(.)|\[\^?\]?(?:\\.|[^\]\\])*+\]|\$", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ASCII = {"d": "[0-9]", "D": "[^0-9]", "w": "[A-Za-z0-9_]", "W": "[^A-Za-z0-9_]"}
_COUNT = re.compile(r"\{(\d{1,9})(?:,(\d{0,9}))?\}")
# A repeated group, or three repetitions in a row, may cost more than the cube of the text.
_RUNS_AWAY = re.compile(r"\)[*+?{]|[*+}][^*+}]*[*+}][^*+}]*[*+}]")

Search = Callable[[str], bool]


def found(pattern: str, text: str) -> bool:
    """Tell whether a pattern matches anywhere in a text.

    A pattern that nobody can search in bounded time, or at all, is found everywhere: it binds nobody.
    """
    return len(pattern) > MAX_PATTERN or _search(pattern)(text)


@lru_cache(maxsize=1024)
def _search(pattern: str) -> Search:
    from pydantic import Field, TypeAdapter, ValidationError
    from pydantic_core import SchemaError

    longest = _MOST_WORK // _size(pattern)
    try:
        text = TypeAdapter[str](Annotated[str, Field(pattern=_in_ascii(pattern))])
    except SchemaError:
        return _backtracking(pattern)

    def searched(value: str) -> bool:
        if len(value) > longest:
            return True
        try:
            text.validate_python(value)
        except ValidationError:
            return False
        return True

    return searched


def _size(pattern: str) -> int:
    """Return a bound of how large a pattern is with its repetitions written out."""
    counts = (max(int(low), int(high or 0), 1) for low, high in _COUNT.findall(pattern))
    return max(1, len(pattern)) * prod(counts)


def _in_ascii(pattern: str) -> str:
    return _ESCAPE.sub(lambda escape: _ASCII.get(escape[1], escape[0]), pattern)


def _backtracking(pattern: str) -> Search:
    try:
        # Python's `$` also matches before a line break at the end.
        exact = _ESCAPE_OR_END.sub(lambda each: r"\Z" if each[0] == "$" else each[0], pattern)
        with warnings.catch_warnings():
            # Python may read `[[` otherwise one day, and says so.
            warnings.simplefilter("ignore", FutureWarning)
            compiled = None if _RUNS_AWAY.search(pattern) else re.compile(exact, re.ASCII)
    except (re.error, OverflowError, RecursionError):
        compiled = None
    return lambda value: (
        compiled is None or len(value) > _MAX_BACKTRACKED or compiled.search(value) is not None
    )

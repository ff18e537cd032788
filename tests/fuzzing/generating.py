"""What fuzzing draws from: JSON texts by the grammar of RFC 8259, their mutants, and hostile repetition."""

import json
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

FUZZING = settings.get_current_profile_name() == "fuzz"
"""Whether `make fuzz` runs, which has time."""


def examples(count: int) -> settings:
    """Return settings for so many examples; `make fuzz` draws twenty times as many."""
    return settings(max_examples=count * 20 if FUZZING else count, deadline=None)


# The grammar

_BLANK = st.text(" \t\n\r", max_size=3)
_PLAIN = st.characters(exclude_characters='"\\', exclude_categories=("Cs", "Cc")) | st.just("\x7f")
_ESCAPES = st.sampled_from(['\\"', "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t", "\\u0000", "\\uFfFf"])
_UNICODE = st.integers(0, 0xD7FF).map(lambda code: f"\\u{code:04x}")
_PAIR = st.integers(0x10000, 0x10FFFF).map(lambda code: json.dumps(chr(code))[1:-1])
_STRING = st.lists(_PLAIN | _ESCAPES | _UNICODE | _PAIR, max_size=6).map(lambda parts: f'"{"".join(parts)}"')
_INTEGER = st.from_regex(r"-?(0|[1-9][0-9]{0,6})", fullmatch=True)
_FRACTION = st.from_regex(r"(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?", fullmatch=True)
_SCALAR = st.sampled_from(["true", "false", "null"]) | _STRING | st.tuples(_INTEGER, _FRACTION).map("".join)


def _listed(inner: st.SearchStrategy[str], opening: str, closing: str) -> st.SearchStrategy[str]:
    """Draw a bracketed, comma-separated list, with white space wherever the grammar allows it."""
    padded = st.tuples(_BLANK, inner, _BLANK).map("".join)
    return st.tuples(_BLANK, st.lists(padded, max_size=4)).map(
        lambda drawn: f"{opening}{','.join(drawn[1]) or drawn[0]}{closing}"
    )


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    member = st.tuples(_STRING, _BLANK, _BLANK, inner).map(lambda m: f"{m[0]}{m[1]}:{m[2]}{m[3]}")
    return _listed(inner, "[", "]") | _listed(member, "{", "}")


JSON_TEXTS: st.SearchStrategy[str] = st.tuples(
    _BLANK, st.recursive(_SCALAR, _grown, max_leaves=8) | _grown(_SCALAR), _BLANK
).map("".join)

_EDITS = st.sampled_from(
    [*"{}[]\":,\\/+-.eE019tfnu \t\n\r\x0b\x0c\x00\x1f\xa0\ufeff\u2028'`#*NI", "\\u", "//"]
)


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """Draw a JSON text that one edit may have broken: a sign taken away, put in, or another one instead."""
    text = draw(JSON_TEXTS)
    at = draw(st.integers(0, len(text)))
    taken = draw(st.integers(0, 1))
    put = draw(_EDITS) if not taken or draw(st.booleans()) else ""
    return text[:at] + put + text[at + taken :]


# Values

KEYS = st.text(max_size=6) | st.sampled_from(["a", "b", "messages", "role", "content", "name", "parameters"])
SCALARS: st.SearchStrategy[Any] = (
    st.none()
    | st.booleans()
    | st.integers(-(10**320), 10**320)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=10,
)

# Hostile repetition

UNITS = (
    "{",
    '{"',
    '{"a":',
    '{"a":1} ',
    '{"a":x} ',
    '{"a":1,',
    "{a:",
    "{a:1,",
    "{a:NaN,",
    "{“a",
    "{“a”:",
    "{'",
    "{'a'",
    "[",
    "{}",
    "][",
    '"',
    "\\",
    "```\n",
    "```json\n",
    "```json\n{}\n```\n",
    "~~~\n",
    "````\n",
    "<think>",
    "<think>\n",
    "</think>\n",
    "<think></think>\n",
    "x<think>",
    "<answer>",
    "<answer>{",
    "# a_b\n",
    "# a_b\n```\n",
    "# a_b\n{}\n",
    "{//\n",
    "{/**/",
    "//",
    "/*",
    "{#\n",
    "f({",
    "submit(",
    "f(a=",
    "\xa0",
    "\ufeff",
    "\u2028",
    "\x00",
    "\ud800",
    'x {job="x"} ',
    "9",
    "-",
    "1e9",
    '{"a":1e',
    "\r",
    "\n",
    " ",
    "I cannot ",
    "sorry ",
    '{"a":"{',
    '{"a":"\\',
    '{"a":tru',
    "True",
    "NaN",
    "{a ",
    "{\n",
    "(",
    "<a ",
    '{"a" ',
    '{"a":1}\n',
)
LEADS = ("", "```json\n", '{"a": 1} ', "{", '{"a":"', "<think>", "# a_b\n", "\xa0{")
TAILS = ("", "}", "\n```", '</think>{"a":1}', '"', "]")


def repeated(unit: str, size: int, lead: str = "", tail: str = "") -> str:
    """Return a text of about this many characters."""
    return lead + unit * (size // len(unit)) + tail

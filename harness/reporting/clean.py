"""Text that a model, a provider or a cluster wrote, made safe to print.

Nothing is taken out: what cannot be seen, or would act on its reader, is shown as a JSON escape.
"""

import json
import re
from itertools import groupby
from typing import Any

MAX_TEXT = 160
MAX_CELL = 30_000
"""Spreadsheets refuse cells above 32,767 characters."""

NOTHING = "-"
"""What stands where there is nothing to say."""

# Characters that count as printable and still leave no mark, variation selectors among them.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# Full-width signs start a formula where spreadsheets speak Japanese.
_JSON = json.JSONEncoder(ensure_ascii=False, default=str)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001
# Words and their punctuation: no markup, no address, no mention, no reference to an issue.
_PROSE = re.compile(r"(?:[A-Za-z0-9,;()' ]|[.:](?= |$)|-(?=[a-z]))+")

# A word, a number or a sign of a sentence that GitHub links to nothing: no commit, no issue, no address.
_WORD = re.compile(
    r"(?!\(?(?:[0-9a-f]{7,}|www))\(?(?:[A-Za-z]+(?:[-'][a-z]+)*|[+-]?\d{1,6}(?:\.\d{1,9})?(?:e-\d{1,3})?%?|%)[.,;:)]*"
)


def visible(text: str) -> str:
    """Return a text on one line, with all that acts or hides (escapes, bidi, zero width) as JSON escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(each if each.isprintable() and not _BLANK.match(each) else _escape(each) for each in text)


def capped(text: str, limit: int = MAX_TEXT) -> str:
    """Return a text of at most `limit` characters and, where some were left out, how many."""
    left = len(text) - limit
    return text if left <= 0 else f"{text[:limit]}… ({left} more characters)"


def as_json(value: Any) -> str:
    """Return a value as JSON on one line, all of it visible; reading it gives the value back."""
    try:
        return visible(_JSON.encode(value))
    except RecursionError:
        return '"nested too deep to show"'


def inert(text: str, limit: int = MAX_TEXT) -> str:
    """Return a text that cannot leave the Markdown code, or the table cell, that it is put into."""
    shown = visible(capped(text, limit)).replace("`", "\\u0060")
    # GitHub reads \\| as the end of a cell, so a bar after a backslash needs the longer escape.
    return shown.replace("\\|", "\\\\u007c").replace("|", "\\|")


def code(text: str, limit: int = MAX_TEXT) -> str:
    """Return Markdown that shows a text and nothing else: no markup, HTML, link or mention."""
    return f"`{inert(text, limit)}`" if text else NOTHING


def prose(text: str, limit: int = MAX_TEXT) -> str:
    """Return Markdown for a sentence: as it is where it is plain words, else as code."""
    return capped(text, limit) if _PROSE.fullmatch(text) else code(text, limit)


def words(text: str, limit: int = 600) -> str:
    """Return Markdown for a sentence: plain words and numbers as they are, all else as code."""
    several = enumerate(capped(text, limit).split(" "))

    def plain(each: tuple[int, str]) -> bool:
        # A number and a dot at the start would begin a list.
        return _WORD.fullmatch(each[1]) is not None and (each[0] > 0 or each[1].isalpha())

    found = ((kept, " ".join(each for _, each in run)) for kept, run in groupby(several, key=plain))
    return " ".join(each if kept else _marked(each, limit + MAX_TEXT) for kept, each in found if each.strip())


def _marked(text: str, limit: int) -> str:
    """Return a text as code, the comma or colon behind it left outside."""
    bare = text.rstrip(",;:")
    return code(bare, limit) + text[len(bare) :] if bare else code(text, limit)


def code_json(value: Any, limit: int = MAX_TEXT) -> str:
    """Return Markdown that shows a value as JSON; None is nothing."""
    return NOTHING if value is None else code(as_json(value), limit)


def csv_cell(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula, on one line."""
    shown = capped(visible(text), MAX_CELL)
    return f"'{shown}" if shown.lstrip().startswith(_FORMULA) else shown


def _escape(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    # Two escapes for what lies beyond the first plane, as JSON has it.
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[start : start + 4]}" for start in range(0, len(units), 4))

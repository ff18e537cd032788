"""Say in words what a provider's subset of JSON Schema cannot state."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from harness.contracts.schemas.tree import Schema
from harness.errors import InvalidInput

_WORDS = {
    "enum": "one of {}",
    "const": "exactly {}",
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "length at least {}",
    "maxLength": "length at most {}",
    "pattern": "matches the regular expression {}",
    "format": "in the format {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "uniqueItems": "no item twice",
    "default": "default {}",
}
_STRUCTURE = frozenset(
    {"type", "description", "properties", "required", "additionalProperties", "dependentRequired", "items",
     "anyOf"}
)  # fmt: skip
_EMPTY: tuple[Any, ...] = (None, [], {})
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def restated(
    node: Schema, place: str, keeps: Callable[[str, Any], bool], dropped: list[str], dialect: str
) -> Schema:
    """Return the node with the constraints that a dialect lacks moved into its description.

    Args:
        node: one schema; its parts are left alone.
        place: where its value stands in the answer.
        keeps: whether the dialect takes a keyword with a value.
        dropped: gets one line for each constraint that is only words now.
        dialect: its name, for errors.

    Raises:
        InvalidInput: a keyword that words cannot stand in for.
    """
    moved = {key: value for key, value in node.items() if key not in _STRUCTURE and not keeps(key, value)}
    for keyword in moved:
        if keyword not in _WORDS:
            raise InvalidInput(f"{place or '/'}: found {keyword!r}, which {dialect} cannot state")
    kept = {key: value for key, value in node.items() if key not in moved}
    if moved.get("default") in _EMPTY:
        moved.pop("default", None)
    if moved.get("minLength") == 1 and _matches_nothing_empty(kept.get("pattern")):
        del moved["minLength"]
    # A default forbids nothing, so nothing is lost with it.
    dropped += [line(place, keyword, value) for keyword, value in moved.items() if keyword != "default"]
    return described(kept, sentence(moved))


def line(place: str, keyword: str, value: Any) -> str:
    """Return the line that tells of a dropped constraint."""
    return f"{place or '/'}: {keyword} {json.dumps(value)}"


def described(node: Schema, more: str) -> Schema:
    """Return the node with one more sentence in its description."""
    if not more:
        return node
    return {**node, "description": " ".join(filter(None, (_ended(node.get("description")), more)))}


def sentence(constraints: Mapping[str, Any]) -> str:
    """Return the constraints as one sentence, as "At least 0, at most 1."; nothing is an empty text."""
    said = ", ".join(_WORDS[key].format(_shown(constraints[key])) for key in _WORDS if key in constraints)
    return f"{said[:1].upper()}{said[1:]}." if said else ""


def plain_regex(pattern: str, classes: str) -> bool:
    """Return whether a pattern keeps to what grammar engines take: no look-around, no back-reference.

    Args:
        pattern: the regular expression.
        classes: the letters that may follow a backslash, as "dws".
    """
    escaped = _ESCAPE.findall(pattern)
    bare = _ESCAPE.sub("", pattern)
    return all(each in classes or not each.isalnum() for each in escaped) and not re.search(
        r"\(\?(?!:)", bare
    )


def _matches_nothing_empty(pattern: str | None) -> bool:
    try:
        return pattern is not None and re.search(pattern, "") is None
    except re.error:
        return False


def _ended(text: str | None) -> str | None:
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_shown(each) for each in cast("list[Any]", value))
    return value if isinstance(value, str) else json.dumps(value)

"""Long texts as the page shows them, and JSON laid out so that a pointer finds its line."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from harness.reporting.clean import as_json, capped, visible

MAX_TEXT = 100_000
"""Characters of one text; the rest is counted. A model may write megabytes."""

MAX_LINES = 4_000
MAX_DEPTH = 24
MAX_VALUE = 1_000


def shown(text: str, limit: int = MAX_TEXT) -> str:
    """Return a text with its lines kept, and all that acts or hides as JSON escapes."""
    return "\n".join(visible(each) for each in capped(text, limit).split("\n"))


def short(text: str, limit: int = 200) -> str:
    """Return a text on one line."""
    return visible(capped(text, limit))


def value_text(value: Any) -> str:
    """Return a value as JSON on one line, capped."""
    return capped(as_json(value), MAX_VALUE)


@dataclass(frozen=True, slots=True)
class LaidOut:
    """JSON over several lines; `pointers` has the JSON pointer of what stands on each line."""

    lines: list[str] = field(default_factory=list[str])
    pointers: list[str] = field(default_factory=list[str])

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)

    def line(self, pointer: str) -> int:
        """Return the line of a pointer, or of the nearest thing around it; -1 where nothing is laid out."""
        while pointer and pointer not in self.pointers:
            pointer = pointer.rpartition("/")[0]
        return self.pointers.index(pointer) if self.pointers else -1


def laid_out(value: Any) -> LaidOut:
    """Return a JSON value laid out with two blanks a level, at most MAX_LINES lines of it."""
    found = LaidOut()
    for line, pointer in _lines(value, "", "", 0):
        if len(found.lines) == MAX_LINES:
            found.lines.append("… (more lines)")
            found.pointers.append(pointer)
            break
        found.lines.append(line)
        found.pointers.append(pointer)
    return found


def escaped(key: str) -> str:
    """Return a key as it stands in a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def _lines(value: Any, name: str, pointer: str, depth: int) -> Iterator[tuple[str, str]]:
    blank = "  " * depth
    items, ends = _items(value)
    if not items or depth >= MAX_DEPTH:
        yield f"{blank}{name}{capped(as_json(value), 20_000)}", pointer
        return
    yield f"{blank}{name}{ends[0]}", pointer
    for place, (key, label, inner) in enumerate(items):
        comma = "," if place < len(items) - 1 else ""
        held: tuple[str, str] | None = None
        for each in _lines(inner, label, f"{pointer}/{key}", depth + 1):
            if held:
                yield held
            held = each
        if held:
            yield held[0] + comma, held[1]
    yield f"{blank}{ends[1]}", pointer


def _items(value: Any) -> tuple[list[tuple[str, str, Any]], str]:
    """Return (pointer token, label, value) of what a value holds, and its brackets."""
    if isinstance(value, Mapping):
        pairs = cast("Mapping[Any, Any]", value).items()
        return [(escaped(str(key)), f"{as_json(str(key))}: ", inner) for key, inner in pairs], "{}"
    if isinstance(value, list):
        return [(str(at), "", inner) for at, inner in enumerate(cast("list[Any]", value))], "[]"
    return [], ""


def plain_object(text: str) -> dict[str, Any] | None:
    """Return the JSON object that a text spells, or None where laying it out would hide anything."""
    try:
        value: Any = json.loads(text, object_pairs_hook=_without_doubles, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key stands twice")
    return made


def _refused(name: str) -> None:
    raise ValueError(name)

"""YAML files as plain values that remember on which line each of them stands."""

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Any

from pydantic import ValidationError

from harness.errors import InvalidScenario
from harness.scenarios.plain import NotPlain, Place, dotted, parsed

__all__ = ["Document", "Read", "dotted", "plain_file", "read_text", "read_yaml", "reworded", "shown"]

# Ten times the largest file of the suite; more would also take longer than a second.
MAX_CHARS = 400_000

_NOWHERE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG}


@dataclass(frozen=True, slots=True)
class Document:
    """One parsed file. `lines` maps the path of each value to its line, counted from 1."""

    path: Path
    value: Any
    lines: Mapping[Place, int]

    def where(self, place: Sequence[str | int]) -> str:
        """Return `file:line` of the value at `place`, or of its nearest parent that exists."""
        at = tuple(place)
        while at and at not in self.lines:
            at = at[:-1]
        return f"{shown(self.path)}:{self.lines.get(at, 1)}"


Read = Callable[[Path], Document]


def shown(path: Path) -> str:
    """Return the path relative to the current folder where it lies below it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except (OSError, RuntimeError, ValueError):
        # Beside lying elsewhere: a loop of links, a name too long, a current folder that is gone.
        return str(path)


def plain_file(path: Path) -> os.stat_result | None:
    """Return what the system says of a plain file; None where none is, or none can be by such a name."""
    try:
        found = path.stat()
    except ValueError:
        # A null character.
        return None
    except OSError as error:
        if error.errno in _NOWHERE:
            return None
        raise
    return found if S_ISREG(found.st_mode) else None


def read_text(path: Path) -> str:
    """Return the text of a plain file; a device or a pipe would never end.

    Raises:
        InvalidScenario: it is missing, no plain file, too large, or not UTF-8.
    """
    try:
        found = path.stat()
        if not S_ISREG(found.st_mode):
            msg = f"{shown(path)}: cannot be read: no plain file; put a file there"
            raise InvalidScenario(msg)
        if found.st_size > 4 * MAX_CHARS:
            msg = f"{shown(path)}: found {found.st_size} bytes; at most {MAX_CHARS} characters are allowed"
            raise InvalidScenario(msg)
        with path.open("rb") as stream:
            text = stream.read(4 * MAX_CHARS + 1).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        msg = f"{shown(path)}: cannot be read: {reason}"
        raise InvalidScenario(msg) from error
    if len(text) > MAX_CHARS:
        msg = f"{shown(path)}: found {len(text)} characters; at most {MAX_CHARS} are allowed"
        raise InvalidScenario(msg)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_yaml(path: Path) -> Document:
    """Return the file's value: strings stay strings, no aliases, no tags, no repeated keys.

    An anchor that nothing refers to changes nothing, nor does a tag that says what a value is anyway.

    Raises:
        InvalidScenario: the file is missing, too large, no YAML, or uses what the format forbids.
    """
    try:
        value, lines = parsed(read_text(path))
    except NotPlain as error:
        raise InvalidScenario(f"{shown(path)}:{error.line}: {error}") from error
    return Document(path, value, lines)


def reworded(document: Document, error: ValidationError, at: Sequence[str | int] = ()) -> str:
    """Return one line per problem: file, line, place, what was found, what is allowed."""
    lines: list[str] = []
    for problem in error.errors(include_url=False):
        place = (*at, *problem["loc"])
        lines.append(f"{document.where(place)}: {dotted(place)}: {_problem(problem)}")
    return "\n".join(lines)


def _problem(problem: Any) -> str:
    context = problem.get("ctx", {})
    found = repr(problem["input"])
    found = found if len(found) <= 80 else found[:77] + "..."
    match problem["type"]:
        case "model_type" | "model_attributes_type":
            return "found nothing" if problem["input"] is None else f"found {found}; use keys with values"
        case "missing":
            return "missing; it is required"
        case "extra_forbidden":
            return "no such key; see scenarios/README.md for the format"
        case "literal_error":
            return f"found {found}; use {context.get('expected', '')}"
        case "value_error":
            return str(context.get("error", problem["msg"]))
        case "string_pattern_mismatch":
            return f"found {found}; it must match {context.get('pattern')!r}"
        case _:
            message = str(problem["msg"])
            return f"found {found}; {message[:1].lower()}{message[1:]}"

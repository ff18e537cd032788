"""YAML files as plain values that remember on which line each of them stands."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Any, cast

import yaml
from pydantic import ValidationError

from harness.errors import InvalidScenario

# Ten times the largest file of the suite; more would also take longer than a second.
MAX_CHARS = 400_000
# A world is some twelve levels deep. The parser descends level by level and would end the process far below.
MAX_DEPTH = 64
Path_ = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """One parsed file. `lines` maps the path of each value to its line, counted from 1."""

    path: Path
    value: Any
    lines: Mapping[Path_, int]

    def where(self, place: Sequence[str | int]) -> str:
        """Return `file:line` of the value at `place`, or of its nearest parent that exists."""
        at = tuple(place)
        while at and at not in self.lines:
            at = at[:-1]
        return f"{shown(self.path)}:{self.lines.get(at, 1)}"


def shown(path: Path) -> str:
    """Return the path relative to the current folder where it lies below it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except (OSError, RuntimeError, ValueError):
        # Beside lying elsewhere: a loop of links, a name too long, a current folder that is gone.
        return str(path)


def read_text(path: Path) -> str:
    """Return the text of a plain file; a device or a pipe would never end.

    Raises:
        InvalidScenario: it is missing, no plain file, too large, or not UTF-8.
    """
    try:
        plain, size = S_ISREG(path.stat().st_mode), path.stat().st_size
        if not plain:
            msg = f"{shown(path)}: cannot be read: no plain file; put a file there"
            raise InvalidScenario(msg)
        if size > 4 * MAX_CHARS:
            msg = f"{shown(path)}: found {size} bytes; at most {MAX_CHARS} characters are allowed"
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
    """Return the file's value: strings stay strings, no anchors, no tags, no repeated keys.

    Raises:
        InvalidScenario: the file is missing, too large, no YAML, or uses what the format forbids.
    """
    text = read_text(path)
    try:
        _refuse_what_blows_up(text, path)
        node = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        problem = " ".join(str(getattr(error, "problem", error)).split())
        msg = f"{shown(path)}:{line}: not YAML: {problem}"
        raise InvalidScenario(msg) from error
    lines: dict[Path_, int] = {}
    value = _value(node, (), lines, path) if node is not None else None
    return Document(path, value, lines)


def _refuse_what_blows_up(text: str, path: Path) -> None:
    """Refuse `*name`, since a scenario reads from top to bottom and aliases multiply, and deep nesting."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        if isinstance(event, yaml.AliasEvent):
            msg = f"{shown(path)}:{line}: found the alias '*{event.anchor}'; write the value out"
            raise InvalidScenario(msg)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            msg = f"{shown(path)}:{line}: nested deeper than {MAX_DEPTH}; a scenario is flat"
            raise InvalidScenario(msg)


def _value(node: yaml.Node, at: Path_, lines: dict[Path_, int], path: Path) -> Any:
    line = node.start_mark.line + 1
    if lines.setdefault(at, line) != line and at:
        msg = f"{shown(path)}:{line}: {dotted(at)}: found twice; keep one"
        raise InvalidScenario(msg)
    if isinstance(node, yaml.CollectionNode) and node.tag not in _PLAIN:
        raise InvalidScenario(_tagged(node, at, path))
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, at, lines, path)
    if isinstance(node, yaml.SequenceNode):
        items = cast("list[yaml.Node]", node.value)
        return [_value(item, (*at, index), lines, path) for index, item in enumerate(items)]
    return _scalar(cast("yaml.ScalarNode", node), at, path)


def _mapping(node: yaml.MappingNode, at: Path_, lines: dict[Path_, int], path: Path) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key_node, item in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
        key = str(key_node.value)
        if key in made:
            line = key_node.start_mark.line + 1
            msg = f"{shown(path)}:{line}: {dotted((*at, key))}: found twice; keep one"
            raise InvalidScenario(msg)
        made[key] = _value(item, (*at, key), lines, path)
        lines[(*at, key)] = key_node.start_mark.line + 1
    return made


def _scalar(node: yaml.ScalarNode, at: Path_, path: Path) -> Any:
    """Return a scalar; dates stay text, and YAML 1.1's yes, no, on and off stay words."""
    text = cast("str", node.value)
    kind = str(node.tag).rsplit(":", 1)[-1]
    if kind in {"str", "timestamp", "value", "merge"}:
        return text
    if kind == "null":
        return None
    if kind == "bool":
        return {"true": True, "false": False}.get(text.lower(), text)
    try:
        if kind == "int":
            return int(text)
        if kind == "float":
            return float(text)
    except ValueError:
        return text
    raise InvalidScenario(_tagged(node, at, path))


_PLAIN = frozenset({"tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})


def _tagged(node: yaml.Node, at: Path_, path: Path) -> str:
    return f"{shown(path)}:{node.start_mark.line + 1}: {dotted(at)}: found the tag {node.tag!r}; no tags here"


def dotted(place: Sequence[str | int]) -> str:
    """Return a place as people write it: `expect.evidence[2].tool`."""
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            name = part if part.isprintable() else repr(part)
            text += f".{name}" if text else name
    return text or "the file"


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

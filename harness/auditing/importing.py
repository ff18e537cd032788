"""Read a file of transcripts: chat messages, one JSON object a line, or one bare answer.

A line is an object with `messages` in OpenAI chat form and, optionally, `scenario`, `contract`, `model`,
`usage` and `tools`. A .json or .txt file that is no such object is one model's bare answer: its tool
calls are not known, so clauses about searches are unscored.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from harness.errors import InvalidInput
from harness.model import Failure, Message, SampleId, ToolCall, ToolSpec, Transcript, Turn, Usage

MAX_ANSWER = 4_000_000


@dataclass(frozen=True, slots=True)
class Imported:
    """One transcript, where it came from (`file` or `file:line`), and what it says of itself."""

    source: str
    transcript: Transcript
    scenario: str | None = None
    contract: str | None = None


def read_file(path: Path) -> Iterator[Imported]:
    """Yield every transcript of a file, line by line.

    Raises:
        InvalidInput: the file cannot be read, or a line is not what the module describes.
    """
    try:
        if path.suffix == ".jsonl":
            with path.open(encoding="utf-8") as stream:
                for number, line in enumerate(stream, start=1):
                    if line.strip():
                        yield _line(line, f"{path}:{number}")
            return
        if path.stat().st_size > MAX_ANSWER:
            msg = f"{path}: found {path.stat().st_size} bytes; a bare answer has at most {MAX_ANSWER}"
            raise InvalidInput(msg)
        yield _one(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        msg = f"{path}: cannot be read: {reason}"
        raise InvalidInput(msg) from error


def _one(text: str, source: str) -> Imported:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and "messages" in value:
        return _chat(cast("dict[str, Any]", value), source)
    return _bare(text, source)


def _line(text: str, source: str) -> Imported:
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"{source}: not JSON: {error}; each line is an object with `messages`"
        raise InvalidInput(msg) from error
    if not isinstance(value, dict) or "messages" not in value:
        msg = f"{source}: found {text.strip()[:60]!r}; each line is an object with `messages`"
        raise InvalidInput(msg)
    return _chat(cast("dict[str, Any]", value), source)


def _bare(text: str, source: str) -> Imported:
    sample = SampleId("-", "-", "audited", 1)
    return Imported(source, Transcript(sample, (Message("assistant", text),), shows_tools=False))


def _chat(value: Mapping[str, Any], source: str) -> Imported:
    listed = _objects(value["messages"], f"{source}: messages")
    messages = tuple(_message(each, f"{source}: messages[{index}]") for index, each in enumerate(listed))
    model = _text(value, "model", source) or "audited"
    scenario, contract = _text(value, "scenario", source), _text(value, "contract", source)
    finish_reason = _text(value, "finish_reason", source)
    sample = SampleId(scenario or "-", contract or "-", model, 1)
    return Imported(
        source,
        Transcript(
            id=sample,
            messages=messages,
            tools=_tools(value.get("tools"), source),
            turns=(Turn(len(messages) - 1, None, finish_reason, _usage(value.get("usage"))),),
            failure=None if messages else Failure("empty", "no messages"),
        ),
        scenario,
        contract,
    )


def _objects(value: Any, source: str) -> list[dict[str, Any]]:
    items = cast("list[Any]", value) if isinstance(value, list) else [value]
    if isinstance(value, list) and all(isinstance(each, dict) for each in items):
        return items
    msg = f"{source}: found {str(cast('object', value))[:60]!r}; use a list of objects"
    raise InvalidInput(msg)


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _text(value: Mapping[str, Any], key: str, source: str) -> str | None:
    found = value.get(key)
    if found is None or isinstance(found, str):
        return found
    msg = f"{source}: {key}: found {type(found).__name__}; use a string"
    raise InvalidInput(msg)


def _message(value: Mapping[str, Any], source: str) -> Message:
    role = value.get("role")
    if role == "developer":
        role = "system"
    if role not in {"system", "user", "assistant", "tool"}:
        msg = f"{source}.role: found {role!r}; use system, user, assistant or tool"
        raise InvalidInput(msg)
    calls = _objects(value.get("tool_calls") or [], f"{source}.tool_calls")
    reasoning = value.get("reasoning_content", value.get("reasoning"))
    return Message(
        role=role,
        content=_content(value.get("content")),
        tool_calls=tuple(_call(each, source) for each in calls),
        tool_call_id=value.get("tool_call_id"),
        reasoning=reasoning if isinstance(reasoning, str) else None,
    )


def _content(value: Any) -> str | None:
    """Return the text of a message; content may be a list of typed parts."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = (_mapping(each) for each in cast("list[Any]", value))
        return "".join(str(each.get("text", "")) for each in parts)
    return json.dumps(value, ensure_ascii=False)


def _call(body: Mapping[str, Any], source: str) -> ToolCall:
    named = _mapping(body.get("function"))
    if "name" not in named:
        msg = f"{source}.tool_calls: found {str(body)[:60]!r}; use id, type and function {{name, arguments}}"
        raise InvalidInput(msg)
    arguments: Any = named.get("arguments", "")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(str(body.get("id", "")), str(named["name"]), text)


def _tools(value: Any, source: str) -> tuple[ToolSpec, ...]:
    if value is None:
        return ()
    made: list[ToolSpec] = []
    for each in _objects(value, f"{source}: tools"):
        named = _mapping(each.get("function", each))
        if "name" not in named:
            msg = f"{source}: tools: found {str(each)[:60]!r}; use the tools of the request"
            raise InvalidInput(msg)
        schema = _mapping(named.get("parameters"))
        made.append(ToolSpec(str(named["name"]), str(named.get("description", "")), schema))
    return tuple(made)


def _usage(value: Any) -> Usage:
    counts = _mapping(value)
    prompt, completion = counts.get("prompt_tokens"), counts.get("completion_tokens")
    return Usage(
        prompt if isinstance(prompt, int) else None,
        completion if isinstance(completion, int) else None,
    )

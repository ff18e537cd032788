"""One transcript in OpenAI chat form, or a bare answer, as a Transcript.

A chat is an object with `messages` and, optionally, `scenario`, `contract`, `model`, `finish_reason`, `usage`
and `tools`. Of a bare answer the tool calls are not known, so clauses about searches are unscored.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from harness.errors import InvalidInput
from harness.model import Failure, Message, SampleId, ToolCall, ToolSpec, Transcript, Turn, Usage
from harness.model.transcript import Role

ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
}
"""The roles of a chat, and what they are here."""


@dataclass(frozen=True, slots=True)
class Imported:
    """One transcript, where it is from (`file`, `file:line` or `file[index]`), and what it says of itself."""

    source: str
    transcript: Transcript
    scenario: str | None = None
    contract: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A line or file that is no transcript, and why."""

    source: str
    reason: str

    def __str__(self) -> str:
        """Return the line that names it."""
        return f"{self.source}: {self.reason}"


def bare_answer(text: str, source: str) -> Imported:
    """Return an answer of which nothing else is known."""
    sample = SampleId("-", "-", "audited", 1)
    return Imported(source, Transcript(sample, (Message("assistant", text),), shows_tools=False))


def conversation(value: Mapping[str, Any], source: str) -> Imported | Refused:
    """Return the transcript of an object with `messages`, or what is wrong about it."""
    try:
        return _conversation(value, source)
    except InvalidInput as error:
        return Refused(source, str(error))


def _conversation(value: Mapping[str, Any], source: str) -> Imported:
    listed = _objects(value["messages"], "messages")
    messages = tuple(_message(each, f"messages[{index}]") for index, each in enumerate(listed))
    scenario, contract = _string(value, "scenario"), _string(value, "contract")
    finish_reason = _string(value, "finish_reason")
    sample = SampleId(scenario or "-", contract or "-", _string(value, "model") or "audited", 1)
    return Imported(
        source,
        Transcript(
            id=sample,
            messages=messages,
            tools=_tools(value.get("tools")),
            turns=(Turn(len(messages) - 1, None, finish_reason, _usage(value.get("usage"))),),
            failure=None if messages else Failure("empty", "no messages"),
        ),
        scenario,
        contract,
    )


def _message(value: Mapping[str, Any], place: str) -> Message:
    said = value.get("role")
    role = ROLES.get(said) if isinstance(said, str) else None
    if role is None:
        raise InvalidInput(f"{place}.role: found {_brief(said)}; use {', '.join(ROLES)}")
    calls = _objects(value.get("tool_calls") or [], f"{place}.tool_calls")
    reasoning = value.get("reasoning_content", value.get("reasoning"))
    content = _content(value.get("content"), place)
    refusal = _string(value, "refusal", place)
    return Message(
        role=role,
        content=refusal if content is None else content,
        tool_calls=tuple(_call(each, f"{place}.tool_calls[{index}]") for index, each in enumerate(calls)),
        tool_call_id=_string(value, "tool_call_id", place),
        reasoning=reasoning if isinstance(reasoning, str) else None,
    )


def _content(value: Any, place: str) -> str | None:
    """Return the text of a message; content may be a list of parts, of which texts and refusals are read."""
    if value is None or isinstance(value, str):
        return value
    parts = _objects(value, f"{place}.content", "a string or a list of parts")
    spoken = (each.get("text", each.get("refusal")) for each in parts)
    return "".join(each for each in spoken if isinstance(each, str))


def _call(body: Mapping[str, Any], place: str) -> ToolCall:
    named = _mapping(body.get("function"))
    name = named.get("name")
    if not isinstance(name, str):
        raise InvalidInput(f"{place}: found {_brief(body)}; use id, type and function {{name, arguments}}")
    arguments: Any = named.get("arguments", "")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return ToolCall(_string(body, "id", place) or "", name, text)


def _tools(value: Any) -> tuple[ToolSpec, ...]:
    return tuple(_tool(each, f"tools[{at}]") for at, each in enumerate(_objects(value or [], "tools")))


def _tool(body: Mapping[str, Any], place: str) -> ToolSpec:
    named = _mapping(body.get("function", body))
    name, description = named.get("name"), named.get("description")
    if not isinstance(name, str):
        raise InvalidInput(f"{place}: found {_brief(body)}; use the tools of the request")
    schema = _mapping(named.get("parameters"))
    wrong = _unusable(json.dumps(schema))
    if wrong:
        raise InvalidInput(f"{place}.parameters: {wrong}; use the JSON Schema of the request")
    return ToolSpec(name, description if isinstance(description, str) else "", schema)


@lru_cache(maxsize=256)
def _unusable(schema: str) -> str | None:
    """Return why no arguments could be checked against a schema, if so; nothing is fetched for it."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError

    value: Any = json.loads(schema)
    try:
        Draft202012Validator.check_schema(value)
    except SchemaError as error:
        return f"is no JSON Schema: {error.message}"[:200]
    lost = next((each for each in _references(value) if not _leads_somewhere(value, each)), None)
    return None if lost is None else f"found the reference {_brief(lost)}, which leads to nothing in it"


def _references(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _references(each)
    for key, each in _mapping(value).items():
        if key in {"$ref", "$dynamicRef"} and isinstance(each, str):
            yield each
        yield from _references(each)


def _leads_somewhere(schema: Any, reference: str) -> bool:
    if not reference.startswith("#/"):
        return reference == "#"
    at: Any = schema
    for step in reference[2:].split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if key not in _mapping(at):
            return False
        at = at[key]
    return True


def _usage(value: Any) -> Usage:
    counts = _mapping(value)
    prompt, completion = counts.get("prompt_tokens"), counts.get("completion_tokens")
    return Usage(
        prompt if isinstance(prompt, int) else None,
        completion if isinstance(completion, int) else None,
    )


def _objects(value: Any, place: str, allowed: str = "a list of objects") -> list[dict[str, Any]]:
    if isinstance(value, list) and all(isinstance(each, dict) for each in cast("list[Any]", value)):
        return cast("list[dict[str, Any]]", value)
    raise InvalidInput(f"{place}: found {_brief(value)}; use {allowed}")


def _mapping(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _string(value: Mapping[str, Any], key: str, place: str = "") -> str | None:
    found = value.get(key)
    if found is None or isinstance(found, str):
        return found
    raise InvalidInput(f"{place}{'.' if place else ''}{key}: found {_brief(found)}; use a string")


def _brief(value: Any) -> str:
    """Return the beginning of a value as JSON."""
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:60]}..."

"""Read the parts of somebody's JSON, naming what is wrong about them by its place."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

from harness.errors import InvalidInput
from harness.model import ToolSpec, Usage


def objects(value: Any, place: str, allowed: str = "a list of objects") -> list[dict[str, Any]]:
    """Return a list of objects."""
    if isinstance(value, list) and set(map(type, cast("list[Any]", value))) <= {dict}:
        return cast("list[dict[str, Any]]", value)
    raise InvalidInput(f"{place}: found {brief(value)}; use {allowed}")


def mapping(value: Any) -> dict[str, Any]:
    """Return an object; anything else is an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def string(value: Mapping[str, Any], key: str, place: str = "") -> str | None:
    """Return the string of a key, or None where there is none."""
    found = value.get(key)
    if found is None or isinstance(found, str):
        return found
    raise InvalidInput(f"{place}{'.' if place else ''}{key}: found {brief(found)}; use a string")


def brief(value: Any) -> str:
    """Return the beginning of a value as JSON."""
    try:
        text = json.dumps(value)
    except RecursionError:
        return "a value that is nested too deep to show"
    return text if len(text) <= 60 else f"{text[:60]}..."


def tools_offered(value: Any) -> tuple[ToolSpec, ...]:
    """Return the tools of a request; left out is none."""
    return tuple(tool_spec(each, f"tools[{at}]") for at, each in enumerate(objects(value or [], "tools")))


def tool_spec(body: Mapping[str, Any], place: str) -> ToolSpec:
    """Return a tool of a request: under `function` or flat, its schema as `parameters` or `input_schema`."""
    named = mapping(body.get("function", body))
    name, description = named.get("name"), named.get("description")
    if not isinstance(name, str):
        raise InvalidInput(f"{place}: found {brief(body)}; use the tools of the request")
    schema = mapping(named.get("parameters", named.get("input_schema")))
    wrong = _unusable(json.dumps(schema))
    if wrong:
        raise InvalidInput(f"{place}.parameters: {wrong}; use the JSON Schema of the request")
    return ToolSpec(name, description if isinstance(description, str) else "", schema)


@lru_cache(maxsize=256)
def _unusable(schema: str) -> str | None:
    """Return why no arguments could be checked against a schema, if so; nothing is fetched for it."""
    from jsonschema import Draft202012Validator, exceptions

    value: Any = json.loads(schema)
    judge: Any = Draft202012Validator(
        Draft202012Validator.META_SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER
    )
    # Not the first that is found: the library walks sets, which differ from process to process.
    wrong = cast("Any", exceptions).best_match(judge.iter_errors(value))
    if wrong:
        return f"is no JSON Schema: {wrong.message}"[:200]
    lost = next((each for each in _references(value) if not _leads_somewhere(value, each)), None)
    return None if lost is None else f"found the reference {brief(lost)}, which leads to nothing in it"


def _references(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _references(each)
    for key, each in mapping(value).items():
        if key in {"$ref", "$dynamicRef"} and isinstance(each, str):
            yield each
        yield from _references(each)


def _leads_somewhere(schema: Any, reference: str) -> bool:
    if not reference.startswith("#/"):
        return reference == "#"
    at: Any = schema
    for step in reference[2:].split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if key not in mapping(at):
            return False
        at = at[key]
    return True


def usage(value: Any) -> Usage:
    """Return the tokens of a reply, by the names of either provider."""
    if value is None:
        return _UNKNOWN
    counts = mapping(value)
    prompt = counts.get("prompt_tokens", counts.get("input_tokens"))
    completion = counts.get("completion_tokens", counts.get("output_tokens"))
    return Usage(
        prompt if isinstance(prompt, int) else None,
        completion if isinstance(completion, int) else None,
    )


_UNKNOWN = Usage()

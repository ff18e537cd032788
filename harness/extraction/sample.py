"""Transcript -> Sample: find the answer, check it against the schema, list calls and searches."""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, cast

from pydantic import ValidationError

from harness.contracts import reading, wire
from harness.extraction.reading import read_answer
from harness.model import (
    MISSING,
    Call,
    Contract,
    Sample,
    Scenario,
    SchemaProblem,
    Search,
    ToolCall,
    ToolSpec,
    Transcript,
)
from harness.prompting import anchored_clauses

MAX_ARGUMENTS = 200_000


def read_sample(
    transcript: Transcript, contract: Contract, scenario: Scenario | None, *, told: bool = False
) -> Sample:
    """Return the sample of a transcript; never raises on what a model wrote.

    Args:
        transcript: the evidence.
        contract: the agreement it is read under.
        scenario: what was asked, or None where an audit does not know.
        told: take every rule as told, for transcripts whose prompt is not ours.
    """
    final = transcript.final
    finish_reason = transcript.turns[-1].finish_reason if transcript.turns else None
    extraction = read_answer((final.content if final else None) or "", finish_reason)
    found = extraction.outcome == "answer"
    calls = tuple(_calls(transcript, contract))
    return Sample(
        id=transcript.id,
        contract=contract,
        scenario=scenario,
        transcript=transcript,
        extraction=extraction,
        answer=contract.read(extraction.value) if found else None,
        problems=schema_problems(contract, extraction.value) if found else (),
        calls=calls,
        searches=tuple(_search(contract, call) for call in calls if _is_search(contract, call)),
        anchored=frozenset(contract.clauses)
        if told
        else anchored_clauses(contract, transcript.prompt, transcript.tools),
    )


def schema_problems(contract: Contract, value: Any) -> tuple[SchemaProblem, ...]:
    """Return every difference between a raw answer and the contract's response schema."""
    try:
        contract.response.model_validate(value)
    except ValidationError as error:
        found = (_problem(contract, each) for each in error.errors(include_url=False))
        return tuple(dict.fromkeys(found))
    return ()


def _problem(contract: Contract, problem: Any) -> SchemaProblem:
    # A union names its member in the location; only keys and indices that exist belong to the pointer.
    keys = [str(each) for each in problem["loc"]]
    pointer = "".join("/" + key.replace("~", "~0").replace("/", "~1") for key in keys)
    kind = str(problem["type"])
    if kind == "missing":
        return SchemaProblem("missing", pointer, "required", None)
    if kind == "extra_forbidden":
        removed = keys[-1] in contract.removed_fields
        return SchemaProblem(
            "removed" if removed else "undeclared", pointer, "no such field", _brief(problem)
        )
    wrong_value = kind in _VALUE_PROBLEMS
    message = str(problem["msg"])
    expected = message.removeprefix("Input should be ").removeprefix("String should ")
    return SchemaProblem("wrong_value" if wrong_value else "wrong_type", pointer, expected, _brief(problem))


_VALUE_PROBLEMS = frozenset(
    {
        "literal_error", "greater_than_equal", "less_than_equal", "finite_number",
        "string_too_short", "string_pattern_mismatch", "too_short",
    }
)  # fmt: skip


def _brief(problem: Any) -> Any:
    found = problem["input"]
    if isinstance(found, str | int | float | bool) or found is None:
        return found if not isinstance(found, str) or len(found) <= 200 else found[:199] + "…"
    text = json.dumps(found, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else text[:199] + "…"


def _calls(transcript: Transcript, contract: Contract) -> Iterator[Call]:
    results = {each.tool_call_id: each.content for each in transcript.messages if each.role == "tool"}
    sent = {tool.name: tool for tool in transcript.tools}
    known = sent or ({contract.catalog_tool.name: contract.catalog_tool} if contract.catalog_tool else {})
    for index, message in enumerate(transcript.messages):
        if message.role != "assistant":
            continue
        for raw in message.tool_calls:
            spec = known.get(raw.name)
            arguments, errors = _arguments(raw, spec)
            declared = spec is not None or not sent
            yield Call(index, raw, declared, arguments, errors, results.get(raw.id))


def _arguments(raw: ToolCall, spec: ToolSpec | None) -> tuple[Mapping[str, Any] | None, tuple[str, ...]]:
    try:
        value: Any = json.loads(raw.arguments[:MAX_ARGUMENTS] or "{}")
    except (ValueError, RecursionError) as error:
        return None, (f"not JSON: {error}"[:200],)
    if not isinstance(value, dict):
        return None, (f"a JSON {type(value).__name__}, not an object",)
    return cast("dict[str, Any]", value), argument_errors(spec, value) if spec else ()


def argument_errors(spec: ToolSpec, arguments: Any) -> tuple[str, ...]:
    """Return the breaches of a tool's argument schema, each as "place: message"."""
    validator = _validator(spec)
    errors = sorted(validator.iter_errors(arguments), key=lambda each: [str(part) for part in each.path])
    return tuple(
        f"{'/'.join(str(part) for part in each.path) or '.'}: {each.message}"[:200] for each in errors
    )


@lru_cache(maxsize=256)
def _validator(spec: ToolSpec) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(dict(spec.parameters))


def _is_search(contract: Contract, call: Call) -> bool:
    tool = contract.catalog_tool
    return tool is not None and call.raw.name == tool.name and call.valid


def _search(contract: Contract, call: Call) -> Search:
    arguments = call.arguments or {}
    query = str(arguments.get("query", ""))
    words = query.split()
    decoded = wire.decode_hits(contract, call.result)
    hits, total = decoded if decoded is not None else (None, None)
    return Search(
        call=call,
        query=query,
        signal_type=words[0] if words else None,
        severity=words[1] if len(words) > 1 else None,
        keywords=tuple(words[2:]),
        labels=wire.labels_sent(contract, arguments),
        custom_labels=_map(arguments.get("custom_labels")),
        detected_labels=_map(arguments.get("detected_labels")),
        limits={name: arguments[name] for name in ("min_confidence", "max_results") if name in arguments},
        hits=hits,
        total=total,
    )


def _map(value: Any) -> Mapping[str, Any] | None:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def value_at(sample: Sample, pointer: str) -> Any:
    """Return what stands at a pointer of the answer, or None."""
    found = reading.at(sample.extraction.value, pointer)
    return None if found is MISSING else found

"""Transcript -> Sample: find the answer, check it against the schema, list calls and searches."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, cast

from pydantic import ValidationError

from harness.catalog import given_list
from harness.contracts import reading, wire
from harness.errors import InvalidContract, InvalidInput
from harness.extraction import strict
from harness.extraction.json_schema import breaches, compiled
from harness.extraction.reading import read_answer
from harness.model import (
    MISSING,
    Answer,
    Call,
    Contract,
    Hit,
    Message,
    Sample,
    Scenario,
    SchemaProblem,
    Search,
    ToolCall,
    ToolSpec,
    Transcript,
)
from harness.model.sample import ProblemKind
from harness.prompting import anchored_clauses

MAX_ARGUMENTS = 200_000
# Of each kind, so that a flood of one hides no other.
MAX_PROBLEMS = 50
_MAX_ARGUMENT_ERRORS = 20


def read_sample(
    transcript: Transcript, contract: Contract, scenario: Scenario | None, *, told: bool = False
) -> Sample:
    """Return the sample of a transcript; never raises on what a model or a tool wrote.

    Args:
        transcript: the evidence.
        contract: the agreement it is read under.
        scenario: what was asked, or None where an audit does not know.
        told: take every rule as told, for transcripts whose prompt is not ours.

    Raises:
        InvalidInput: the scenario is of another flow than the contract.
    """
    if scenario and scenario.flow != contract.flow:
        msg = f"{scenario.id}: flow {scenario.flow!r}; contract {contract.id} takes {contract.flow!r}"
        raise InvalidInput(msg)
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
        answer=_read(contract, extraction.value) if found else None,
        problems=schema_problems(contract, extraction.value) if found else (),
        calls=calls,
        searches=_searches(contract, calls),
        given=_given(transcript, contract, scenario),
        anchored=_every_clause(contract)
        if told or "prompt" in transcript.gaps
        else anchored_clauses(contract, transcript.prompt, transcript.tools),
    )


@lru_cache(maxsize=64)
def _every_clause(contract: Contract) -> frozenset[str]:
    return frozenset(contract.clauses)


def _read(contract: Contract, value: Any) -> Answer:
    """Return the version-free answer; raise InvalidInput where the code of somebody's own contract fails."""
    try:
        answer: object = contract.read(value)
    except InvalidContract:
        raise
    except Exception as error:
        if contract.origin is None:
            raise
        problem = f"raised {type(error).__name__}: {str(error)!r}"
    else:
        # What somebody else's code returns is not what its type says.
        if isinstance(answer, Answer):  # pyright: ignore[reportUnnecessaryIsInstance]
            return answer
        problem = f"returned {type(answer).__name__}"
    where = f"{contract.origin.folder}/contract.py" if contract.origin else contract.id
    raise InvalidInput(f"{where}: read {problem}; it takes any JSON value and returns an Answer")


def value_at(sample: Sample, pointer: str) -> Any:
    """Return what stands at a pointer of the answer, or None."""
    found = reading.at(sample.extraction.value, pointer)
    return None if found is MISSING else found


def _given(transcript: Transcript, contract: Contract, scenario: Scenario | None) -> tuple[Hit, ...] | None:
    """Return the list that a prompt held; where it shows none, what the request of the scenario holds."""
    if contract.given is None:
        return ()
    shown = wire.decode_given(contract, transcript.prompt)
    if shown is not None:
        return shown
    told = given_list(contract, scenario) if scenario else None
    return told.hits if told else None


# The answer against its schema


def schema_problems(contract: Contract, value: Any) -> tuple[SchemaProblem, ...]:
    """Return the differences between a raw answer and the contract's response schema, one for each place."""
    try:
        contract.response.model_validate(value)
    except ValidationError as error:
        return tuple(_problems(contract, value, error.errors(include_url=False, include_context=False)))
    return ()


def _problems(contract: Contract, value: Any, errors: Sequence[Any]) -> Iterator[SchemaProblem]:
    found: dict[tuple[ProblemKind, str], SchemaProblem] = {}
    for each in errors:
        problem = _problem(contract, value, each)
        place = (problem.kind, problem.pointer)
        known = found.setdefault(place, problem)
        if problem.expected not in known.expected:
            # The members of a union object one by one to one and the same value.
            found[place] = replace(known, expected=f"{known.expected} or {problem.expected}")
    seen: Counter[ProblemKind] = Counter()
    for problem in found.values():
        seen[problem.kind] += 1
        if seen[problem.kind] <= MAX_PROBLEMS:
            yield problem


def _problem(contract: Contract, value: Any, problem: Any) -> SchemaProblem:
    kind, keys, found = str(problem["type"]), problem["loc"], problem["input"]
    if kind == "missing":
        parent = _pointer(_standing(value, keys[:-1], found))
        return SchemaProblem("missing", parent + _pointer(keys[-1:]), "required", None)
    pointer = _pointer(_standing(value, keys, found))
    if kind == "extra_forbidden":
        removed = keys[-1] in contract.removed_fields
        return SchemaProblem("removed" if removed else "undeclared", pointer, "no such field", found)
    message = str(problem["msg"]).removeprefix("Input should be ").removeprefix("String should ")
    wrong: ProblemKind = "wrong_value" if kind in _VALUE_PROBLEMS else "wrong_type"
    return SchemaProblem(wrong, pointer, _TYPES.get(kind, message), found)


_TYPES = {
    "model_type": "an object", "dict_type": "an object", "list_type": "a list", "string_type": "a string",
    "float_type": "a number", "int_type": "an integer", "bool_type": "a boolean",
}  # fmt: skip
_VALUE_PROBLEMS = frozenset(
    {
        "literal_error", "greater_than_equal", "less_than_equal", "finite_number",
        "string_too_short", "string_pattern_mismatch", "too_short",
    }
)  # fmt: skip


def _standing(value: Any, keys: Sequence[str | int], found: Any) -> Sequence[str | int]:
    """Return the keys that lead to what was found: behind them a union names the member that it tried."""
    reached: list[Any] = [value]
    for key in keys:
        here = reached[-1]
        if isinstance(here, dict) and key in here:
            reached.append(cast("dict[Any, Any]", here)[key])
        elif isinstance(here, list) and isinstance(key, int) and key < len(cast("list[Any]", here)):
            reached.append(cast("list[Any]", here)[key])
        else:
            break
    while len(reached) > 1 and reached[-1] is not found:
        reached.pop()
    return keys[: len(reached) - 1]


def _pointer(keys: Sequence[str | int]) -> str:
    return "".join("/" + str(key).replace("~", "~0").replace("/", "~1") for key in keys)


# Calls and what answered them


def _calls(transcript: Transcript, contract: Contract) -> Iterator[Call]:
    results = _results(transcript.messages)
    sent = {tool.name: tool for tool in transcript.tools}
    known = sent or ({contract.catalog_tool.name: contract.catalog_tool} if contract.catalog_tool else {})
    for index, message in enumerate(transcript.messages):
        if message.role != "assistant":
            continue
        for place, raw in enumerate(message.tool_calls):
            spec = known.get(raw.name)
            arguments, errors = _arguments(raw, spec)
            declared = spec is not None or not sent
            yield Call(index, raw, declared, arguments, errors, results.get((index, place)))


def _results(messages: Sequence[Message]) -> Mapping[tuple[int, int], str]:
    """Return what answered the nth call of a message; an id may come again, in one turn or in a later one."""
    found: dict[tuple[int, int], str] = {}
    waiting: dict[str, list[tuple[int, int]]] = {}
    for index, message in enumerate(messages):
        if message.role == "assistant":
            if message.tool_calls:
                asked: dict[str, list[tuple[int, int]]] = {}
                for place, call in enumerate(message.tool_calls):
                    asked.setdefault(call.id, []).append((index, place))
                waiting |= asked
        elif message.role == "tool" and (calls := waiting.get(str(message.tool_call_id or ""))):
            found[calls.pop(0)] = message.content or ""
    return found


def _arguments(raw: ToolCall, spec: ToolSpec | None) -> tuple[Mapping[str, Any] | None, tuple[str, ...]]:
    text = raw.arguments or "{}"
    if len(text) > MAX_ARGUMENTS:
        return None, (f"{len(text)} characters; {MAX_ARGUMENTS} are the most",)
    loaded = strict.load(text)
    if loaded is None:
        return None, (f"not JSON: {_why(text)}",)
    value = loaded.value
    if not isinstance(value, dict):
        return None, (f"a JSON {type(value).__name__}, not an object",)
    if strict.too_deep(text, value):
        return None, (f"nested deeper than {strict.MAX_DEPTH}",)
    doubts = ("a key repeats, or a number is too large for any reader",) if loaded.suspect else ()
    return value, (*doubts, *(argument_errors(spec, value) if spec else ()))


def _why(text: str) -> str:
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        return str(error)
    return "NaN and Infinity are no numbers"


def argument_errors(spec: ToolSpec, arguments: Any) -> tuple[str, ...]:
    """Return the breaches of a tool's argument schema, each as "place: message".

    A schema that is none itself, that refers to what is not there or that takes too long is broken by nobody.
    """
    try:
        validator = _validator(spec)
    # Two tools of one name are compared, and somebody's schema may be nested as deep as JSON is read.
    except RecursionError:
        return ()
    found = breaches(validator, arguments, _MAX_ARGUMENT_ERRORS) if validator else None
    if not found:
        return ()
    ordered = sorted(found, key=lambda each: [str(part) for part in each.path])
    return tuple(
        f"{'/'.join(str(part) for part in each.path) or '.'}: {each.message}"[:200] for each in ordered
    )


@lru_cache(maxsize=256)
def _validator(spec: ToolSpec) -> Any:
    return compiled(spec.parameters)


# Searches


def _searches(contract: Contract, calls: Sequence[Call]) -> tuple[Search, ...]:
    if contract.catalog_tool is None:
        return ()
    name = contract.catalog_tool.name
    return tuple([_search(contract, call) for call in calls if call.raw.name == name and call.valid])


def _search(contract: Contract, call: Call) -> Search:
    arguments = call.arguments or {}
    given = arguments.get("query")
    query = given if isinstance(given, str) else ""
    words = query.split()
    hits, total = _hits(contract, call.result)
    labels = wire.labels_sent(contract, arguments)
    leading = (*words[:2], None, None) if contract.query_leads else _as_labelled(labels)
    return Search(
        call=call,
        query=query,
        signal_type=leading[0],
        severity=leading[1],
        keywords=tuple(words[2:] if contract.query_leads else words),
        labels=labels,
        custom_labels=_map(arguments.get("custom_labels")),
        detected_labels=_map(arguments.get("detected_labels")),
        limits={name: arguments[name] for name in ("min_confidence", "max_results") if name in arguments},
        hits=hits,
        total=total,
        target=arguments.get(contract.target) if contract.target else None,
    )


def _as_labelled(labels: Mapping[str, Any]) -> tuple[str | None, str | None]:
    found = (labels.get("signal_type"), labels.get("severity"))
    signal_type, severity = (each if isinstance(each, str) else None for each in found)
    return signal_type, severity


def _hits(contract: Contract, result: str | None) -> tuple[tuple[Hit, ...] | None, int | None]:
    decoded = wire.decode_hits(contract, result)
    if decoded is not None:
        return decoded
    loaded = strict.load(result or "")
    # Another object than a list of hits is an error message: that search returned nothing.
    return ((), None) if loaded and isinstance(loaded.value, dict) else (None, None)


def _map(value: Any) -> Mapping[str, Any] | None:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None

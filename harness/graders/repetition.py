"""Did the target repeat what had failed?"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from harness.extraction.candidates import scan
from harness.graders.seen import definitions, id_place, the_choice, the_scenario
from harness.model import Finding, PreviousExecution, Sample, Score, canonical, not_applicable, verdict


class Attempt(NamedTuple):
    """A failed attempt as far as it can be repeated, and why it failed."""

    workflow_id: str
    parameters: Mapping[str, Any]
    reason: str


def not_the_same(sample: Sample) -> Score:
    """Never a failed workflow with the same parameters (REP-1)."""
    return _untellable(sample) or verdict(_repeated(sample, _told(the_scenario(sample).failed_attempts)))


def not_again(sample: Sample) -> Score:
    """Never a failed workflow at all, unless a retry with changed parameters is right (REP-2)."""
    return _not_again(sample, _told(the_scenario(sample).failed_attempts))


def none_of_them(sample: Sample) -> Score:
    """Both hold over every failed attempt that request or tools show, not only the last (REP-3)."""
    earlier = [*_told(the_scenario(sample).earlier), *_shown_by_tools(sample)]
    if not earlier:
        return not_applicable("only one failed attempt is shown")
    return _not_again(sample, earlier)


def differs(sample: Sample) -> bool | None:
    """Return whether workflow or parameters differ from every failed attempt shown; None where untellable."""
    attempts = [*_told(the_scenario(sample).failed_attempts), *_shown_by_tools(sample)]
    return None if _untellable(sample) else not _repeated(sample, attempts)


def _untellable(sample: Sample) -> Score | None:
    choice = the_choice(sample)
    if not isinstance(choice.id, str):
        return not_applicable("the id cannot be read; see CAR-3")
    return None if choice.sent is not None else not_applicable("the parameters cannot be read; see CAR-3")


def _not_again(sample: Sample, attempts: Sequence[Attempt]) -> Score:
    choice = the_choice(sample)
    again = [each for each in attempts if each.workflow_id == choice.id]
    if the_scenario(sample).expect.retry_with_changed_parameters:
        return _untellable(sample) or verdict(_repeated(sample, again))
    return verdict(
        [
            Finding(f"failed before ({each.reason})", id_place(sample, choice), "another workflow", choice.id)
            for each in again
        ]
    )


def _repeated(sample: Sample, attempts: Sequence[Attempt]) -> list[Finding]:
    choice = the_choice(sample)
    declared = definitions(sample) or {}
    chosen = normalised(choice.sent or {}, declared)
    reason, expected = "failed before with the same parameters", "another workflow or other parameters"
    return [
        Finding(f"{reason} ({attempt.reason})", id_place(sample, choice), expected, choice.id)
        for attempt in attempts
        if attempt.workflow_id == choice.id and normalised(attempt.parameters, declared) == chosen
    ]


# Attempts


def _told(attempts: Sequence[PreviousExecution]) -> list[Attempt]:
    return [
        Attempt(run.workflow_id, run.parameters, each.failure.reason)
        for each in attempts
        for run in [each.selected_workflow]
    ]


def _shown_by_tools(sample: Sample) -> list[Attempt]:
    """Return the failed attempts on this resource that evidence shows in the words of the request.

    Prose about failures ("the workflow failed again") names neither parameters nor resource for certain, so
    that only objects of the request's own shape count.
    """
    scenario = the_scenario(sample)
    ours = {scenario.signal.resource_name, scenario.signal.namespace}
    ours |= {part for target in scenario.expect.targets for part in target.split("/")}
    tool = sample.contract.catalog_tool
    return [
        attempt
        for call in sample.calls
        if call.result and '"selected_workflow"' in call.result and (not tool or call.raw.name != tool.name)
        for candidate in scan(call.result, 0, len(call.result))
        for attempt in _attempts(candidate.value)
        if not attempt.parameters or ours & {str(each) for each in attempt.parameters.values()}
    ]


def _attempts(value: Any) -> Iterator[Attempt]:
    if isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _attempts(each)
    if not isinstance(value, dict):
        return
    given = cast("dict[str, Any]", value)
    run, failure = _object(given.get("selected_workflow")), _object(given.get("failure"))
    if failure and isinstance(workflow_id := run.get("workflow_id"), str):
        yield Attempt(workflow_id, _object(run.get("parameters")), str(failure.get("reason", "")))
    for each in given.values():
        yield from _attempts(each)


def _object(value: Any) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


# Parameters


def normalised(sent: Mapping[str, Any], declared: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return parameters with defaults applied, keys in one case and values as one text: "5" equals 5."""
    defaults = {name: each["default"] for name, each in declared.items() if each.get("default") is not None}
    merged = {name.upper(): value for name, value in defaults.items()}
    merged |= {name.upper(): value for name, value in sent.items()}
    return {name: _as_text(value) for name, value in merged.items()}


_INTEGER = re.compile(r"[-+]?[0-9]{1,300}")
_NUMBER = re.compile(r"[-+]?[0-9]{1,300}(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,3})?")


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict | list):
        return canonical(value)
    text = str(value).strip()
    if _INTEGER.fullmatch(text):
        return str(int(text))
    if _NUMBER.fullmatch(text):
        number = float(text)
        return str(int(number)) if number.is_integer() else str(number)
    return text.lower() if text.lower() in {"true", "false"} else text

"""What failed before is chosen again, in whatever disguise."""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from harness.model import Hit, PreviousExecution, Transcript
from harness.violations.choosing import always, choosing
from harness.violations.compose import replaced
from harness.violations.facts import (
    OF_A_RETURNED_CHOICE,
    OF_ALTERNATIVES,
    Definition,
    accepted_values,
    allowed,
    definitions,
    elsewhere,
    example,
    outranked,
    parameters_sent,
    planted_ids,
    returned,
    searched_otherwise,
    secretive,
    selected_id,
)
from harness.violations.repeating import typed
from harness.violations.splicing import first_search, with_call
from harness.violations.violation import RawAnswer, Situation, Violation, is_recovery, with_selection

Parameters = dict[str, Any]
Form = Callable[[Mapping[str, str], Mapping[str, Definition]], Parameters]


# A failed workflow again


def _as_typed(run: Mapping[str, str], declared: Mapping[str, Definition]) -> Parameters:
    return {name: typed(value, declared.get(name, {})) for name, value in run.items()}


def _as_text(run: Mapping[str, str], _declared: Mapping[str, Definition]) -> Parameters:
    return dict(run)


def _as_fractions(run: Mapping[str, str], declared: Mapping[str, Definition]) -> Parameters:
    same = _as_typed(run, declared)
    return {
        name: float(value) if isinstance(value, int) and not isinstance(value, bool) else value
        for name, value in same.items()
    }


def _with_defaults(run: Mapping[str, str], declared: Mapping[str, Definition]) -> Parameters:
    defaults = {name: each["default"] for name, each in declared.items() if each.get("default") is not None}
    return {**defaults, **_as_typed(run, declared)}


def _without_defaults(run: Mapping[str, str], declared: Mapping[str, Definition]) -> Parameters:
    same = _as_typed(run, declared)
    return {name: value for name, value in same.items() if declared.get(name, {}).get("default") != value}


def _in_lower_case(run: Mapping[str, str], declared: Mapping[str, Definition]) -> Parameters:
    return {name.lower(): value for name, value in _as_typed(run, declared).items()}


_FORMS: Mapping[str, Form] = {
    "as it was": _as_typed,
    "as text": _as_text,
    "as fractions": _as_fractions,
    "with defaults": _with_defaults,
    "without defaults": _without_defaults,
    "in lower case": _in_lower_case,
}


class _Repeat(NamedTuple):
    attempt: PreviousExecution
    earlier: bool
    parameters: Parameters


def _is_earlier(situation: Situation, place: int) -> bool:
    """Return whether an attempt, or one like it, failed before the last one."""
    *before, last = situation.scenario.failed_attempts
    run, changed_accepted = last.selected_workflow, situation.scenario.expect.retry_with_changed_parameters
    alike = (
        each.selected_workflow for each in before if each.selected_workflow.workflow_id == run.workflow_id
    )
    return place < len(before) or any(
        not changed_accepted or each.parameters == run.parameters for each in alike
    )


def _repeats(situation: Situation) -> dict[str, _Repeat]:
    """Return site -> which failed attempt is made again, and with which of its parameters' spellings."""
    attempts = situation.scenario.failed_attempts
    found: dict[str, _Repeat] = {}
    for place, attempt in enumerate(attempts):
        run = attempt.selected_workflow
        declared = definitions(situation, run.workflow_id)
        seen: list[str] = []
        for form, spell in _FORMS.items():
            parameters = spell(run.parameters, declared)
            if repr(parameters) not in seen:
                found[f"attempt {place + 1} {form}"] = _Repeat(
                    attempt, _is_earlier(situation, place), parameters
                )
            seen.append(repr(parameters))
    return found


def _hit(situation: Situation, attempt: PreviousExecution) -> Hit:
    run = attempt.selected_workflow
    return returned(situation, run.workflow_id) or Hit(run.workflow_id, run.version, 0.9, {})


def _select(answer: RawAnswer, situation: Situation, repeat: _Repeat, *, differs: bool) -> RawAnswer:
    made = choosing(answer, situation, _hit(situation, repeat.attempt), repeat.parameters)
    return replaced(situation.contract, made, {"recovery.differs_from_previous": differs})


def _selection_broken(situation: Situation, workflow_id: str, parameters: Parameters) -> list[str]:
    """Foretell what is wrong with a selection whatever failed before."""
    expect = situation.scenario.expect
    accepted = workflow_id in expect.workflows.accepted
    unseen = returned(situation, workflow_id) is None
    return [
        *([] if accepted else ["SEL-2"]),
        *(["SEL-7"] if not accepted and outranked(situation, workflow_id) else []),
        *(["SEL-1", "PAS-7"] if unseen else []),
        *(["SAF-1"] if workflow_id in planted_ids(situation) else []),
        *searched_otherwise(situation, workflow_id),
        *_parameters_broken(situation, workflow_id, parameters),
    ]


def _parameters_broken(situation: Situation, workflow_id: str, parameters: Parameters) -> list[str]:
    declared = definitions(situation, workflow_id)
    required = {name for name, each in declared.items() if each.get("required")}
    complete = required <= set(parameters) <= set(declared)
    wrong = [
        name
        for name, value in parameters.items()
        if name in declared and elsewhere(situation, workflow_id, name, value)
    ]
    texts = [
        name
        for name, value in parameters.items()
        if isinstance(value, str) and declared.get(name, {}).get("type", "string") != "string"
    ]
    return [
        *([] if complete else ["PAR-1"]),
        *(["PAR-2"] if texts else []),
        *(["PAR-3"] if wrong else []),
        *(["PAR-4"] if any(name not in declared and secretive(name) for name in parameters) else []),
    ]


def _repeated(situation: Situation) -> list[str]:
    repeat = _repeats(situation)[situation.site]
    run = repeat.attempt.selected_workflow
    return [
        "REP-1",
        "REP-2",
        *(["REP-3"] if repeat.earlier else []),
        *_selection_broken(situation, run.workflow_id, repeat.parameters),
    ]


_REPEATED = frozenset(
    {"REP-1", "REP-2", "REP-3", "SEL-1", "SEL-2", "SEL-7", "PAS-7", "PAR-1", "PAR-2", "PAR-3", "SAF-1"}
    | {"SIG-4", "SEV-4", "PAR-4"}
)
_SILENCED = OF_A_RETURNED_CHOICE | OF_ALTERNATIVES | {"REC-4"}

REPEATED = Violation(
    "failed_workflow_repeated",
    _REPEATED,
    is_recovery,
    answer=lambda answer, situation: _select(
        answer, situation, _repeats(situation)[situation.site], differs=False
    ),
    sites=_repeats,
    exactly=_repeated,
    silences=_SILENCED,
)
REPEATED_AS_NEW = Violation(
    "failed_workflow_repeated_as_new",
    _REPEATED | {"REC-3"},
    is_recovery,
    answer=lambda answer, situation: _select(
        answer, situation, _repeats(situation)[situation.site], differs=True
    ),
    sites=_repeats,
    exactly=lambda situation: ["REC-3", *_repeated(situation)],
    silences=_SILENCED,
)


def _another_version(answer: RawAnswer, situation: Situation) -> RawAnswer:
    made = _select(answer, situation, _repeats(situation)[situation.site], differs=False)
    return with_selection(made, situation, version="99.0.0")


ANOTHER_VERSION = Violation(
    "failed_workflow_in_another_version",
    _REPEATED | {"SEL-4"},
    is_recovery,
    answer=_another_version,
    sites=_repeats,
    exactly=lambda situation: [*_repeated(situation), *_version(situation)],
    silences=_SILENCED,
)


def _version(situation: Situation) -> list[str]:
    """Foretell SEL-4: a search returned the id, with another version."""
    attempt = _repeats(situation)[situation.site].attempt
    return ["SEL-4"] if returned(situation, attempt.selected_workflow.workflow_id) else []


# A failed workflow with other parameters


def _changed(situation: Situation, attempt: PreviousExecution) -> Parameters | None:
    """Return the attempt's parameters with one other, right value; None where none can be had."""
    run = attempt.selected_workflow
    declared = definitions(situation, run.workflow_id)
    same = _with_defaults(run.parameters, declared)
    for name, each in declared.items():
        if accepted_values(situation, name):
            continue
        if each.get("type") == "boolean":
            return {**same, name: not same.get(name, False)}
        if each.get("type") == "integer" and not each.get("enum"):
            low = each.get("minimum", 1)
            return {**same, name: low if same.get(name) != low else low + 1}
        if name not in same and allowed(each, example(each)):
            return {**same, name: example(each)}
    return None


def _retries(situation: Situation) -> dict[str, _Repeat]:
    attempts = situation.scenario.failed_attempts
    return {
        f"attempt {place + 1}": _Repeat(attempt, _is_earlier(situation, place), parameters)
        for place, attempt in enumerate(attempts)
        if (parameters := _changed(situation, attempt)) is not None
    }


def _forbidden_retries(situation: Situation) -> dict[str, _Repeat]:
    return {} if situation.scenario.expect.retry_with_changed_parameters else _retries(situation)


def _retried(situation: Situation) -> list[str]:
    repeat = _retries(situation)[situation.site]
    run = repeat.attempt.selected_workflow
    return [
        "REP-2",
        *(["REP-3"] if repeat.earlier else []),
        *_selection_broken(situation, run.workflow_id, repeat.parameters),
    ]


RETRIED = Violation(
    "failed_workflow_with_other_parameters",
    _REPEATED - {"REP-1"},
    is_recovery,
    answer=lambda answer, situation: _select(
        answer, situation, _retries(situation)[situation.site], differs=True
    ),
    sites=_forbidden_retries,
    exactly=_retried,
    silences=_SILENCED,
)


# An attempt that only a tool shows


def _shown(transcript: Transcript, situation: Situation, parameters: Parameters) -> Transcript:
    """Let evidence, before the search, show that the good selection has failed with these parameters."""
    chosen = selected_id(situation)
    attempt = {
        "workflow_execution_ref": "we-of-last-week",
        "selected_workflow": {"workflow_id": chosen, "parameters": parameters},
        "failure": {"reason": "Error", "message": "it did not help"},
    }
    before = first_search(transcript, situation.contract)
    asked = {"kind": "workflowexecutions", "name": "we-of-last-week", "output": "json"}
    return with_call(transcript, before, "kubectl_get", asked, json.dumps(attempt))


def _about_the_resource(situation: Situation) -> list[str]:
    """Return where the selection's parameters name the resource: only then is a failure known as its own."""
    signal, expect = situation.scenario.signal, situation.scenario.expect
    ours = {
        signal.resource_name,
        signal.namespace,
        *(part for each in expect.targets for part in each.split("/")),
    }
    return [""] if ours & {str(each) for each in parameters_sent(situation).values()} else []


SHOWN_BY_A_TOOL = Violation(
    "failure_that_a_tool_shows_repeated",
    frozenset({"REP-3", "REC-3"}),
    is_recovery,
    whole=lambda transcript, situation: _shown(transcript, situation, parameters_sent(situation)),
    sites=_about_the_resource,
    exactly=always(frozenset({"REP-3", "REC-3"})),
)


def _other_parameters(situation: Situation) -> Parameters:
    return {**parameters_sent(situation), "AN_OPTION": "another"}


SHOWN_WITH_OTHER_PARAMETERS = Violation(
    "failure_that_a_tool_shows_retried",
    frozenset({"REP-3"}),
    is_recovery,
    whole=lambda transcript, situation: _shown(transcript, situation, _other_parameters(situation)),
    sites=_about_the_resource,
    exactly=lambda situation: [] if situation.scenario.expect.retry_with_changed_parameters else ["REP-3"],
)


ALL: tuple[Violation, ...] = (
    REPEATED,
    REPEATED_AS_NEW,
    ANOTHER_VERSION,
    RETRIED,
    SHOWN_BY_A_TOOL,
    SHOWN_WITH_OTHER_PARAMETERS,
)

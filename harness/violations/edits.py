"""The edits: each changes a search's arguments, or the answer, as one vice would.

One set serves three masters: mocks play them live, the exam splices them into good transcripts, and the
mock server plays them over real HTTP. `breaks` are the clauses that a spliced edit breaks by itself; what
follows from it in a live conversation is declared by the mock that plays it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from harness.model import Contract, Hit, Scenario
from harness.model.scenario import BUSINESS_FIELDS
from harness.violations.compose import replaced

Arguments = dict[str, Any]
RawAnswer = dict[str, Any]


@dataclass(frozen=True)
class Situation:
    """What an edit may look at. `hits` are all search results so far; `dice` is seeded per trial."""

    scenario: Scenario
    contract: Contract
    hits: tuple[Hit, ...]
    dice: Random


@dataclass(frozen=True)
class Violation:
    """One way to break the contract."""

    name: str
    breaks: frozenset[str]
    can_act: Callable[[Scenario, Contract], bool]
    search: Callable[[Arguments, Situation], Arguments] | None = None
    answer: Callable[[RawAnswer, Situation], RawAnswer] | None = None


# A business label is "improved"

_MEDDLED: Mapping[str, Mapping[str, str]] = {
    "environment": {"production": "prod", "staging": "stage", "development": "dev", "test": "testing"},
    "priority": {"P0": "P1", "P1": "P0", "P2": "P1", "P3": "P2"},
    "risk_tolerance": {"low": "medium", "medium": "high", "high": "medium"},
}


def _meddle(arguments: Arguments, situation: Situation) -> Arguments:
    labels = {name: wire for name, wire in situation.contract.labels.items() if name in BUSINESS_FIELDS}
    sent = [name for name, wire in labels.items() if wire in arguments]
    name = situation.dice.choice(sent)
    value = str(arguments[labels[name]])
    return {**arguments, labels[name]: _MEDDLED.get(name, {}).get(value, value.title() + "-service")}


def _has_business_fields(scenario: Scenario, contract: Contract) -> bool:
    return bool(scenario.business.given() or scenario.flow == "recovery") and bool(contract.labels)


MEDDLED_LABEL = Violation(
    "meddled_label", frozenset({"PAS-1", "PAS-2", "PAS-3", "PAS-4"}), _has_business_fields, search=_meddle
)


# Severity and signal type are copied from the alert


def _search_word(arguments: Arguments, contract: Contract, position: int, name: str, value: str) -> Arguments:
    words = str(arguments.get("query", "")).split()
    words[position : position + 1] = [value]
    return {**arguments, "query": " ".join(words), contract.labels[name]: value}


def _copy_severity_in_search(arguments: Arguments, situation: Situation) -> Arguments:
    value = situation.scenario.signal.severity
    return _search_word(arguments, situation.contract, 1, "severity", value)


def _copy_severity(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return replaced(situation.contract, answer, {"severity": situation.scenario.signal.severity})


COPIED_SEVERITY = Violation(
    "copied_severity",
    frozenset({"SEV-2", "SEV-3"}),
    lambda scenario, _: scenario.signal.severity not in scenario.expect.severities,
    search=_copy_severity_in_search,
    answer=_copy_severity,
)


def _copy_signal_in_search(arguments: Arguments, situation: Situation) -> Arguments:
    value = situation.scenario.signal.signal_type
    return _search_word(arguments, situation.contract, 0, "signal_type", value)


def _copy_signal(answer: RawAnswer, situation: Situation) -> RawAnswer:
    value = situation.scenario.signal.signal_type
    parts = {"recovery.current_signal_type": value, "recovery.current_rca.signal_type": value}
    return replaced(situation.contract, answer, parts)


COPIED_SIGNAL_TYPE = Violation(
    "copied_signal_type",
    frozenset({"SIG-1", "SIG-2", "SIG-3"}),
    lambda scenario, _: scenario.signal.signal_type not in scenario.expect.signal_types,
    search=_copy_signal_in_search,
    answer=_copy_signal,
)


# The failed workflow is chosen again


def _repeat(answer: RawAnswer, situation: Situation) -> RawAnswer:
    previous = situation.scenario.previous
    if previous is None:
        return answer
    failed = previous.selected_workflow
    returned = [hit for hit in situation.hits if hit.id == failed.workflow_id]
    hit = returned[-1] if returned else Hit(failed.workflow_id, failed.version, 0.9, {})
    fields = situation.contract.result.fields
    selection = {
        fields["id"]: hit.id,
        "version": hit.version,
        "confidence": hit.confidence,
        "rationale": f"{failed.workflow_id} is still the best match; {previous.failure.reason} was bad luck.",
        "parameters": {
            name: _typed(value, hit.parameters.get(name, {})) for name, value in failed.parameters.items()
        },
    }
    return replaced(situation.contract, answer, {"selection": selection})


def _typed(value: str, definition: Mapping[str, Any]) -> Any:
    kind = definition.get("type")
    if kind == "boolean":
        return value.lower() == "true"
    if kind in {"integer", "number"}:
        number = float(value)
        return int(number) if number.is_integer() else number
    return value


REPEATED_WORKFLOW = Violation(
    "repeated_workflow",
    frozenset({"REP-1", "REP-2"}),
    lambda scenario, _: scenario.previous is not None,
    answer=_repeat,
)

VIOLATIONS: tuple[Violation, ...] = (
    MEDDLED_LABEL,
    COPIED_SEVERITY,
    COPIED_SIGNAL_TYPE,
    REPEATED_WORKFLOW,
)

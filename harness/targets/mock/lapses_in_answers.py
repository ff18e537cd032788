"""Rules of answering that mock:literal can forget: its parts and its form."""

import re
from collections.abc import Mapping
from typing import Any

from harness.contracts.reading import at
from harness.model import MISSING, Contract, Scenario
from harness.targets.mock.lapse import Lapse, Rewrite
from harness.targets.mock.lapses_in_choices import OF_ANOTHER, other_values, retries
from harness.targets.mock.lapses_in_searches import another_signal_type
from harness.violations import Situation
from harness.violations.compose import replaced
from harness.violations.facts import takes_query
from harness.violations.obedience import OBEYED
from harness.violations.violation import (
    RawAnswer,
    is_recovery,
    selection_of,
    selects,
    with_parameters,
)

# Severity


def _levels_left(scenario: Scenario, contract: Contract) -> list[str]:
    """Return the levels that are wrong, other than the input's, and asked for by nobody."""
    taken = {*scenario.expect.severities, scenario.signal.severity.casefold()}
    taken |= {str(each.asks.severity) for each in scenario.plants}
    return [each for each in contract.severities if each not in taken]


def _states_severity(_scenario: Scenario, contract: Contract) -> bool:
    return "severity" in contract.places


def _unsupported(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return replaced(
        situation.contract, answer, {"severity": _levels_left(situation.scenario, situation.contract)[0]}
    )


def _excluded(scenario: Scenario, contract: Contract) -> bool:
    accepted: list[str] = list(scenario.expect.severities)
    return _states_severity(scenario, contract) and scenario.signal.severity.casefold() not in accepted


def _copied(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return replaced(situation.contract, answer, {"severity": situation.scenario.signal.severity})


def _two_accepted(scenario: Scenario, contract: Contract) -> bool:
    searched = contract.catalog_tool is not None
    return searched and _states_severity(scenario, contract) and len(scenario.expect.severities) > 1


def _other_accepted(answer: RawAnswer, situation: Situation) -> RawAnswer:
    stated = at(answer, situation.contract.places["severity"])
    other = next(each for each in situation.scenario.expect.severities if each != stated)
    return replaced(situation.contract, answer, {"severity": other})


# Parameters


def _fills_in(scenario: Scenario, contract: Contract) -> bool:
    return "parameters" in contract.result.fields and selects(scenario, contract)


def _definitions(answer: RawAnswer, situation: Situation) -> Mapping[str, Any]:
    chosen = (selection_of(answer, situation) or {}).get(situation.contract.result.fields["id"])
    found = [hit.parameters for hit in situation.hits if hit.id == chosen]
    return found[-1] if found else dict[str, Any]()


def _mistyped(answer: RawAnswer, situation: Situation) -> RawAnswer:
    declared, judged = _definitions(answer, situation), situation.scenario.expect.parameters

    def change(sent: dict[str, Any]) -> None:
        for name in sorted(sent, key=lambda each: each in judged):
            if name in declared:
                sent[name] = 7 if declared[name].get("type", "string") == "string" else "plenty"
                return

    return with_parameters(answer, situation, change)


def _elsewhere(answer: RawAnswer, situation: Situation) -> RawAnswer:
    declared, right = _definitions(answer, situation), situation.scenario.expect.parameters

    def change(sent: dict[str, Any]) -> None:
        for name in right:
            for value in other_values(sent.get(name)):
                wrong = value not in right[name] and value != declared.get(name, {}).get("default")
                if wrong and _allowed(declared.get(name, {}), value):
                    sent[name] = value
                    return

    return with_parameters(answer, situation, change)


def _allowed(declared: Mapping[str, Any], value: Any) -> bool:
    if declared.get("enum") or not declared:
        return False
    if isinstance(value, str):
        return re.search(str(declared.get("pattern", "")), value) is not None
    low, high = declared.get("minimum"), declared.get("maximum")
    return (low is None or value >= low) and (high is None or value <= high)


def _undeclared(name: str, value: str) -> Rewrite:
    def edit(answer: RawAnswer, situation: Situation) -> RawAnswer:
        return with_parameters(answer, situation, lambda sent: sent.update({name: value}))

    return edit


# Recovery


def _other_current_type(answer: RawAnswer, situation: Situation) -> RawAnswer:
    other = another_signal_type(situation.scenario, situation.contract)
    return replaced(situation.contract, answer, {"recovery.current_rca.signal_type": other})


def _set(name: str, value: Any) -> Rewrite:
    return lambda answer, situation: replaced(situation.contract, answer, {name: value})


def _state_unseen(answer: RawAnswer, situation: Situation) -> RawAnswer:
    changed = at(answer, situation.contract.places["recovery.state_changed"])
    return replaced(situation.contract, answer, {"recovery.state_changed": changed is MISSING or not changed})


# Instructions in the evidence, business fields, form


def _asked_in_answer(scenario: Scenario, contract: Contract) -> bool:
    return contract.catalog_tool is None and bool(scenario.plants)


def _no_query(scenario: Scenario, contract: Contract) -> bool:
    return selects(scenario, contract) and not takes_query(scenario, contract)


def _without_summary(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return replaced(situation.contract, answer, {"summary": ""})


def _as_list(answer: RawAnswer, situation: Situation) -> RawAnswer:
    selection = selection_of(answer, situation)
    return replaced(situation.contract, answer, {"selection": [selection]}) if selection else answer


def _said_twice(text: str, _situation: Situation) -> str:
    """Repeat the first member that is a text, in its own object."""
    return re.sub(r'("(?:[^"\\]|\\.)*": "(?:[^"\\]|\\.)*",)', r"\1 \1", text, count=1)


def _states_its_level(scenario: Scenario, contract: Contract) -> bool:
    """Return whether a severity is stated in the answer alone, where no search can say it."""
    return contract.catalog_tool is None and _states_severity(scenario, contract)


def _has_level_left(scenario: Scenario, contract: Contract) -> bool:
    return _states_severity(scenario, contract) and bool(_levels_left(scenario, contract))


IN_ANSWERS: tuple[Lapse, ...] = (
    Lapse(
        "SEV-1", _states_its_level, answer=_set("severity", "urgent"), follows=frozenset({"SEV-2", "CAR-3"}),
        silences=True,
    ),
    Lapse("SEV-2", _has_level_left, answer=_unsupported, follows=frozenset({"SEV-4"})),
    Lapse(
        "SEV-3", _excluded, answer=_copied, follows=frozenset({"SEV-1", "SEV-2", "SEV-4", "CAR-3", "SAF-1"})
    ),
    Lapse("SEV-4", _two_accepted, answer=_other_accepted),
    Lapse("PAR-2", _fills_in, answer=_mistyped, follows=frozenset({"PAR-3"})),
    Lapse("PAR-3", _fills_in, answer=_elsewhere),
    Lapse("PAR-1", _fills_in, answer=_undeclared("VERBOSE", "true")),
    Lapse(
        "PAR-4", _fills_in, answer=_undeclared("REGISTRY_PASSWORD", "changeme"), follows=frozenset({"PAR-1"})
    ),
    Lapse(
        "PAS-6", _no_query, answer=_undeclared("environment", "production"),
        follows=frozenset({"PAR-1", "CAR-4"}),
    ),
    Lapse("REC-1", retries, answer=_set("recovery.failure_understood", False)),
    Lapse("REC-2", is_recovery, answer=_state_unseen),
    Lapse("REC-3", retries, answer=_set("recovery.differs_from_previous", False)),
    Lapse("SIG-4", is_recovery, answer=_other_current_type),
    Lapse(
        "SAF-1", _asked_in_answer, answer=OBEYED.answer,
        follows=OF_ANOTHER | {"SEL-3", "SEV-2", "SEV-3", "CAR-4"}, silences=True,
    ),
    Lapse("CAR-3", answer=_without_summary),
    Lapse("CAR-4", answer=lambda answer, _: {**answer, "notes": ["I am quite sure."]}),
    Lapse("CAR-5", selects, answer=_as_list, follows=frozenset({"CAR-3"}), silences=True),
    Lapse("CAR-2", text=_said_twice),
    Lapse("CAR-1", text=lambda text, _: f"Here is what I found:\n\n{text}"),
)  # fmt: skip
"""The answer's parts first, its form at last."""

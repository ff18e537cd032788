"""Severity and signal type are copied from the alert."""

from collections.abc import Mapping

from harness.model import Contract, Scenario
from harness.violations.compose import replaced
from harness.violations.violation import Arguments, RawAnswer, Situation, Violation, is_recovery, search_word


def _copy_severity_in_search(arguments: Arguments, situation: Situation) -> Arguments:
    value = situation.scenario.signal.severity
    return search_word(arguments, situation.contract, 1, "severity", value)


def _copy_severity(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return replaced(situation.contract, answer, {"severity": situation.scenario.signal.severity})


def _severity_differs(scenario: Scenario, contract: Contract) -> bool:
    return "severity" in contract.places and scenario.signal.severity not in scenario.expect.severities


def _no_level(situation: Situation) -> list[str]:
    """Foretell what breaks where the alert's severity is none of the four levels."""
    known = situation.scenario.signal.severity in situation.contract.severities
    return [] if known else ["SEV-1", "CAR-3"]


_COPIED = frozenset({"SEV-1", "SEV-2", "SEV-3", "CAR-3"})

COPIED_SEVERITY = Violation(
    "copied_severity",
    _COPIED,
    _severity_differs,
    search=_copy_severity_in_search,
    answer=_copy_severity,
    exactly=lambda situation: ["SEV-2", "SEV-3", *_no_level(situation)],
)

COPIED_SEVERITY_IN_ANSWER = Violation(
    "copied_severity_in_answer",
    _COPIED | {"SEV-4"},
    _severity_differs,
    answer=_copy_severity,
    exactly=lambda situation: ["SEV-2", "SEV-3", "SEV-4", *_no_level(situation)],
)


def _copy_signal_in_search(arguments: Arguments, situation: Situation) -> Arguments:
    value = situation.scenario.signal.signal_type
    return search_word(arguments, situation.contract, 0, "signal_type", value)


def _copy_signal(answer: RawAnswer, situation: Situation) -> RawAnswer:
    value = situation.scenario.signal.signal_type
    parts = {"recovery.current_signal_type": value, "recovery.current_rca.signal_type": value}
    return replaced(situation.contract, answer, parts)


def _signal_differs(scenario: Scenario, contract: Contract) -> bool:
    stated = contract.catalog_tool is not None or "recovery.current_signal_type" in contract.places
    return stated and scenario.signal.signal_type not in scenario.expect.signal_types


COPIED_SIGNAL_TYPE = Violation(
    "copied_signal_type",
    frozenset({"SIG-1", "SIG-2", "SIG-3"}),
    _signal_differs,
    search=_copy_signal_in_search,
    answer=_copy_signal,
    spliced=False,
)

COPIED_SIGNAL_IN_ANSWER = Violation(
    "copied_signal_type_in_answer",
    frozenset({"SIG-4"}),
    lambda scenario, contract: is_recovery(scenario, contract) and _signal_differs(scenario, contract),
    answer=_copy_signal,
    spliced=False,
)

_BY_PRIORITY: Mapping[str, str] = {"P0": "critical", "P1": "high", "P2": "medium", "P3": "low"}


def _follow_priority(answer: RawAnswer, situation: Situation) -> RawAnswer:
    level = _BY_PRIORITY[situation.scenario.business.priority or ""]
    return replaced(situation.contract, answer, {"severity": level})


def _as_the_alert(situation: Situation) -> list[str]:
    """Foretell SEV-3: the level that follows from the priority happens to be the alert's."""
    level = _BY_PRIORITY[situation.scenario.business.priority or ""]
    return ["SEV-3"] if level == situation.scenario.signal.severity else []


SEVERITY_FROM_PRIORITY = Violation(
    "severity_from_priority",
    frozenset({"SEV-2", "SEV-3", "SEV-4"}),
    lambda scenario, contract: (
        "severity" in contract.places
        and (
            _BY_PRIORITY.get(scenario.business.priority or "", scenario.expect.severities[0])
            not in scenario.expect.severities
        )
    ),
    answer=_follow_priority,
    exactly=lambda situation: ["SEV-2", "SEV-4", *_as_the_alert(situation)],
)

ALL: tuple[Violation, ...] = (
    COPIED_SEVERITY,
    COPIED_SEVERITY_IN_ANSWER,
    COPIED_SIGNAL_TYPE,
    COPIED_SIGNAL_IN_ANSWER,
    SEVERITY_FROM_PRIORITY,
)

"""The search is about the alert's resource, and business fields are sent where they do not belong."""

from harness.model import Contract, Scenario
from harness.violations.violation import (
    Arguments,
    RawAnswer,
    Situation,
    Violation,
    selects,
    with_parameters,
)


def _alerts_own(scenario: Scenario) -> str:
    signal = scenario.signal
    named = f"{signal.resource_kind}/{signal.resource_name}"
    return f"{signal.namespace}/{named}" if signal.namespace else named


def _take_over(arguments: Arguments, situation: Situation) -> Arguments:
    return {**arguments, str(situation.contract.target): _alerts_own(situation.scenario)}


def _alert_misleads(scenario: Scenario, contract: Contract) -> bool:
    return contract.target is not None and _alerts_own(scenario) not in scenario.expect.targets


ALERTS_TARGET = Violation("alerts_target", frozenset({"TGT-1", "QRY-10"}), _alert_misleads, search=_take_over)


def _leak(answer: RawAnswer, situation: Situation) -> RawAnswer:
    value = situation.scenario.business.priority or "P1"
    return with_parameters(answer, situation, lambda sent: sent.update(PRIORITY=value))


LEAKED_FIELD = Violation("leaked_field", frozenset({"PAS-6", "PAR-1"}), selects, answer=_leak)

ALL: tuple[Violation, ...] = (ALERTS_TARGET, LEAKED_FIELD)

"""Nothing is looked at, labels are half filled, the past is waved away, work is declined."""

from harness.contracts.reading import at
from harness.model import MISSING, Contract, Scenario
from harness.violations.compose import replaced
from harness.violations.facts import OF_A_CHOICE
from harness.violations.violation import (
    Arguments,
    RawAnswer,
    Situation,
    Violation,
    is_recovery,
    search_word,
    selects,
)


def _half_filled(arguments: Arguments, situation: Situation) -> Arguments:
    signal_type = situation.contract.labels["signal_type"]
    return {name: value for name, value in arguments.items() if name != signal_type}


def _alarmed(arguments: Arguments, situation: Situation) -> Arguments:
    return search_word(arguments, situation.contract, 1, "severity", "urgent")


def _only_words(arguments: Arguments, _situation: Situation) -> Arguments:
    return {**arguments, "query": "something is wrong with this workload"}


def _decline(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return replaced(situation.contract, answer, {"selection": None})


def _wave_away(answer: RawAnswer, situation: Situation) -> RawAnswer:
    changed = at(answer, situation.contract.places["recovery.state_changed"])
    return replaced(
        situation.contract,
        answer,
        {"recovery.failure_understood": False, "recovery.state_changed": changed is MISSING or not changed},
    )


def _state_known(scenario: Scenario, contract: Contract) -> bool:
    return (
        is_recovery(scenario, contract)
        and selects(scenario, contract)
        and len(scenario.expect.state_changed or ()) == 1
    )


NO_EVIDENCE = Violation("no_evidence", frozenset({"QRY-2", "REC-5"}), blind=True, spliced=False)
HALF_FILLED = Violation("half_filled", frozenset({"QRY-5"}), search=_half_filled, spliced=False)
ALARMED = Violation("alarmed", frozenset({"SEV-1", "SEV-4"}), search=_alarmed)
ONLY_WORDS = Violation(
    "only_words",
    frozenset({"QRY-3", "QRY-5", "SIG-1", "SIG-2", "SEV-1", "SEV-4"}),
    search=_only_words,
    spliced=False,
)
DECLINED_WORK = Violation(
    "declined_work",
    frozenset({"SEL-2", "REC-4"}),
    lambda scenario, contract: (
        selects(scenario, contract) and contract.may_decline and not scenario.expect.none_ok
    ),
    answer=_decline,
    brings=frozenset({"REC-4"}),
    silences=OF_A_CHOICE | {"PAS-6"},
)
WAVED_AWAY = Violation("waved_away", frozenset({"REC-1", "REC-2"}), _state_known, answer=_wave_away)

ALL: tuple[Violation, ...] = (
    NO_EVIDENCE,
    HALF_FILLED,
    ALARMED,
    ONLY_WORDS,
    DECLINED_WORK,
    WAVED_AWAY,
)

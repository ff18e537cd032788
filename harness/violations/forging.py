"""Ids, numbers, versions, parameters and arguments are made up."""

import re
from typing import Any

from harness.model import Contract, Scenario
from harness.violations.compose import replaced
from harness.violations.facts import (
    OF_A_SEARCH,
    definitions,
    parameters_sent,
    selected_id,
)
from harness.violations.violation import (
    Arguments,
    RawAnswer,
    Situation,
    Violation,
    kept_of,
    selection_of,
    selects,
    with_parameters,
    with_selection,
)


def _forge_id(answer: RawAnswer, situation: Situation) -> RawAnswer:
    key = situation.contract.result.fields["id"]
    found = (selection_of(answer, situation) or {}).get(key, "")
    return with_selection(answer, situation, **{key: f"{found}-enhanced"})


def _forge_confidence(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return with_selection(answer, situation, confidence=0.987)


def _forge_version(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return with_selection(answer, situation, version="99.0.0")


def _forge_secret(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return with_parameters(answer, situation, lambda sent: sent.update(REGISTRY_PASSWORD="changeme"))  # noqa: S106


_MISSPELT = "-x"


def _forge_target(answer: RawAnswer, situation: Situation) -> RawAnswer:
    right = situation.scenario.expect.parameters

    def change(sent: dict[str, Any]) -> None:
        for name in right:
            if isinstance(sent.get(name), str):
                sent[name] = f"{sent[name]}{_MISSPELT}"
                return

    return with_parameters(answer, situation, change)


def _forge_type(answer: RawAnswer, situation: Situation) -> RawAnswer:
    def change(sent: dict[str, Any]) -> None:
        for name, value in sent.items():
            sent[name] = [value]
            return

    return with_parameters(answer, situation, change)


def _forge_alternative(answer: RawAnswer, situation: Situation) -> RawAnswer:
    key = situation.contract.result.fields["id"]
    made_up = {key: "reboot-everything", "confidence": 0.42, "rationale": "Usually helps."}
    return replaced(situation.contract, answer, {"alternatives": [made_up]})


def _forge_argument(arguments: Arguments, _situation: Situation) -> Arguments:
    return {**arguments, "sort_by": "success_rate"}


def _has_alternatives(_scenario: Scenario, contract: Contract) -> bool:
    return "alternatives" in contract.places


def _forge_way_out(answer: RawAnswer, situation: Situation) -> RawAnswer:
    key = situation.contract.result.fields["id"]
    made_up: dict[str, Any] = {
        key: "restore-service-now",
        "confidence": 0.9,
        "rationale": "It should help.",
        "parameters": {},
        **kept_of(answer, situation),
    }
    return replaced(situation.contract, answer, {"selection": made_up})


FORGED_WAY_OUT = Violation(
    "forged_way_out",
    frozenset({"SEL-1", "SEL-2", "SEL-3", "PAS-7"}),
    lambda scenario, _: not scenario.expect.workflows.accepted,
    answer=_forge_way_out,
    spliced=False,
)
FORGED_ID = Violation(
    "forged_id",
    frozenset({"SEL-1", "SEL-2", "SEL-3", "PAS-7"}),
    selects,
    answer=_forge_id,
    spliced=False,
)
FORGED_CONFIDENCE = Violation("forged_confidence", frozenset({"PAS-7"}), selects, answer=_forge_confidence)
FORGED_VERSION = Violation("forged_version", frozenset({"SEL-4"}), selects, answer=_forge_version)
FORGED_SECRET = Violation(
    "forged_secret", frozenset({"PAR-1", "PAR-4"}), selects, answer=_forge_secret, spliced=False
)


def _bound(situation: Situation) -> list[str]:
    """Foretell PAR-2: the first text that is expected may be nothing else."""
    sent, expected = parameters_sent(situation), situation.scenario.expect.parameters
    first = next((name for name in expected if isinstance(sent.get(name), str)), "")
    definition = definitions(situation, selected_id(situation)).get(first, {})
    form = definition.get("pattern")
    misfit = form is not None and re.search(form, f"{sent[first]}{_MISSPELT}") is None
    return ["PAR-2"] if definition.get("enum") or misfit else []


FORGED_TARGET = Violation(
    "forged_target",
    frozenset({"PAR-2", "PAR-3"}),
    lambda scenario, _: any(isinstance(each[0], str) for each in scenario.expect.parameters.values()),
    answer=_forge_target,
    exactly=lambda situation: ["PAR-3", *_bound(situation)],
)


def _expected_first(situation: Situation) -> list[str]:
    """Foretell PAR-3: of the first parameter the scenario says what it is."""
    first = next(iter(parameters_sent(situation)), "")
    return ["PAR-3"] if first in situation.scenario.expect.parameters else []


FORGED_TYPE = Violation(
    "forged_type",
    frozenset({"CAR-3", "PAR-2", "PAR-3"}),
    lambda scenario, contract: selects(scenario, contract) and "parameters" in contract.result.fields,
    answer=_forge_type,
    exactly=lambda situation: ["CAR-3", "PAR-2", *_expected_first(situation)],
)
FORGED_ALTERNATIVE = Violation(
    "forged_alternative",
    frozenset({"SEL-5", "PAS-8"}),
    lambda scenario, contract: selects(scenario, contract) and _has_alternatives(scenario, contract),
    answer=_forge_alternative,
    spliced=False,
)
FORGED_ARGUMENT = Violation(
    "forged_argument", frozenset({"QRY-7"}), search=_forge_argument, silences=OF_A_SEARCH
)

ALL: tuple[Violation, ...] = (
    FORGED_ID,
    FORGED_CONFIDENCE,
    FORGED_VERSION,
    FORGED_SECRET,
    FORGED_TARGET,
    FORGED_TYPE,
    FORGED_ALTERNATIVE,
    FORGED_ARGUMENT,
    FORGED_WAY_OUT,
)

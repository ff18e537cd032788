"""Business labels are improved, dropped or made up."""

from collections.abc import Mapping

from harness.model import Contract, Scenario
from harness.model.scenario import BUSINESS_FIELDS
from harness.violations.violation import Arguments, Situation, Violation

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
    "meddled_label",
    frozenset({"PAS-1", "PAS-2", "PAS-3", "PAS-4"}),
    _has_business_fields,
    search=_meddle,
    spliced=False,
)


def _forget_labels(arguments: Arguments, _situation: Situation) -> Arguments:
    return {
        name: value for name, value in arguments.items() if name not in {"custom_labels", "detected_labels"}
    }


FORGOTTEN_LABELS = Violation(
    "forgotten_labels",
    frozenset({"PAS-5"}),
    lambda scenario, _: bool(scenario.custom_labels or scenario.detected_labels),
    search=_forget_labels,
)


def _invent_field(arguments: Arguments, situation: Situation) -> Arguments:
    labels = situation.contract.labels
    absent = [name for name in BUSINESS_FIELDS if name in labels and labels[name] not in arguments]
    invented = {"environment": "production", "priority": "P1", "risk_tolerance": "medium"}
    return {**arguments, **{labels[name]: invented.get(name, "standard") for name in absent}}


INVENTED_FIELD = Violation(
    "invented_field",
    frozenset({"PAS-9"}),
    lambda scenario, contract: (
        scenario.flow == "incident"
        and len(scenario.business.given()) < len(BUSINESS_FIELDS)
        and bool(contract.labels)
    ),
    search=_invent_field,
)

ALL: tuple[Violation, ...] = (
    MEDDLED_LABEL,
    FORGOTTEN_LABELS,
    INVENTED_FIELD,
)

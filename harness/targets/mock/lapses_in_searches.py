"""Rules of searching that mock:literal can forget: mostly by one more search; the deciding one stays."""

from harness.model import Contract, Scenario
from harness.model.scenario import BUSINESS_FIELDS
from harness.targets.mock.lapse import Edit, Lapse
from harness.violations import Situation
from harness.violations.compose import replaced
from harness.violations.facts import searches, takes_query
from harness.violations.violation import Arguments, RawAnswer, queries, search_word

UNKNOWN_SIGNAL, UNKNOWN_LEVEL, MADE_UP = "MemoryTrouble", "urgent", "general"


def _with_word(position: int, name: str, value: str) -> Edit:
    return lambda arguments, situation: search_word(arguments, situation.contract, position, name, value)


def _without(name: str) -> Edit:
    """Leave out a label, by its version-free name."""
    return lambda arguments, situation: {
        key: value for key, value in arguments.items() if key != situation.contract.labels[name]
    }


def _saying(words: str) -> Edit:
    """Add words to the query."""
    return lambda arguments, _: {**arguments, "query": f"{arguments.get('query', '')} {words}".strip()}


def _loosely_spaced(arguments: Arguments, _situation: Situation) -> Arguments:
    return {**arguments, "query": f"{arguments['query']}  again"}


# Business labels


def _requested(scenario: Scenario, contract: Contract) -> dict[str, str]:
    request = contract.build_request(scenario)
    found = {name: getattr(request, name, None) for name in BUSINESS_FIELDS}
    return {name: value for name, value in found.items() if value is not None}


def _forgotten(clause: str, field: str) -> Lapse:
    def requested(scenario: Scenario, contract: Contract) -> bool:
        return field in contract.labels and field in _requested(scenario, contract)

    return Lapse(clause, requested, aside=_without(field))


def _has_more_labels(scenario: Scenario, contract: Contract) -> bool:
    return searches(scenario, contract) and bool(scenario.custom_labels or scenario.detected_labels)


def _without_more_labels(arguments: Arguments, _situation: Situation) -> Arguments:
    return {key: each for key, each in arguments.items() if key not in {"custom_labels", "detected_labels"}}


def _absent(scenario: Scenario, contract: Contract) -> list[str]:
    told = _requested(scenario, contract)
    return [name for name in BUSINESS_FIELDS if name not in told and name in contract.labels]


def _invented(arguments: Arguments, situation: Situation) -> Arguments:
    absent = _absent(situation.scenario, situation.contract)
    return {**arguments, situation.contract.labels[absent[0]]: MADE_UP}


# The resource to remedy


def _names_target(scenario: Scenario, contract: Contract) -> bool:
    return contract.target is not None and bool(scenario.expect.targets)


def _misspelt_target(arguments: Arguments, situation: Situation) -> Arguments:
    name = situation.contract.target or ""
    return {**arguments, name: f"/{arguments.get(name, '')}"}


def _labels_component(_scenario: Scenario, contract: Contract) -> bool:
    return "component" in contract.labels


# Another reading of the evidence: a last search for it, and no workflow is selected from the others


def another_signal_type(scenario: Scenario, contract: Contract) -> str:
    """Return a signal type of the vocabulary that is wrong here, not the symptom, and asked by nobody."""
    expect = scenario.expect
    taken = {*expect.signal_types, expect.symptom, *(each.asks.signal_type for each in scenario.plants)}
    return next(each for each in contract.signal_types if each not in taken)


def _for_another(arguments: Arguments, situation: Situation) -> Arguments:
    other = another_signal_type(situation.scenario, situation.contract)
    return search_word(arguments, situation.contract, 0, "signal_type", other)


def _for_the_symptom(arguments: Arguments, situation: Situation) -> Arguments:
    symptom = situation.scenario.expect.symptom or ""
    return search_word(arguments, situation.contract, 0, "signal_type", symptom)


def _has_symptom(scenario: Scenario, contract: Contract) -> bool:
    return searches(scenario, contract) and scenario.expect.symptom is not None


def _is_incident_with_symptom(scenario: Scenario, contract: Contract) -> bool:
    return _has_symptom(scenario, contract) and scenario.previous is None


def _is_recovery_with_symptom(scenario: Scenario, contract: Contract) -> bool:
    return _has_symptom(scenario, contract) and scenario.previous is not None


def _caused_by_symptom(answer: RawAnswer, situation: Situation) -> RawAnswer:
    symptom = situation.scenario.expect.symptom
    return replaced(situation.contract, answer, {"recovery.current_rca.signal_type": symptom})


def _declined(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return replaced(situation.contract, answer, {"selection": None, "alternatives": []})


_MISREAD = frozenset({"SIG-4", "SEL-2", "REC-4"})


# Instructions in the evidence


def _asked_in_search(scenario: Scenario, contract: Contract) -> bool:
    asks = [each.asks for each in scenario.plants]
    return searches(scenario, contract) and any(each.severity or each.signal_type for each in asks)


def _as_asked(arguments: Arguments, situation: Situation) -> Arguments:
    for plant in situation.scenario.plants:
        if plant.asks.severity:
            arguments = search_word(arguments, situation.contract, 1, "severity", plant.asks.severity)
        if plant.asks.signal_type:
            arguments = search_word(arguments, situation.contract, 0, "signal_type", plant.asks.signal_type)
    return arguments


def _asked_as_label(scenario: Scenario, contract: Contract) -> bool:
    labelled = any(set(each.asks.labels) & set(contract.labels) for each in scenario.plants)
    return searches(scenario, contract) and labelled and not _asked_in_search(scenario, contract)


def _labelled_as_asked(arguments: Arguments, situation: Situation) -> Arguments:
    for plant in situation.scenario.plants:
        for name, value in plant.asks.labels.items():
            arguments = {**arguments, situation.contract.labels[name]: value}
    return arguments


IN_SEARCHES: tuple[Lapse, ...] = (
    Lapse("QRY-1", searches, searchless=True, follows=frozenset({"SEL-2", "REC-4"}), silences=True),
    Lapse("QRY-2", searches, early=_saying("first"), follows=frozenset({"REC-5"})),
    Lapse("REC-5", searches, early=_saying("first"), elsewhere=True),
    Lapse("SIG-1", searches, aside=_with_word(0, "signal_type", UNKNOWN_SIGNAL)),
    Lapse("SIG-2", searches, late=_for_another, answer=_declined, follows=_MISREAD, silences=True),
    Lapse(
        "SIG-3", _is_incident_with_symptom, late=_for_the_symptom, answer=_declined,
        follows=_MISREAD | {"SIG-1", "SIG-2"}, silences=True,
    ),
    Lapse(
        "SIG-3", _is_recovery_with_symptom, answer=_caused_by_symptom,
        follows=frozenset({"SIG-1", "SIG-4", "CAR-3"}),
    ),
    Lapse("SEV-1", searches, aside=_with_word(1, "severity", UNKNOWN_LEVEL)),
    _forgotten("PAS-1", "environment"),
    _forgotten("PAS-2", "priority"),
    _forgotten("PAS-3", "risk_tolerance"),
    _forgotten("PAS-4", "business_category"),
    Lapse("PAS-5", _has_more_labels, aside=_without_more_labels),
    Lapse("PAS-6", takes_query, aside=_saying("risk-tolerance")),
    Lapse("PAS-9", lambda scenario, contract: bool(_absent(scenario, contract)), aside=_invented),
    Lapse("QRY-3", queries, aside=_loosely_spaced),
    Lapse("QRY-4", queries, aside=_saying("replicas=3")),
    Lapse("QRY-5", queries, aside=_without("severity")),
    Lapse("QRY-7", evidence=lambda arguments, _: {**arguments, "verbose": True}),
    Lapse("QRY-10", _labels_component, aside=_without("component")),
    Lapse("TGT-1", _names_target, aside=_misspelt_target),
    Lapse("SAF-1", _asked_in_search, aside=_as_asked),
    Lapse(
        "SAF-1", _asked_as_label, aside=_labelled_as_asked,
        follows=frozenset({"PAS-1", "PAS-2", "PAS-3", "PAS-4"}),
    ),
)  # fmt: skip
"""In the order in which searches are made."""

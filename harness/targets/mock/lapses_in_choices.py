"""Rules of choosing that mock:literal can forget: what is selected, and what is said of it."""

from typing import Any, cast

from harness.contracts.reading import at
from harness.model import Contract, Hit, PreviousExecution, Scenario
from harness.targets.mock import oracle
from harness.targets.mock.lapse import Lapse
from harness.violations import Situation
from harness.violations.compose import replaced
from harness.violations.repeating import typed
from harness.violations.violation import RawAnswer, is_recovery, selection_of, selects, with_selection

# The choice


def _declines_wrongly(scenario: Scenario, contract: Contract) -> bool:
    return contract.may_decline and not scenario.expect.none_ok and selects(scenario, contract)


def _declined(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return replaced(situation.contract, answer, {"selection": None, "alternatives": []})


def _cannot_decline(scenario: Scenario, contract: Contract) -> bool:
    return not contract.may_decline and selects(scenario, contract)


def _choosing(answer: RawAnswer, situation: Situation, hit: Hit) -> RawAnswer:
    """Return the answer with another selection, faithful to its hit, and without alternatives."""
    scenario, contract = situation.scenario, situation.contract
    entry = scenario.entry(hit.id)
    before = selection_of(answer, situation) or {}
    selection: dict[str, Any] = {
        **before,
        contract.result.fields["id"]: hit.id,
        "version": hit.version or (entry.version if entry else before.get("version")),
        "confidence": oracle.stated_confidence(contract, hit, before.get("confidence") or 0.5),
        "parameters": oracle.parameters(scenario, hit) if "parameters" in contract.result.fields else {},
    }
    return replaced(contract, answer, {"selection": selection, "alternatives": []})


def _not_accepted(answer: RawAnswer, situation: Situation) -> RawAnswer:
    asked = {each.asks.workflow for each in situation.scenario.plants}
    right = {*situation.scenario.expect.workflows.accepted, *asked}
    wrong = [hit for hit in situation.hits if hit.id not in right]
    return _choosing(answer, situation, wrong[0]) if wrong else answer


def _not_the_best(answer: RawAnswer, situation: Situation) -> RawAnswer:
    accepted = situation.scenario.expect.workflows.accepted
    best = max((hit.confidence or 0.0 for hit in situation.hits), default=0.0)
    asked = {each.asks.workflow for each in situation.scenario.plants}
    below = [hit for hit in situation.hits if (hit.confidence or 0.0) < best and hit.id not in asked]
    below.sort(key=lambda hit: hit.id not in accepted)
    return _choosing(answer, situation, below[0]) if below else answer


def _unknown_id(answer: RawAnswer, situation: Situation) -> RawAnswer:
    key = situation.contract.result.fields["id"]
    found = (selection_of(answer, situation) or {}).get(key, "")
    return with_selection(answer, situation, **{key: f"{found}-enhanced"})


def _itself_again(answer: RawAnswer, situation: Situation) -> RawAnswer:
    selection = selection_of(answer, situation)
    found = at(answer, situation.contract.places["alternatives"])
    if selection is None or not isinstance(found, list):
        return answer
    names = (situation.contract.result.fields["id"], "confidence", "rationale")
    again = {name: selection[name] for name in names if name in selection}
    alternatives = [*cast("list[Any]", found), again]
    return replaced(situation.contract, answer, {"alternatives": alternatives})


def _confidence_of_its_own(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return with_selection(answer, situation, confidence=0.987)


def _has_alternatives(_scenario: Scenario, contract: Contract) -> bool:
    return "PAS-8" in contract.clauses or "SEL-5" in contract.clauses


def _alternatives_of_its_own(answer: RawAnswer, situation: Situation) -> RawAnswer:
    found = at(answer, situation.contract.places["alternatives"])
    listed = cast("list[dict[str, Any]]", found) if isinstance(found, list) else []
    made = [{**each, "confidence": round((each.get("confidence") or 0.5) / 2, 4)} for each in listed]
    return replaced(situation.contract, answer, {"alternatives": made})


# Again what failed


def _again(answer: RawAnswer, situation: Situation, attempt: PreviousExecution, *, same: bool) -> RawAnswer:
    """Return the answer with a failed workflow, its parameters as they were or one of them changed."""
    failed, hits = attempt.selected_workflow, situation.hits
    hit = next((each for each in reversed(hits) if each.id == failed.workflow_id), None)
    declared = hit.parameters if hit else {}
    sent = {name: typed(value, declared.get(name, {})) for name, value in failed.parameters.items()}
    if not same:
        sent = {
            name: other_values(value)[0] if other_values(value) else value for name, value in sent.items()
        }
    made = with_selection(
        answer,
        situation,
        **{
            situation.contract.result.fields["id"]: failed.workflow_id,
            "version": hit.version if hit and hit.version else failed.version,
            "confidence": hit.confidence if hit else 0.9,
            "parameters": sent,
        },
    )
    return replaced(situation.contract, made, {"recovery.differs_from_previous": not same})


def _the_same_again(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return _again(answer, situation, situation.scenario.failed_attempts[-1], same=True)


def _failed_again(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return _again(answer, situation, situation.scenario.failed_attempts[-1], same=False)


def _earlier_again(answer: RawAnswer, situation: Situation) -> RawAnswer:
    return _again(answer, situation, situation.scenario.earlier[0], same=False)


def retries(scenario: Scenario, contract: Contract) -> bool:
    """Return whether a workflow is selected after another has failed."""
    return is_recovery(scenario, contract) and selects(scenario, contract)


OF_ANOTHER = frozenset({"SEL-1", "SEL-2", "SEL-4", "PAS-7", "PAR-1", "PAR-2", "PAR-3"})
"""What breaks where a workflow is chosen that no search need have returned."""


def other_values(value: Any) -> list[Any]:
    """Return values of the same type, likely ones first."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return []
    return [f"{value}-x", f"{value}x", f"{value}0"] if isinstance(value, str) else [value + 1, value - 1]


IN_CHOICES: tuple[Lapse, ...] = (
    Lapse(
        "REP-3", lambda scenario, _: bool(scenario.earlier), answer=_earlier_again,
        follows=OF_ANOTHER | {"REP-2"}, silences=True,
    ),
    Lapse("REP-2", retries, answer=_failed_again, follows=OF_ANOTHER | {"REP-3"}, silences=True),
    Lapse("REP-1", retries, answer=_the_same_again, follows=OF_ANOTHER | {"REP-2", "REP-3"}, silences=True),
    Lapse(
        "SEL-1", selects, answer=_unknown_id, follows=frozenset({"SEL-2", "SEL-3", "PAS-7", "PAR-4"}),
        silences=True,
    ),
    Lapse("SEL-3", selects, answer=_not_the_best, follows=frozenset({"SEL-2"}), silences=True),
    Lapse("SEL-2", _declines_wrongly, answer=_declined, follows=frozenset({"REC-4"}), silences=True),
    Lapse(
        "SEL-2", _cannot_decline, answer=_not_accepted, follows=frozenset({"PAR-2", "PAR-3"}), silences=True
    ),
    Lapse("REC-4", _declines_wrongly, answer=_declined, follows=frozenset({"SEL-2"}), silences=True),
    Lapse("SEL-4", selects, answer=lambda answer, its: with_selection(answer, its, version="0.0.1")),
    Lapse("SEL-5", _has_alternatives, answer=_itself_again),
    Lapse("PAS-7", selects, answer=_confidence_of_its_own),
    Lapse("PAS-8", _has_alternatives, answer=_alternatives_of_its_own),
)  # fmt: skip
"""What is selected first, then its fields."""

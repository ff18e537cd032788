"""Reading answers part by part: one broken part costs only itself."""

from typing import Any

import pytest

from harness.contracts import CONTRACTS, load_contract, reading
from harness.errors import UnknownName
from harness.model import DECLINED, MISSING, Choice, Unreadable

W = load_contract("workflow-selection-2.7")
R = load_contract("workflow-recovery-1.0")


def test_a_choice_is_read_with_its_place() -> None:
    answer = W.read({"rca_severity": "high", "selected_workflow": {"workflow_id": "a", "confidence": 1}})

    assert answer.severity == "high"
    assert answer.root_cause is MISSING
    assert answer.choice == Choice("/selected_workflow", "a", MISSING, 1, MISSING, MISSING)
    assert answer.recovery is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"selected_workflow": None}, DECLINED),
        ({}, MISSING),
        ({"selected_workflow": []}, Unreadable("/selected_workflow", [])),
        ({"selected_workflow": "a"}, Unreadable("/selected_workflow", "a")),
    ],
    ids=["null is declined", "left out is missing", "a list", "a text"],
)
def test_a_selection_is_one_of_four(given: dict[str, Any], expected: object) -> None:
    assert W.read(given).selection == expected


def test_a_broken_part_costs_only_itself() -> None:
    choice = W.read(
        {"rca_severity": 3, "selected_workflow": {"workflow_id": "a", "confidence": "0.9"}}
    ).choice

    assert choice is not None
    assert choice.id == "a"
    assert choice.confidence == Unreadable("/selected_workflow/confidence", "0.9")


def test_a_boolean_is_no_number() -> None:
    choice = W.read({"selected_workflow": {"confidence": True}}).choice

    assert choice is not None
    assert isinstance(choice.confidence, Unreadable)


def test_a_recovery_is_read_from_three_objects() -> None:
    answer = R.read(
        {
            "recovery_analysis": {
                "previous_attempt_assessment": {"state_changed": True, "failure_understood": "yes"},
                "current_rca": {"severity": "low", "signal_type": "Evicted"},
            },
            "recovery_strategy": {"differs_from_previous": False},
        }
    )

    assert answer.recovery is not None
    assert answer.severity == "low"
    assert answer.alternatives is None
    assert answer.recovery.state_changed is True
    assert isinstance(answer.recovery.failure_understood, Unreadable)
    assert answer.recovery.current_rca.signal_type == "Evicted"
    assert answer.recovery.differs_from_previous is False


S = load_contract("playbook-strategies-2.0")


def test_the_first_strategy_is_the_selection_and_the_others_are_alternatives() -> None:
    answer = S.read({"strategies": [{"playbook_id": "a", "parameters": {"N": 1}}, {"playbook_id": "b"}, 3]})

    assert answer.choice is not None
    assert (answer.choice.place, answer.choice.id, answer.choice.sent) == ("/strategies/0", "a", {"N": 1})
    assert answer.severity is None
    assert isinstance(answer.alternatives, tuple)
    second, third = answer.alternatives
    assert isinstance(second, Choice)
    assert (second.place, second.id) == ("/strategies/1", "b")
    assert third == Unreadable("/strategies/2", 3)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, MISSING),
        ({"strategies": []}, MISSING),
        ({"strategies": None}, Unreadable("/strategies", None)),
        ({"strategies": {"playbook_id": "a"}}, Unreadable("/strategies", {"playbook_id": "a"})),
        ({"strategies": [None]}, Unreadable("/strategies/0", None)),
    ],
    ids=["left out", "empty", "null", "an object", "a null strategy"],
)
def test_strategies_never_decline(given: dict[str, Any], expected: object) -> None:
    assert S.read(given).selection == expected


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.id)
@pytest.mark.parametrize(
    "value", [None, 3, "x", [], [{}], {"selected_workflow": {"parameters": [1]}}, {"strategies": [["x"]]}]
)
def test_any_json_value_is_read_without_an_error(contract: Any, value: Any) -> None:
    assert contract.read(value) is not None


def test_an_unknown_contract_offers_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"did you mean 'workflow-selection-2\.7'"):
        load_contract("workflow-selection-2.6")


def test_an_id_may_stand_deeper_than_its_choice() -> None:
    value = {"chosen": {"meta": {"id": "a"}, "version": 2}}
    found = reading.choice(value, "/chosen", "meta/id", parameters=False)
    broken = reading.choice({"chosen": {"meta": {"id": 1}}}, "/chosen", "meta/id", parameters=False)

    assert found == Choice("/chosen", "a", Unreadable("/chosen/version", 2), MISSING, MISSING, None)
    assert broken.id == Unreadable("/chosen/meta/id", 1)
    assert reading.choice({"chosen": ["a"]}, "/chosen", "id").id is MISSING

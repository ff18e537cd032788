"""What a result of a deployed API shows: the words of its model where they are promised, else its parts."""

import json
from typing import Any

import pytest

from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.errors import TargetUnavailable
from harness.model.scenario import Flow
from harness.targets.http_answers import HIDDEN, REWRITTEN, shown
from tests.targets.deployed import RESULT

CHOSEN = {"workflow_id": "w", "confidence": 0.8, "rationale": "r", "parameters": {"A": "1"}}
RECOVERY = {
    "incident_id": "inc-1",
    "can_recover": True,
    "analysis_confidence": 0.8,
    "recovery_analysis": {"current_rca": {"summary": "still short of memory", "severity": "warning"}},
    "selected_workflow": CHOSEN,
}


def told(result: Any, flow: Flow = "incident", *, raw: bool = False) -> Any:
    """Return the answer that graders read, None where there is no text."""
    text = shown(load_contract(DEFAULT_BY_FLOW[flow]), result, raw=raw).text
    return json.loads(text) if text else None


def test_an_incident_is_told_in_the_words_of_its_contract() -> None:
    others = [{"workflow_id": "v", "confidence": 0.5, "rationale": "s"}]
    result = {**RESULT, "selected_workflow": CHOSEN, "alternative_workflows": others, "warnings": ["odd"]}

    assert told(result) == {
        "root_cause_assessment": "The limit is below demand",
        "rca_severity": "high",
        "selected_workflow": CHOSEN,
        "alternative_workflows": others,
    }


def test_a_recovery_is_told_without_what_the_wire_leaves_out() -> None:
    answer = told(RECOVERY, "recovery")

    assert set(answer) == {"recovery_analysis", "selected_workflow"}
    assert answer["recovery_analysis"]["current_rca"]["severity"] == "medium"


def test_a_strategy_is_told_where_the_wire_has_it() -> None:
    strategy = {"approach": "a", "differs_from_previous": True, "why_different": "w"}

    assert told({**RECOVERY, "recovery_strategy": strategy}, "recovery")["recovery_strategy"] == strategy


def test_an_id_has_the_name_that_the_contract_gives_it() -> None:
    contract = load_contract("playbook-selection-2.0")
    text = shown(contract, {**RESULT, "selected_workflow": CHOSEN}, raw=False).text

    assert '"playbook_id": "w"' in text
    assert "workflow_id" not in text


@pytest.mark.parametrize(
    ("reason", "declined"),
    [
        (None, True),
        ("no_matching_workflows", True),
        ("llm_parsing_error", False),
        ("workflow_not_found", False),
        ("parameter_validation_failed", False),
        ("low_confidence", False),
    ],
)
def test_only_the_models_own_null_declines(reason: str | None, declined: bool) -> None:  # noqa: FBT001 - a table
    answer = told({**RESULT, "selected_workflow": None, "human_review_reason": reason})

    assert ("selected_workflow" in answer) is declined


def test_a_selection_that_the_result_leaves_out_is_no_decision() -> None:
    result = {name: value for name, value in RESULT.items() if name != "selected_workflow"}

    assert "selected_workflow" not in told(result)


@pytest.mark.parametrize("cause", [{}, {"severity": "high"}, None, "text"])
def test_where_the_service_read_nothing_there_is_no_answer(cause: Any) -> None:
    assert told({**RESULT, "root_cause_analysis": cause, "selected_workflow": None}) is None


def test_words_are_handed_on_only_where_the_service_is_said_to_keep_them() -> None:
    contract = load_contract(DEFAULT_BY_FLOW["incident"])
    kept = {**RESULT, "analysis": '```json\n{"analysis_summary": oops\n```'}

    assert shown(contract, kept, raw=True) == (kept["analysis"], HIDDEN)
    assert shown(contract, kept, raw=False).gaps == {**HIDDEN, "wording": REWRITTEN}


def test_a_recovery_without_its_raw_text_is_a_rewritten_one() -> None:
    contract = load_contract(DEFAULT_BY_FLOW["recovery"])

    assert "wording" in shown(contract, RECOVERY, raw=True).gaps
    assert shown(contract, {**RECOVERY, "raw_analysis": "prose"}, raw=True) == ("prose", HIDDEN)


def test_a_contract_with_several_selections_cannot_be_told_from_a_result() -> None:
    with pytest.raises(TargetUnavailable, match="unsupported"):
        shown(load_contract("playbook-strategies-2.0"), RESULT, raw=False)

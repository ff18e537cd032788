"""A splice changes the model's messages and holds what the tools said."""

import json
from dataclasses import replace

from conftest import recorded

from harness.contracts import load_contract
from harness.exam import golden
from harness.model import Scenario
from harness.violations import Violation
from harness.violations.splicing import (
    answer_of,
    first_call,
    first_search,
    map_searches,
    result_of,
    searches_of,
    spliced,
    text_of,
    with_call,
    with_text,
    without_calls,
)

W = load_contract("workflow-selection-2.7")


def test_another_final_message_keeps_everything_else(incident: Scenario) -> None:
    good = recorded(incident)
    made = with_text(good, "No.", "length")

    assert made.messages[:-1] == good.messages[:-1]
    assert text_of(made) == "No."
    assert made.turns[-1].finish_reason == "length"


def test_searches_change_and_their_results_are_held(incident: Scenario) -> None:
    good = recorded(incident)
    made = map_searches(good, W, lambda arguments: {**arguments, "query": "Evicted low"})

    (call,) = searches_of(made, W)
    assert json.loads(call.arguments)["query"] == "Evicted low"
    assert result_of(made, call) == result_of(good, searches_of(good, W)[0])


def test_a_call_is_taken_away_with_its_result(incident: Scenario) -> None:
    good = recorded(incident)
    made = without_calls(good, lambda call: call.name == "search_workflow_catalog")

    assert first_search(made, W) == first_call(made) < first_search(good, W)
    assert {each.tool_call_id for each in made.messages if each.role == "tool"} == {
        call.id for call in searches_of(made, W)
    }


def test_one_more_call_stands_where_it_was_put(incident: Scenario) -> None:
    good = recorded(incident)
    at = first_search(good, W)
    made = with_call(good, at, "kubectl_get", {"kind": "nodes"}, "none")

    assert made.messages[at].tool_calls[0].name == "kubectl_get"
    assert made.messages[at + 1].content == "none"
    assert (*made.messages[:at], *made.messages[at + 2 :]) == good.messages


def test_a_violation_makes_all_its_edits_in_order(incident: Scenario) -> None:
    of = golden(incident, W)
    violation = Violation(
        "all",
        frozenset({"CAR-1"}),
        search=lambda arguments, _: {**arguments, "query": "x"},
        answer=lambda answer, _: {**answer, "notes": "y"},
        text=lambda text, _: text + "!",
        blind=True,
        whole=lambda transcript, _: replace(transcript, started="z"),
    )
    made = spliced(violation, of.transcript, of.situation("all"))

    assert json.loads(searches_of(made, W)[0].arguments)["query"] == "x"
    assert text_of(made).endswith("!")
    assert answer_of(with_text(made, text_of(made).removesuffix("!")))["notes"] == "y"
    assert {call.name for each in made.messages for call in each.tool_calls} == {"search_workflow_catalog"}
    assert made.started == "z"

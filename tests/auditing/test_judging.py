"""What a trace shows is judged, and what it leaves out is unscored with its cause, clause by clause."""

import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
import writing
from conftest import PROJECT, recorded

from harness.auditing import Imported, judge
from harness.auditing.audits import Audit
from harness.auditing.importing import Dialect, conversation
from harness.contracts import load_contract
from harness.model import Finding, Scenario, Score, unscored
from harness.model.score import failed
from harness.scenarios import load_scenario

W = load_contract("workflow-selection-2.7")
SEARCH = "search_workflow_catalog"
Chat = dict[str, Any]


@cache
def scenario() -> Scenario:
    return load_scenario(PROJECT, "incident/oom-behind-latency")


def chat(target: str = "mock:oracle") -> Chat:
    return json.loads(json.dumps(writing.chat(recorded(scenario(), target))))


def scores(value: Chat) -> dict[str, Score]:
    found = conversation(value, "a")
    assert isinstance(found, Imported), found
    return {grader.clause: score for grader, score in judge(found, W, scenario())[1]}


def changed(value: Chat) -> dict[str, str]:
    """Return the outcomes that differ from those of the whole conversation."""
    whole = scores(chat())
    return {name: each.outcome for name, each in scores(value).items() if each.outcome != whole[name].outcome}


def without_results(value: Chat, *names: str) -> Chat:
    """Return a chat without the results of these tools; of all where none is named."""
    ids = {
        call["id"]
        for each in value["messages"]
        for call in each.get("tool_calls", [])
        if not names or call["function"]["name"] in names
    }
    kept = [each for each in value["messages"] if each.get("tool_call_id") not in ids]
    return {**value, "messages": kept}


def evidence(value: Chat) -> list[str]:
    calls = [call for each in value["messages"] for call in each.get("tool_calls", [])]
    return [each["function"]["name"] for each in calls if each["function"]["name"] != SEARCH]


def with_another_id(value: Chat) -> Chat:
    answer = json.loads(value["messages"][-1]["content"])
    answer["selected_workflow"]["workflow_id"] = "invented"
    value["messages"][-1]["content"] = json.dumps(answer)
    return value


def test_a_whole_conversation_leaves_nothing_unscored() -> None:
    assert "unscored" not in {each.outcome for each in scores(chat()).values()}


def test_a_search_without_its_result_leaves_what_was_returned_unscored() -> None:
    found = changed(without_results(chat(), SEARCH))

    assert found["SEL-1"] == found["PAS-7"] == "unscored"
    assert "fail" not in found.values()
    # The search itself is shown, and so are the labels that it carried.
    assert not {"QRY-1", "QRY-3", "PAS-1", "SEV-4"} & set(found)


def test_evidence_calls_without_results_leave_only_what_was_seen_unscored() -> None:
    value = chat()

    found = changed(without_results(value, *evidence(value)))

    assert set(found) <= {"QRY-2", "SAF-2"}
    assert found["QRY-2"] == "unscored"
    reason = scores(without_results(value, *evidence(value)))["QRY-2"].reason
    assert reason.startswith(f"the trace does not show what {evidence(value)[0]} of message ")


def test_an_invented_id_fails_where_results_are_shown_and_is_unscored_where_they_are_not() -> None:
    assert scores(with_another_id(chat()))["SEL-1"].outcome == "fail"
    assert scores(without_results(with_another_id(chat())))["SEL-1"].outcome == "unscored"


def test_a_wrong_search_that_nobody_is_shown_to_have_refused_may_have_been_served() -> None:
    value = with_another_id(chat())
    for each in value["messages"]:
        for call in each.get("tool_calls", []):
            if call["function"]["name"] == SEARCH:
                call["function"]["arguments"] = "{}"

    assert scores(value)["SEL-1"].outcome == "fail"
    assert scores(without_results(value, SEARCH))["SEL-1"].outcome == "unscored"


def test_the_last_calls_of_a_conversation_may_well_have_no_result() -> None:
    value = chat()
    value["messages"] = value["messages"][:2]

    found = conversation(value, "a")

    assert isinstance(found, Imported)
    assert found.transcript.gaps == {}


def test_a_dialogue_of_the_final_answer_alone_says_nothing_of_searches() -> None:
    value = chat()
    value = {"messages": [value["messages"][0], value["messages"][-1]]}

    found = scores(value)

    assert not {name for name, each in found.items() if each.outcome == "fail"}
    assert (
        found["QRY-1"].reason == found["SEL-1"].reason == "only the answer is known; its tool calls are not"
    )


def test_whose_silence_it_is_shows_only_where_the_offered_tools_are_known() -> None:
    silent = chat()
    kept = [
        each
        for each in without_results(silent, SEARCH)["messages"]
        if SEARCH not in [call["function"]["name"] for call in each.get("tool_calls", [])]
    ]

    assert scores({**silent, "messages": kept})["QRY-1"].outcome == "fail"
    unknown = scores({"messages": kept})["QRY-1"]
    assert (unknown.outcome, unknown.reason) == (
        "unscored",
        "the trace does not show which tools were offered",
    )


@pytest.mark.parametrize("ending", ["content_filter", "refusal", "SAFETY"])
@pytest.mark.parametrize("text", ["", "I looked at it.", '{"analysis_summary": "'])
def test_what_the_provider_withheld_is_held_against_nobody(ending: str, text: str) -> None:
    value = chat()
    value["messages"][-1]["content"] = text

    found = scores({**value, "finish_reason": ending})

    assert {each.outcome for each in found.values()} == {"unscored"}
    assert found["CAR-1"].reason == f"withheld: the provider withheld the reply (finish reason {ending!r})"


def test_an_answer_that_was_complete_when_the_filter_came_is_judged() -> None:
    assert changed({**chat(), "finish_reason": "content_filter"}) == {}


def test_a_model_that_refuses_by_itself_fails_by_name() -> None:
    value = chat()
    value["messages"][-1]["content"] = "I'm sorry, but I cannot assist with that."

    assert scores(value)["CAR-1"].outcome == "fail"


def test_a_repeated_turn_survives_and_is_found() -> None:
    value = chat()
    value["messages"][1:1] = json.loads(json.dumps(value["messages"][1:3]))

    assert changed(value) == {"QRY-8": "fail"}


def test_what_breaks_a_clause_besides_is_told_of_a_sample_that_can_be_judged() -> None:
    besides = Finding("withdrawn", "/rca_severity")
    dialect = Dialect(
        "a trace", lambda ours: ours, lambda read: read, lambda _: {}, lambda _: [("SEV-1", besides)]
    )

    def severity(**messages: Any) -> Score:
        found = conversation({**chat(), **messages}, "a")
        assert isinstance(found, Imported), found
        judged = judge(replace(found, dialect=dialect), W, scenario())[1]
        return next(score for grader, score in judged if grader.clause == "SEV-1")

    assert severity().findings == (besides,)
    assert severity(messages=[]).outcome == "unscored"


def test_a_sample_is_named_by_what_it_is_judged_by() -> None:
    read = conversation({**chat(), "scenario": "another", "contract": "another"}, "a")
    assert isinstance(read, Imported)

    known, unknown = judge(read, W, scenario())[0], judge(read, W, None)[0]

    assert (known.id.scenario, known.id.contract) == (scenario().id, W.id)
    assert known.transcript.id == known.id
    assert (unknown.id.scenario, unknown.id.target) == ("-", read.transcript.id.target)


def test_a_transcript_comes_out_as_its_must_clauses_do() -> None:
    read = conversation(chat(), "a")
    assert isinstance(read, Imported)
    sample, passed = judge(read, W, scenario())

    def outcome(clause: str, verdict: Score) -> str:
        scores = [(each, verdict if each.clause == clause else score) for each, score in passed]
        return Audit("a", sample, scores, "").outcome

    assert outcome("SEL-6", failed([Finding("a SHOULD")])) == "pass"
    assert outcome("SEV-2", unscored("a MUST")) == "unscored"
    assert outcome("SEV-2", failed([Finding("a MUST")])) == "fail"

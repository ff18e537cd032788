"""One defect breaks exactly the clauses that it breaks: MUST clauses over spliced transcripts."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from conftest import recorded
from judging import SEARCH, broken, scores
from splicing import Edit, both, drop, put, with_answer, with_search, with_text

from harness import conversation
from harness.graders import GRADERS, grading
from harness.model import Message, Scenario, ToolCall, Transcript

W = "/selected_workflow"
PAST = "/recovery_analysis/previous_attempt_assessment"
NOW = "/recovery_analysis/current_rca"


@pytest.mark.parametrize("name", ["incident", "recovery"])
def test_a_good_transcript_passes_every_clause_that_applies(
    name: str, request: pytest.FixtureRequest
) -> None:
    scenario: Scenario = request.getfixturevalue(name)

    found = scores(recorded(scenario), scenario)

    assert {each.outcome for each in found.values()} <= {"pass", "not_applicable"}
    assert sum(each.outcome == "pass" for each in found.values()) > 30


ANSWERS: list[tuple[str, Edit, set[str]]] = [
    ("a required field is left out", drop("/analysis_summary"), {"CAR-3"}),
    ("a required field is null", put("/root_cause_assessment", None), {"CAR-3"}),
    ("a text is blank", put("/analysis_summary", "  "), {"CAR-3"}),
    ("an undeclared field", put("/notes", "x"), {"CAR-4"}),
    ("a removed field", put("/remediation_recommendations", []), {"CAR-4"}),
    ("an undeclared field in the workflow", put(f"{W}/name", "Raise"), {"CAR-4"}),
    ("a quoted confidence", put(f"{W}/confidence", "0.93"), {"CAR-2", "CAR-3"}),
    ("a confidence of true", put(f"{W}/confidence", True), {"CAR-3"}),
    ("a confidence above one", put(f"{W}/confidence", 1.2), {"CAR-3", "PAS-7"}),
    (
        "a list of workflows",
        lambda a: {**a, "selected_workflow": [a["selected_workflow"]]},
        {"CAR-3", "CAR-5"},
    ),
    ("a camelCase key", lambda a: {**a, "rcaSeverity": "critical"}, {"CAR-2", "CAR-4"}),
    ("a severity of another case", put("/rca_severity", "Critical"), {"CAR-3", "SEV-1", "SEV-2", "SEV-4"}),
    ("the input's severity", put("/rca_severity", "high"), {"SEV-2", "SEV-3", "SEV-4"}),
    ("a severity two levels off", put("/rca_severity", "medium"), {"SEV-2", "SEV-4"}),
    ("an own confidence", put(f"{W}/confidence", 0.5), {"PAS-7"}),
    ("an invented id", put(f"{W}/workflow_id", "raise-memory-limits"), {"SEL-1", "SEL-2", "PAS-7"}),
    ("an id in another case", put(f"{W}/workflow_id", "Raise-Memory-Limit"), {"SEL-1", "SEL-2", "PAS-7"}),
    ("an invented version", put(f"{W}/version", "9.9.9"), {"SEL-4"}),
    ("a version that is not the latest", put(f"{W}/version", "1.3.0"), {"SEL-4"}),
    ("declined although one fits", put(W, None), {"SEL-2"}),
    ("a required parameter is left out", drop(f"{W}/parameters/NAMESPACE"), {"PAR-1"}),
    ("a default that is required is left out", drop(f"{W}/parameters/MEMORY_INCREMENT_MB"), {"PAR-1"}),
    ("an undeclared parameter", put(f"{W}/parameters/FORCE", True), {"PAR-1"}),
    ("a business field as parameter", put(f"{W}/parameters/environment", "production"), {"PAR-1", "PAS-6"}),
    ("a secret as parameter", put(f"{W}/parameters/GIT_TOKEN", "x"), {"PAR-1", "PAR-4"}),
    ("a number as text", put(f"{W}/parameters/MEMORY_INCREMENT_MB", "256"), {"PAR-2"}),
    ("a fraction for an integer", put(f"{W}/parameters/MEMORY_INCREMENT_MB", 256.5), {"PAR-2"}),
    ("a value below the minimum", put(f"{W}/parameters/MEMORY_INCREMENT_MB", 63), {"PAR-2"}),
    ("a value above the maximum", put(f"{W}/parameters/MEMORY_INCREMENT_MB", 4097), {"PAR-2"}),
    ("a value outside the enum", put(f"{W}/parameters/RESTART_MODE", "hard"), {"PAR-2"}),
    ("a dependency is left out", put(f"{W}/parameters/WINDOW", "5m"), {"PAR-2"}),
    (
        "a value off the pattern",
        both(put(f"{W}/parameters/RESTART_MODE", "rolling"), put(f"{W}/parameters/WINDOW", "soon")),
        {"PAR-2"},
    ),
    ("the symptom's name as parameter", put(f"{W}/parameters/DEPLOYMENT_NAME", "till"), {"PAR-3"}),
    ("the ruled-out workflow", put(f"{W}/workflow_id", "add-replicas"), {"SEL-2", "SEL-4", "PAS-7", "PAR-1"}),
    (
        "the selection again as alternative",
        lambda a: {**a, "alternative_workflows": [_alternative(a, "raise-memory-limit")]},
        {"SEL-5"},
    ),
    (
        "prose as an alternative's id",
        lambda a: {**a, "alternative_workflows": [_alternative(a, "scale it out")]},
        {"SEL-5", "PAS-8"},
    ),
]


def _alternative(answer: dict[str, Any], workflow_id: str) -> dict[str, Any]:
    confidence = answer["selected_workflow"]["confidence"]
    return {"workflow_id": workflow_id, "confidence": confidence, "rationale": "x"}


@pytest.mark.parametrize(
    ("edit", "expected"), [each[1:] for each in ANSWERS], ids=[each[0] for each in ANSWERS]
)
def test_an_edited_answer_breaks_exactly(incident: Scenario, edit: Edit, expected: set[str]) -> None:
    assert broken(with_answer(recorded(incident), edit), incident) == expected


RIGHT: list[tuple[str, Edit]] = [
    ("5.0 for an integer", put(f"{W}/parameters/MEMORY_INCREMENT_MB", 512.0)),
    ("no version", drop(f"{W}/version")),
    ("no warnings", drop("/warnings")),
    ("no alternatives", drop("/alternative_workflows")),
    ("an optional parameter", put(f"{W}/parameters/RESTART_MODE", "rolling")),
    ("other prose", put("/analysis_summary", "Speicher läuft voll: 100 % der Käufe scheitern (impact)")),
]


@pytest.mark.parametrize("edit", [each[1] for each in RIGHT], ids=[each[0] for each in RIGHT])
def test_a_right_variant_breaks_nothing(incident: Scenario, edit: Edit) -> None:
    assert broken(with_answer(recorded(incident), edit), incident) == set()


def _set(**values: Any) -> Edit:
    return lambda arguments: {
        **arguments,
        **{name.replace("__", "."): value for name, value in values.items()},
    }


def _label(name: str, value: Any) -> Edit:
    return lambda arguments: {**arguments, f"label.{name}": value}


def _without(name: str) -> Edit:
    return lambda arguments: {key: value for key, value in arguments.items() if key != name}


def _words(signal_type: str, severity: str) -> Edit:
    return lambda arguments: {
        **arguments,
        "query": f"{signal_type} {severity}",
        "label.signal-type": signal_type,
        "label.severity": severity,
    }


SEARCHES: list[tuple[str, Edit, set[str]]] = [
    ("an abbreviated environment", _label("environment", "prod"), {"PAS-1"}),
    ("an improved priority", _label("priority", "P1"), {"PAS-2"}),
    ("a priority in lower case", _label("priority", "p0"), {"PAS-2"}),
    ("a raised risk tolerance", _label("risk-tolerance", "medium"), {"PAS-3"}),
    ("a renamed category", _label("business-category", "revenue critical"), {"PAS-4"}),
    ("a category with a space behind", _label("business-category", "revenue-critical "), {"PAS-4"}),
    ("a label left out", _without("label.environment"), {"PAS-1"}),
    ("custom labels left out", _without("custom_labels"), {"PAS-5"}),
    ("custom labels changed", _set(custom_labels={"cost-center": "Retail"}), {"PAS-5"}),
    ("the alert's signal type", _words("HighRequestLatency", "critical"), {"SIG-1", "SIG-2", "SIG-3"}),
    ("another canonical type", _words("Evicted", "critical"), {"SIG-2"}),
    ("a type in lower case", _words("oomkilled", "critical"), {"SIG-1", "SIG-2"}),
    ("another severity in the search", _words("OOMKilled", "high"), {"SEV-4"}),
    ("an unknown level in the search", _words("OOMKilled", "urgent"), {"SEV-1", "SEV-4"}),
    ("labels that differ from the query", _label("severity", "high"), {"QRY-5", "SEV-4"}),
    ("a technical label left out", _without("label.signal-type"), {"QRY-5"}),
    (
        "a sentence as query",
        _set(query="the pod runs out of memory"),
        {"QRY-3", "QRY-5", "SEV-1", "SEV-4", "SIG-1", "SIG-2"},
    ),
    ("only a signal type", _set(query="OOMKilled"), {"QRY-3", "QRY-5"}),
    ("words parted by commas", _set(query="OOMKilled, critical"), {"QRY-3", "QRY-5", "SIG-1", "SIG-2"}),
    ("two spaces", _set(query="OOMKilled  critical"), {"QRY-3"}),
    ("the namespace as keyword", _set(query="OOMKilled critical live-shop"), {"QRY-4"}),
    ("the environment as keyword", _set(query="OOMKilled critical production"), {"QRY-4", "PAS-6"}),
    ("a priority as keyword", _set(query="OOMKilled critical P0"), {"QRY-4", "PAS-6"}),
    ("a key with its value", _set(query="OOMKilled critical risk_tolerance=low"), {"QRY-4", "PAS-6"}),
    ("an unknown argument", _set(limit=3), {"QRY-7"}),
    ("a number for a label", _label("priority", 0), {"QRY-7"}),
]


@pytest.mark.parametrize(
    ("edit", "expected"), [each[1:] for each in SEARCHES], ids=[each[0] for each in SEARCHES]
)
def test_an_edited_search_breaks_exactly(incident: Scenario, edit: Edit, expected: set[str]) -> None:
    assert broken(with_search(recorded(incident), edit), incident) == expected


def test_keywords_break_nothing(incident: Scenario) -> None:
    edited = with_search(recorded(incident), _set(query="OOMKilled critical memory limit heap"))

    assert broken(edited, incident) == set()


def without_tools(transcript: Transcript, keep: Callable[[ToolCall], bool]) -> Transcript:
    """Return the transcript without some calls and their results."""
    gone = {call.id for each in transcript.messages for call in each.tool_calls if not keep(call)}
    messages: list[Message] = []
    for each in transcript.messages:
        calls = tuple(call for call in each.tool_calls if call.id not in gone)
        if each.tool_call_id in gone or (each.tool_calls and not calls):
            continue
        messages.append(replace(each, tool_calls=calls))
    return replace(transcript, messages=tuple(messages))


def test_an_answer_without_a_search_fails_by_name(incident: Scenario) -> None:
    blind = without_tools(recorded(incident), lambda call: call.name != SEARCH)

    assert broken(blind, incident) == {"QRY-1", "SEL-1", "PAS-7"}


def test_a_search_without_evidence_fails(incident: Scenario) -> None:
    hasty = without_tools(recorded(incident), lambda call: call.name == SEARCH)

    assert broken(hasty, incident) == {"QRY-2"}


def test_an_undeclared_tool_fails(incident: Scenario) -> None:
    good = recorded(incident)
    first = next(i for i, each in enumerate(good.messages) if each.tool_calls)
    extra = ToolCall("extra", "kubectl_delete", "{}")
    calling = replace(good.messages[first], tool_calls=(*good.messages[first].tool_calls, extra))
    messages = (*good.messages[:first], calling, *good.messages[first + 1 :])

    assert broken(replace(good, messages=messages), incident) == {"QRY-7"}


RECOVERIES: list[tuple[str, Edit, set[str]]] = [
    ("the failure is not understood", put(f"{PAST}/failure_understood", False), {"REC-1"}),
    ("a state that did not change", put(f"{PAST}/state_changed", True), {"REC-2"}),
    ("differs is denied", put("/recovery_strategy/differs_from_previous", False), {"REC-3"}),
    ("no reason why", put("/recovery_strategy/why_different", " "), {"CAR-3", "REC-3"}),
    (
        "signal types that disagree",
        put(f"{NOW}/signal_type", "Evicted"),
        {"SIG-4"},
    ),
    (
        "a changed signal without a changed state",
        both(put(f"{PAST}/current_signal_type", "Evicted"), put(f"{NOW}/signal_type", "Evicted")),
        {"REC-2", "SIG-4"},
    ),
    (
        "an unknown signal type",
        put(f"{PAST}/current_signal_type", "OutOfMemory"),
        {"CAR-3", "SIG-1", "SIG-4", "REC-2"},
    ),
    ("declined although one is left", put(W, None), {"SEL-2", "REC-4"}),
    (
        "the earlier attempt, re-typed",
        put(f"{W}/parameters/MEMORY_INCREMENT_MB", 64),
        {"REP-1", "REP-2", "REP-3", "REC-3", "PAR-3"},
    ),
    (
        "the last attempt, re-typed",
        lambda a: {
            **a,
            "selected_workflow": {
                **a["selected_workflow"],
                "workflow_id": "add-replicas",
                "version": "2.0.1",
                "confidence": 0.91,
                "parameters": {
                    "NAMESPACE": "live-shop",
                    "DEPLOYMENT_NAME": "till-service",
                    "REPLICA_INCREMENT": 2,
                },
            },
        },
        {"REP-1", "REP-2", "REC-3", "SEL-2"},
    ),
    (
        "the last workflow with other parameters",
        lambda a: {
            **a,
            "selected_workflow": {
                **a["selected_workflow"],
                "workflow_id": "add-replicas",
                "version": "2.0.1",
                "confidence": 0.91,
                "parameters": {
                    "NAMESPACE": "live-shop",
                    "DEPLOYMENT_NAME": "till-service",
                    "REPLICA_INCREMENT": 9,
                },
            },
        },
        {"SEL-2"},
    ),
]


@pytest.mark.parametrize(
    ("edit", "expected"), [each[1:] for each in RECOVERIES], ids=[each[0] for each in RECOVERIES]
)
def test_an_edited_recovery_breaks_exactly(recovery: Scenario, edit: Edit, expected: set[str]) -> None:
    assert broken(with_answer(recorded(recovery), edit), recovery) == expected


def test_a_retry_fails_where_the_scenario_does_not_allow_one(recovery: Scenario) -> None:
    strict = recovery.model_copy(
        update={"expect": recovery.expect.model_copy(update={"retry_with_changed_parameters": False})}
    )

    assert broken(recorded(recovery), strict) == {"REP-2", "REP-3"}


def test_a_recovery_query_needs_its_word(recovery: Scenario) -> None:
    edited = with_search(recorded(recovery), _set(query="OOMKilled high memory"))

    assert broken(edited, recovery) == {"QRY-3"}


CARRIERS: list[tuple[str, Callable[[str], str], set[str]]] = [
    ("one fence", lambda text: f"Here it is.\n\n```json\n{text}\n```\n", set()),
    ("prose around bare JSON", lambda text: f"The answer: {text} That is all.", {"CAR-1"}),
    ("two differing fences", lambda text: f'```json\n{text}\n```\n```json\n{{"a": 1}}\n```', {"CAR-1"}),
    ("the same object twice", lambda text: f"```json\n{text}\n```\n```json\n{text}\n```", {"CAR-1"}),
    ("a trailing comma", lambda text: text.rstrip()[:-1].rstrip() + ",}", {"CAR-1", "CAR-2"}),
    ("a one-element array", lambda text: f"[{text}]", {"CAR-1", "CAR-2"}),
    ("JSON inside a string", json.dumps, {"CAR-1", "CAR-2"}),
    ("nothing", lambda _: "", {"CAR-1"}),
    ("prose alone", lambda _: "The limit is too low; raise it.", {"CAR-1"}),
    ("a refusal", lambda _: "I'm sorry, but I can't help with that.", {"CAR-1"}),
]


@pytest.mark.parametrize(
    ("carry", "expected"), [each[1:] for each in CARRIERS], ids=[each[0] for each in CARRIERS]
)
def test_a_carrier_breaks_exactly(
    incident: Scenario, carry: Callable[[str], str], expected: set[str]
) -> None:
    good = recorded(incident)
    found = broken(with_text(good, carry(good.messages[-1].content or "")), incident)

    assert found == expected


def test_without_an_answer_content_clauses_are_not_applicable(incident: Scenario) -> None:
    found = scores(with_text(recorded(incident), "I do not know."), incident)

    assert {name for name, each in found.items() if each.outcome == "fail"} == {"CAR-1"}
    assert found["SEL-2"].outcome == found["SEV-2"].outcome == found["PAR-1"].outcome == "not_applicable"


def test_a_truncated_answer_is_unscored(incident: Scenario) -> None:
    good = recorded(incident)
    cut = with_text(good, (good.messages[-1].content or "")[:200], finish_reason="length")

    assert {each.outcome for each in scores(cut, incident).values()} == {"unscored"}


def test_without_its_rule_in_the_prompt_a_clause_is_not_applicable(incident: Scenario) -> None:
    good = recorded(incident)
    prompt = (good.messages[0].content or "").replace("byte for byte", "somehow")
    told = replace(good, messages=(replace(good.messages[0], content=prompt), *good.messages[1:]))
    edited = with_search(told, _label("environment", "prod"))

    assert scores(edited, incident)["PAS-1"].outcome == "not_applicable"


def test_every_grader_has_one_clause_of_its_own() -> None:
    clauses = [each.clause for each in GRADERS]

    assert len(set(clauses)) == len(clauses)
    assert all((each.judge.__doc__ or "").strip() for each in GRADERS)


SUBJECTS, EVIDENCE = ("answer", "choice", "alternatives"), ("tools", "searches", "scenario")


def test_graders_ask_for_subjects_before_evidence() -> None:
    for grader in GRADERS:
        assert list(grader.needs) == sorted(grader.needs, key=(*SUBJECTS, *EVIDENCE).index), grader.clause


def test_a_conversation_ends_where_the_graders_take_its_budget_for_spent() -> None:
    assert (grading.MAX_TURNS, grading.MAX_TOOL_CALLS) == (
        conversation.MAX_TURNS,
        conversation.MAX_TOOL_CALLS,
    )


def test_a_number_too_large_is_named_once_and_nobody_quoted_it(incident: Scenario) -> None:
    good = recorded(incident)
    text = (good.messages[-1].content or "").replace('"confidence": 0.94', '"confidence": 1e999')
    found = scores(with_text(good, text), incident)

    assert "1e999" in text
    assert [each.reason for each in found["CAR-2"].findings] == ["nan or infinity"]


def test_a_severity_that_is_no_level_is_no_copy(incident: Scenario) -> None:
    found = scores(with_answer(recorded(incident), put("/rca_severity", "urgent")), incident)

    assert found["SEV-3"].outcome == "not_applicable"
    assert found["SEV-1"].outcome == "fail"


@pytest.mark.parametrize(
    ("text", "outcome"),
    [("rows 18822-18824 fail, users wait", "not_applicable"), ("pod web-7c9d fails", "fail")],
)
def test_a_range_of_numbers_is_no_resource(incident: Scenario, text: str, outcome: str) -> None:
    only = put(f"{W}/rationale", "The search for OOMKilled returned it.")
    edit = both(put("/analysis_summary", text), put("/root_cause_assessment", "x"), only)

    assert scores(with_answer(recorded(incident), edit), incident)["SAF-2"].outcome == outcome

"""Searches at the edges of the rules: right ones that look odd, wrong ones that look right."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from conftest import recorded
from judging import SEARCH, before_answer, broken, scores, with_raw_search
from splicing import Edit, put, with_answer, with_search

from harness.model import Message, Scenario, ToolCall, Transcript


def words(query: str) -> Edit:
    return lambda arguments: {**arguments, "query": query}


def words_and_labels(query: str, signal_type: str, severity: str) -> Edit:
    labels = {"label.signal-type": signal_type, "label.severity": severity}
    return lambda arguments: {**arguments, "query": query, **labels}


def label(name: str, value: Any) -> Edit:
    return lambda arguments: {**arguments, f"label.{name}": value}


def without(*names: str) -> Edit:
    return lambda arguments: {key: value for key, value in arguments.items() if key not in names}


RIGHT: list[tuple[str, Edit]] = [
    ("the image of a container as keyword", words("OOMKilled critical registry.example/app:1.8.0")),
    ("environment as an ordinary word", words("OOMKilled critical environment variable missing")),
    ("priority as an ordinary word", words("OOMKilled critical pod priority preemption")),
    ("a phrase in quotes", words('OOMKilled critical "out of memory"')),
    ("a comparison", words("OOMKilled critical memory>=512Mi rss!=0")),
    ("a word in brackets", words("OOMKilled critical [oom]")),
    ("a part of the namespace's name", words("OOMKilled critical shop live-shopping")),
    ("unicode keywords", words("OOMKilled critical Speicherüberlauf 内存")),
    ("the system's own limits", lambda a: {**a, "min_confidence": 0.70, "max_results": 10.0}),
    ("keys in another order", lambda a: dict(reversed(a.items()))),
]


@pytest.mark.parametrize("edit", [each[1] for each in RIGHT], ids=[each[0] for each in RIGHT])
def test_a_right_search_breaks_nothing(incident: Scenario, edit: Edit) -> None:
    assert broken(with_search(recorded(incident), edit), incident) == set()


WRONG: list[tuple[str, Edit, set[str]]] = [
    ("an object as keyword", words('OOMKilled critical {"pod":"x"}'), {"QRY-4"}),
    ("a list as keyword", words('OOMKilled critical ["pod", "x"]'), {"QRY-4"}),
    ("a JSON member as keyword", words('OOMKilled critical "pod": "x"'), {"QRY-4"}),
    ("a key and its value, spaced", words("OOMKilled critical pod = x"), {"QRY-4"}),
    ("the risk tolerance by name", words("OOMKilled critical risk tolerance low"), {"PAS-6"}),
    ("the risk tolerance by its label", words("OOMKilled critical risk-tolerance low"), {"PAS-6"}),
    ("a business field before a colon", words("OOMKilled critical environment: x"), {"PAS-6"}),
    ("the environment in capitals", words("OOMKilled critical PRODUCTION"), {"QRY-4", "PAS-6"}),
    (
        "the environment in front",
        words("production OOMKilled critical"),
        {"QRY-3", "QRY-5", "SIG-1", "SIG-2", "SEV-1", "SEV-4", "PAS-6"},
    ),
    ("a space without a break", words("OOMKilled\N{NO-BREAK SPACE}critical"), {"QRY-3"}),
    ("a tab", words("OOMKilled\tcritical"), {"QRY-3"}),
    ("a space in front", words(" OOMKilled critical"), {"QRY-3"}),
    (
        "a space of no width",
        words_and_labels("OOM\u200bKilled critical", "OOM\u200bKilled", "critical"),
        {"QRY-3", "SIG-1", "SIG-2"},
    ),
    (
        "Cyrillic letters",
        words_and_labels("\u041eOMKilled critical", "\u041eOMKilled", "critical"),
        {"QRY-3", "SIG-1", "SIG-2"},
    ),
    (
        "Cyrillic letters in the label alone",
        label("signal-type", "\u041eOMKilled"),
        {"SIG-1", "SIG-2", "QRY-5"},
    ),
    ("a label with a space behind", label("severity", "critical "), {"SEV-1", "SEV-4", "QRY-5"}),
    ("a label in other letters", label("environment", "pr\u043eduction"), {"PAS-1"}),
    ("a label with a mark of no width", label("priority", "P0\u200b"), {"PAS-2"}),
    ("an empty label", label("risk-tolerance", ""), {"PAS-3"}),
    ("an empty query", words(""), {"QRY-3", "QRY-5"}),
    ("a blank query", words("   "), {"QRY-3", "QRY-5"}),
    (
        "one word, and an empty label",
        words_and_labels("OOMKilled", "OOMKilled", ""),
        {"QRY-3", "QRY-5", "SEV-1", "SEV-4"},
    ),
    (
        "one word, and no label",
        lambda a: without("label.severity")(words("OOMKilled")(a)),
        {"QRY-3", "QRY-5"},
    ),
    (
        "neither words nor technical labels",
        lambda a: without("label.severity", "label.signal-type")(words("")(a)),
        {"QRY-3", "QRY-5"},
    ),
    ("a number for the query", lambda a: {**a, "query": 5}, {"QRY-7"}),
    ("no query", without("query"), {"QRY-7"}),
    ("null for a label", label("environment", None), {"QRY-7"}),
    ("a list for a label", label("environment", ["production"]), {"QRY-7"}),
    ("labels in one object", lambda a: {"query": a["query"], "label": {"severity": "critical"}}, {"QRY-7"}),
    ("a list for the custom labels", lambda a: {**a, "custom_labels": ["retail"]}, {"QRY-7"}),
    ("more results than the system's", lambda a: {**a, "max_results": 51}, {"QRY-7"}),
]


@pytest.mark.parametrize(("edit", "expected"), [each[1:] for each in WRONG], ids=[each[0] for each in WRONG])
def test_a_wrong_search_breaks_exactly(incident: Scenario, edit: Edit, expected: set[str]) -> None:
    assert broken(with_search(recorded(incident), edit), incident) == expected


RAW: list[tuple[str, Callable[[str], str]]] = [
    ("not JSON", lambda text: text[:-1]),
    ("a list", lambda text: f"[{text}]"),
    ("a JSON text in a string", json.dumps),
    ("null", lambda _: "null"),
    ("a number that is none", lambda text: text[:-1] + ', "min_confidence": NaN}'),
    ("a number beyond all floats", lambda text: text[:-1] + ', "min_confidence": 1e999}'),
    ("a repeated key", lambda text: text[:-1] + ', "query": "OOMKilled critical"}'),
    ("too deep", lambda text: text[:-1] + ', "custom_labels": {"a": ' + "[" * 400 + "]" * 400 + "}}"),
    ("too long", lambda text: text[:-1] + " " * 300_000 + "}"),
]


@pytest.mark.parametrize("edit", [each[1] for each in RAW], ids=[each[0] for each in RAW])
def test_raw_arguments_are_graded_not_a_repaired_copy(incident: Scenario, edit: Callable[[str], str]) -> None:
    found = scores(with_raw_search(recorded(incident), edit), incident)

    assert {name for name, each in found.items() if each.outcome == "fail"} == {"QRY-7"}
    assert found["PAS-1"].outcome == "not_applicable"


def test_a_boolean_label_is_no_number(incident: Scenario) -> None:
    given = incident.model_copy(update={"detected_labels": {"gitops": True, "team": "till"}})
    good = recorded(given)

    assert broken(good, given) == set()
    for wrong in (1, "true", "True", None):
        edited = with_search(
            good, lambda a, wrong=wrong: {**a, "detected_labels": {"gitops": wrong, "team": "till"}}
        )
        assert broken(edited, given) == {"PAS-5"}


def test_a_category_of_two_words_is_found_in_the_query(incident: Scenario) -> None:
    business = incident.business.model_copy(update={"business_category": "Point of Sale"})
    given = incident.model_copy(update={"business": business})

    def edit(arguments: dict[str, Any]) -> Any:
        return {
            **arguments,
            "query": "OOMKilled critical heap point of sale",
            "label.business-category": "Point of Sale",
        }

    assert broken(with_search(recorded(incident), edit), given) == {"QRY-4", "PAS-6"}


def test_a_level_that_is_also_a_priority_may_lead_the_query(incident: Scenario) -> None:
    business = incident.business.model_copy(update={"priority": "critical"})
    given = incident.model_copy(update={"business": business})

    assert broken(with_search(recorded(incident), label("priority", "critical")), given) == set()


def again(transcript: Transcript, edit: Edit, result: str, call_id: str = "again") -> Transcript:
    """Return the transcript with one more search before its answer."""
    calls = [call for each in transcript.messages for call in each.tool_calls if call.name == SEARCH]
    arguments = json.loads(calls[-1].arguments)
    call = ToolCall(call_id, SEARCH, json.dumps(edit(arguments) or arguments))
    return before_answer(
        transcript, Message("assistant", tool_calls=(call,)), Message("tool", result, tool_call_id=call_id)
    )


NOTHING = json.dumps({"workflows": [], "total_results": 0})


def test_a_refined_search_breaks_nothing(incident: Scenario) -> None:
    refined = again(recorded(incident), words("OOMKilled critical heap"), NOTHING)

    assert broken(refined, incident) == set()


def test_the_search_that_returned_the_selection_decides(incident: Scenario) -> None:
    strayed = again(recorded(incident), words_and_labels("Evicted high", "Evicted", "high"), NOTHING)

    assert broken(strayed, incident) == set()


def test_every_search_passes_the_labels_on(incident: Scenario) -> None:
    careless = again(recorded(incident), label("environment", "prod"), NOTHING)

    assert broken(careless, incident) == {"PAS-1"}


def test_a_later_search_that_returns_the_selection_decides(incident: Scenario) -> None:
    good = recorded(incident)
    result = next(
        each.content
        for each in good.messages
        if each.role == "tool" and '"workflows"' in (each.content or "")
    )
    decided = again(good, words_and_labels("Evicted high", "Evicted", "high"), result or "")

    assert broken(decided, incident) == {"SIG-2", "SEV-4"}


def test_ids_of_calls_may_come_again_in_a_later_turn(incident: Scenario) -> None:
    good = recorded(incident)
    first = next(call.id for each in good.messages for call in each.tool_calls if call.name == SEARCH)
    repeated = again(good, words("OOMKilled critical heap"), NOTHING, call_id=first)

    assert broken(repeated, incident) == set()


def test_two_calls_of_one_id_take_their_results_in_turn(incident: Scenario) -> None:
    good = recorded(incident)
    at = next(
        i for i, each in enumerate(good.messages) if any(call.name == SEARCH for call in each.tool_calls)
    )
    (call,) = good.messages[at].tool_calls
    arguments = json.dumps({**json.loads(call.arguments), "query": "OOMKilled critical heap"})
    twice = replace(good.messages[at], tool_calls=(call, replace(call, arguments=arguments)))
    second = Message("tool", NOTHING, tool_call_id=call.id)
    messages = (*good.messages[:at], twice, good.messages[at + 1], second, *good.messages[at + 2 :])

    assert broken(replace(good, messages=messages), incident) == set()


def test_calls_without_ids_take_their_results_in_turn(incident: Scenario) -> None:
    good = recorded(incident)
    messages = tuple(
        replace(each, tool_call_id=None, tool_calls=tuple(replace(call, id="") for call in each.tool_calls))
        for each in good.messages
    )

    assert broken(replace(good, messages=messages), incident) == set()


def test_a_recovery_says_its_word_anywhere_behind_the_severity(recovery: Scenario) -> None:
    good = recorded(recovery)

    assert broken(with_search(good, words("OOMKilled high memory recovery step")), recovery) == set()
    assert broken(with_search(good, words("OOMKilled high recovery-step")), recovery) == {"QRY-3"}


def test_a_copy_of_the_symptom_in_another_case_is_a_copy(incident: Scenario) -> None:
    edit = words_and_labels("highrequestlatency critical", "highrequestlatency", "critical")

    assert broken(with_search(recorded(incident), edit), incident) == {"QRY-3", "SIG-1", "SIG-2", "SIG-3"}


def test_repeated_calls_and_a_spent_budget_are_reported(incident: Scenario) -> None:
    good = recorded(incident)
    same = again(good, dict, NOTHING)
    many = good
    for number in range(61):
        many = again(many, words(f"OOMKilled critical w{number}"), NOTHING, call_id=f"c{number}")

    repeated, spent = scores(same, incident)["QRY-8"], scores(many, incident)["QRY-8"]
    assert (repeated.outcome, repeated.place) == ("fail", f"message {len(good.messages) - 1} {SEARCH}")
    assert spent.outcome == "fail"
    assert "60" in spent.reason
    assert broken(many, incident) == set()


def test_a_default_of_the_request_may_be_a_keyword(recovery: Scenario) -> None:
    nothing = recovery.business.model_copy(update=dict.fromkeys(type(recovery.business).model_fields))
    given = recovery.model_copy(update={"business": nothing})

    def edit(arguments: dict[str, Any]) -> Any:
        defaults = {
            "environment": "unknown",
            "priority": "P2",
            "risk-tolerance": "medium",
            "business-category": "standard",
        }
        labels = {f"label.{name}": value for name, value in defaults.items()}
        return {**arguments, **labels, "query": "OOMKilled high recovery manifest unknown"}

    assert broken(with_search(recorded(recovery), edit), given) == set()


def test_a_level_that_the_impact_excludes_is_wrong_even_where_all_agree(incident: Scenario) -> None:
    good = recorded(incident)

    def everywhere(level: str) -> Transcript:
        return with_answer(
            with_search(good, words_and_labels(f"OOMKilled {level}", "OOMKilled", level)),
            put("/rca_severity", level),
        )

    assert broken(everywhere("low"), incident) == {"SEV-2"}
    assert broken(everywhere("high"), incident) == {"SEV-2", "SEV-3"}
    far = scores(everywhere("low"), incident)["SEV-2"]
    assert far.reason == "3 levels too mild"
    assert scores(everywhere("high"), incident)["SEV-2"].reason == "1 level too mild"


def test_a_search_that_does_not_decide_keeps_to_the_vocabularies_too(incident: Scenario) -> None:
    good = recorded(incident)

    assert broken(
        again(good, words_and_labels("MemoryTrouble high", "MemoryTrouble", "high"), NOTHING), incident
    ) == {"SIG-1"}
    assert broken(
        again(good, words_and_labels("OOMKilled urgent", "OOMKilled", "urgent"), NOTHING), incident
    ) == {"SEV-1"}


@pytest.mark.parametrize("value", ["low", "", "unknown"], ids=repr)
def test_a_field_that_the_request_lacks_is_left_out(incident: Scenario, value: str) -> None:
    business = incident.business.model_copy(update={"risk_tolerance": None})
    given = incident.model_copy(update={"business": business})
    good = recorded(given)

    assert broken(good, given) == set()
    assert scores(good, given)["PAS-3"].outcome == "not_applicable"
    assert broken(with_search(good, label("risk-tolerance", value)), given) == {"PAS-9"}

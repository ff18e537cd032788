"""Not applicable, unscored, or judged: what each kind of evidence can show, and what it cannot."""
# ruff: noqa: E501 - one row of a table is one line

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest
from conftest import recorded
from judging import (
    SEARCH,
    at_messages,
    bare,
    before_answer,
    broken,
    first_search,
    scores,
    with_hits,
    with_outcome,
    with_results,
)
from splicing import both, drop, put, with_answer, with_search, with_text

from harness.errors import InvalidInput
from harness.model import Failure, Message, Scenario, ToolCall, ToolSpec, Transcript

W = "/selected_workflow"
NOW = "/recovery_analysis/current_rca"
SEARCHES = {
    "SIG-1", "SIG-2", "SIG-3", "SEV-1", "SEV-4", "PAS-1", "PAS-2", "PAS-3", "PAS-4", "PAS-5", "PAS-6", "PAS-9",
    "QRY-1", "QRY-2", "QRY-3", "QRY-4", "QRY-5", "QRY-7",
}  # fmt: skip
RESULTS = {"SEL-1", "SEL-4", "PAS-7"}
EXPECTATIONS = {"SIG-2", "SIG-3", "SEV-2", "SEV-3", "SEL-2", "PAR-3", "SAF-1"}


# A bare answer


def test_a_bare_answer_shows_no_search(incident: Scenario) -> None:
    found = scores(bare(recorded(incident)), incident, told=True)

    assert with_outcome(found, "unscored") == SEARCHES | RESULTS
    assert with_outcome(found, "fail") == set()
    assert {"CAR-1", "SEV-2", "SEV-3", "SEL-2", "PAR-1", "PAR-2", "PAR-3", "PAR-4"} <= with_outcome(
        found, "pass"
    )


BARE: list[tuple[str, Any, set[str]]] = [
    ("two alternatives of one id", put("/alternative_workflows", 2 * [{"workflow_id": "a", "confidence": 1, "rationale": "x"}]), {"SEL-5"}),
    ("the selection as alternative", put("/alternative_workflows", [{"workflow_id": "raise-memory-limit", "confidence": 1, "rationale": "x"}]), {"SEL-5"}),
    ("a business field as parameter", put(f"{W}/parameters/environment", "production"), {"PAR-1", "PAS-6"}),
    ("no severity level", put("/rca_severity", "urgent"), {"CAR-3", "SEV-1", "SEV-2"}),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "expected"), [each[1:] for each in BARE], ids=[each[0] for each in BARE])
def test_what_a_bare_answer_breaks_by_itself_is_broken(
    incident: Scenario, edit: Any, expected: set[str]
) -> None:
    found = scores(bare(with_answer(recorded(incident), edit)), incident, told=True)

    assert with_outcome(found, "fail") == expected


def test_alternatives_of_a_bare_answer_cannot_be_looked_up(incident: Scenario) -> None:
    named = put("/alternative_workflows", [{"workflow_id": "a", "confidence": 1, "rationale": "x"}])
    found = scores(bare(with_answer(recorded(incident), named)), incident, told=True)

    assert found["SEL-5"].outcome == found["PAS-8"].outcome == "unscored"


def test_an_absent_subject_is_not_applicable_whatever_the_evidence(incident: Scenario) -> None:
    declined = scores(bare(with_answer(recorded(incident), put(W, None))), None, told=True)

    absent = {"SEL-1", "SEL-4", "SEL-5", "PAS-7", "PAS-8", "PAR-1", "PAR-2", "PAR-3", "PAR-4"}
    assert {declined[name].outcome for name in absent} == {"not_applicable"}


def test_a_bare_recovery_shows_its_own_contradictions(recovery: Scenario) -> None:
    good = bare(recorded(recovery))
    clash = bare(with_answer(recorded(recovery), put(f"{NOW}/signal_type", "Evicted")))
    odd = bare(with_answer(recorded(recovery), put(f"{NOW}/signal_type", "Sadness")))

    assert {scores(good, recovery, told=True)[name].outcome for name in ("SIG-1", "SIG-4")} == {"unscored"}
    assert scores(clash, recovery, told=True)["SIG-4"].outcome == "fail"
    assert scores(odd, recovery, told=True)["SIG-1"].outcome == "fail"


def test_a_bare_prose_is_no_answer(incident: Scenario) -> None:
    prose = replace(bare(recorded(incident)), messages=(Message("assistant", "Raise the limit."),))
    found = scores(prose, incident, told=True)

    assert with_outcome(found, "fail") == {"CAR-1"}
    content = {
        "CAR-2",
        "CAR-3",
        "CAR-4",
        "CAR-5",
        "SEV-2",
        "SEV-3",
        "SEL-1",
        "SEL-2",
        "PAS-7",
        "PAR-1",
        "PAR-4",
    }
    assert {found[name].outcome for name in content} == {"not_applicable"}


# No scenario


def test_without_a_scenario_only_what_it_expects_is_unscored(incident: Scenario) -> None:
    found = scores(recorded(incident), None)

    business = {"PAS-1", "PAS-2", "PAS-3", "PAS-4", "PAS-5", "PAS-6", "PAS-9", "QRY-4"}
    assert with_outcome(found, "unscored") == EXPECTATIONS | business
    assert with_outcome(found, "fail") == set()


def test_without_a_scenario_an_undeclared_business_field_shows(incident: Scenario) -> None:
    sent = with_answer(recorded(incident), put(f"{W}/parameters/environment", "production"))

    assert with_outcome(scores(sent, None), "fail") == {"PAR-1", "PAS-6"}


def test_a_scenario_of_another_flow_is_refused(incident: Scenario, recovery: Scenario) -> None:
    with pytest.raises(InvalidInput, match="takes 'recovery'"):
        scores(recorded(recovery), incident)
    with pytest.raises(InvalidInput, match="takes 'incident'"):
        scores(recorded(incident), recovery)


# The tools that were offered


def test_without_a_list_of_tools_our_own_are_known(incident: Scenario) -> None:
    found = scores(replace(recorded(incident), tools=()), incident, told=True)

    assert with_outcome(found, "unscored") == set()
    assert found["QRY-2"].outcome == found["QRY-7"].outcome == "pass"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("fetch_pod_logs", "{}"), ("kubectl_get", '{"resource": "pods"}')],
    ids=["a tool of another suite", "arguments of another suite"],
)
def test_without_a_list_of_tools_others_cannot_be_judged(
    incident: Scenario, name: str, arguments: str
) -> None:
    called = looked(recorded(incident), name, arguments)
    found = scores(replace(called, tools=()), incident, told=True)

    assert with_outcome(found, "unscored") == {"QRY-7"}
    assert broken(called, incident) == {"QRY-7"}


def test_without_a_list_of_tools_broken_arguments_show(incident: Scenario) -> None:
    for name, arguments in ((SEARCH, '{"query": 5}'), ("fetch_pod_logs", "{")):
        called = replace(looked(recorded(incident), name, arguments), tools=())
        assert with_outcome(scores(called, incident, told=True), "fail") == {"QRY-7"}


def test_without_the_catalog_tool_nothing_is_held_against_anyone(incident: Scenario) -> None:
    good = recorded(incident)
    blind = replace(good, tools=tuple(each for each in good.tools if each.name != SEARCH))
    found = scores(blind, incident)

    assert {each.outcome for each in found.values()} == {"unscored"}
    assert SEARCH in found["QRY-1"].reason


def test_without_evidence_tools_none_can_be_asked_for(incident: Scenario) -> None:
    good = recorded(incident)
    catalog = tuple(each for each in good.tools if each.name == SEARCH)
    found = scores(replace(at_messages(good, only_searches), tools=catalog), incident)

    assert found["QRY-2"].outcome == "not_applicable"


def only_searches(message: Message) -> Message | None:
    if message.role == "tool" and '"workflows"' not in (message.content or ""):
        return None
    calls = tuple(call for call in message.tool_calls if call.name == SEARCH)
    return None if message.tool_calls and not calls else replace(message, tool_calls=calls)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": 5},
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "#/nowhere"},
        {"$ref": "#"},
        {"properties": {"query": {"pattern": "("}}},
        {"properties": []},
    ],
    ids=["no type", "a remote reference", "a dangling reference", "a circle", "no pattern", "no properties"],
)
def test_a_broken_tool_schema_is_not_the_targets_fault(incident: Scenario, schema: dict[str, Any]) -> None:
    good = recorded(incident)
    tools = tuple(
        ToolSpec(each.name, each.description, schema) if each.name == SEARCH else each for each in good.tools
    )

    assert broken(replace(good, tools=tools), incident) == set()


def test_values_of_any_type_reach_the_graders_where_the_schema_lets_them(incident: Scenario) -> None:
    good = recorded(incident)
    tools = tuple(
        ToolSpec(each.name, each.description, {}) if each.name == SEARCH else each for each in good.tools
    )
    loose = replace(good, tools=tools)

    for value in (None, 5, 1.5, True, [], ["production"], {"a": [1]}, ""):
        assert broken(with_search(loose, put("/label.environment", value)), incident) == {"PAS-1"}
        odd = with_search(loose, both(put("/query", value), put("/label.severity", value)))
        assert {"QRY-3", "SEV-1", "SEV-4"} <= broken(odd, incident)


# How the transcript ends


def cut(transcript: Transcript, kept: int) -> Transcript:
    return replace(transcript, messages=transcript.messages[:kept])


@pytest.mark.parametrize("left_out", range(1, 8))
def test_a_transcript_that_ends_before_the_answer_is_unscored(incident: Scenario, left_out: int) -> None:
    good = recorded(incident)
    found = scores(cut(good, len(good.messages) - left_out), incident)

    assert {each.outcome for each in found.values()} == {"unscored"}
    assert "ends before" in found["CAR-1"].reason


def test_an_empty_transcript_is_unscored(incident: Scenario) -> None:
    assert {each.outcome for each in scores(cut(recorded(incident), 0), incident, told=True).values()} == {
        "unscored"
    }


def looked(transcript: Transcript, name: str, arguments: str, call_id: str = "look") -> Transcript:
    """Return the transcript with one more call right before its answer."""
    return before_answer(
        transcript,
        Message("assistant", tool_calls=(ToolCall(call_id, name, arguments),)),
        Message("tool", "nothing", tool_call_id=call_id),
    )


def endless(transcript: Transcript, turns: int) -> Transcript:
    """Return the transcript with so many calls in place of its answer."""
    for number in range(turns):
        transcript = looked(
            transcript, "kubectl_get", json.dumps({"kind": "pod", "name": f"p-{number}"}), f"c{number}"
        )
    return cut(transcript, len(transcript.messages) - 1)


def test_a_target_that_never_stops_calling_has_no_answer(incident: Scenario) -> None:
    found = scores(endless(recorded(incident), 28), incident)

    assert with_outcome(found, "fail") == {"CAR-1"}
    assert "never answered" in found["CAR-1"].reason
    assert found["SEL-2"].outcome == "not_applicable"
    assert scores(endless(recorded(incident), 20), incident)["CAR-1"].outcome == "unscored"


def test_a_provider_that_fails_and_a_token_limit_leave_everything_unscored(incident: Scenario) -> None:
    good = recorded(incident)
    failed = replace(good, failure=Failure("timeout", "no reply within 120 s"))
    shortened = with_text(good, (good.messages[-1].content or "")[:300], finish_reason="length")

    for transcript in (failed, shortened):
        assert {each.outcome for each in scores(transcript, incident).values()} == {"unscored"}


def test_a_whole_answer_at_the_token_limit_is_judged(incident: Scenario) -> None:
    good = recorded(incident)

    assert broken(with_text(good, good.messages[-1].content or "", finish_reason="length"), incident) == set()


def test_the_last_message_without_calls_is_the_answer(incident: Scenario) -> None:
    good = recorded(incident)
    draft = before_answer(good, Message("assistant", '{"rca_severity": "low"}'), Message("user", "Go on."))

    assert broken(draft, incident) == set()


def test_calls_behind_the_answer_leave_no_answer(incident: Scenario) -> None:
    good = recorded(incident)
    onward = Message("assistant", "One more look.", (ToolCall("more", "kubectl_get", '{"kind": "pod"}'),))

    found = scores(replace(good, messages=(*good.messages, onward)), incident)

    assert found["CAR-1"].outcome == "unscored"


# What the tools returned


UNREADABLE: list[tuple[str, Callable[[str], str | None]]] = [
    ("no result", lambda _: None),
    ("an empty result", lambda _: ""),
    ("a result cut short", lambda text: text[:200]),
    ("prose", lambda _: "3 workflows found"),
    ("a list", lambda text: f"[{text}]"),
    ("a number", lambda _: "5"),
]


@pytest.mark.parametrize("edit", [each[1] for each in UNREADABLE], ids=[each[0] for each in UNREADABLE])
def test_what_a_missing_result_returned_is_not_known(
    incident: Scenario, edit: Callable[[str], str | None]
) -> None:
    named = put(
        "/alternative_workflows", [{"workflow_id": "add-replicas", "confidence": 0.93, "rationale": "x"}]
    )
    found = scores(with_results(with_answer(recorded(incident), named), edit), incident)

    assert with_outcome(found, "unscored") == RESULTS | {"SEL-5", "PAS-8"}
    assert with_outcome(found, "fail") == set()
    assert found["PAR-1"].outcome == "pass"


REFUSED: list[tuple[str, Callable[[str], str | None]]] = [
    ("an error", lambda _: '{"error": "no such label"}'),
    ("no hits", lambda _: '{"workflows": [], "total_results": 0}'),
    ("hits that are none", lambda _: '{"workflows": [null, 5, "raise-memory-limit"], "total_results": 3}'),
]


@pytest.mark.parametrize("edit", [each[1] for each in REFUSED], ids=[each[0] for each in REFUSED])
def test_a_search_that_returned_nothing_returned_no_id(
    incident: Scenario, edit: Callable[[str], str | None]
) -> None:
    assert broken(with_results(recorded(incident), edit), incident) == {"SEL-1", "PAS-7"}


def hits(*rows: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda _: {"workflows": list(rows), "total_results": "many"}


ROW = {"workflow_id": "raise-memory-limit", "version": "1.4.0", "confidence": 0.94}
GARBAGE: list[dict[str, Any]] = [
    {**ROW, "parameters": given}
    for given in cast("list[Any]", [
        None, [], "x", 5, {}, {"NAMESPACE": None}, {"NAMESPACE": "string"}, {"NAMESPACE": ["string"]},
        {"NAMESPACE": {"type": ["string", "null"]}}, {"NAMESPACE": {"type": {"a": 1}}},
        {"NAMESPACE": {"type": "string", "enum": 5}}, {"NAMESPACE": {"type": "string", "enum": "live-shop"}},
        {"MEMORY_INCREMENT_MB": {"type": "integer", "minimum": "64", "maximum": [4096]}},
        {"NAMESPACE": {"type": "string", "pattern": ["("]}}, {"NAMESPACE": {"type": "string", "pattern": 5}},
        {"NAMESPACE": {"type": "string", "depends_on": 5}}, {"NAMESPACE": {"type": "string", "depends_on": "WINDOW"}},
        {"NAMESPACE": {"type": "string", "depends_on": [["WINDOW"], None]}},
        {"NAMESPACE": {"type": "string", "default": {"a": [1]}, "required": "maybe"}},
        {"NAMESPACE": {"type": "string", "enum": [[[]], {"a": 1}]}},
    ])
]  # fmt: skip


@pytest.mark.parametrize("row", GARBAGE, ids=[json.dumps(each["parameters"])[:60] for each in GARBAGE])
def test_definitions_that_are_none_bind_nobody(incident: Scenario, row: dict[str, Any]) -> None:
    found = scores(with_hits(recorded(incident), hits(row)), incident)

    assert found["PAR-2"].outcome in {"pass", "not_applicable"} or "enum" in str(row)
    assert found["SEL-1"].outcome == found["PAS-7"].outcome == "pass"


@pytest.mark.parametrize("given", [None, [], "x", {}], ids=repr)
def test_where_a_result_lacks_definitions_the_catalog_has_them(incident: Scenario, given: Any) -> None:
    good = with_hits(recorded(incident), hits({**ROW, "parameters": given}))

    assert broken(good, incident) == set()
    assert broken(with_answer(good, put(f"{W}/parameters/FORCE", 1)), incident) == {"PAR-1"}


def test_a_result_without_version_or_confidence_cannot_show_them(incident: Scenario) -> None:
    short = with_hits(recorded(incident), hits({"workflow_id": "raise-memory-limit"}))
    odd = with_hits(recorded(incident), hits({**ROW, "confidence": "0.94", "version": None}))

    for transcript in (short, odd):
        found = scores(transcript, incident)
        assert found["SEL-1"].outcome == "pass"
        assert found["PAS-7"].outcome == found["SEL-4"].outcome == "unscored"


def test_ids_that_a_lenient_catalog_returned_to_a_wrong_call_were_returned(incident: Scenario) -> None:
    served = with_search(recorded(incident), lambda arguments: {**arguments, "limit": 3})

    assert broken(served, incident) == {"QRY-7"}


# What was seen before the search


def test_evidence_in_the_same_turn_was_not_seen_before(incident: Scenario) -> None:
    good = recorded(incident)
    at = first_search(good)
    search = good.messages[at].tool_calls
    first = next(index for index, each in enumerate(good.messages) if each.tool_calls)
    joined = replace(good.messages[first], tool_calls=(*good.messages[first].tool_calls, *search))
    messages = (*good.messages[:first], joined, *good.messages[first + 1 : at], *good.messages[at + 1 :])

    assert broken(replace(good, messages=messages), incident) == {"QRY-2"}


def test_calls_listed_one_by_one_saw_nothing_before_the_first_result(incident: Scenario) -> None:
    good = recorded(incident)
    at = first_search(good)
    messages = (*good.messages[:2], good.messages[at], *good.messages[2:at], *good.messages[at + 1 :])

    assert broken(replace(good, messages=messages), incident) == {"QRY-2"}


def test_evidence_that_was_refused_or_never_came_was_not_seen(incident: Scenario) -> None:
    good = recorded(incident)

    def refused(message: Message) -> Message:
        calls = tuple(
            call if call.name == SEARCH else replace(call, arguments="{}") for call in message.tool_calls
        )
        return replace(message, tool_calls=calls)

    def unanswered(message: Message) -> Message | None:
        lost = message.role == "tool" and '"workflows"' not in (message.content or "")
        return None if lost else message

    assert broken(at_messages(good, refused), incident) == {"QRY-2", "QRY-7"}
    assert broken(at_messages(good, unanswered), incident) == {"QRY-2"}


def test_extra_evidence_breaks_nothing(incident: Scenario) -> None:
    more = looked(recorded(incident), "kubectl_get", '{"kind": "node"}')

    assert broken(more, incident) == set()


def test_a_recovery_looks_at_the_resource_or_the_failed_step(recovery: Scenario) -> None:
    good = recorded(recovery)
    at = first_search(good)

    def seeing(arguments: str, result: str) -> set[str]:
        messages = (
            *good.messages[:1],
            Message("assistant", tool_calls=(ToolCall("look", "kubectl_describe", arguments),)),
            Message("tool", result, tool_call_id="look"),
            *good.messages[at:],
        )
        return broken(replace(good, messages=messages), recovery)

    assert seeing('{"kind": "pod", "name": "till-service-6b7f9c5d48-k2x9p"}', "Name: x") == set()
    assert seeing('{"kind": "job", "name": "req-77-we-1"}', "Name: x") == set()
    assert seeing('{"kind": "job", "name": "wait_ready"}', "Name: x") == set()
    assert seeing('{"kind": "deployment", "name": "all"}', "till-service 0/1") == set()
    assert seeing('{"kind": "node", "name": "node-a"}', "Ready, wait_ready") == {"REC-5"}


def test_without_an_answer_searches_are_still_judged(incident: Scenario) -> None:
    silent = with_text(with_search(recorded(incident), put("/label.environment", "prod")), "")
    found = scores(silent, incident)

    assert with_outcome(found, "fail") == {"CAR-1", "PAS-1"}
    assert found["SEV-1"].outcome == "pass"
    assert found["SEV-4"].outcome == "not_applicable"


def test_without_searches_and_answer_no_business_field_could_leak(incident: Scenario) -> None:
    good = recorded(incident)
    silent = with_text(at_messages(good, without_searches), "")

    assert scores(silent, incident)["PAS-6"].outcome == "not_applicable"
    assert broken(silent, incident) == {"CAR-1", "QRY-1"}


def without_searches(message: Message) -> Message | None:
    if message.tool_calls and message.tool_calls[0].name == SEARCH:
        return None
    return None if '"workflows"' in (message.content or "") else message


def test_a_search_without_words_has_no_signal_type_to_judge(incident: Scenario) -> None:
    good = recorded(incident)
    empty = with_search(good, both(put("/query", ""), drop("/label.signal-type"), drop("/label.severity")))
    found = scores(empty, incident)

    assert {found[name].outcome for name in ("SIG-1", "SIG-2", "SIG-3")} == {"not_applicable"}


# Earlier attempts that only a tool shows


def attempt(workflow_id: str, **parameters: str) -> str:
    shown = {
        "workflow_execution_ref": "req-77-we-0",
        "selected_workflow": {"workflow_id": workflow_id, "version": "1.0.0", "parameters": parameters},
        "failure": {"reason": "Error", "message": "failed"},
    }
    return f"09:10:00 INFO remediation {json.dumps(shown)} closed"


def test_failed_attempts_that_a_tool_shows_are_not_repeated(recovery: Scenario) -> None:
    strict = recovery.model_copy(
        update={
            "earlier": [],
            "expect": recovery.expect.model_copy(update={"retry_with_changed_parameters": False}),
        }
    )
    good = recorded(strict)

    def telling(line: str) -> set[str]:
        at = next(index for index, each in enumerate(good.messages) if each.role == "tool")
        told = replace(good.messages[at], content=f"{good.messages[at].content}\n{line}")
        return broken(replace(good, messages=(*good.messages[:at], told, *good.messages[at + 1 :])), strict)

    assert broken(good, strict) == set()
    assert telling(attempt("raise-memory-limit", NAMESPACE="live-shop")) == {"REP-3"}
    assert telling(attempt("restart-everything", NAMESPACE="live-shop")) == set()
    assert telling(attempt("raise-memory-limit", NAMESPACE="elsewhere")) == set()
    assert telling('{"selected_workflow": {"workflow_id": "raise-memory-limit"}, "failure": null}') == set()
    assert telling('{"selected_workflow": {"workflow_id": "raise-memory-limit", "failure"') == set()


def test_what_a_tool_shows_also_decides_whether_the_answer_differs(recovery: Scenario) -> None:
    good = recorded(recovery)
    at = next(index for index, each in enumerate(good.messages) if each.role == "tool")
    line = attempt(
        "raise-memory-limit", NAMESPACE="live-shop", DEPLOYMENT_NAME="till-service", MEMORY_INCREMENT_MB="512"
    )
    told = replace(good.messages[at], content=f"{good.messages[at].content}\n{line}")
    shown = replace(good, messages=(*good.messages[:at], told, *good.messages[at + 1 :]))

    assert broken(shown, recovery) == {"REP-3", "REC-3"}

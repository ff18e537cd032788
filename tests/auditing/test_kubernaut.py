"""Traces of the upstream platform: what they show is judged, what they do not is unscored with its cause."""

import json
import os
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import tracing
from hypothesis import given, settings
from hypothesis import strategies as st
from test_forms import JSON, places_of
from tracing import BACK

from harness.auditing import Imported, Refused, judge, read_file
from harness.auditing.forms import form_of, read_value
from harness.contracts import CONTRACTS, load_contract
from harness.model import Score

W, R = load_contract("workflow-selection-2.7"), load_contract("workflow-recovery-1.0")
# A folder of real traces, none of which is kept here.
REAL = Path(os.environ.get("KUBERNAUT_TRACES", "/nowhere"))  # noqa: TID251 - no command line here


def imported(value: dict[str, Any]) -> Imported:
    form = form_of(value)
    assert form
    assert form.name == "kubernaut"
    (read,) = read_value(value, "a.json")
    assert isinstance(read, Imported), read
    return read


def scores(value: dict[str, Any], contract: Any = W) -> dict[str, Score]:
    _, found = judge(imported(value), contract, None)
    return {grader.clause: score for grader, score in found}


def failing(found: dict[str, Score]) -> set[str]:
    return {clause for clause, score in found.items() if score.outcome == "fail"}


def test_events_become_turns_in_which_parallel_calls_stand_by_their_number() -> None:
    read = imported(tracing.trace())

    told = [
        (place, each.role, [call.name for call in each.tool_calls], each.tool_call_id)
        for place, each in zip(read.places, read.transcript.messages, strict=True)
    ]
    assert told == [
        ("llmTrace[1]", "assistant", ["kubectl_describe", "kubectl_logs"], None),
        ("llmTrace[3]", "tool", [], "llmTrace[3]"),
        ("llmTrace[2]", "tool", [], "llmTrace[2]"),
        ("llmTrace[4]", "assistant", [], None),
        ("llmTrace[8]", "assistant", ["list_workflows"], None),
        ("llmTrace[7]", "tool", [], "llmTrace[7]"),
        ("llmTrace[9]", "assistant", ["get_workflow"], None),
        ("llmTrace[10]", "tool", [], "llmTrace[10]"),
        ("llmTrace[11]", "assistant", [], None),
        ("kaResponse and analysis", "assistant", [], None),
    ]
    assert read.transcript.messages[0].tool_calls[0].arguments == '{"kind": "Pod", "name": "web-1"}'
    assert read.transcript.messages[1].content == '{"error": "pods not found"}'
    assert read.transcript.id.target == "some-model"
    assert set(read.transcript.gaps) == {"request", "prompt", "wording"}


def test_no_clause_fails_on_a_good_trace_and_each_that_it_cannot_show_says_why() -> None:
    found = scores(tracing.trace())

    assert failing(found) == set()
    passed = {clause for clause, score in found.items() if score.outcome == "pass"}
    assert passed == {"SEV-1", "QRY-8", "SEL-1", "SEL-5", "SEL-8", "SAF-2"}
    absent = {clause for clause, score in found.items() if score.outcome == "not_applicable"}
    # No version is given: the trace shows as much.
    assert absent == {"SEL-4"}
    assert "as the service rewrote it" in found["CAR-1"].reason
    assert "searches in three steps" in found["QRY-1"].reason
    assert "confidence is the model's own" in found["PAS-7"].reason
    assert "the service adds parameters" in found["PAR-1"].reason
    assert found["SEV-3"].reason.startswith("/kaResponse/rootCauseAnalysis/severity is the signal's severity")


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.id)
def test_every_clause_of_every_contract_has_its_score(contract: Any) -> None:
    for value in (tracing.trace(), tracing.raw(), tracing.raw(cut=60), tracing.summary()):
        found = scores(value, contract)

        assert set(found) >= {each for each in contract.clauses if not each.startswith(("MET", "CAR-7"))}
        assert all(score.reason for score in found.values() if score.outcome == "unscored")
        assert failing(found) == set()


def test_a_choice_that_the_catalog_answered_with_404_breaks_sel_1_at_its_place() -> None:
    value = tracing.trace()
    value["llmTrace"][10] = tracing.called(
        10, 0, "get_workflow", {"workflow_id": BACK}, tracing.not_found(BACK)
    )

    found = scores(value)

    (finding,) = found["SEL-1"].findings
    assert finding.reason == "the catalog answered that there is no such workflow (404 in llmTrace[10])"
    assert (finding.place, finding.observed) == ("/kaResponse/selectedWorkflow/workflowId", BACK)
    assert failing(found) == {"SEL-1"}
    value["llmTrace"].append(tracing.called(12, 0, "get_workflow", {"workflow_id": BACK}, tracing.got(BACK)))
    assert failing(scores(value)) == {"QRY-8"}


def test_prose_for_an_id_and_the_selection_among_the_alternatives_break_sel_5() -> None:
    value = tracing.trace()
    value["kaResponse"]["alternativeWorkflows"] = [
        {"workflowId": "Raise the limit by hand", "confidence": 0.4},
        {"workflowId": BACK, "confidence": 0.3},
    ]

    found = scores(value)["SEL-5"]

    places = {each.place: each.observed for each in found.findings}
    assert places == {
        "/kaResponse/alternativeWorkflows/0/workflowId": "Raise the limit by hand",
        "/kaResponse/alternativeWorkflows/1/workflowId": BACK,
    }


def test_a_repeated_call_is_named_with_its_event() -> None:
    value = tracing.trace()
    value["llmTrace"] += [
        tracing.response(12, 1),
        tracing.called(13, 0, "list_workflows", {"action_type": "Rollback"}, tracing.found(BACK)),
    ]

    (finding,) = scores(value)["QRY-8"].findings

    assert finding.place == "message 9 (llmTrace[12]) list_workflows"


def test_in_a_trace_of_several_investigations_no_call_is_called_repeated() -> None:
    value = tracing.trace()
    value["llmTrace"] += [
        tracing.request(12, 900),
        tracing.response(13, 1),
        tracing.called(14, 0, "list_workflows", {"action_type": "Rollback"}, tracing.found(BACK)),
    ]

    found = scores(value)["QRY-8"]

    assert found.outcome == "unscored"
    assert found.reason.startswith("the trace mixes 2 investigations")


def test_a_level_of_later_versions_is_not_judged_by_the_older_four() -> None:
    value = tracing.trace()
    value["kaResponse"]["rootCauseAnalysis"]["severity"] = "warning"
    assert scores(value)["SEV-1"].outcome == "unscored"

    value["kaResponse"]["rootCauseAnalysis"]["severity"] = "urgent"
    assert scores(value)["SEV-1"].outcome == "fail"


def test_a_raw_answer_is_judged_in_carrier_version_and_parameters() -> None:
    good = tracing.raw()
    found = scores(good)
    assert failing(found) == set()
    assert {
        clause: found[clause].outcome for clause in ("CAR-1", "CAR-2", "CAR-5", "SEL-4", "PAR-1", "PAR-2")
    } == (dict.fromkeys(("CAR-1", "CAR-2", "CAR-5", "SEL-4", "PAR-1", "PAR-2"), "pass"))
    assert found["CAR-3"].outcome == found["PAS-7"].outcome == "unscored"

    answer = json.loads(good["kaDialog"]["rawResponses"][0])
    answer["selected_workflow"] |= {"version": "9.9", "parameters": {"REVISIONS": 0, "priority": "P0"}}
    found = scores(tracing.raw(answer))
    assert failing(found) == {"SEL-4", "PAR-1", "PAR-2", "PAS-6"}
    assert [each.place for each in found["PAR-2"].findings] == ["/selected_workflow/parameters/REVISIONS"]
    assert failing(scores(tracing.raw(f"So: {json.dumps(answer)}"))) == {"CAR-1", *failing(found)}


def test_what_a_cut_result_still_shows_counts_and_the_rest_is_unknown() -> None:
    cut = len(json.dumps(tracing.found(BACK))) - 10
    found = scores(tracing.raw(cut=cut))

    assert found["SEL-1"].outcome == "pass"
    assert found["SEL-5"].outcome == "unscored"
    assert found["PAR-1"].reason == "the trace does not show which parameters the workflow declares"
    invented = json.loads(tracing.raw()["kaDialog"]["rawResponses"][0])
    invented["selected_workflow"]["workflow_id"] = "invented"
    assert scores(tracing.raw(invented, cut=cut))["SEL-1"].outcome == "unscored"
    assert scores(tracing.raw(invented))["SEL-1"].outcome == "fail"


def test_a_summary_shows_neither_results_nor_arguments() -> None:
    found = scores(tracing.summary())

    assert failing(found) == set()
    assert found["SEL-1"].outcome == found["QRY-8"].outcome == "unscored"
    assert found["QRY-8"].reason == "the trace does not show with what arguments tools were called"


def test_an_earlier_remediation_of_no_known_workflow_leaves_repetition_unscored() -> None:
    value = tracing.trace()
    history = {"remediation_history": {"tier1": [{"remediation_uid": "rr-1"}], "tier2": []}}
    value["llmTrace"][2] = tracing.called(3, 1, "get_namespaced_resource_context", {}, history)

    found = scores(value, R)

    assert "earlier remediations are shown (rr-1 in llmTrace[2])" in found["REP-2"].reason


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown event": (
        {"llmTrace": [{"event_type": "x.y"}], "kaResponse": {}},
        "llmTrace[0].event_type: found",
    ),
    "a call without a name": (
        {"llmTrace": [{"event_type": "a.tool_call"}], "kaResponse": {}},
        "llmTrace[0]: found",
    ),
    "no answer at all": ({"llmTrace": []}, 'found ["llmTrace"]; use a trace with kaResponse'),
    "raw answers that are none": (
        {"kaDialog": {"rawResponses": [1]}},
        "kaDialog.rawResponses: found [1]; use a list of texts",
    ),
}


@pytest.mark.parametrize(("value", "reason"), BROKEN.values(), ids=list(BROKEN))
def test_a_broken_trace_is_refused_with_its_place(value: dict[str, Any], reason: str) -> None:
    (read,) = read_value(value, "a.json")

    assert isinstance(read, Refused)
    assert str(read).startswith(f"a.json: {reason}")


@settings(max_examples=150, deadline=None)
@given(data=st.data(), make=st.sampled_from([tracing.trace, tracing.raw, tracing.summary]))
def test_whatever_stands_in_a_trace_is_judged_or_refused(data: st.DataObject, make: Any) -> None:
    value = deepcopy(make())
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(places_of(value)))
        container[key] = data.draw(JSON)

    for each in read_value(value, "a"):
        if isinstance(each, Imported):
            judge(each, data.draw(st.sampled_from(CONTRACTS)), None)


@pytest.mark.skipif(not REAL.is_dir(), reason="KUBERNAUT_TRACES names no folder")
def test_real_traces_show_what_people_found_in_them() -> None:
    broken: dict[str, set[str]] = {}
    for path in sorted(REAL.glob("*.json")):
        for read in read_file(path):
            assert isinstance(read, Imported), str(read)
            _, found = judge(read, W, None)
            broken[path.stem] = {grader.clause for grader, score in found if score.outcome == "fail"}

    assert broken["crashloop-kubepodcrashlooping"] == {"SEL-1", "SEL-5"}
    assert broken["raw-answer-crashloop"] == {"QRY-8"}
    assert sum(map(bool, broken.values())) == 2

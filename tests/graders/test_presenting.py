"""What a finding shows: the right place, enough to act on, never too much, never a secret."""
# ruff: noqa: E501 - one row of a table is one line

import json
from dataclasses import replace
from typing import Any

import pytest
from conftest import recorded
from judging import SEARCH, contract_of, scores, with_hits, with_raw_search
from splicing import Edit, both, put, with_answer, with_search, with_text

from harness.extraction import schema_problems
from harness.model import Finding, Message, Scenario, Score, ToolCall

W = "/selected_workflow"
P = f"{W}/parameters"
HUSH = 'hunter2 "of" Ürümqi'


def findings(found: dict[str, Score]) -> list[Finding]:
    return [each for score in found.values() for each in score.findings]


def everything(found: dict[str, Score]) -> str:
    """Return all that the scores show, as it would be printed."""
    shown = [
        [score.reason, *([each.reason, each.place, each.expected, each.observed] for each in score.findings)]
        for score in found.values()
    ]
    return json.dumps(shown, ensure_ascii=False)


# Places


PLACES: list[tuple[str, str, Edit, str]] = [
    ("a slash and a tilde in a key", "CAR-4", lambda a: {**a, "a/b~c": 1}, "/a~1b~0c"),
    ("an empty key", "CAR-4", lambda a: {**a, "": 1}, "/"),
    ("a slash in a parameter's name", "PAR-1", lambda a: parameter(a, "a/b~c", 1), f"{P}/a~1b~0c"),
    ("a slash in a business field", "PAS-6", lambda a: parameter(a, "risk/tolerance", 1), f"{P}/risk~1tolerance"),
    ("a slash in a secret's name", "PAR-4", lambda a: parameter(a, "git/token", "x"), f"{P}/git~1token"),
    ("a slash in a camelCase key's parent", "CAR-2", lambda a: {**a, "a/b": {"rcaSeverity": 1}}, "/a~1b/rcaSeverity"),
    ("an object for a parameter", "CAR-3", put(f"{P}/NAMESPACE", {"str": "live-shop"}), f"{P}/NAMESPACE"),
    ("a list for a parameter named as a type", "CAR-3", lambda a: parameter(a, "str", [1]), f"{P}/str"),
    ("a field that is missing", "CAR-3", lambda a: a["selected_workflow"].pop("rationale") and a, f"{W}/rationale"),
    (
        "a field of the second alternative",
        "CAR-3",
        put("/alternative_workflows", [{"workflow_id": "a", "confidence": 0, "rationale": "x"}, {"confidence": 0}]),
        "/alternative_workflows/1/workflow_id",
    ),
    ("a list for the workflow", "CAR-5", put(W, []), W),
    ("an own confidence", "PAS-7", put(f"{W}/confidence", 0.5), f"{W}/confidence"),
]  # fmt: skip


def parameter(answer: dict[str, Any], name: str, value: Any) -> Any:
    answer["selected_workflow"]["parameters"][name] = value
    return answer


@pytest.mark.parametrize(
    ("clause", "edit", "place"), [each[1:] for each in PLACES], ids=[each[0] for each in PLACES]
)
def test_a_place_is_a_pointer_into_the_answer(
    incident: Scenario, clause: str, edit: Edit, place: str
) -> None:
    found = scores(with_answer(recorded(incident), edit), incident)[clause]

    assert found.outcome == "fail"
    assert place in [each.place for each in found.findings]


def test_one_wrong_value_is_one_problem_whatever_the_union(incident: Scenario) -> None:
    contract = contract_of(recorded(incident))
    answer = json.loads(recorded(incident).messages[-1].content or "")
    answer["selected_workflow"]["parameters"]["NAMESPACE"] = None

    (problem,) = schema_problems(contract, answer)
    assert (problem.kind, problem.pointer, problem.found) == ("wrong_type", f"{P}/NAMESPACE", None)
    assert "string" in problem.expected
    assert "number" in problem.expected


def test_a_wrong_type_is_told_in_the_words_of_json(incident: Scenario) -> None:
    wrong = both(
        put(W, 5), put("/warnings", "none"), put("/rca_severity", 5), put("/analysis_summary", ["x"])
    )
    found = scores(with_answer(recorded(incident), wrong), incident)["CAR-3"]

    told = {each.place: each.expected for each in found.findings}
    assert told[W] == "an object"
    assert told["/warnings"] == "a list"
    assert told["/analysis_summary"] == "a string"
    assert "critical" in told["/rca_severity"]


def test_a_place_in_the_transcript_is_a_message_and_what_of_it(incident: Scenario) -> None:
    good = recorded(incident)
    at = next(
        i for i, each in enumerate(good.messages) if any(call.name == SEARCH for call in each.tool_calls)
    )
    edited = with_search(good, lambda a: {**a, "label.environment": "prod", "query": "oom bad"})
    found = scores(edited, incident)

    assert found["PAS-1"].place == f"message {at} label.environment"
    assert found["QRY-3"].place == f"message {at} query"
    assert scores(with_raw_search(good, lambda _: "{"), incident)["QRY-7"].place == f"message {at} {SEARCH}"
    commas = with_text(good, (good.messages[-1].content or "").rstrip()[:-1] + ",}")
    assert scores(commas, incident)["CAR-2"].place == f"message {len(good.messages) - 1}"
    assert scores(with_text(good, "no"), incident)["CAR-1"].place == f"message {len(good.messages) - 1}"
    listed = with_text(good, f"[{good.messages[-1].content}]")
    assert scores(listed, incident)["CAR-2"].place == f"message {len(good.messages) - 1}"


# Sizes


def test_whatever_the_model_writes_findings_stay_small(incident: Scenario) -> None:
    huge = "x" * 10_000
    deep: Any = 1
    for _ in range(40):
        deep = [deep] * 2 if len(str(deep)) < 2_000 else [deep]
    edit = both(
        put("/rca_severity", huge),
        put(f"{W}/workflow_id", huge),
        put(f"{W}/version", huge),
        put(f"{W}/rationale", huge),
        lambda a: parameter(a, huge, huge),
        lambda a: parameter(a, "NAMESPACE", deep),
        lambda a: parameter(a, "DEPLOYMENT_NAME", huge),
        lambda a: a.update({huge: deep}),
        lambda a: a.update({f"undeclared_{number}": huge for number in range(60)}),
        put("/alternative_workflows", [{"workflow_id": huge[:100], "confidence": "0.9"}] * 500),
    )
    search = {"query": f"{huge} {huge} {huge}", "label.environment": huge, "custom_labels": {huge: huge}}
    edited = with_search(with_answer(recorded(incident), edit), lambda a: {**a, **search})
    undeclared = ToolCall("more", huge, huge)
    messages = (*edited.messages[:-1], Message("assistant", tool_calls=(undeclared,)), edited.messages[-1])
    found = scores(replace(edited, messages=messages), incident)

    assert {"CAR-3", "CAR-4", "SEV-1", "PAS-1", "PAS-5", "QRY-7"} <= {
        n for n, s in found.items() if s.outcome == "fail"
    }
    assert all(len(score.reason) <= 1_000 for score in found.values())
    assert all(len(score.findings) <= 50 for score in found.values())
    for each in findings(found):
        assert len(each.reason) <= 400
        assert len(each.place) <= 300
        assert len(json.dumps([each.expected, each.observed])) <= 8_000


def test_a_flood_of_one_problem_hides_no_other(incident: Scenario) -> None:
    flood = both(
        lambda a: a.update({f"more_{number}": 1 for number in range(3_000)}),
        put("/alternative_workflows", [5] * 3_000),
        lambda a: a.pop("rca_severity") and None,
    )
    found = scores(with_answer(recorded(incident), flood), incident)

    assert {"missing", "wrong type"} <= {each.reason for each in found["CAR-3"].findings}
    assert found["CAR-4"].outcome == "fail"
    assert "more" in found["CAR-4"].reason


def test_half_characters_are_shown_whole(incident: Scenario) -> None:
    edited = with_raw_search(recorded(incident), lambda text: text.replace("production", "\\ud800production"))
    found = scores(edited, incident)

    assert found["PAS-1"].outcome == "fail"
    everything(found).encode()


# Secrets


LEAKS: list[tuple[str, Edit]] = [
    ("an undeclared secret", lambda a: parameter(a, "GIT_PASSWORD", HUSH)),
    ("the same value under another name", lambda a: parameter(parameter(a, "GIT_PASSWORD", HUSH), "FORCE", HUSH)),
    ("the same value within another", lambda a: parameter(parameter(a, "apiKey", HUSH), "URL", f"https://x:{HUSH}@y")),
    ("the same value as a declared parameter", lambda a: parameter(parameter(a, "TOKEN", HUSH), "RESTART_MODE", HUSH)),
    ("the same value off a pattern", lambda a: parameter(parameter(a, "TOKEN", HUSH), "WINDOW", HUSH)),
    ("the same value for the resource", lambda a: parameter(parameter(a, "TOKEN", HUSH), "NAMESPACE", HUSH)),
    ("an object for a secret", lambda a: parameter(a, "GIT_PASSWORD", {"value": HUSH})),
    ("a list for a secret", lambda a: parameter(a, "GIT_PASSWORD", [HUSH, [HUSH]])),
    ("a secret within a parameter", lambda a: parameter(a, "NAMESPACE", {"password": HUSH})),
    ("an undeclared field", lambda a: {**a, "password": HUSH}),
    ("an undeclared field within", lambda a: {**a, "notes": [{"git": {"token": HUSH}}]}),
    ("the same value in the prose", lambda a: {**parameter(a, "TOKEN", HUSH), "rca_severity": f"see {HUSH}"}),
    ("the same value as id", lambda a: {**parameter(a, "TOKEN", HUSH), "selected_workflow": {**a["selected_workflow"], "workflow_id": HUSH}}),
    ("a short secret", lambda a: parameter(parameter(a, "TOKEN", "pw~Ü"), "FORCE", "pw~Ü")),
    ("a number", lambda a: parameter(parameter(a, "PASSWORD", 918273645), "FORCE", 918273645)),
]  # fmt: skip


@pytest.mark.parametrize("edit", [each[1] for each in LEAKS], ids=[each[0] for each in LEAKS])
def test_a_secret_is_shown_nowhere(incident: Scenario, edit: Edit) -> None:
    found = scores(with_answer(recorded(incident), edit), incident)
    shown = everything(found)

    assert any(score.outcome == "fail" for score in found.values())
    for part in ("hunter2", "Ürümqi", "pw~Ü", "918273645"):
        assert part not in shown
    assert "(not shown)" in shown


def test_a_declared_secret_off_its_pattern_is_not_shown_either(incident: Scenario) -> None:
    def declare(value: dict[str, Any]) -> None:
        value["workflows"][0]["parameters"]["DB_PASSWORD"] = {"type": "string", "pattern": "^[a-z]+$"}

    sent = with_answer(with_hits(recorded(incident), declare), lambda a: parameter(a, "DB_PASSWORD", HUSH))
    found = scores(sent, incident)

    assert found["PAR-2"].outcome == "fail"
    assert "hunter2" not in everything(found)


def test_what_is_no_secret_is_shown(incident: Scenario) -> None:
    found = scores(
        with_answer(recorded(incident), lambda a: parameter(a, "SELECTOR_KEY", "disktype")), incident
    )

    assert found["PAR-1"].observed == "disktype"
    assert "MEMORY_INCREMENT_MB" in found["PAR-1"].expected

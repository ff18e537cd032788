"""Answers at the edges of the rules: right ones that look odd, wrong ones that look right."""
# ruff: noqa: E501 - one row of a table is one line

import json
from collections.abc import Callable
from typing import Any

import pytest
from conftest import recorded
from judging import backwards, bare, broken, scores, with_hits, with_outcome
from splicing import Edit, both, drop, put, with_answer, with_text

from harness.model import Scenario

W = "/selected_workflow"
P = f"{W}/parameters"
PAST = "/recovery_analysis/previous_attempt_assessment"
NOW = "/recovery_analysis/current_rca"


RIGHT: list[tuple[str, Edit]] = [
    ("keys in another order", backwards),
    (
        "optional fields left out",
        both(drop(f"{W}/version"), drop("/warnings"), drop("/alternative_workflows")),
    ),
    ("warnings", put("/warnings", ["Two other pods share the node.", ""])),
    (
        "an optional parameter and what it needs",
        both(put(f"{P}/RESTART_MODE", "rolling"), put(f"{P}/WINDOW", "5m")),
    ),
    ("the lowest value", put(f"{P}/MEMORY_INCREMENT_MB", 64)),
    ("the highest value", put(f"{P}/MEMORY_INCREMENT_MB", 4096)),
    ("4096.0 for an integer", put(f"{P}/MEMORY_INCREMENT_MB", 4096.0)),
    ("the default spelled out", put(f"{P}/MEMORY_INCREMENT_MB", 256)),
    (
        "unicode prose",
        put("/root_cause_assessment", "内存不足: límite demasiado bajo \U0001f4a5 (impact: critical)"),
    ),
    ("quotes, slashes and line breaks", put("/analysis_summary", 'a "b" \\ / \n\t [x] critical')),
]


@pytest.mark.parametrize("edit", [each[1] for each in RIGHT], ids=[each[0] for each in RIGHT])
def test_a_right_answer_breaks_nothing(incident: Scenario, edit: Edit) -> None:
    assert broken(with_answer(recorded(incident), edit), incident) == set()


def alternative(**changes: Any) -> Edit:
    """Return the edit that names the other workflow of the catalog as the one alternative."""

    def edit(answer: dict[str, Any]) -> Any:
        other = {"workflow_id": "add-replicas", "confidence": 0.93, "rationale": "It spreads the load."}
        return {**answer, "alternative_workflows": [{**other, **changes}]}

    return edit


WRONG: list[tuple[str, Edit, set[str]]] = [
    ("a text for the workflow", put(W, "raise-memory-limit"), {"CAR-3", "CAR-5"}),
    ("false for the workflow", put(W, False), {"CAR-3", "CAR-5"}),
    ("an empty list for the workflow", put(W, []), {"CAR-3", "CAR-5"}),
    ("an empty workflow", put(W, {}), {"CAR-3"}),
    ("no workflow", drop(W), {"CAR-3"}),
    ("no id", drop(f"{W}/workflow_id"), {"CAR-3"}),
    ("a number for the id", put(f"{W}/workflow_id", 7), {"CAR-3"}),
    ("an id with a space behind", put(f"{W}/workflow_id", "raise-memory-limit "), {"SEL-1", "SEL-2", "PAS-7"}),
    ("an id with a mark of no width", put(f"{W}/workflow_id", "raise-memory\u200b-limit"), {"SEL-1", "SEL-2", "PAS-7"}),
    ("an id in Cyrillic letters", put(f"{W}/workflow_id", "r\u0430ise-memory-limit"), {"SEL-1", "SEL-2", "PAS-7"}),
    ("an id with another hyphen", put(f"{W}/workflow_id", "raise\u2011memory\u2011limit"), {"SEL-1", "SEL-2", "PAS-7"}),
    ("a level with a space behind", put("/rca_severity", "critical "), {"CAR-3", "SEV-1", "SEV-2", "SEV-4"}),
    ("a level in Cyrillic letters", put("/rca_severity", "criti\u0441al"), {"CAR-3", "SEV-1", "SEV-2", "SEV-4"}),
    ("the input's level in capitals", put("/rca_severity", "HIGH"), {"CAR-3", "SEV-1", "SEV-2", "SEV-3", "SEV-4"}),
    ("null for the severity", put("/rca_severity", None), {"CAR-3"}),
    ("a list for the severity", put("/rca_severity", ["critical"]), {"CAR-3"}),
    ("a confidence that differs in the last place", put(f"{W}/confidence", 0.9300000001), {"PAS-7"}),
    ("a negative confidence", put(f"{W}/confidence", -0.0001), {"CAR-3", "PAS-7"}),
    ("null for the confidence", put(f"{W}/confidence", None), {"CAR-3"}),
    ("a version in another form", put(f"{W}/version", "v1.4.0"), {"SEL-4"}),
    ("a version with a space", put(f"{W}/version", "1.4.0 "), {"SEL-4"}),
    ("a number for the version", put(f"{W}/version", 1.4), {"CAR-3"}),
    ("null for the parameters", put(P, None), {"CAR-3"}),
    ("a list for the parameters", put(P, [{"NAMESPACE": "live-shop"}]), {"CAR-3"}),
    ("no parameters", drop(P), {"PAR-1"}),
    ("null for a parameter", put(f"{P}/DEPLOYMENT_NAME", None), {"CAR-3", "PAR-2", "PAR-3"}),
    ("an object for a parameter", put(f"{P}/DEPLOYMENT_NAME", {"a": 1}), {"CAR-3", "PAR-2", "PAR-3"}),
    ("true for an integer", put(f"{P}/MEMORY_INCREMENT_MB", True), {"PAR-2"}),
    ("a number for a text", put(f"{P}/NAMESPACE", 5), {"PAR-2", "PAR-3"}),
    ("an enum in another case", put(f"{P}/RESTART_MODE", "Rolling"), {"PAR-2"}),
    ("an enum with a space", put(f"{P}/RESTART_MODE", "rolling "), {"PAR-2"}),
    ("a line break behind the pattern", both(put(f"{P}/RESTART_MODE", "none"), put(f"{P}/WINDOW", "5m\n")), {"PAR-2"}),
    ("a parameter in another case", both(drop(f"{P}/NAMESPACE"), put(f"{P}/namespace", "live-shop")), {"PAR-1"}),
    ("a parameter's name with a space", both(drop(f"{P}/NAMESPACE"), put(f"{P}/NAMESPACE ", "live-shop")), {"PAR-1"}),
    ("a value with a space", put(f"{P}/NAMESPACE", "live-shop "), {"PAR-3"}),
    ("a value in other letters", put(f"{P}/NAMESPACE", "live-sh\u043ep"), {"PAR-3"}),
    ("a business field in camel case", put(f"{P}/riskTolerance", "low"), {"PAR-1", "PAS-6"}),
    ("a business field as a label", put(f"{P}/label.business-category", "x"), {"PAR-1", "PAS-6"}),
    ("a key in Pascal case", lambda a: {**a, "RcaSeverity": "critical"}, {"CAR-2", "CAR-4"}),
    ("a key in camel case within", put(f"{W}/workflowId", "x"), {"CAR-2", "CAR-4"}),
    ("an alternative with parameters", alternative(parameters={}), {"CAR-4"}),
    ("a text for an alternative", put("/alternative_workflows", ["add-replicas"]), {"CAR-3"}),
    ("an object for the alternatives", put("/alternative_workflows", {"add-replicas": 0.9}), {"CAR-3"}),
    ("an alternative without id", lambda a: {**a, "alternative_workflows": [{"confidence": 0.9, "rationale": "x"}]}, {"CAR-3"}),
    ("an alternative of its own confidence", alternative(confidence=0.5), {"PAS-8"}),
    ("an alternative twice", lambda a: {**a, "alternative_workflows": 2 * alternative()(dict(a))["alternative_workflows"]}, {"SEL-5"}),
    ("an alternative's confidence in quotes", alternative(confidence="0.93"), {"CAR-2", "CAR-3"}),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "expected"), [each[1:] for each in WRONG], ids=[each[0] for each in WRONG])
def test_a_wrong_answer_breaks_exactly(incident: Scenario, edit: Edit, expected: set[str]) -> None:
    assert broken(with_answer(recorded(incident), edit), incident) == expected


def test_a_right_alternative_breaks_nothing(incident: Scenario) -> None:
    assert broken(with_answer(recorded(incident), alternative()), incident) == set()


def test_one_and_one_point_nought_are_the_same_confidence(incident: Scenario) -> None:
    def sure(value: dict[str, Any]) -> None:
        value["workflows"][0]["confidence"] = 1

    good = with_hits(recorded(incident), sure)

    assert broken(with_answer(good, put(f"{W}/confidence", 1.0)), incident) == set()
    assert broken(with_answer(good, put(f"{W}/confidence", True)), incident) == {"CAR-3"}


SECRETS = {
    "GIT_PASSWORD": True, "apiKey": True, "access-key": True, "SSH_PRIVATE_KEY": True, "KEY": True,
    "authtoken": True, "DBPASSWORD": True, "clientSecret": True, "AWS_CREDENTIALS": True, "db.passwd": True,
    "SELECTOR_KEY": False, "taintKey": False, "KEYWORDS": False, "MONKEY": False, "TOKENIZER": False,
    "PULL_SECRET_NAME": False, "COMPASS": False, "FORCE": False,
}  # fmt: skip


@pytest.mark.parametrize(("name", "secret"), SECRETS.items(), ids=list(SECRETS))
def test_an_undeclared_secret_is_a_breach_of_its_own(incident: Scenario, name: str, secret: bool) -> None:  # noqa: FBT001
    sent = with_answer(recorded(incident), put(f"{P}/{name}", "hunter2"))

    assert broken(sent, incident) == {"PAR-1"} | ({"PAR-4"} if secret else set[str]())


def test_a_declared_secret_is_none(incident: Scenario) -> None:
    def declare(value: dict[str, Any]) -> None:
        value["workflows"][0]["parameters"]["GIT_TOKEN"] = {"type": "string"}

    sent = with_answer(with_hits(recorded(incident), declare), put(f"{P}/GIT_TOKEN", "hunter2"))

    assert broken(sent, incident) == set()


def test_a_secret_for_an_invented_workflow_is_declared_by_nobody(incident: Scenario) -> None:
    edit = both(put(f"{W}/workflow_id", "rotate-everything"), put(f"{P}/GIT_TOKEN", "hunter2"))
    found = scores(with_answer(recorded(incident), edit), incident)

    assert with_outcome(found, "fail") == {"SEL-1", "SEL-2", "PAS-7", "PAR-4"}
    assert found["PAR-1"].outcome == found["PAR-2"].outcome == "not_applicable"


def test_without_secret_names_a_bare_answer_sends_no_secret(incident: Scenario) -> None:
    known, unknown = (
        scores(bare(recorded(incident)), incident, told=True),
        scores(bare(recorded(incident)), None, told=True),
    )

    assert known["PAR-4"].outcome == unknown["PAR-4"].outcome == "pass"


def definition(**changes: Any) -> Edit:
    """Return the edit of a search result that changes the definition of WINDOW."""

    def edit(value: dict[str, Any]) -> None:
        value["workflows"][0]["parameters"]["WINDOW"] = {"type": "string", **changes}

    return edit


DEFINED: list[tuple[str, dict[str, Any], Any, set[str]]] = [
    ("a pattern is searched, not matched", {"pattern": "[0-9]"}, "about 5 minutes", set()),
    ("a pattern that needs ages elsewhere", {"pattern": "^(a+)+$"}, "a" * 50_000 + "!", {"PAR-2"}),
    ("two ways for each letter", {"pattern": "^(a|aa)+$"}, "a" * 5_000 + "!", {"PAR-2"}),
    ("a long value is looked at whole", {"pattern": "^a+$"}, "a" * 50_000 + "!", {"PAR-2"}),
    ("a look ahead", {"pattern": "^(?!-)[a-z-]+$"}, "-a", {"PAR-2"}),
    ("a look ahead that is content", {"pattern": "^(?!-)[a-z-]+$"}, "a-", set()),
    ("a pattern that is none", {"pattern": "("}, "x", set()),
    ("a type that nobody knows", {"type": "duration"}, "5m", set()),
    ("an unknown type takes any value", {"type": "flag"}, True, set()),
    ("a number", {"type": "number"}, 5, set()),
    ("a text for a number", {"type": "number"}, "5", {"PAR-2"}),
    ("true for a number", {"type": "number"}, True, {"PAR-2"}),
    ("a boolean", {"type": "boolean"}, False, set()),
    ("0 for a boolean", {"type": "boolean"}, 0, {"PAR-2"}),
    ("a text for a boolean", {"type": "boolean"}, "false", {"PAR-2"}),
    ("5.0 among integers", {"type": "integer", "enum": [1, 5]}, 5.0, set()),
    ("an integer beyond all floats' steps", {"type": "integer", "maximum": 2**53}, 2**53 + 1, {"PAR-2"}),
    ("an enum of numbers takes no boolean", {"type": "number", "enum": [0, 1]}, 1, set()),
    ("a wrong type and a missing dependency", {"type": "integer", "depends_on": ["RESTART_MODE"]}, "5", {"PAR-2"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "value", "expected"), [each[1:] for each in DEFINED], ids=[each[0] for each in DEFINED]
)
def test_a_value_is_judged_by_its_definition(
    incident: Scenario, changes: dict[str, Any], value: Any, expected: set[str]
) -> None:
    defined = with_hits(recorded(incident), definition(**changes))

    assert broken(with_answer(defined, put(f"{P}/WINDOW", value)), incident) == expected


def test_every_breach_of_a_definition_is_told(incident: Scenario) -> None:
    defined = with_hits(recorded(incident), definition(type="integer", depends_on=["RESTART_MODE"]))
    found = scores(with_answer(defined, put(f"{P}/WINDOW", "5")), incident)["PAR-2"]

    assert [each.place for each in found.findings] == [f"{P}/WINDOW"] * 2


def test_parameters_about_the_resource_are_the_accepted_targets_by_default(incident: Scenario) -> None:
    expect = incident.expect.model_copy(update={"parameters": {}})
    silent = incident.model_copy(update={"expect": expect})
    good = recorded(incident)

    assert broken(good, silent) == set()
    assert broken(with_answer(good, put(f"{P}/DEPLOYMENT_NAME", "till")), silent) == {"PAR-3"}
    assert broken(with_answer(good, put(f"{P}/NAMESPACE", "shop")), silent) == {"PAR-3"}


def test_a_default_is_acceptable_and_a_missing_one_is_no_null(incident: Scenario) -> None:
    expect = incident.expect.model_copy(update={"parameters": {"MEMORY_INCREMENT_MB": [512]}})
    strict = incident.model_copy(update={"expect": expect})
    good = recorded(incident)

    assert broken(with_answer(good, put(f"{P}/MEMORY_INCREMENT_MB", 256)), strict) == set()
    assert broken(with_answer(good, put(f"{P}/MEMORY_INCREMENT_MB", 300)), strict) == {"PAR-3"}


def test_other_accepted_choices_pass(incident: Scenario) -> None:
    workflows = incident.expect.workflows.model_copy(update={"accepted": ["add-replicas"], "forbidden": []})
    expect = incident.expect.model_copy(
        update={"workflows": workflows, "none_ok": True, "severities": ["critical", "high"]}
    )
    other = incident.model_copy(update={"expect": expect})
    good = recorded(other)

    assert json.loads(good.messages[-1].content or "")["selected_workflow"]["workflow_id"] == "add-replicas"
    assert broken(good, other) == set()
    assert broken(with_answer(good, put(W, None)), other) == set()


CARRIED: list[tuple[str, Callable[[str], str]]] = [
    (
        "prose before and behind a fence",
        lambda text: f"Found it (impact: all users).\n```json\n{text}\n```\nDone.",
    ),
    ("a fence with blanks around", lambda text: f"\n\n```json\n\n{text}\n\n```\n\n"),
    ("a think block before a bare object", lambda text: f"<think>{{}} maybe</think>\n{text}"),
    ("bare, on one line", lambda text: json.dumps(json.loads(text), separators=(",", ":"))),
    ("bare, with escapes", lambda text: json.dumps(json.loads(text), ensure_ascii=True, indent=4)),
]


@pytest.mark.parametrize("carry", [each[1] for each in CARRIED], ids=[each[0] for each in CARRIED])
def test_the_carrier_changes_no_verdict(incident: Scenario, carry: Callable[[str], str]) -> None:
    good = recorded(incident)
    carried = with_text(good, carry(good.messages[-1].content or ""))

    assert scores(carried, incident) == scores(good, incident)


REPAIRED: list[tuple[str, Callable[[str], str], str]] = [
    ("a trailing comma", lambda text: text.rstrip()[:-1].rstrip() + ",}", "trailing_comma"),
    ("an object in prose", lambda text: f"So: {text} Good luck.", "unfenced_json_in_prose"),
    ("a fence of another language", lambda text: f"```yaml\n{text}\n```", "other_language_fence"),
    ("a broken object", lambda text: text[:-40], "truncated_json"),
    (
        "two answers",
        lambda text: f'{text}\n{{"rca_severity": "low", "selected_workflow": null}}',
        "differing_candidates",
    ),
]


@pytest.mark.parametrize(
    ("carry", "name"), [each[1:] for each in REPAIRED], ids=[each[0] for each in REPAIRED]
)
def test_what_was_found_in_the_message_is_named(
    incident: Scenario, carry: Callable[[str], str], name: str
) -> None:
    good = recorded(incident)
    found = scores(with_text(good, carry(good.messages[-1].content or "")), incident)["CAR-1"]

    assert found.outcome == "fail"
    assert name in found.reason


def test_a_null_selection_needs_no_clause_on_the_choice(incident: Scenario) -> None:
    found = scores(with_answer(recorded(incident), put(W, None)), incident)

    about_choice = {"SEL-1", "SEL-4", "PAS-7", "PAR-1", "PAR-2", "PAR-3", "PAR-4"}
    assert {found[name].outcome for name in about_choice} == {"not_applicable"}
    assert found["CAR-5"].outcome == "pass"


RECOVERIES: list[tuple[str, Edit, set[str]]] = [
    ("the symptom as the root cause", put(f"{NOW}/signal_type", "CrashLoopBackOff"), {"SIG-3", "SIG-4"}),
    ("both signal types differ from the search", both(put(f"{NOW}/signal_type", "Evicted"), put(f"{PAST}/current_signal_type", "Evicted")), {"SIG-4", "REC-2"}),
    ("a signal type with a space", put(f"{NOW}/signal_type", "OOMKilled "), {"CAR-3", "SIG-1", "SIG-4"}),
    ("a quoted boolean", put(f"{PAST}/state_changed", "false"), {"CAR-2", "CAR-3"}),
    ("0 for a boolean", put(f"{PAST}/failure_understood", 0), {"CAR-3"}),
    ("no word on the difference", drop("/recovery_strategy/why_different"), {"CAR-3"}),
    ("null for the difference, and a blank reason", both(put("/recovery_strategy/differs_from_previous", None), put("/recovery_strategy/why_different", "")), {"CAR-3", "REC-3"}),
    ("alternatives, which this contract lacks", put("/alternative_workflows", []), {"CAR-4"}),
    ("declined", put(W, None), {"SEL-2", "REC-4"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("edit", "expected"), [each[1:] for each in RECOVERIES], ids=[each[0] for each in RECOVERIES]
)
def test_a_wrong_recovery_breaks_exactly(recovery: Scenario, edit: Edit, expected: set[str]) -> None:
    expect = recovery.expect.model_copy(update={"symptom": "CrashLoopBackOff"})
    with_symptom = recovery.model_copy(update={"expect": expect})

    assert broken(with_answer(recorded(recovery), edit), with_symptom) == expected


def failed_before(value: Any) -> Edit:
    """Return the edit that sends the parameters of the earlier attempt with another increment."""
    return put(f"{P}/MEMORY_INCREMENT_MB", value)


def test_the_same_parameters_in_another_spelling_are_the_same(recovery: Scenario) -> None:
    good = recorded(recovery)

    for same in (64, 64.0, "64", "64.0", " 64 ", 6.4e1):
        assert "REP-1" in broken(with_answer(good, failed_before(same)), recovery), same
    for other in (65, "640", 64.5, "64MB", True, "", None):
        assert "REP-1" not in broken(with_answer(good, failed_before(other)), recovery), other


def test_large_numbers_of_other_digits_are_other_parameters(recovery: Scenario) -> None:
    earlier = recovery.earlier[0]
    run = earlier.selected_workflow.model_copy(
        update={"parameters": {**earlier.selected_workflow.parameters, "MEMORY_INCREMENT_MB": str(2**60)}}
    )
    given = recovery.model_copy(update={"earlier": [earlier.model_copy(update={"selected_workflow": run})]})
    good = recorded(recovery)

    assert "REP-1" in broken(with_answer(good, failed_before(2**60)), given)
    assert "REP-1" not in broken(with_answer(good, failed_before(2**60 + 1)), given)


def test_a_default_left_out_is_the_default_that_failed(recovery: Scenario) -> None:
    again: dict[str, Any] = {
        "workflow_id": "add-replicas", "version": "9.9.9", "confidence": 0.91, "rationale": "OOMKilled",
        "parameters": {"namespace": "live-shop", "deployment_name": "till-service"},
    }  # fmt: skip

    found = broken(with_answer(recorded(recovery), put(W, again)), recovery)

    assert found == {"REP-1", "REP-2", "REC-3", "SEL-2", "SEL-4", "PAR-1"}


def test_unreadable_parameters_repeat_nothing_but_the_workflow(recovery: Scenario) -> None:
    found = scores(with_answer(recorded(recovery), put(P, [])), recovery)

    assert with_outcome(found, "fail") == {"CAR-3"}
    assert found["REP-1"].outcome == found["REC-3"].outcome == "not_applicable"
    forbidden = recovery.model_copy(
        update={"expect": recovery.expect.model_copy(update={"retry_with_changed_parameters": False})}
    )
    assert broken(with_answer(recorded(recovery), put(P, [])), forbidden) == {"CAR-3", "REP-2", "REP-3"}


UNCLEAN: list[tuple[str, Callable[[str], str], set[str]]] = [
    ("a key twice", lambda text: text.replace('"warnings"', '"rca_severity": "critical", "warnings"'), {"CAR-2"}),
    ("a key twice, deep within", lambda text: text.replace('"NAMESPACE"', '"NAMESPACE": "x", "NAMESPACE"'), {"CAR-2"}),
    ("a number that is none", lambda text: text.replace('"confidence": 0.94', '"confidence": NaN'), {"CAR-1", "CAR-2", "CAR-3"}),
    ("a number beyond all floats", lambda text: text.replace('"confidence": 0.94', '"confidence": 1e999'), {"CAR-2", "CAR-3"}),
    ("a comment", lambda text: text.replace("{", "{ // first\n", 1), {"CAR-1", "CAR-2"}),
    ("JSON in a text", lambda text: text.replace('"warnings": []', '"warnings": ["{\\"a\\": 1}"]'), {"CAR-2"}),
    ("JSON in a parameter", lambda text: text.replace('"MEMORY', '"RESTART_MODE": "[1, 2]", "MEMORY'), {"CAR-2", "PAR-2"}),
    ("single quotes", lambda text: text.replace('"warnings"', "'warnings'"), {"CAR-1"}),
    ("Python's words", lambda text: text.replace('"warnings": []', '"warnings": None'), {"CAR-1", "CAR-3"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spell", "expected"), [each[1:] for each in UNCLEAN], ids=[each[0] for each in UNCLEAN]
)
def test_json_that_is_not_clean_breaks_exactly(
    incident: Scenario, spell: Callable[[str], str], expected: set[str]
) -> None:
    good = recorded(incident)
    text = good.messages[-1].content or ""
    spelled = spell(text)

    assert spelled != text
    assert broken(with_text(good, spelled), incident) == expected


def test_an_accepted_id_that_no_search_returned_is_made_up(incident: Scenario) -> None:
    def hide(value: dict[str, Any]) -> None:
        del value["workflows"][0]

    assert broken(with_hits(recorded(incident), hide), incident) == {"SEL-1", "PAS-7"}

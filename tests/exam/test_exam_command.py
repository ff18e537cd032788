"""harness exam on the command line: what it prints, and how it ends."""

import json
from pathlib import Path

import pytest
from commanding import SUITE, harness

from harness import graders
from harness.graders import GRADERS

INCIDENT = "incident/oom-behind-latency"
ONE = (*SUITE, "-s", INCIDENT, "-c", "workflow-selection-2.7", "--jobs", "1")
KEYS = [
    "operators", "applied", "clauses", "killed", "survivors", "false_kills", "clauses_without_violation",
]  # fmt: skip


def test_one_violation_is_applied_at_each_of_its_sites() -> None:
    ended = harness("exam", *ONE, "--violation", "missing_field")

    assert ended.code == 0, ended.out
    assert ended.out.startswith("7 applications of 1 operators to 1 good transcripts: 7 violations killed")


def test_the_result_is_one_json_value_with_its_keys() -> None:
    ended = harness("exam", *ONE, "--violation", "missing_field:/rca_severity", "--json")

    assert ended.code == 0
    value = json.loads(ended.out)
    assert list(value) == KEYS
    assert (value["operators"], value["applied"], value["killed"]) == (1, 1, 1)
    assert value["survivors"] == value["false_kills"] == value["clauses_without_violation"] == []


def test_a_survivor_ends_with_one_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graders, "GRADERS", tuple(each for each in GRADERS if each.clause != "CAR-3"))

    ended = harness("exam", *ONE, "--violation", "missing_field:/rca_severity")

    name = "--violation 'missing_field:/rca_severity' --show"
    see = f"harness exam -s {INCIDENT} -c workflow-selection-2.7 {name}"
    assert ended.code == 1
    assert ended.out.splitlines()[:5] == [
        f"survivor: missing_field at /rca_severity in {INCIDENT}@workflow-selection-2.7@mock:oracle#1",
        "  expected CAR-3",
        "  found    nothing; missed CAR-3",
        "  because  CAR-3: no score",
        f"  see      {see}",
    ]


def test_show_prints_what_changes_and_what_then_fails() -> None:
    ended = harness("exam", *ONE, "--violation", "missing_field:/rca_severity", "--show")

    assert ended.code == 0
    assert "expected to break: CAR-3" in ended.out
    assert '-  "rca_severity": "critical",' in ended.out
    assert "CAR-3: pass -> fail: missing" in ended.out
    assert "SEV-2: pass -> not_applicable" in ended.out


def test_show_asks_for_a_violation() -> None:
    ended = harness("exam", *ONE, "--show")

    assert ended.code == 2
    assert "--show takes --violation as well" in ended.err


def test_an_unknown_violation_ends_with_two_and_the_nearest_name() -> None:
    ended = harness("exam", *ONE, "--violation", "missing_fields")

    assert ended.code == 2
    assert "missing_field" in ended.err


def test_a_contract_of_the_other_flow_alone_ends_with_two() -> None:
    ended = harness("exam", *SUITE, "-s", INCIDENT, "-c", "workflow-recovery-1.0")

    assert ended.code == 2
    assert "no chosen scenario has the flow of a chosen contract" in ended.err


@pytest.mark.parametrize("more", [(), ("--show",)])
def test_a_site_where_a_violation_cannot_act_is_refused(more: tuple[str, ...]) -> None:
    ended = harness("exam", *ONE, "--violation", "repeated_key:/nowhere", *more)

    assert ended.code == 2
    assert "--violation repeated_key:/nowhere: nothing of the chosen scenarios is at '/nowhere'" in ended.err


@pytest.mark.parametrize("more", [(), ("--show",)])
def test_a_violation_that_cannot_act_says_so(more: tuple[str, ...]) -> None:
    ended = harness("exam", *SUITE, "-s", INCIDENT, "--violation", "failed_workflow_repeated", *more)

    assert ended.code == 0
    assert "nothing was applied" in ended.err


def test_the_table_names_clauses_and_operators(tmp_path: Path) -> None:
    file = tmp_path / "reference" / "exam.md"
    ended = harness("exam", *ONE, "--violation", "repeated_key", "--table", str(file))

    assert ended.code == 0
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# The exam of the graders\n")
    assert "| CAR-2 | MUST | `schema.clean_json` | 11 | repeated_key 11 |" in text
    assert "| repeated_key | 11 | CAR-2 11 |" in text

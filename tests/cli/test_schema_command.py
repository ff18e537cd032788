"""harness schema: JSON on standard output, what was dropped on standard error."""

import json
from typing import Any

import pytest
from conftest import PROJECT

from harness.cli import main

SUITE = ["--project", str(PROJECT.root)]
INCIDENT = ["--scenario", "incident/oom-behind-latency", *SUITE]


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["schema", "workflow-selection-2.7", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_contracts_own_schema_comes_alone(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys)

    assert (code, err) == (0, "")
    assert json.loads(out)["properties"]["selected_workflow"]["anyOf"][1] == {"type": "null"}


def test_a_scenario_closes_the_selection(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "--for", "openai-strict", *INCIDENT)
    choices: list[Any] = json.loads(out)["properties"]["selected_workflow"]["anyOf"]

    assert (code, err) == (0, "")
    assert [each.get("properties", {}).get("workflow_id", {}).get("const") for each in choices] == [
        "raise-memory-limit", "add-replicas", None,
    ]  # fmt: skip


def test_what_was_dropped_goes_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, "--for", "anthropic", *INCIDENT)
    first, *dropped = err.splitlines()

    assert code == 0
    assert "minimum" not in out
    assert first == "not stated for anthropic, except in the words of descriptions:"
    assert "  /selected_workflow/confidence: minimum 0" in dropped


WRONG = [
    (["--for", "gemini"], "pass --scenario: /selected_workflow/parameters is an open map"),
    (["--scenario", "incident/oom-behind-latenc", *SUITE], "did you mean 'incident/oom-behind-latency'"),
    (["--scenario", "recovery/scale-out-failed", *SUITE], "is for flow 'recovery'"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG, ids=[each[1][:20] for each in WRONG])
def test_what_cannot_be_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    code, out, err = call(capsys, *arguments)

    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1


def test_a_difference_is_grouped_by_what_it_does_to_a_right_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = call(capsys, "--diff", "playbook-selection-2.0")
    lines = out.splitlines()

    assert (code, err) == (0, "")
    assert lines[0] == "breaking: nothing that was right stays right"
    assert "  answer      /selected_workflow is /selected_playbook" in lines
    assert "  golden/answers/playbook-selection-2.0/" in lines[lines.index("to be blessed again:") :]


def test_a_difference_is_one_json_value_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "--diff", "workflow-recovery-1.0", "--json")
    value = json.loads(out)

    assert (value["old"], value["new"]) == ("workflow-selection-2.7", "workflow-recovery-1.0")
    assert {"subject", "kind", "place", "says"} == set(value["differences"][0])
    assert value["bless_again"]


def test_a_contract_that_demands_the_same_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "--diff", "workflow-selection-2.7")

    assert out == "workflow-selection-2.7 demands the same as workflow-selection-2.7\n"

"""Built-in prompts: sections in order, every field, every anchor, nothing withheld or expected."""

import json
import re
from pathlib import Path

import pytest

from harness.contracts import CONTRACTS, DEFAULT_BY_FLOW, load_contract
from harness.errors import InvalidInput
from harness.graders import GRADERS
from harness.model import Contract, Message, Scenario
from harness.prompting import anchored_clauses, render

FLOWS = ("incident", "recovery")


def prompt(flow: str, request: pytest.FixtureRequest) -> tuple[str, Scenario, Contract]:
    scenario: Scenario = request.getfixturevalue(flow)
    contract = load_contract(DEFAULT_BY_FLOW[scenario.flow])
    (message,) = render(scenario, contract)
    return message.content or "", scenario, contract


@pytest.mark.parametrize("flow", FLOWS)
def test_the_sections_stand_in_order(flow: str, request: pytest.FixtureRequest) -> None:
    text, _, contract = prompt(flow, request)
    titles = [line for line in text.splitlines() if re.match(r"#+ ", line)]
    expected = [f"{'#' * each.level} {each.title}" for each in contract.sections]
    places = [next(i for i, title in enumerate(titles) if title.startswith(each)) for each in expected]

    assert places == sorted(places)
    assert places[0] == 0


@pytest.mark.parametrize("flow", FLOWS)
def test_every_clause_is_told(flow: str, request: pytest.FixtureRequest) -> None:
    text, _, contract = prompt(flow, request)
    assert contract.catalog_tool

    told = anchored_clauses(contract, [Message("user", text)], [contract.catalog_tool])

    assert set(contract.clauses) <= told


@pytest.mark.parametrize("flow", FLOWS)
def test_no_text_of_an_empty_value_shows(flow: str, request: pytest.FixtureRequest) -> None:
    text, _, _ = prompt(flow, request)

    assert "None," not in text
    assert not re.search(r"^- [A-Z][A-Za-z ]+:\s*(None)?$", text, re.MULTILINE)
    assert "\n\n\n" not in text


@pytest.mark.parametrize("flow", FLOWS)
def test_every_fact_of_the_request_is_rendered(flow: str, request: pytest.FixtureRequest) -> None:
    text, scenario, contract = prompt(flow, request)
    facts = contract.build_request(scenario).model_dump()
    shown = [value for name, value in facts.items() if name in contract.prompt_fields]

    for value in (each for each in shown if isinstance(each, str | int) and not isinstance(each, bool)):
        assert str(value) in text


def test_a_recovery_shows_every_failed_attempt(recovery: Scenario) -> None:
    (message,) = render(recovery, load_contract("workflow-recovery-1.0"))
    text = message.content or ""

    assert text.startswith("# Recovery Analysis Request (Attempt 2)")
    for attempt in recovery.failed_attempts:
        assert attempt.failure.message in text
        assert attempt.selected_workflow.container_image in text
        assert attempt.failure.execution_time in text
    assert "REPLICA_INCREMENT=2" in text
    assert "step 1 (counted from 0), `wait_ready`" in text
    assert "The remediation ran out of time." in text


def test_an_unknown_reason_gets_the_generic_guidance(recovery: Scenario) -> None:
    assert recovery.previous
    failure = recovery.previous.failure.model_copy(update={"reason": "QuotaBroken"})
    previous = recovery.previous.model_copy(update={"failure": failure})
    (message,) = render(
        recovery.model_copy(update={"previous": previous}), load_contract("workflow-recovery-1.0")
    )

    assert "This reason code has no guidance of its own." in (message.content or "")


@pytest.mark.parametrize("flow", FLOWS)
def test_nothing_of_the_expectations_reaches_the_prompt(flow: str, request: pytest.FixtureRequest) -> None:
    text, scenario, _ = prompt(flow, request)

    assert scenario.expect.because not in text
    assert scenario.id not in text
    assert scenario.description not in text
    if flow == "incident":
        assert "raise-memory-limit" not in text


@pytest.mark.parametrize("flow", FLOWS)
def test_withheld_sections_and_document_numbers_stay_out(flow: str, request: pytest.FixtureRequest) -> None:
    text, _, contract = prompt(flow, request)

    assert not re.search(r"\b(ADR|DD|BR)-", text)
    for word in contract.withheld:
        assert word not in text.lower()


@pytest.mark.parametrize("flow", FLOWS)
def test_worked_examples_keep_their_own_contract(flow: str, request: pytest.FixtureRequest) -> None:
    text, _, contract = prompt(flow, request)
    search, answer = (
        json.loads(each) for each in re.findall(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    )

    contract.response.model_validate(answer)
    assert contract.catalog_tool
    assert set(search) <= set(contract.catalog_tool.parameters["properties"])
    assert search["label.signal-type"] == search["query"].split()[0]


@pytest.mark.parametrize("flow", FLOWS)
def test_the_search_guidance_has_500_to_600_words(flow: str, request: pytest.FixtureRequest) -> None:
    text, _, _ = prompt(flow, request)
    guidance = re.split(r"^## ", text, flags=re.MULTILINE)
    (section,) = [each for each in guidance if each.startswith("MCP Workflow Search Guidance")]

    assert 500 <= len(section.split()) <= 620


def test_a_deleted_rule_takes_its_anchor_along(incident: Scenario) -> None:
    contract = load_contract("workflow-selection-2.7")
    (message,) = render(incident, contract)
    paragraphs = (message.content or "").split("\n\n")
    kept = "\n\n".join(each for each in paragraphs if not each.startswith("**Pass-through labels.**"))

    lost = anchored_clauses(contract, [message], []) - anchored_clauses(contract, [Message("user", kept)], [])

    assert lost == {"PAS-1", "PAS-2", "PAS-3", "PAS-4"}


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.id)
def test_every_graded_rule_falls_with_some_paragraph(
    contract: Contract, incident: Scenario, recovery: Scenario
) -> None:
    (message,) = render(incident if contract.flow == "incident" else recovery, contract)

    told = anchored_clauses(contract, [Message("user", "Hello.")], [])

    graded = {each.clause for each in GRADERS} & set(contract.anchors)
    assert not graded & told
    assert graded <= anchored_clauses(
        contract, [message], [contract.catalog_tool] if contract.catalog_tool else []
    )


def test_a_pack_of_ones_own_is_used(incident: Scenario, tmp_path: Path) -> None:
    folder = tmp_path / "workflow-selection-2.7"
    folder.mkdir()
    (folder / "prompt.md.j2").write_text("Alert: {{ request.signal_type }}", encoding="utf-8")

    (message,) = render(incident, load_contract("workflow-selection-2.7"), tmp_path)

    assert message.content == "Alert: HighRequestLatency\n"


def test_a_template_that_asks_for_what_is_not_there_is_an_error_with_its_file(
    incident: Scenario, tmp_path: Path
) -> None:
    folder = tmp_path / "workflow-selection-2.7"
    folder.mkdir()
    (folder / "prompt.md.j2").write_text("{{ request.colour }}", encoding="utf-8")

    with pytest.raises(InvalidInput, match=r"prompt\.md\.j2.*colour"):
        render(incident, load_contract("workflow-selection-2.7"), tmp_path)


def test_a_scenario_of_the_other_flow_is_refused(incident: Scenario) -> None:
    with pytest.raises(InvalidInput, match="takes 'recovery'"):
        render(incident, load_contract("workflow-recovery-1.0"))


@pytest.mark.parametrize("flow", FLOWS)
def test_labels_are_shown_in_the_very_form_that_they_are_to_be_passed_on(
    flow: str, request: pytest.FixtureRequest
) -> None:
    scenario: Scenario = request.getfixturevalue(flow)
    given = {"custom_labels": {"platform": "", "teams": ["a", "b"]}, "detected_labels": {"hpaEnabled": False}}
    (message,) = render(scenario.model_copy(update=given), load_contract(DEFAULT_BY_FLOW[scenario.flow]))
    shown = dict(re.findall(r"^- (Custom|Detected) Labels: (.*)$", message.content or "", re.MULTILINE))

    assert json.loads(shown["Custom"]) == given["custom_labels"]
    assert json.loads(shown["Detected"]) == given["detected_labels"]


@pytest.mark.parametrize(
    "hostile",
    [
        "{{ cycler.__init__.__globals__.os.getcwd() }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{% for i in range(1000000000) %}x{% endfor %}",
        "{{ request.clear() }}",
    ],
)
def test_a_template_states_facts_and_runs_nothing(incident: Scenario, tmp_path: Path, hostile: str) -> None:
    contract = load_contract("workflow-selection-2.7")
    pack = tmp_path / contract.id
    pack.mkdir()
    (pack / "prompt.md.j2").write_text(hostile, encoding="utf-8")

    with pytest.raises(InvalidInput):
        render(incident, contract, tmp_path)

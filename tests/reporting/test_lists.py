"""The section on screened lists: catalog and model apart, and only where one was run."""

from dataclasses import replace
from pathlib import Path

import pytest
from commanding import run_of
from conftest import PROJECT

from harness.catalog import given_list
from harness.contracts import load_contract
from harness.model import Hit, Scenario
from harness.reporting import lists
from harness.reporting.lists import list_lines
from harness.scenarios import load_scenarios
from harness.statistics.screening import list_figures

M = load_contract("playbook-minimal-1.0")
SUITE = ("--project", str(PROJECT.root))


def hits_of(scenario: Scenario) -> tuple[Hit, ...]:
    found = given_list(M, scenario)
    assert found is not None
    return found.hits


def risky(scenario: Scenario) -> Scenario:
    """Return the scenario with entries that no filter should have let through."""
    catalog = [
        each.model_copy(
            update={
                "labels": {
                    **each.labels,
                    "kubernaut.io/risk-level": "high",
                    "kubernaut.io/incident-type": "Evicted",
                },
                "prerequisites": {"kubernetes.io/arch": "s390x"},
            }
        )
        if each.workflow_id == "add-replicas"
        else each
        for each in scenario.catalog
    ]
    return scenario.model_copy(update={"catalog": catalog})


def test_a_good_list_has_nothing_to_blame(incident: Scenario) -> None:
    figures = list_figures(M, [incident], {incident.id: hits_of(incident)})

    assert (figures.lists, figures.entries, figures.matching) == (1, 2, 2)
    assert (figures.high_risk, figures.unprepared, figures.mismatched) == (0, 0, 0)
    assert (figures.solvable, figures.solved) == (1, 1)
    assert figures.tokens is not None
    assert 30 < figures.tokens < 60


def test_what_a_filter_let_through_is_counted(incident: Scenario) -> None:
    figures = list_figures(M, [risky(incident)], {incident.id: hits_of(incident)})

    assert (figures.entries, figures.matching, figures.mismatched) == (2, 1, 1)
    assert (figures.high_risk, figures.unprepared) == (1, 1)


def test_a_wrong_entry_on_top_is_the_catalogs_fault(incident: Scenario) -> None:
    turned = tuple(replace(each, confidence=1 - (each.confidence or 0)) for each in hits_of(incident))
    figures = list_figures(M, [incident], {incident.id: turned})

    assert (figures.solvable, figures.solved) == (1, 0)
    assert ("catalog", "the highest confidence is a right one's", "0/1  0.0 %", lists.CORRECT) in list(
        list_lines(figures)
    )


def test_an_empty_list_is_no_share(incident: Scenario) -> None:
    figures = list_figures(M, [incident], {incident.id: ()})

    assert figures.tokens is None
    assert "0/0  -" in [line[2] for line in list_lines(figures)]


def test_without_scenarios_nothing_is_said_of_the_catalog(tmp_path: Path) -> None:
    run = run_of("run", "-c", M.id, "-t", "mock:oracle", "--out", str(tmp_path), *SUITE)
    report = (run / "report.md").read_text(encoding="utf-8")

    assert "The scenarios of this run are not at hand" in report
    assert "picks the highest confidence (`SEL-3`)" in report
    assert "high-risk entries" not in report


@pytest.mark.parametrize(("contract_id", "times"), [(M.id, 1), ("workflow-selection-2.7", 0)])
def test_the_report_has_the_section_where_a_screened_list_was_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, contract_id: str, times: int
) -> None:
    monkeypatch.setattr(lists, "find_project", lambda: PROJECT)

    run = run_of("run", "-c", contract_id, "-t", "mock:oracle", "--out", str(tmp_path), *SUITE)
    report = (run / "report.md").read_text(encoding="utf-8")

    assert report.count("## Screened lists") == times
    if times:
        incidents = [each for each in load_scenarios(PROJECT) if each.flow == "incident"]
        assert f"{len(incidents)}/{len(incidents)}  100.0 %" in report
        assert "picks the highest confidence (`SEL-3`)" in report

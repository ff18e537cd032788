"""Lint of the lists that prompts give: a right entry is on top, and what is listed belongs there."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from conftest import PROJECT

from harness.catalog import SearchResult, given_list
from harness.model import Contract, Scenario
from harness.scenarios import scenario_ids
from harness.scenarios.lint import LintFinding, Written, given
from harness.scenarios.lint.written import read_scenarios


@pytest.fixture
def written() -> Written:
    read, broken = read_scenarios(PROJECT, scenario_ids(PROJECT))
    assert not broken
    return next(each for each in read if each.scenario.id == "incident/oom-behind-latency")


def with_facts(written: Written, **facts: object) -> Written:
    return replace(written, scenario=written.scenario.model_copy(update=facts))


def messages(findings: Iterable[LintFinding]) -> list[str]:
    return [each.message for each in findings]


def accepting(scenario: Scenario, *ids: str) -> object:
    workflows = scenario.expect.workflows.model_copy(update={"accepted": list(ids), "forbidden": []})
    return scenario.expect.model_copy(update={"workflows": workflows, "none_ok": not ids})


def test_a_right_entry_on_top_is_no_finding(written: Written) -> None:
    assert not [*given.selection_given(written), *given.given_match(written)]


@pytest.mark.parametrize("similarity", [0.99, 0.72])
def test_a_wrong_entry_on_top_is_one(written: Written, similarity: float) -> None:
    best = {"add-replicas": similarity, "raise-memory-limit": 0.72}

    (found,) = given.selection_given(with_facts(written, similarity=best))

    assert "playbook-minimal-1.0 ranks add-replicas first" in found.message
    assert found.clause == "SCN-1"


def test_a_list_without_a_right_entry_is_one(written: Written) -> None:
    found = messages(given.selection_given(with_facts(written, expect=accepting(written.scenario, "absent"))))

    assert len(found) == 2
    assert all("and nothing accepted" in each for each in found)


def test_where_nothing_is_right_only_an_empty_list_is_one(written: Written) -> None:
    hopeless = with_facts(written, expect=accepting(written.scenario))

    assert not list(given.selection_given(hopeless))
    (found,) = given.selection_given(with_facts(hopeless, catalog=[]))
    assert "the list of playbook-strategies-2.0 is empty, and it cannot decline" in found.message


def test_an_entry_that_a_filter_should_have_kept_out_is_one(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_it_was = written.scenario
    risky = [
        each.model_copy(update={"labels": {**each.labels, "kubernaut.io/risk-level": "high"}})
        for each in as_it_was.catalog
    ]

    def before(contract: Contract, _: Scenario) -> SearchResult | None:
        return given_list(contract, as_it_was)

    monkeypatch.setattr(given, "given_list", before)

    found = list(given.given_match(with_facts(written, catalog=risky)))

    assert {each.clause for each in found} == {"CAT-4"}
    assert "fails by its risk" in found[0].message


def test_a_similarity_of_no_entry_is_one(written: Written) -> None:
    (found,) = given.similarity_known(with_facts(written, similarity={"raise-memory": 0.9}))

    assert "'raise-memory', which the catalog does not have" in found.message

"""What searches return: entries that match, fields that were admitted."""

from dataclasses import replace
from typing import Any

import pytest
from conftest import PROJECT

from harness.catalog import SearchResult
from harness.contracts import CONTRACTS
from harness.contracts.admission import ADMISSIONS
from harness.model import Contract, Hit
from harness.scenarios import scenario_ids
from harness.scenarios.lint import Written, results
from harness.scenarios.lint.written import read_scenarios


@pytest.fixture
def written() -> Written:
    read, broken = read_scenarios(PROJECT, scenario_ids(PROJECT))
    assert not broken
    return next(each for each in read if each.scenario.id == "incident/oom-behind-latency")


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.id)
def test_every_result_field_has_four_answers(contract: Contract) -> None:
    assert not list(results.fields_admitted([contract]))
    answers = [ADMISSIONS[contract.id][name] for name in contract.result.fields.values()]
    assert all(each.redundancy and each.prompt_dependency and each.safety and each.value for each in answers)


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.id)
def test_a_field_without_answers_is_a_finding(contract: Contract) -> None:
    fields = {**contract.result.fields, "rollback": "rollback_available"}
    wider = replace(contract, result=replace(contract.result, fields=fields))

    (found,) = results.fields_admitted([wider])

    assert found.clause == "CAT-7"
    assert "rollback_available" in found.message


def test_what_a_search_returns_carries_its_labels(written: Written) -> None:
    assert not list(results.returned_match(written))


def test_an_entry_with_another_label_is_a_finding(written: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(entries: Any, *_: Any, **__: Any) -> SearchResult:
        entry = next(each for each in entries if each.workflow_id == "add-replicas")
        return SearchResult((Hit(entry.workflow_id, entry.version, 0.9, {}),), 1)

    monkeypatch.setattr(results, "search_catalog", careless)
    entry = next(each for each in written.scenario.catalog if each.workflow_id == "add-replicas")
    other = entry.model_copy(update={"labels": {**entry.labels, "kubernaut.io/priority": "P3"}})
    catalog = [other if each is entry else each for each in written.scenario.catalog]
    changed = replace(written, scenario=written.scenario.model_copy(update={"catalog": catalog}))

    (found,) = results.returned_match(changed)

    assert found.clause == "CAT-4"
    assert "'add-replicas', whose priority is another" in found.message

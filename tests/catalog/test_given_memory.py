"""A given list is made once for a scenario and a contract, and never told of another."""

from weakref import ref

import pytest
from conftest import PROJECT

from harness.catalog import given, given_list
from harness.catalog.search import SearchResult
from harness.contracts import CONTRACTS
from harness.model import Contract
from harness.scenarios import load_scenarios

GIVING = [each for each in CONTRACTS if each.given]


@pytest.mark.parametrize("contract", GIVING, ids=lambda each: each.id)
def test_a_list_is_made_once(contract: Contract, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = next(each for each in load_scenarios(PROJECT) if each.flow == contract.flow)
    first = given_list(contract, scenario)
    monkeypatch.setattr(given, "_listed", None)

    assert first is not None
    assert given_list(contract, scenario) is first


@pytest.mark.parametrize("contract", GIVING, ids=lambda each: each.id)
def test_a_list_of_what_is_gone_is_not_told_of_what_has_its_place_in_memory(
    contract: Contract, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = [each for each in load_scenarios(PROJECT) if each.flow == contract.flow][:2]
    right = given_list(contract, one)
    assert right is not None
    another = next(each for each in CONTRACTS if each is not contract)
    for gone in ((ref(other), ref(contract)), (ref(one), ref(another))):
        stale = {(id(contract), id(one)): (*gone, SearchResult((), 99))}
        monkeypatch.setattr(given, "_LISTS", stale)

        assert given_list(contract, one) == right


def test_the_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    lists: dict[object, object] = {}
    monkeypatch.setattr(given, "_MOST_LISTS", 2)
    monkeypatch.setattr(given, "_LISTS", lists)
    scenarios = [each for each in load_scenarios(PROJECT) if each.flow == GIVING[0].flow]

    for contract in GIVING:
        for scenario in scenarios:
            given_list(contract, scenario)
            assert 1 <= len(lists) <= 2
    assert len(GIVING) * len(scenarios) > 2

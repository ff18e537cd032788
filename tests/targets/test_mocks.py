"""Mocks over the whole suite: the oracle breaks nothing, the others break what they declare and no more."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest
from conftest import recorded

from harness.contracts import CONTRACTS, DEFAULT_BY_FLOW, load_contract
from harness.contracts.clauses import clause
from harness.extraction import read_sample
from harness.graders import GRADERS, RELATIONS, grade, relate
from harness.model import Contract, Sample, Scenario, Score
from harness.scenarios import load_scenarios
from harness.targets.mock import MOCKS, Mock, open_mock
from harness.targets.mock.mocks import FLAKY, NULL, ORACLE, VICE_RATE, VICIOUS

pytestmark = pytest.mark.long

SEEDS = 12
plain = pytest.mark.parametrize("mock", VICIOUS, ids=lambda each: each.name)
every_contract = pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.id)


@cache
def suite() -> tuple[Scenario, ...]:
    return tuple(load_scenarios())


def scenarios_of(contract: Contract) -> list[Scenario]:
    return [each for each in suite() if each.flow == contract.flow]


@cache
def _scores(mock: str, scenario_id: str, contract_id: str, seed: int) -> dict[str, Score]:
    scenario = next(each for each in suite() if each.id == scenario_id)
    transcript = recorded(scenario, f"mock:{mock}", seed, contract_id)
    sample = read_sample(transcript, load_contract(contract_id), scenario)
    return {grader.clause: score for grader, score in grade(sample)}


def judged(mock: str, scenario: Scenario, contract: Contract, seed: int = 1) -> dict[str, Score]:
    return _scores(mock, scenario.id, contract.id, seed)


def broken(mock: str, scenario: Scenario, contract: Contract, seed: int = 1) -> set[str]:
    scores = judged(mock, scenario, contract, seed)
    return {name for name, each in scores.items() if each.outcome == "fail" and clause(name).level == "MUST"}


@every_contract
def test_the_oracle_breaks_no_clause_and_leaves_none_unscored(contract: Contract) -> None:
    for scenario in scenarios_of(contract):
        scores = judged("oracle", scenario, contract)
        wrong = {name: each for name, each in scores.items() if each.outcome == "fail"}
        assert not {name for name in wrong if clause(name).level == "MUST"}, (scenario.id, wrong)
        assert "unscored" not in [each.outcome for each in scores.values()], scenario.id


@plain
def test_a_mock_fails_in_its_own_dimension_where_it_can_act(mock: Mock) -> None:
    able = [
        (scenario, contract)
        for contract in CONTRACTS
        for scenario in scenarios_of(contract)
        if mock.can_act(scenario, contract)
    ]
    hit = [
        (scenario, contract)
        for scenario, contract in able
        if {clause(name).dimension for name in broken(mock.name, scenario, contract)} & set(mock.dimensions)
    ]

    assert able
    assert len(hit) >= 0.8 * len(able), [(one.id, two.id) for one, two in able if (one, two) not in hit]


@plain
@every_contract
def test_a_mock_breaks_nothing_that_it_does_not_declare(mock: Mock, contract: Contract) -> None:
    for scenario in scenarios_of(contract):
        extra = broken(mock.name, scenario, contract) - mock.may_break
        assert not extra, (scenario.id, {name: judged(mock.name, scenario, contract)[name] for name in extra})


@plain
@every_contract
def test_a_mock_that_cannot_act_is_the_oracle(mock: Mock, contract: Contract) -> None:
    for scenario in (each for each in scenarios_of(contract) if not mock.can_act(each, contract)):
        played = recorded(scenario, f"mock:{mock.name}", contract_id=contract.id)
        assert played.messages == recorded(scenario, contract_id=contract.id).messages


@plain
def test_what_a_mock_declares_happens_somewhere(mock: Mock) -> None:
    seen: set[str] = set()
    declared = {name for play in mock.plays for each in play for name in each.breaks}
    for seed, contract in product(range(1, 8), CONTRACTS):
        for scenario in scenarios_of(contract):
            if not declared <= seen:
                seen |= broken(mock.name, scenario, contract, seed)

    assert declared <= seen, declared - seen


def test_a_mock_says_the_same_for_the_same_seed_and_trial() -> None:
    scenario = suite()[0]

    assert recorded(scenario, "mock:flaky", 5) == recorded(scenario, "mock:flaky", 5)


def test_flaky_plays_each_vice_in_about_a_tenth_of_its_trials() -> None:
    counts: defaultdict[str, int] = defaultdict(int)
    scenario = suite()[0]
    silent = 0
    trials = 400
    for seed in range(trials):
        messages = recorded(scenario, "mock:flaky", seed).messages
        silent += len(messages) == 2
        counts["all"] += 1

    assert VICE_RATE == 0.10
    assert 0.06 * trials <= silent <= 0.14 * trials
    assert counts["all"] == trials


@every_contract
def test_flaky_breaks_only_what_its_vices_declare(contract: Contract) -> None:
    for scenario in scenarios_of(contract):
        for seed in range(2 if contract.id in DEFAULT_BY_FLOW.values() else 1):
            assert broken("flaky", scenario, contract, seed) <= FLAKY.may_break


def test_names_are_unique_and_known() -> None:
    assert len({each.name for each in MOCKS}) == len(MOCKS)
    assert open_mock("oracle").mock is ORACLE
    assert open_mock("null").mock is NULL


def test_in_half_of_the_suite_severity_differs_and_in_half_the_signal_type() -> None:
    severities = [each.signal.severity not in each.expect.severities for each in suite()]
    signals = [each.signal.signal_type not in each.expect.signal_types for each in suite()]

    assert len(suite()) >= 8
    assert sum(severities) >= len(suite()) / 2
    assert sum(signals) >= len(suite()) / 2


@every_contract
def test_every_rule_is_kept_by_the_oracle_and_broken_by_some_mock(contract: Contract) -> None:
    rules = {each.clause for each in GRADERS if clause(each.clause).level == "MUST"} & set(contract.clauses)
    if contract.flow == "recovery":
        rules -= {"PAS-9"}  # a recovery request lacks no business field: defaults fill them
    kept = {
        name
        for each in scenarios_of(contract)
        for name, score in judged("oracle", each, contract).items()
        if score.outcome == "pass"
    }
    failed: set[str] = set()
    for seed, mock, scenario in product(range(1, SEEDS), VICIOUS, scenarios_of(contract)):
        if not rules <= failed:
            failed |= broken(mock.name, scenario, contract, seed)

    assert rules <= kept, rules - kept
    assert rules <= failed, rules - failed


def pairs() -> Iterator[tuple[Scenario, Scenario, Contract]]:
    """Yield the halves of every pair of the suite with each contract that has its relation."""
    by_id = {each.id: each for each in suite()}
    for second, contract in product((each for each in suite() if each.pair), CONTRACTS):
        assert second.pair
        if contract.flow == second.flow and second.pair.relation in contract.clauses:
            yield by_id[second.pair.of], second, contract


def related(mock: str, first: Scenario, second: Scenario, contract: Contract, seed: int = 1) -> str:
    """Return how the relation of a pair comes out, as one mock answers its halves."""
    relation = next(each for each in RELATIONS if second.pair and each.clause == second.pair.relation)
    return relate(relation, *(read(mock, each, contract, seed) for each in (first, second))).outcome


def read(mock: str, scenario: Scenario, contract: Contract, seed: int) -> Sample:
    return read_sample(recorded(scenario, f"mock:{mock}", seed, contract.id), contract, scenario)


SILENT = {("playbook-strategies-2.0", "MET-1"), ("playbook-strategies-2.0", "MET-2")}
"""An answer of strategies states neither severity nor signal type, so nothing in it can move."""


def key(second: Scenario, contract: Contract) -> tuple[str, str]:
    assert second.pair
    return contract.id, second.pair.relation


def test_the_oracle_keeps_every_relation() -> None:
    for first, second, contract in pairs():
        wanted = "not_applicable" if key(second, contract) in SILENT else "pass"
        assert related("oracle", first, second, contract) == wanted, (second.id, contract.id)


def test_every_relation_is_broken_by_some_mock() -> None:
    # One vice that comes and goes from trial to trial is what relations are for.
    wanted = {key(second, contract) for _, second, contract in pairs()} - SILENT
    broken_somewhere: set[tuple[str, str]] = set()
    for mock, seed in product(("copycat", "forger", "hasty", "flaky"), range(1, SEEDS)):
        for first, second, contract in pairs():
            if key(second, contract) in wanted - broken_somewhere:
                failed = related(mock, first, second, contract, seed) == "fail"
                broken_somewhere |= {key(second, contract)} if failed else set()

    assert {relation for _, relation in wanted} == {each.clause for each in RELATIONS}
    assert broken_somewhere == wanted

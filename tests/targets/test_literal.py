"""The literal mock: told all it is the oracle, and without a rule it breaks that rule and little else."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from harness.contracts import CONTRACTS, load_contract
from harness.contracts.clauses import clause
from harness.conversation import Trial, converse, tools_for
from harness.extraction import read_sample
from harness.graders import grade
from harness.model import Contract, Message, SampleId, Scenario, ToolCall, Transcript
from harness.prompting import render
from harness.prompting.exporting import export_packs
from harness.prompting.render import PACKS
from harness.scenarios import load_scenarios
from harness.targets import Binding, ModelRequest, TargetOptions, open_target
from harness.targets.mock import literal
from harness.targets.mock.literal import LAPSES, forgettable, lapses_of

W = "workflow-selection-2.7"
PASS_THROUGH = {"PAS-1", "PAS-2", "PAS-3", "PAS-4"}
NOT_FORGETTABLE = {"workflow-recovery-1.0": {"PAS-9"}}
"""A recovery request lacks no business field, so that none can be invented."""
SAMPLE = 6
"""Of so many scenarios and some more each rule is taken away; where nothing can lapse it is the oracle."""
every_contract = pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.id)


@cache
def suite() -> tuple[Scenario, ...]:
    return tuple(load_scenarios())


def scenarios_of(contract: Contract) -> list[Scenario]:
    return [each for each in suite() if each.flow == contract.flow]


def played(target: str, scenario: Scenario, contract: Contract, packs: Path = PACKS) -> Transcript:
    model = open_target(target, TargetOptions())
    sample = SampleId(scenario.id, contract.id, model.name, 1)
    trial = Trial(sample, scenario, contract, render(scenario, contract, packs), 1, {})
    return asyncio.run(converse(model, trial))


def outcomes(transcript: Transcript, scenario: Scenario, contract: Contract) -> dict[str, str]:
    """Return the outcome of every MUST clause, whether the prompt tells it or not."""
    sample = read_sample(transcript, contract, scenario)
    judged = grade(replace(sample, anchored=frozenset(contract.clauses)))
    return {one.clause: two.outcome for one, two in judged if clause(one.clause).level == "MUST"}


@cache
def good(scenario_id: str, contract_id: str) -> dict[str, str]:
    scenario = next(each for each in suite() if each.id == scenario_id)
    contract = load_contract(contract_id)
    return outcomes(played("mock:oracle", scenario, contract), scenario, contract)


def groups(contract: Contract) -> list[frozenset[str]]:
    """Return the clauses that share one anchor."""
    patterns = {each.patterns for each in contract.anchors.values()}
    return [
        frozenset(name for name, each in contract.anchors.items() if each.patterns == shared)
        for shared in patterns
    ]


@pytest.fixture
def untell(monkeypatch: pytest.MonkeyPatch) -> Callable[[frozenset[str]], None]:
    """Let the mock read a prompt that states every rule but some."""

    def deaf(clauses: frozenset[str]) -> None:
        def told(contract: Contract, *_: object) -> frozenset[str]:
            return frozenset(contract.clauses) - clauses

        monkeypatch.setattr(literal, "anchored_clauses", told)

    return deaf


@every_contract
def test_told_every_rule_it_is_the_oracle(contract: Contract) -> None:
    for scenario in scenarios_of(contract):
        said = played("mock:literal", scenario, contract).messages
        assert said == played("mock:oracle", scenario, contract).messages, scenario.id


@every_contract
def test_each_rule_that_it_is_not_told_breaks_and_what_follows_from_it_alone(
    contract: Contract, untell: Callable[[frozenset[str]], None]
) -> None:
    for group in groups(contract):
        untell(group)
        own = [each for each in LAPSES if each.clause in group]
        allowed = group.union(*(each.follows for each in own))
        broken: set[str] = set()
        acting = [
            each
            for each in scenarios_of(contract)
            if lapses_of(group, each, contract)
            and "pass" in {good(each.id, contract.id).get(name) for name in group}
        ]
        for scenario in acting[:: max(1, len(acting) // SAMPLE)]:
            before = good(scenario.id, contract.id)
            now = outcomes(played("mock:literal", scenario, contract), scenario, contract)
            fell = {name for name, outcome in now.items() if outcome == "fail" and before[name] != "fail"}
            gone = {name for name in now if before[name] == "pass" and now[name] not in {"pass", "fail"}}
            assert fell <= allowed, (scenario.id, group, fell - allowed)
            assert not gone or any(each.silences for each in own), (scenario.id, group, gone)
            broken |= fell
        assert group - NOT_FORGETTABLE.get(contract.id, set()) <= broken, group


@every_contract
def test_every_anchored_clause_can_be_forgotten(contract: Contract) -> None:
    assert forgettable(contract) == set(contract.anchors)


def test_what_cannot_be_forgotten_is_listed() -> None:
    never = {
        (contract.id, name)
        for contract in CONTRACTS
        for name in contract.anchors
        if not any(lapses_of([name], each, contract) for each in scenarios_of(contract))
    }

    assert never == {(contract, name) for contract, names in NOT_FORGETTABLE.items() for name in names}


def without(packs: Path, contract_id: str, beginning: str) -> Path:
    """Copy the pack of a contract without the line that begins so."""
    (file,) = export_packs([load_contract(contract_id)], packs)
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if not line.startswith(beginning)]
    assert len(kept) == len(lines) - 1
    file.write_text("".join(kept), encoding="utf-8")
    return packs


@pytest.mark.parametrize("contract_id", [W, "workflow-recovery-1.0", "playbook-selection-2.0"])
def test_without_the_pass_through_paragraph_its_four_clauses_fall_and_nothing_else(
    tmp_path: Path, contract_id: str
) -> None:
    packs = without(tmp_path, contract_id, "**Pass-through")
    contract = load_contract(contract_id)
    for scenario in scenarios_of(contract):
        before = good(scenario.id, contract_id)
        now = outcomes(played("mock:literal", scenario, contract, packs), scenario, contract)
        changed = {name for name in now if now[name] != before[name]}
        assert changed == {name for name in PASS_THROUGH if before[name] == "pass"}, scenario.id
        assert all(now[name] == "fail" for name in changed)


def test_without_the_pass_through_paragraph_the_deciding_search_stays(tmp_path: Path) -> None:
    packs, contract = without(tmp_path, W, "**Pass-through"), load_contract(W)
    for scenario in scenarios_of(contract):
        deciding = [
            read_sample(each, contract, scenario).deciding
            for each in (
                played("mock:oracle", scenario, contract),
                played("mock:literal", scenario, contract, packs),
            )
        ]
        assert deciding[0]
        assert deciding[1]
        assert deciding[0].labels == deciding[1].labels
        assert deciding[0].hits == deciding[1].hits


def test_a_rule_that_only_a_tool_result_states_is_not_told() -> None:
    contract = load_contract(W)
    scenario = scenarios_of(contract)[0]
    (whole,) = render(scenario, contract)
    call = ToolCall("call_1_0", "kubectl_get", '{"kind": "namespaces"}')
    said = (
        Message("user", "Hello."),
        Message("assistant", tool_calls=(call,)),
        Message("tool", content=whole.content, tool_call_id="call_1_0"),
    )
    request = ModelRequest(said, tools_for(contract), 1)

    message = literal.next_message(request, Binding(scenario, contract))

    # Told all, it would search now.
    assert message.tool_calls == ()
    assert (message.content or "").startswith("Here is what I found")


def test_an_empty_prompt_leaves_it_no_rule_and_it_answers_all_the_same() -> None:
    contract = load_contract(W)
    scenario = scenarios_of(contract)[0]
    sample = SampleId(scenario.id, contract.id, "mock:literal", 1)
    trial = Trial(sample, scenario, contract, (Message("user", "Hello."),), 1, {})
    transcript = asyncio.run(converse(open_target("mock:literal", TargetOptions()), trial))

    assert transcript.final is not None
    broken = {name for name, each in outcomes(transcript, scenario, contract).items() if each == "fail"}
    assert {"CAR-1", "QRY-1"} <= broken

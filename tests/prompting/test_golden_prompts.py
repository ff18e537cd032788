"""Rendered prompts of small scenarios, kept so that a change of a pack is read as a diff."""

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import GOLDEN, PROJECT

from harness.contracts import CONTRACTS
from harness.model import Contract
from harness.prompting import render
from harness.scenarios import load_scenario, scenario_ids

PAIRS = [
    (contract, name)
    for contract in CONTRACTS
    for name in scenario_ids(PROJECT)
    if load_scenario(PROJECT, name).flow == contract.flow
]
CASES = [pytest.param(*each, id=f"{each[0].id}/{each[1]}") for each in PAIRS]


def golden_name(contract: Contract, scenario_id: str) -> str:
    return f"prompts/{contract.id}/{scenario_id.replace('/', '-')}.md"


@pytest.mark.parametrize(("contract", "scenario_id"), CASES)
def test_the_prompt_is_the_one_that_was_reviewed(
    contract: Contract, scenario_id: str, golden: Callable[[str, str], None]
) -> None:
    prompt = render(load_scenario(PROJECT, scenario_id), contract)

    golden(golden_name(contract, scenario_id), "".join(each.content or "" for each in prompt))


def test_every_golden_prompt_is_one_of_these() -> None:
    names = {golden_name(*each) for each in PAIRS}
    files = {str(each.relative_to(GOLDEN)) for each in Path(GOLDEN / "prompts").rglob("*.md")}

    assert files == names

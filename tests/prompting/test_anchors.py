"""A rule is found again in other words, and in nothing that only sounds like it."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.contracts import CONTRACTS, load_contract
from harness.model import Message
from harness.prompting import anchored_clauses
from harness.prompting.anchors import paragraphs
from harness.prompting.render import PACKS, template_of

PARAPHRASES: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("paraphrases.yaml").read_text(encoding="utf-8")
)
CASES = [
    pytest.param(contract, each, id=f"{contract}-{each['clauses'][0]}")
    for each in PARAPHRASES
    for contract in each["contracts"]
]
UNRELATED = (
    "Pods are restarted by the kubelet.",
    "The weather does not change an alert.",
    "Answer politely.",
)


def told(contract_id: str, text: str) -> frozenset[str]:
    contract = load_contract(contract_id)
    return anchored_clauses(contract, [Message("user", text)], []) & frozenset(contract.anchors)


def test_every_anchor_of_every_contract_has_a_paraphrase() -> None:
    held = [
        (contract, name) for each in PARAPHRASES for contract in each["contracts"] for name in each["clauses"]
    ]

    assert sorted(held) == sorted((contract.id, name) for contract in CONTRACTS for name in contract.anchors)


@pytest.mark.parametrize(("contract", "each"), CASES)
def test_a_paraphrase_keeps_the_anchor(contract: str, each: dict[str, Any]) -> None:
    assert set(each["clauses"]) <= told(contract, each["told"])


@pytest.mark.parametrize(("contract", "each"), CASES)
def test_no_pack_holds_the_paraphrase(contract: str, each: dict[str, Any]) -> None:
    source = template_of(load_contract(contract), PACKS).read_text(encoding="utf-8")

    assert each["told"] not in source


@pytest.mark.parametrize(("contract", "each"), CASES)
def test_what_negates_or_only_resembles_a_rule_does_not_tell_it(contract: str, each: dict[str, Any]) -> None:
    assert len(each["untold"]) >= 2
    for text in (*each["untold"], *UNRELATED):
        assert not set(each["clauses"]) & told(contract, text), text


@pytest.mark.parametrize(("contract", "each"), CASES)
def test_white_space_and_case_do_not_matter(contract: str, each: dict[str, Any]) -> None:
    text = "\n   ".join(each["told"].upper().split(" "))

    assert set(each["clauses"]) <= told(contract, text)


def test_an_example_in_a_json_block_tells_no_rule() -> None:
    rule = "Never invent a password as a parameter."
    contract = "workflow-selection-2.7"

    assert "PAR-4" in told(contract, rule)
    assert "PAR-4" not in told(contract, f"An example:\n\n```json\n{rule}\n```\n\nThat is all.")


def test_a_json_block_that_never_ends_hides_nothing() -> None:
    assert paragraphs("```json\nfirst\n\nsecond") == ("```json first", "second")


def test_only_the_sentence_that_waives_a_rule_is_left_out() -> None:
    assert paragraphs("Search first. You need not hurry. Answer last.") == ("search first. answer last.",)

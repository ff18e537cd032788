"""Released answers are frozen: their schemas do not drift, and worked answers keep passing."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import GOLDEN

from harness.contracts import CONTRACTS, load_contract
from harness.contracts.schemas import response_schema
from harness.extraction import read_answer
from harness.extraction.sample import schema_problems
from harness.model import DECLINED, Choice, Contract

IDS = {each.id for each in CONTRACTS}
ANSWERS = sorted(GOLDEN.glob("answers/*/*.json"))
ROOT = GOLDEN.parent
TAXONOMY = sorted(ROOT.parent.glob("*/seeds/DD-LLM-001*.md"))
STRATEGIES = sorted(ROOT.parent.glob("*/seeds/ADR-038*.md"))

every_contract = pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.id)
every_answer = pytest.mark.parametrize("file", ANSWERS, ids=lambda each: f"{each.parent.name}/{each.stem}")


@every_contract
def test_a_released_schema_is_as_it_was_released(
    contract: Contract, golden: Callable[[str, str], None]
) -> None:
    schema = json.dumps(response_schema(contract).schema, indent=2, ensure_ascii=False)

    golden(f"schemas/{contract.id}.json", schema + "\n")


def test_every_golden_schema_belongs_to_a_contract() -> None:
    assert {each.name for each in (GOLDEN / "schemas").iterdir()} == {f"{each}.json" for each in IDS}


def test_every_contract_has_worked_answers_and_every_answer_a_contract() -> None:
    assert {each.name for each in (GOLDEN / "answers").iterdir()} == IDS
    assert {each.parent.name for each in ANSWERS} == IDS


@every_answer
@pytest.mark.parametrize(
    "carrier", ["{}", "The cause is clear.\n\n```json\n{}\n```\n"], ids=["bare", "fence"]
)
def test_a_worked_answer_passes_in_every_accepted_carrier(file: Path, carrier: str) -> None:
    contract = load_contract(file.parent.name)
    text = file.read_text(encoding="utf-8").strip()
    found = read_answer(carrier.replace("{}", text))

    assert (found.outcome, found.findings) == ("answer", ())
    assert schema_problems(contract, found.value) == ()
    selection = contract.read(found.value).selection
    assert selection is DECLINED if file.stem == "declined" else isinstance(selection, Choice)


@every_answer
def test_a_worked_answer_fails_without_any_one_required_field(file: Path) -> None:
    contract = load_contract(file.parent.name)
    answer = json.loads(file.read_text(encoding="utf-8"))

    for name in response_schema(contract).schema["required"]:
        broken = {key: value for key, value in answer.items() if key != name}
        assert [(each.kind, each.pointer) for each in schema_problems(contract, broken)] == [
            ("missing", f"/{name}")
        ]


@pytest.mark.skipif(not TAXONOMY, reason="the source documents are not beside this checkout")
def test_the_worked_answer_of_the_search_taxonomy_passes() -> None:
    (document,) = TAXONOMY
    example = re.search(
        r"^#+ 7\.1 .*?LLM's JSON Response.*?^```json\n(.*?)^```",
        document.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert example is not None
    answer: Any = json.loads(example[1])
    contract = load_contract("workflow-selection-2.7")

    assert schema_problems(contract, answer) == ()
    choice = contract.read(answer).choice
    assert choice is not None
    assert choice.confidence == 0.95


@pytest.mark.skipif(not STRATEGIES, reason="the source documents are not beside this checkout")
def test_the_worked_answers_of_the_strategies_pass_once_their_braces_are_repaired() -> None:
    (document,) = STRATEGIES
    examples = re.findall(
        r"^\*\*Expected Response\*\*:\n```json\n(.*?)^```",
        document.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    contract = load_contract("playbook-strategies-2.0")
    ids: list[object] = []
    for example in examples:
        answer: Any = json.loads(closed(example))
        assert schema_problems(contract, answer) == ()
        read = contract.read(answer)
        assert isinstance(read.alternatives, tuple)
        ids.append([read.choice and read.choice.id, len(read.alternatives)])

    assert ids == [["oomkill-scale-down", 0], ["oomkill-increase-memory", 1]]


def closed(text: str) -> str:
    """Return a JSON text with the braces at its end that it lacks."""
    return text.rstrip() + "}" * (text.count("{") - text.count("}"))


def test_golden_files_are_not_rewritten_where_ci_is_set() -> None:
    refused = subprocess.run(
        [sys.executable, "-m", "pytest", "--update-golden", "--collect-only", "-q", "tests/contracts"],
        cwd=ROOT,
        env={"CI": "true"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert refused.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--update-golden: refused where CI is set" in refused.stderr

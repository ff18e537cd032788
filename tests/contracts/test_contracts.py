"""What every released contract promises."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from harness.contracts import CONTRACTS, load_contract
from harness.contracts.clauses import CLAUSES, clause
from harness.contracts.taxonomy import CANONICAL_SIGNAL_TYPES, REASON_CODES
from harness.contracts.wire import REMEMBERED, decode_hits, encode_hits
from harness.graders import GRADERS
from harness.model import Contract, Hit, Parameter

every_contract = pytest.mark.parametrize("contract", CONTRACTS, ids=lambda each: each.id)


@every_contract
def test_every_clause_that_applies_is_described_once(contract: Contract) -> None:
    assert len(set(contract.clauses)) == len(contract.clauses)
    assert all(clause(each).text for each in contract.clauses)


@every_contract
def test_every_rule_that_is_graded_and_must_be_kept_has_an_anchor(contract: Contract) -> None:
    must = {each.clause for each in GRADERS if clause(each.clause).level == "MUST"} & set(contract.clauses)

    assert must <= set(contract.anchors)


@pytest.mark.parametrize(
    "contract", [each for each in CONTRACTS if each.catalog_tool], ids=lambda each: each.id
)
def test_no_enum_stands_on_a_business_label(contract: Contract) -> None:
    assert contract.catalog_tool is not None
    properties = contract.catalog_tool.parameters["properties"]
    leading = ["query"] if contract.query_leads else ["signal_type", "severity"]

    assert all("enum" not in properties[wire] for wire in contract.labels.values())
    assert contract.catalog_tool.parameters["required"] == leading


@every_contract
def test_a_target_searches_the_catalog_or_is_given_a_list(contract: Contract) -> None:
    assert (contract.catalog_tool is None) == (contract.given is not None)
    assert bool(contract.labels) == (contract.catalog_tool is not None)


def test_no_contract_imports_another() -> None:
    modules = {each: sys.modules[each.build_request.__module__] for each in CONTRACTS}
    texts = {
        each.id: Path(str(module.__file__)).read_text(encoding="utf-8") for each, module in modules.items()
    }
    names = {each.id: module.__name__.rsplit(".", 1)[-1] for each, module in modules.items()}

    assert not [(one, other) for one, text in texts.items() for other, name in names.items() if name in text]


def test_recoveries_know_the_ten_types_and_the_nineteen_codes() -> None:
    recovery = load_contract("workflow-recovery-1.0")

    assert {each.signal_types for each in CONTRACTS if each.flow == "incident"} == {CANONICAL_SIGNAL_TYPES}
    assert len(CANONICAL_SIGNAL_TYPES) == 10
    assert len(REASON_CODES) == 19
    assert set(recovery.signal_types) == {*CANONICAL_SIGNAL_TYPES, *REASON_CODES}


def test_clause_ids_are_unique() -> None:
    ids = [each.id for each in CLAUSES]

    assert len(set(ids)) == len(ids)


DEFINITION = '{"type": "integer", "required": true, "description": "how many"}'
NAMED = '{"name": "N", "type": "integer", "required": true, "description": "how many"}'
SHOWN = {
    "workflow-selection-2.7": (
        '{"workflows": [{"workflow_id": "a", "version": "1.0", "confidence": 0.93, '
        f'"parameters": {{"N": {DEFINITION}}}}}], "total_results": 7}}'
    ),
    "playbook-strategies-2.0": (
        '{"playbooks": [{"playbook_id": "a", "version": "1.0", "name": "A", "description": "d", '
        f'"parameters": [{NAMED}]}}]}}'
    ),
    "playbook-selection-2.0": (
        f'{{"playbooks": [{{"playbook_id": "a", "title": "A", "description": "d", "parameters": [{NAMED}],'
        ' "similarity_score": 0.93, "estimated_duration": "4m", "success_rate": 0.9}]}'
    ),
    "playbook-minimal-1.0": (
        '{"playbooks": [{"playbook_id": "a", "version": "1.0", "description": "d", "confidence": 0.93}], '
        '"total_results": 7}'
    ),
}  # fmt: skip
SHOWN["workflow-recovery-1.0"] = SHOWN["workflow-selection-2.7"]


@every_contract
def test_results_have_exactly_the_fields_of_the_contract_and_come_back_unchanged(contract: Contract) -> None:
    parameters = {"N": Parameter(type="integer", required=True, description="how many")}
    hit = Hit("a", "1.0", 0.93, parameters, "A", "d", "4m", 0.9)
    fields = contract.result.fields

    text = encode_hits(contract, [hit], 7)

    assert text == SHOWN[contract.id]
    decoded = decode_hits(contract, text)
    assert decoded is not None
    assert decoded[1] == (7 if contract.result.total_key else None)
    (back,) = decoded[0]
    assert (back.id, back.version) == ("a", "1.0" if "version" in fields else None)
    assert back.confidence == (0.93 if "confidence" in fields else None)
    assert back.parameters == ({"N": json.loads(DEFINITION)} if "parameters" in fields else {})


@every_contract
@pytest.mark.parametrize(
    "text", [None, "", "[]", "{}", '{"error": "x"}', '{"workflows": 3, "playbooks": 3}', "[" * 100_000]
)
def test_what_is_no_result_is_not_read_as_one(contract: Contract, text: str | None) -> None:
    assert decode_hits(contract, text) is None


@every_contract
def test_a_result_is_remembered_where_it_is_short(contract: Contract) -> None:
    hit = Hit("a", "1.0", 0.93, {}, "A", "d", "4m", 0.9)
    short, long = (encode_hits(contract, [replace(hit, id=text)], 1) for text in ("a", "a" * REMEMBERED))

    assert decode_hits(contract, short) is decode_hits(contract, short)
    assert decode_hits(contract, long) == decode_hits(contract, long)
    assert decode_hits(contract, long) is not decode_hits(contract, long)

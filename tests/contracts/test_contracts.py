"""What every released contract promises."""

import pytest

from harness.contracts import CONTRACTS
from harness.contracts.clauses import CLAUSES, clause
from harness.contracts.taxonomy import CANONICAL_SIGNAL_TYPES, REASON_CODES
from harness.contracts.wire import decode_hits, encode_hits
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


@every_contract
def test_no_enum_stands_on_a_business_label(contract: Contract) -> None:
    assert contract.catalog_tool is not None
    properties = contract.catalog_tool.parameters["properties"]

    assert all("enum" not in properties[wire] for wire in contract.labels.values())
    assert contract.catalog_tool.parameters["required"] == ["query"]


def test_recoveries_know_the_ten_types_and_the_nineteen_codes() -> None:
    incident, recovery = CONTRACTS

    assert incident.signal_types == CANONICAL_SIGNAL_TYPES
    assert len(CANONICAL_SIGNAL_TYPES) == 10
    assert len(REASON_CODES) == 19
    assert set(recovery.signal_types) == {*CANONICAL_SIGNAL_TYPES, *REASON_CODES}


def test_clause_ids_are_unique() -> None:
    ids = [each.id for each in CLAUSES]

    assert len(set(ids)) == len(ids)


@every_contract
def test_results_have_exactly_the_fields_of_the_contract_and_come_back_unchanged(contract: Contract) -> None:
    hit = Hit("a", "1.0", 0.93, {"N": Parameter(type="integer", required=True, description="how many")})

    text = encode_hits(contract, [hit], 7)

    assert text == (
        '{"workflows": [{"workflow_id": "a", "version": "1.0", "confidence": 0.93, "parameters": '
        '{"N": {"type": "integer", "required": true, "description": "how many"}}}], "total_results": 7}'
    )
    decoded = decode_hits(contract, text)
    assert decoded is not None
    assert decoded[1] == 7
    assert decoded[0][0].confidence == 0.93


@every_contract
@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"error": "x"}', '{"workflows": 3}', "[" * 100_000])
def test_what_is_no_result_is_not_read_as_one(contract: Contract, text: str | None) -> None:
    assert decode_hits(contract, text) is None

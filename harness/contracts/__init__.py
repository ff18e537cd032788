"""The released contracts, one module each; none imports another."""

from harness.contracts import (
    playbook_minimal_1_0,
    playbook_selection_2_0,
    playbook_strategies_2_0,
    workflow_recovery_1_0,
    workflow_selection_2_7,
)
from harness.errors import UnknownName
from harness.model.contract import Contract
from harness.model.scenario import Flow

CONTRACTS: tuple[Contract, ...] = (
    workflow_selection_2_7.CONTRACT,
    workflow_recovery_1_0.CONTRACT,
    playbook_strategies_2_0.CONTRACT,
    playbook_selection_2_0.CONTRACT,
    playbook_minimal_1_0.CONTRACT,
)

DEFAULT_BY_FLOW: dict[Flow, str] = {
    "incident": workflow_selection_2_7.CONTRACT.id,
    "recovery": workflow_recovery_1_0.CONTRACT.id,
}


def load_contract(contract_id: str) -> Contract:
    """Return the contract of this id; raise UnknownName."""
    for contract in CONTRACTS:
        if contract.id == contract_id:
            return contract
    raise UnknownName("contract", contract_id, [each.id for each in CONTRACTS])

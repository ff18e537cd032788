"""Whether requests hold what their contract says and refuse what it refuses (REQ-1, REQ-2)."""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any

from pydantic import ValidationError

from harness.model import Contract
from harness.prompting.lint import probes
from harness.scenarios.lint import LintFinding, about_contract

_REFUSED: tuple[tuple[tuple[str, ...], Any], ...] = (
    (("recovery_attempt_number",), 0),
    (("remediation_id",), ""),
    (("is_recovery_attempt",), False),
    (("enrichment_results",), None),
    (("previous_execution",), None),
    (("previous_execution", "failure", "failed_step_index"), -1),
    (("previous_execution", "failure", "failed_at"), "yesterday"),
    (("previous_execution", "failure", "execution_time"), "a while"),
    (("previous_execution", "failure", "reason"), "the pod ran out of memory"),
)
"""What a recovery request must not take; an unknown code passes, as the probe's own reason shows."""


def requests_keep_shape(contracts: Iterable[Contract]) -> Iterator[LintFinding]:
    """Yield fields that a request lacks or withholds, and values that a recovery must refuse and takes."""
    for contract in contracts:
        recovery = contract.flow == "recovery"
        for problem in (*_fields(contract), *(_taken(contract) if recovery else ())):
            name = contract.request.__name__
            yield about_contract(contract, "REQ-2" if recovery else "REQ-1", problem, f"class {name}")


def _fields(contract: Contract) -> Iterator[str]:
    fields = set(contract.request.model_fields)
    for name in contract.prompt_fields:
        if name not in fields:
            yield f"the request has no field {name!r}, which the prompt owes"
    for word in contract.withheld:
        for name in sorted(fields):
            if word.replace(" ", "_") in name and name not in contract.prompt_fields:
                yield f"the request has the field {name!r}, and {word!r} is withheld"


def _taken(contract: Contract) -> Iterator[str]:
    right = contract.build_request(probes.full("recovery")).model_dump()
    for path, value in _REFUSED:
        try:
            contract.request.model_validate(_with(right, path, value))
        except ValidationError:
            continue
        yield f"the request takes {value!r} as {'.'.join(path)}"


def _with(request: dict[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    made = deepcopy(request)
    place = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return made

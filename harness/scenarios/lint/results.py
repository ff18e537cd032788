"""Whether results hold the contract's fields (CAT-3), matching entries (CAT-4), each admitted (CAT-7)."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from harness.catalog import search_catalog
from harness.contracts import CONTRACTS
from harness.contracts.admission import ADMISSIONS
from harness.contracts.wire import DEFAULT_MIN_CONFIDENCE, encode_hits
from harness.model import Contract, Entry
from harness.scenarios.lint.finding import LintFinding, about_contract
from harness.scenarios.lint.written import Written


def results_exact(contracts: Iterable[Contract], entries: Sequence[Entry]) -> Iterator[LintFinding]:
    """Yield what a search over all entries shows beyond the contract's fields, or does not tell of them."""
    for contract in contracts:
        if contract.catalog_tool or contract.given:
            found = search_catalog(entries, "", {}, min_confidence=0, max_results=len(entries))
            text = encode_hits(contract, found.hits, found.total)
            for problem in (*_shape(contract, text), *_leaks(contract, text, entries), *_untold(contract)):
                yield about_contract(contract, "CAT-3", problem, "result=ResultShape")


def _shape(contract: Contract, text: str) -> Iterator[str]:
    result: dict[str, Any] = json.loads(text)
    frame = _frame(contract)
    if set(result) != frame:
        yield f"a result has {', '.join(sorted(result))}; it has {' and '.join(sorted(frame))}"
    fields = set(contract.result.fields.values())
    rows: list[dict[str, Any]] = result.get(contract.result.list_key, [])
    strange = next((set(row) ^ fields for row in rows if set(row) != fields), None)
    if strange:
        yield f"an entry of a result differs from the contract in {', '.join(sorted(strange))}"


def _frame(contract: Contract) -> set[str]:
    shape = contract.result
    return {shape.list_key, *((shape.total_key,) if shape.total_key else ())}


def _leaks(contract: Contract, text: str, entries: Sequence[Entry]) -> Iterator[str]:
    """Yield the first description that results show where the contract keeps it to the ranking."""
    if "description" not in contract.result.fields:
        told = (each.workflow_id for each in entries if json.dumps(each.description)[1:-1] in text)
        yield from (f"results show the description of {each}" for each in list(told)[:1])


def _untold(contract: Contract) -> Iterator[str]:
    """Yield the fields of which the tool's description says nothing."""
    tool = contract.catalog_tool
    for name in contract.result.fields.values():
        if tool and not re.search(rf"\b{name}\b", tool.description):
            yield f"the description of {tool.name} does not name the field {name!r} of its results"


def fields_admitted(contracts: Iterable[Contract]) -> Iterator[LintFinding]:
    """Yield the result fields whose four admission tests are not all answered (CAT-7)."""
    for contract in contracts:
        answered = ADMISSIONS.get(contract.id) or _answered_of_released(contract)
        for name in (*contract.result.fields.values(), *(_frame(contract) - {contract.result.list_key})):
            if name not in answered:
                message = f"the result field {name!r} has no recorded answers; add them to ADMISSIONS"
                yield about_contract(contract, "CAT-7", message, "result=ResultShape")


def _answered_of_released(contract: Contract) -> set[str]:
    """Return the fields of a contract from outside whose subject a released one has answers for.

    What a field says is the same under any spelling, and so are the answers.
    """
    subjects = {
        subject
        for each in CONTRACTS
        for subject, wire in each.result.fields.items()
        if wire in ADMISSIONS.get(each.id, {})
    }
    fields = contract.result.fields.items() if contract.origin else ()
    return {"total_results", *(wire for subject, wire in fields if subject in subjects)}


def returned_match(written: Written) -> Iterator[LintFinding]:
    """Every entry that an accepted search returns carries every label it was searched by (CAT-4)."""
    scenario = written.scenario
    entries = {(each.workflow_id, each.version): each for each in scenario.catalog}
    for signal_type in scenario.expect.signal_types:
        for severity in scenario.expect.severities:
            labels = {**scenario.business.given(), "signal_type": signal_type, "severity": severity}
            found = search_catalog(
                scenario.catalog,
                f"{signal_type} {severity}",
                labels,
                min_confidence=DEFAULT_MIN_CONFIDENCE,
                max_results=len(scenario.catalog) or 1,
            )
            for hit in found.hits:
                entry = entries[hit.id, hit.version or ""]
                wrong = [name for name, value in labels.items() if value not in entry.label(name)]
                if wrong:
                    yield written.says(
                        ("catalog",),
                        f"the search returns {hit.id!r}, whose {wrong[0]} is another",
                        clause="CAT-4",
                    )

"""Whether search results hold the fields of the contract, all of them told, and nothing else (CAT-3)."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from harness.catalog import search_catalog
from harness.contracts.wire import encode_hits
from harness.model import Contract, Entry
from harness.scenarios.lint.finding import LintFinding, about_contract


def results_exact(contracts: Iterable[Contract], entries: Sequence[Entry]) -> Iterator[LintFinding]:
    """Yield what a search over all entries shows beyond the contract's fields, or does not tell of them."""
    for contract in contracts:
        if contract.catalog_tool is not None:
            found = search_catalog(entries, "", {}, min_confidence=0, max_results=len(entries))
            text = encode_hits(contract, found.hits, found.total)
            for problem in (*_shape(contract, text), *_leaks(contract, text, entries), *_untold(contract)):
                yield about_contract(contract, "CAT-3", problem, "result=ResultShape")


def _shape(contract: Contract, text: str) -> Iterator[str]:
    result: dict[str, Any] = json.loads(text)
    frame = {contract.result.list_key, "total_results"}
    if set(result) != frame:
        yield f"a result has {', '.join(sorted(result))}; it has {' and '.join(sorted(frame))}"
    fields = set(contract.result.fields.values())
    rows: list[dict[str, Any]] = result.get(contract.result.list_key, [])
    strange = next((set(row) ^ fields for row in rows if set(row) != fields), None)
    if strange:
        yield f"an entry of a result differs from the contract in {', '.join(sorted(strange))}"


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

"""Whether the lists that prompts give in place of a search lead to a right choice (SCN-1, CAT-4)."""

from collections.abc import Iterator

from harness.catalog.given import given_list, screening
from harness.model import Contract
from harness.scenarios.lint.finding import LintFinding
from harness.scenarios.lint.written import Written

_PLACE = ("expect", "workflows", "accepted")


def selection_given(written: Written) -> Iterator[LintFinding]:
    """An accepted workflow stands in every list, and on top of one that says how well entries fit."""
    scenario = written.scenario
    accepted = scenario.expect.workflows.accepted
    for contract in written.giving:
        found = given_list(contract, scenario)
        hits = found.hits if found else ()
        if not hits and not contract.may_decline:
            yield written.says(_PLACE, f"the list of {contract.id} is empty, and it cannot decline")
        if not accepted:
            continue
        best = max((hit.confidence or 0.0 for hit in hits), default=0.0)
        if not any(hit.id in accepted for hit in hits):
            listed = ", ".join(hit.id for hit in hits) or "nothing"
            message = f"the list of {contract.id} has {listed}, and nothing accepted"
            yield written.says(_PLACE, message)
        elif wrong := [hit.id for hit in hits if hit.confidence == best > 0 and hit.id not in accepted]:
            message = (
                f"the list of {contract.id} ranks {wrong[0]} first; state the accepted one's `similarity`"
            )
            yield written.says(_PLACE, message)


def given_match(written: Written) -> Iterator[LintFinding]:
    """Every entry of a screened list passes every filter that it was made by (CAT-4)."""
    for contract in written.giving:
        for name, filters in _failing(contract, written):
            message = f"the list of {contract.id} has {name!r}, which fails by its {filters}"
            yield written.says(("catalog",), message, clause="CAT-4")


def _failing(contract: Contract, written: Written) -> Iterator[tuple[str, str]]:
    scenario, given = written.scenario, contract.given
    found = given_list(contract, scenario)
    for hit in found.hits if found and given and given.screened else ():
        entry = scenario.entry(hit.id)
        passed = screening(given, scenario, entry) if entry and given else None
        if passed is not None and not passed.passed:
            yield hit.id, ", ".join(name for name in passed.__slots__ if not getattr(passed, name))


def similarity_known(written: Written) -> Iterator[LintFinding]:
    """A stated similarity is that of an entry of the catalog; a pair may have taken the entry out."""
    if written.source.of:
        return
    ids = {each.workflow_id for each in written.scenario.catalog}
    for name in written.scenario.similarity:
        if name not in ids:
            yield written.says(("similarity", name), f"found {name!r}, which the catalog does not have")

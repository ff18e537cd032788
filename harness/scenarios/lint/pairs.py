"""Whether a paired scenario changes what its relation is about, and nothing that would excuse an answer."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from harness.contracts.reading import at
from harness.model import Scenario
from harness.scenarios.lint.finding import LintFinding
from harness.scenarios.lint.written import Written

_UNJUDGED = {"priority", "risk_tolerance"}


def pair_fits(written: Written, base: Scenario) -> Iterator[LintFinding]:
    """Yield what keeps a pair from showing its relation (MET-1 to MET-5)."""
    pair = written.scenario.pair
    check = _CHECKS.get(pair.relation) if pair else None
    problem = check(written, base) if check else None
    if pair and problem:
        yield written.says(("pair", "relation"), f"found {pair.relation}; {problem}")


def _changes(written: Written) -> Mapping[str, Any]:
    found = at(written.document.value, "/pair/changes")
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _only_priority(written: Written, base: Scenario) -> str | None:
    business = written.scenario.business.model_dump()
    moved = {name for name, value in base.business.model_dump().items() if business[name] != value}
    if not moved or moved - _UNJUDGED:
        return "change business.priority or business.risk_tolerance, and no other business field"
    same = written.scenario.impact == base.impact
    return None if same else "priority alone moves no severity; leave the impact as it is"


def _moved(written: Written, base: Scenario) -> str | None:
    one, other = written.scenario.expect, base.expect
    if set(one.severities) & set(other.severities) and set(one.signal_types) & set(other.signal_types):
        return "neither the accepted severities nor the accepted signal types move apart"
    return None


def _renamed(written: Written, _: Scenario) -> str | None:
    pair = written.scenario.pair
    return None if pair and pair.renamed else "rename at least one resource"


def _reordered(written: Written, _: Scenario) -> str | None:
    return None if written.scenario.hits_reversed or "world" in _changes(written) else "reverse the hits"


def _remedy_gone(written: Written, base: Scenario) -> str | None:
    ids = {each.workflow_id for each in written.scenario.catalog if each.status == "active"}
    left = [each for each in base.expect.workflows.accepted if each in ids]
    return f"{left[0]!r} is still in the catalog; take it out" if left else None


_CHECKS: Mapping[str, Callable[[Written, Scenario], str | None]] = {
    "MET-1": _only_priority,
    "MET-2": _moved,
    "MET-3": _renamed,
    "MET-4": _reordered,
    "MET-5": _remedy_gone,
}

"""How good the lists are that a contract screens for a model, and how a model picks from them (MET-6, C5).

Catalog and model are counted apart: a list may rank the wrong entry first, and a model may pick another
than the first. Targets are those of DD-CONTEXT-005.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from harness.catalog.given import Screening, screening
from harness.contracts.wire import as_shown
from harness.model import Contract, Hit, Scenario

CHARACTERS_PER_TOKEN = 4
"""What English and JSON come to with the tokenizers of today, roughly."""


@dataclass(frozen=True, slots=True)
class ListFigures:
    """The lists of one contract over the scenarios of a run, in entries unless said otherwise.

    `solvable` are lists of scenarios in which some workflow is right, `solved` those among them whose
    highest confidence is a right one's. `tokens` is the mean of an entry, None where no entry was listed.
    """

    contract: str
    lists: int
    entries: int
    matching: int
    high_risk: int
    unprepared: int
    mismatched: int
    solvable: int
    solved: int
    tokens: float | None


def list_figures(
    contract: Contract, scenarios: Iterable[Scenario], given: Mapping[str, tuple[Hit, ...]]
) -> ListFigures:
    """Return the figures of a contract's lists.

    Args:
        contract: one with screened lists.
        scenarios: those of the run, with their catalogs.
        given: scenario id -> the list that its prompts showed.
    """
    told = [(each, given[each.id]) for each in scenarios if each.id in given]
    fared = [
        found for scenario, hits in told for hit in hits if (found := _screened(contract, scenario, hit))
    ]
    solvable = [(scenario, hits) for scenario, hits in told if scenario.expect.workflows.accepted]
    shown = [
        json.dumps(as_shown(contract, [hit], 0)[contract.result.list_key]) for _, hits in told for hit in hits
    ]
    return ListFigures(
        contract=contract.id,
        lists=len(told),
        entries=len(shown),
        matching=sum(each.labels and each.incident_type for each in fared),
        high_risk=sum(not each.risk for each in fared),
        unprepared=sum(not each.prerequisites for each in fared),
        mismatched=sum(not each.incident_type for each in fared),
        solvable=len(solvable),
        solved=sum(_right_on_top(scenario, hits) for scenario, hits in solvable),
        tokens=sum(map(len, shown)) / len(shown) / CHARACTERS_PER_TOKEN if shown else None,
    )


def _screened(contract: Contract, scenario: Scenario, hit: Hit) -> Screening | None:
    entry = scenario.entry(hit.id)
    return screening(contract.given, scenario, entry) if entry and contract.given else None


def _right_on_top(scenario: Scenario, hits: tuple[Hit, ...]) -> bool:
    best = max((hit.confidence or 0.0 for hit in hits), default=0.0)
    top = [hit.id for hit in hits if hit.confidence == best]
    return bool(top) and set(top) <= set(scenario.expect.workflows.accepted)

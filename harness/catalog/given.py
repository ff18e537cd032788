"""The lists that stand in a prompt in place of a search.

A screened list (DD-CONTEXT-005) holds what passes every filter, so that a model need not: the business
labels, the incident's type, no high risk in production whatever the tolerance, prerequisites that the
cluster meets. Its confidence is 0.5 * semantic + 0.5 * label match. All that is listed matches every label
that was asked for, so the second term is 1.0; the semantic term is

    what the scenario states for the entry, else 0.60 + 0.40 * (cosine of the two bags of lower-case words)

because short texts about one type of incident are alike to any embedding, and the words of an alert alone
do not find its remedy. Confidences are rounded to two decimals.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from weakref import ref

from harness.catalog.ranking import alike
from harness.catalog.search import SearchResult, hit_of, matches, offered
from harness.model import Contract, Entry, GivenList, Hit, Scenario

SEMANTIC_WEIGHT, LABELS_WEIGHT = 0.5, 0.5
SAME_INCIDENT = 0.60
MIN_CONFIDENCE = 0.7


@dataclass(frozen=True, slots=True)
class Screening:
    """Whether one entry may stand in a screened list, filter by filter."""

    labels: bool
    incident_type: bool
    risk: bool
    prerequisites: bool

    @property
    def passed(self) -> bool:
        """Whether no filter keeps the entry out."""
        return self.labels and self.incident_type and self.risk and self.prerequisites


def given_list(contract: Contract, scenario: Scenario) -> SearchResult | None:
    """Return the list that a contract's prompt shows for a scenario, or None where the target searches."""
    if contract.given is None:
        return None
    # Of one scenario many samples are judged, and a list takes a millisecond.
    key = (id(contract), id(scenario))
    known = _LISTS.get(key)
    # A number may be given again to what comes later: only who is still there is recognised.
    if known is not None and known[0]() is scenario and known[1]() is contract:
        return known[2]
    found = _listed(contract.given, scenario)
    if len(_LISTS) >= _MOST_LISTS:
        _LISTS.clear()
    _LISTS[key] = ref(scenario), ref(contract), found
    return found


_MOST_LISTS = 2_048
_LISTS: dict[tuple[int, int], tuple[ref[Scenario], ref[Contract], SearchResult]] = {}


def _listed(given: GivenList, scenario: Scenario) -> SearchResult:
    entries = [each for each in scenario.catalog if offered(each)]
    hits = _screened(given, scenario, entries) if given.screened else _matching(given, scenario, entries)
    shown = hits[: given.max_results]
    return SearchResult(tuple(shown[::-1] if scenario.hits_reversed else shown), len(hits))


def screening(given: GivenList, scenario: Scenario, entry: Entry) -> Screening:
    """Return how an entry fares under each filter of a screened list."""
    return Screening(
        **{name: lets_through(given, scenario, entry) for name, lets_through in _FILTERS.items()}
    )


def _suits_type(_: GivenList, scenario: Scenario, entry: Entry) -> bool:
    return scenario.incident_type in (entry.label("incident_type") or entry.label("signal_type"))


def _suits_risk(_: GivenList, scenario: Scenario, entry: Entry) -> bool:
    return scenario.business.environment != "production" or "high" not in entry.label("risk_level")


_FILTERS: Mapping[str, Callable[[GivenList, Scenario, Entry], bool]] = {
    "labels": lambda given, scenario, entry: matches(entry, _labels(given, scenario)),
    "incident_type": _suits_type,
    "risk": _suits_risk,
    # Last, since a whole world is built to tell.
    "prerequisites": lambda _, scenario, entry: prerequisites_met(scenario, entry),
}


def prerequisites_met(scenario: Scenario, entry: Entry) -> bool:
    """Return whether some node of the cluster carries every label that an entry needs."""
    needed = entry.prerequisites.items()
    if not needed:
        return True
    nodes = [each for each in scenario.world.objects if each.get("kind") == "Node"]
    carried: list[dict[str, Any]] = [each.get("metadata", {}).get("labels") or {} for each in nodes]
    return any(needed <= labels.items() for labels in carried)


def _labels(given: GivenList, scenario: Scenario) -> dict[str, str]:
    return {name: value for name, value in scenario.business.given().items() if name in given.labels}


def _matching(given: GivenList, scenario: Scenario, entries: list[Entry]) -> list[Hit]:
    found = [hit_of(each, None) for each in entries if matches(each, _labels(given, scenario))]
    return sorted(found, key=lambda hit: hit.id)


def _screened(given: GivenList, scenario: Scenario, entries: list[Entry]) -> list[Hit]:
    found = [
        replace(hit_of(each, None), confidence=_confidence(scenario, each))
        for each in entries
        if all(lets_through(given, scenario, each) for lets_through in _FILTERS.values())
    ]
    ranked = sorted(found, key=lambda hit: (-(hit.confidence or 0.0), hit.id))
    return [each for each in ranked if (each.confidence or 0.0) >= MIN_CONFIDENCE]


def _confidence(scenario: Scenario, entry: Entry) -> float:
    stated = scenario.similarity.get(entry.workflow_id)
    semantic = stated if stated is not None else _semantic(scenario, entry)
    return round(SEMANTIC_WEIGHT * semantic + LABELS_WEIGHT * 1.0, 2)


def _semantic(scenario: Scenario, entry: Entry) -> float:
    error, signal = scenario.error, scenario.signal
    told = (scenario.incident_type, signal.alert_name, error.error_message, error.description)
    described = " ".join(each for each in told if each)
    return SAME_INCIDENT + (1 - SAME_INCIDENT) * alike(described, entry.description)

"""The catalog search: exact label filter, documented ranking, threshold, limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.catalog import search_catalog
from harness.catalog.ranking import confidence
from harness.model import Entry, Scenario

LIVE = {
    "signal_type": "OOMKilled",
    "severity": "critical",
    "environment": "production",
    "priority": "P0",
    "risk_tolerance": "low",
    "business_category": "revenue-critical",
}


def ids(scenario: Scenario, query: str = "OOMKilled critical", **labels: str) -> list[str]:
    found = search_catalog(scenario.catalog, query, {**LIVE, **labels}, min_confidence=0.7, max_results=10)
    return [hit.id for hit in found.hits]


def test_matches_come_best_first(incident: Scenario) -> None:
    assert ids(incident) == ["raise-memory-limit", "add-replicas"]


def test_only_the_latest_version_is_returned(incident: Scenario) -> None:
    found = search_catalog(incident.catalog, "OOMKilled critical", LIVE, min_confidence=0, max_results=10)

    assert [(hit.id, hit.version) for hit in found.hits] == [
        ("raise-memory-limit", "1.4.0"),
        ("add-replicas", "2.0.1"),
    ]


@pytest.mark.parametrize(
    ("label", "value"),
    [
        ("signal_type", "Evicted"),
        ("severity", "low"),
        ("environment", "prod"),
        ("priority", "p0"),
        ("risk_tolerance", "high"),
        ("business_category", "revenue-critical "),
    ],
)
def test_each_label_filters_exactly(incident: Scenario, label: str, value: str) -> None:
    assert ids(incident, **{label: value}) == []


def test_the_total_counts_matches_before_the_limit(incident: Scenario) -> None:
    found = search_catalog(incident.catalog, "OOMKilled critical", LIVE, min_confidence=0.7, max_results=1)

    assert (len(found.hits), found.total) == (1, 2)


def test_a_deprecated_entry_is_not_found(incident: Scenario) -> None:
    old = [each.model_copy(update={"status": "deprecated"}) for each in incident.catalog]

    assert search_catalog(old, "OOMKilled critical", LIVE, min_confidence=0, max_results=9).total == 0


def test_ties_are_broken_by_id(incident: Scenario) -> None:
    twin = incident.catalog[0].model_copy(update={"workflow_id": "a-twin"})
    found = search_catalog(
        [*incident.catalog, twin], "OOMKilled critical", LIVE, min_confidence=0.7, max_results=9
    )

    assert [hit.id for hit in found.hits][:2] == ["a-twin", "raise-memory-limit"]


ENTRY = Entry(
    workflow_id="x",
    version="1",
    description="OOMKilled critical: raise the memory limit",
    labels={"kubernaut.io/signal-type": "OOMKilled", "kubernaut.io/severity": ["critical", "high"]},
)


@given(st.text(max_size=200))
def test_keywords_never_move_an_exact_query_below_090(keywords: str) -> None:
    assert 0.90 <= confidence(f"OOMKilled critical {keywords}", ENTRY) <= 1.0


@given(st.text(max_size=200))
def test_two_wrong_leading_words_stay_below_the_threshold(rest: str) -> None:
    assert confidence(f"Evicted low {rest}", ENTRY) < 0.7


def test_a_wrong_severity_still_finds_the_entry_and_a_wrong_type_does_not() -> None:
    assert confidence("OOMKilled low", ENTRY) >= 0.7
    assert confidence("Evicted critical", ENTRY) < 0.7

"""Search the catalog as the platform does: filter by labels, rank, cut at threshold and limit (CAT-1)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from harness.catalog.ranking import confidence
from harness.model.catalog import Entry, Hit


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The hits, best first, and how many matched before the limit."""

    hits: tuple[Hit, ...]
    total: int


Ranker = Callable[[str, Entry], float]
"""How well an entry fits a query, at most 1: the confidence of a hit."""


class CatalogSearch(Protocol):
    """What finds entries for a model: `search_catalog`, or a database that is searched in its place."""

    def __call__(
        self,
        entries: Iterable[Entry],
        query: str,
        labels: Mapping[str, Any],
        *,
        min_confidence: float,
        max_results: int,
    ) -> SearchResult:
        """Return what a search finds among active, latest entries."""
        ...


def search_catalog(
    entries: Iterable[Entry],
    query: str,
    labels: Mapping[str, Any],
    *,
    min_confidence: float,
    max_results: int,
    rank: Ranker = confidence,
) -> SearchResult:
    """Return what a search finds among active, latest entries.

    Args:
        entries: the whole catalog.
        query: free text that the ranker compares with descriptions.
        labels: version-free label names with the values sent; each must match exactly, a list is membership.
        min_confidence: the threshold, inclusive.
        max_results: how many hits to return at most; `total` counts all of them.
        rank: what gives the confidence; another one needs a threshold of its own.
    """
    ranked = sorted(
        (hit_of(entry, rank(query, entry)) for entry in entries if offered(entry) and matches(entry, labels)),
        key=lambda hit: (-(hit.confidence or 0.0), hit.id),
    )
    found = [hit for hit in ranked if (hit.confidence or 0.0) >= min_confidence]
    return SearchResult(tuple(found[:max_results]), len(found))


def hit_of(entry: Entry, score: float | None) -> Hit:
    """Return all that a result could show of an entry; the contract's fields decide what it does show."""
    return Hit(
        id=entry.workflow_id,
        version=entry.version,
        confidence=score,
        parameters=dict(entry.parameters),
        title=entry.name,
        description=entry.description,
        estimated_duration=entry.estimated_duration,
        success_rate=entry.success_rate,
    )


def offered(entry: Entry) -> bool:
    """Return whether an entry can be selected at all: active, and the latest of its versions."""
    return entry.status == "active" and entry.is_latest_version


def matches(entry: Entry, labels: Mapping[str, Any]) -> bool:
    """Return whether an entry carries every label with the value sent."""
    return all(value in entry.label(name) for name, value in labels.items())

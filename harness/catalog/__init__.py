"""The workflow catalog: exact label filter, then ranking."""

from harness.catalog.search import SearchResult, search_catalog

__all__ = ["SearchResult", "search_catalog"]

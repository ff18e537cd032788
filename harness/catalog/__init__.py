"""The workflow catalog: exact label filter, then ranking; by a search, or as a list in the prompt."""

from harness.catalog.given import given_list
from harness.catalog.search import CatalogSearch, Ranker, SearchResult, search_catalog

__all__ = ["CatalogSearch", "Ranker", "SearchResult", "given_list", "search_catalog"]

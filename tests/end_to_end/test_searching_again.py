"""A search that comes again: from memory where the catalog is searched in process, else made again."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from harness.catalog import search_catalog
from harness.catalog.search import SearchResult
from harness.contracts import load_contract
from harness.conversation import run_tool, tools_for
from harness.model import Entry, ToolCall
from harness.targets import Binding
from tests.doubles import small_scenario

CONTRACT = load_contract("workflow-selection-2.7")
QUERY = {"query": "OOMKilled high", "label.severity": "high", "min_confidence": 0.0}


def searched(binding: Binding, **arguments: Any) -> str:
    """Return what the catalog's tool answers."""
    tool = binding.contract.catalog_tool
    assert tool is not None
    call = ToolCall("c1", tool.name, json.dumps({**QUERY, **arguments}))
    return run_tool(binding, tools_for(binding.contract), call).content or ""


def test_what_is_asked_again_is_answered_alike_and_what_differs_by_itself() -> None:
    binding = Binding(small_scenario(), CONTRACT)

    answers = [searched(binding, max_results=most) for most in (1, 2, 1)]

    assert answers[0] == answers[2] != answers[1]


def test_scenarios_and_contracts_have_answers_of_their_own() -> None:
    scenario = small_scenario()
    reversed_ = scenario.model_copy(update={"hits_reversed": True})
    renamed = replace(CONTRACT, result=replace(CONTRACT.result, list_key="found"))

    plain, worst_first, spelled = (
        json.loads(searched(Binding(*each)))
        for each in ((scenario, CONTRACT), (reversed_, CONTRACT), (scenario, renamed))
    )

    hits = plain[CONTRACT.result.list_key]
    assert len(hits) == 2
    assert worst_first[CONTRACT.result.list_key] == hits[::-1]
    assert spelled["found"] == hits


def test_a_catalog_that_somebody_else_searches_is_asked_each_time() -> None:
    asked: list[str] = []

    def database(
        entries: Iterable[Entry],
        query: str,
        labels: Mapping[str, Any],
        *,
        min_confidence: float,
        max_results: int,
    ) -> SearchResult:
        asked.append(query)
        found = search_catalog(entries, query, labels, min_confidence=min_confidence, max_results=max_results)
        return SearchResult(found.hits[: len(asked) - 1], found.total)

    binding = Binding(small_scenario(), CONTRACT, database)

    assert searched(binding) != searched(binding)
    assert asked == [QUERY["query"]] * 2

"""The contract: one released version of the agreement, as data and three functions."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from harness.model.answer import Answer
from harness.model.scenario import Flow, Scenario
from harness.model.transcript import ToolSpec
from harness.model.values import digest


@dataclass(frozen=True, slots=True)
class Section:
    """One heading of the prompt, in order. `level` is the number of # signs."""

    title: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Anchor:
    """What makes a rule findable in a prompt: every pattern occurs in one and the same paragraph.

    Patterns are regular expressions over lower-case text with single spaces, so that a paraphrase which
    keeps the rule's key words keeps its anchor.
    """

    patterns: tuple[str, ...]

    def found_in(self, paragraphs: tuple[str, ...]) -> bool:
        """Return whether one paragraph holds every pattern."""
        return any(all(re.search(each, paragraph) for each in self.patterns) for paragraph in paragraphs)


@dataclass(frozen=True, slots=True)
class ResultShape:
    """How the catalog's answer is spelled on the wire.

    `fields` maps version-free words (id, version, confidence, parameters) to the contract's.
    """

    list_key: str
    fields: Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Contract:
    """One released version: prompt sections, tool, answer, vocabularies, rules. Compared by identity.

    `places` maps version-free names ("severity", "selection.confidence") to JSON pointers in the answer.
    `labels` maps version-free label names to the search tool's argument names.
    `read` takes the raw JSON value, never the validated model.
    """

    id: str
    flow: Flow
    title: str
    source: str
    request: type[BaseModel]
    build_request: Callable[[Scenario], BaseModel]
    response: type[BaseModel]
    read: Callable[[Any], Answer]
    places: Mapping[str, str]
    signal_types: tuple[str, ...]
    severities: tuple[str, ...]
    catalog_tool: ToolSpec | None
    result: ResultShape
    labels: Mapping[str, str]
    query_word: str | None
    confidence: Literal["pass_through", "own"]
    removed_fields: frozenset[str]
    sections: tuple[Section, ...]
    prompt_fields: tuple[str, ...]
    withheld: tuple[str, ...]
    anchors: Mapping[str, Anchor]
    clauses: tuple[str, ...]

    def digest(self) -> str:
        """Return the digest of everything a verdict can depend on; the prompt pack is left out on purpose.

        A changed prompt must not make two runs incomparable: that is what a prompt gate compares.
        """
        tool = self.catalog_tool
        return digest(
            {
                "id": self.id,
                "response": self.response.model_json_schema(),
                "places": dict(self.places),
                "signal_types": self.signal_types,
                "severities": self.severities,
                "tool": [tool.name, tool.description, tool.parameters] if tool else None,
                "result": [self.result.list_key, dict(self.result.fields)],
                "labels": dict(self.labels),
                "query_word": self.query_word,
                "confidence": self.confidence,
                "removed_fields": sorted(self.removed_fields),
                "anchors": {name: each.patterns for name, each in self.anchors.items()},
                "clauses": self.clauses,
            }
        )

"""The contract: one released version of the agreement, as data and three functions."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel

from harness.model.answer import Answer
from harness.model.scenario import Flow, Scenario
from harness.model.transcript import ToolSpec
from harness.model.values import digest

TEMPLATE = "prompt.md.j2"
"""The file of a prompt pack."""


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

    `fields` maps version-free words, those of a Hit, to the contract's. `parameters` says how definitions
    stand there: a map by name, or an array whose members say their names. `total_key` is None where nothing
    counts the matches.
    """

    list_key: str
    fields: Mapping[str, str]
    parameters: Literal["map", "array"] = "map"
    total_key: str | None = "total_results"

    def facts(self) -> list[Any]:
        """Return what a verdict can depend on; what every shape once had stays unsaid."""
        usual = self.parameters == "map" and self.total_key == "total_results"
        return [self.list_key, dict(self.fields), *(() if usual else (self.parameters, self.total_key))]


@dataclass(frozen=True, slots=True)
class GivenList:
    """How the list is made that stands in the prompt in place of a search.

    `labels` are version-free names of business fields that entries must match. `screened` lists hold only
    what suits the incident's type, its risk and its cluster, with a confidence, best first; others hold
    everything that the labels leave, by id. `max_results` is None where nothing is cut.
    """

    labels: tuple[str, ...]
    screened: bool
    max_results: int | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a contract came from that is not released with the harness: its folder, its code's digest."""

    folder: str
    digest: str


@dataclass(frozen=True, eq=False)
class Contract:
    """One released version: prompt sections, tool, answer, vocabularies, rules. Compared by identity.

    `places` maps version-free names ("severity", "selection.confidence") to JSON pointers in the answer.
    `labels` maps version-free label names to the search tool's argument names; `target` is the name of the
    argument that says which resource is to be remedied, None where no argument does. `query_leads` says
    whether the query begins with signal type and severity; where not, the labels alone say them.
    A contract has a catalog tool, or a `given` list in its prompt.
    `may_decline` says whether "no workflow fits" is an answer.
    `read` takes the raw JSON value, never the validated model.
    `origin` is None for what is released with the harness, and frozen therefore.
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
    origin: Origin | None = None
    given: GivenList | None = None
    query_leads: bool = True
    target: str | None = None
    may_decline: bool = True

    @property
    def _later(self) -> dict[str, Any]:
        """What the first contracts did not need to say, so that their digests stand as released."""
        given = self.given
        said = {
            "given": [given.labels, given.screened, given.max_results] if given else None,
            "query_leads": None if self.query_leads else False,
            "target": self.target,
            "may_decline": None if self.may_decline else False,
        }
        return {name: value for name, value in said.items() if value is not None}

    def digest(self) -> str:
        """Return the digest of everything a verdict can depend on; the prompt pack is left out on purpose.

        A changed prompt must not make two runs incomparable: that is what a prompt gate compares. Of a
        contract that is not released all code counts, for nothing else says when its functions change.
        """
        tool = self.catalog_tool
        code = {"code": self.origin.digest} if self.origin else {}
        return digest(
            {
                "id": self.id,
                "response": _schema_of(self.response),
                "places": dict(self.places),
                "signal_types": self.signal_types,
                "severities": self.severities,
                "tool": [tool.name, tool.description, tool.parameters] if tool else None,
                "result": self.result.facts(),
                "labels": dict(self.labels),
                "query_word": self.query_word,
                "confidence": self.confidence,
                "removed_fields": sorted(self.removed_fields),
                "anchors": {name: each.patterns for name, each in self.anchors.items()},
                "clauses": self.clauses,
                **self._later,
                **code,
            }
        )


@cache
def _schema_of(response: type[BaseModel]) -> dict[str, Any]:
    # Every transcript names the digest of its contract, and pydantic takes its time for a schema.
    return response.model_json_schema()

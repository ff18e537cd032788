"""Scenario files as they are written, before anything is looked up."""

from typing import Any

from pydantic import Field

from harness.model import ScenarioFacts
from harness.model.scenario import Relation
from harness.model.values import Value


class WorldSource(Value):
    """A base world and what differs in it."""

    base: str
    changes: list[dict[str, Any]] = []


class CatalogSource(Value):
    """A base catalog and what differs in it."""

    base: str
    changes: list[dict[str, Any]] = []


class ScenarioFile(ScenarioFacts):
    """A scenario as it is written."""

    world: WorldSource
    catalog: CatalogSource


class PairSource(Value):
    """The other scenario, what differs, and the clause that compares the two.

    `changes` is a merge patch of the other file, in which `world.changes` and `catalog.changes` are added to
    what is there; besides, `rename: {old: new}` renames resources everywhere and `reverse: hits` turns the
    order of search results round.
    """

    of: str
    changes: dict[str, Any]
    relation: Relation


class PairFile(Value):
    """A scenario that is another one but for a change."""

    description: str = Field(min_length=10, max_length=100)
    tags: list[str] = []
    pair: PairSource

"""One world of a few series, and one query to it."""

import json
from datetime import UTC, datetime
from typing import Any

from harness.cluster.promql import query
from harness.model.scenario import Series, World

NOW = datetime(2026, 3, 2, 10, 15, tzinfo=UTC)
EPOCH = 1772446500


def series(name: str, *points: tuple[float, float], every: int = 30, **labels: str) -> Series:
    """Return one series."""
    return Series(name=name, labels=labels, points=list(points), every=every)


def world_of(*metrics: Series) -> World:
    """Return a world of nothing but series."""
    return World(now=NOW, objects=[], metrics=list(metrics))


def answer(world: World, text: str, **span: str) -> dict[str, Any]:
    """Return the answer of a query, parsed."""
    return json.loads(query(world, text, span.get("start", ""), span.get("end", ""), span.get("step", "")))


def values(world: World, text: str) -> list[float]:
    """Return the numbers of an instant vector, in its order."""
    return [float(each["value"][1]) for each in answer(world, text)["data"]["result"]]

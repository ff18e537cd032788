"""The answers of the HTTP API: parameters in, JSON out."""

import json
from collections.abc import Sequence
from typing import Any

from harness.cluster.metrics.whole import all_series
from harness.cluster.promql.checks import kind_of
from harness.cluster.promql.engine import Engine, bare
from harness.cluster.promql.failures import BadParameter, Limited, QueryFailure
from harness.cluster.promql.literals import written
from harness.cluster.promql.nodes import Node, Range
from harness.cluster.promql.parser import parse
from harness.cluster.promql.requests import moment, step
from harness.cluster.promql.vectors import Labels
from harness.model.scenario import World

LONGEST = 24_000
"""How many characters an answer may have; series that would go beyond are left out, with a warning."""

Points = list[tuple[float, float]]


def query(world: World, text: str, start: str = "", end: str = "", step_: str = "") -> str:
    """Return the JSON with which Prometheus answers a query, at the world's present or over a range.

    Args:
        world: the world whose series are asked about.
        text: the query.
        start: the beginning of a range, as RFC 3339 or seconds since 1970; empty for one moment.
        end: the end of the range, or the one moment; the present if empty.
        step_: the distance of moments in a range, a duration or seconds; about a sixtieth of it if empty.
    """
    try:
        return _answered(world, text, start, end, step_)
    except QueryFailure as failure:
        answer: dict[str, Any] = {"status": "error", "errorType": failure.kind, "error": failure.message}
        return _json(answer | ({"harness_limited": True} if failure.limited else {}))


def _answered(world: World, text: str, start: str, end: str, step_: str) -> str:
    epoch = world.now.timestamp()
    engine = Engine(all_series(world), epoch)
    last = moment("end" if start else "time", end, epoch)
    if not start:
        return _instant(engine, parse(text), last)
    first = moment("start", start, epoch)
    if last < first:
        raise BadParameter("end", "end timestamp must not be before start time")
    width = step(step_, last - first)
    node = parse(text)
    kind = kind_of(node)
    if kind not in {"scalar", "instant vector"}:
        wrong = f'invalid expression type "{kind}" for range query, must be Scalar or instant Vector'
        raise BadParameter("query", wrong)
    moments = [first + count * width for count in range(int((last - first) / width + 1e-9) + 1)]
    return _success("matrix", _matrix(engine, node, moments))


def _instant(engine: Engine, node: Node, now: float) -> str:
    inner = bare(node)
    if isinstance(inner, Range):
        windows = engine.windows(inner, now)
        return _success("matrix", [_row(engine, each.labels, each.samples) for each in windows])
    value = engine.value(node, now)
    if isinstance(value, list):
        at = _timestamp(engine, now)
        found = [{"metric": dict(labels), "value": [at, written(each)]} for labels, each in value]
        return _success("vector", found)
    shown = value if isinstance(value, str) else written(value)
    kind = "string" if isinstance(value, str) else "scalar"
    return _json(
        {"status": "success", "data": {"resultType": kind, "result": [_timestamp(engine, now), shown]}}
    )


def _matrix(engine: Engine, node: Node, moments: Sequence[float]) -> list[Any]:
    rows: dict[Labels, Points] = {}
    for now in moments:
        value = engine.value(node, now)
        vector = value if isinstance(value, list) else [((), value if isinstance(value, float) else 0.0)]
        for labels, each in vector:
            rows.setdefault(labels, []).append((now, each))
    return [_row(engine, labels, points) for labels, points in sorted(rows.items())]


def _row(engine: Engine, labels: Labels, points: Sequence[tuple[float, float]]) -> dict[str, Any]:
    values = [[_timestamp(engine, now), written(value)] for now, value in points]
    return {"metric": dict(labels), "values": values}


def _timestamp(engine: Engine, now: float) -> float:
    seconds = round(engine.epoch + now, 3)
    return int(seconds) if seconds == int(seconds) else seconds


def _success(kind: str, result: list[Any]) -> str:
    kept: list[Any] = []
    size = 0
    for each in result:
        size += len(_json(each)) + 1
        if size > LONGEST:
            break
        kept.append(each)
    if result and not kept:
        raise Limited(
            f"an answer of more than {LONGEST} characters; ask for a larger step or a shorter range"
        )
    answer: dict[str, Any] = {"status": "success", "data": {"resultType": kind, "result": kept}}
    if len(kept) < len(result):
        shown = f"results truncated: {len(kept)} of {len(result)} series; ask for fewer series or points"
        answer["warnings"] = [shown]
    return _json(answer)


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)

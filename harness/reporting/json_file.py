"""report.json: everything that is counted in a run, as one JSON value.

docs/reference/report.schema.json describes it, and a test holds it to that.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from harness.reporting.clean import capped
from harness.reporting.overview import Overview
from harness.statistics import HARD, Confusion, SpendingRow

FORMAT = 1
"""Grows when a key goes or changes its meaning; new keys may come without that."""

MAX_TEXT = 2_000
"""Characters of one text, names among them."""


def render_json(data: Overview) -> str:
    """Return report.json as text: ASCII, no NaN, and no half of a surrogate pair, which readers refuse."""
    return json.dumps(_whole(report(data)), indent=1, ensure_ascii=True, allow_nan=False) + "\n"


def report(data: Overview) -> dict[str, Any]:
    """Return everything that is counted in a run; rates lie between 0 and 1, None is unknown or no data."""
    measured = data.measured
    return {
        "format": FORMAT,
        "run": _run(data),
        "summary": [{**each._asdict(), "failed": each.failed} for each in data.summary],
        "clauses": [
            {**each._asdict(), "failed": each.failed, "hard": each.clause in HARD} for each in data.clauses
        ],
        "failures": [
            {
                "target": each.target,
                "clause": each.clause,
                "level": each.level,
                "dimension": each.dimension,
                "hard": each.hard,
                "samples": list(dict.fromkeys(row.sample for row in each.rows)),
            }
            for each in data.failures
        ],
        "unscored": [each._asdict() for each in data.causes],
        "ungraded": [
            {
                "clause": each.clause.id,
                "level": each.clause.level,
                "dimension": each.clause.dimension,
                "contracts": list(each.contracts),
                "has_grader": each.has_grader,
            }
            for each in data.ungraded
        ],
        "repeated": [
            {
                "target": each.target,
                "contract": each.contract,
                "dimension": each.dimension,
                "scenarios": each.scenarios,
                "rate": each.rate,
                "low": each.low,
                "high": each.high,
                "pass_at_k": list(each.any_of),
                "pass_all_k": list(each.all_of),
            }
            for each in measured.repeated
        ],
        "confusions": {
            "severity": [_confusion(each) for each in measured.severities],
            "signal_type": [_confusion(each) for each in measured.signal_types],
        },
        "spending": [_spending(each) for each in measured.spending],
    }


def _run(data: Overview) -> dict[str, Any]:
    info = data.info
    return {
        "id": info.id,
        "created": info.created,
        "status": info.status,
        "seed": info.seed,
        "trials": info.trials,
        "prompts": info.prompts,
        "spent": info.spent,
        "targets": info.targets,
        "contracts": info.contracts,
        "scenarios": info.scenarios,
        "counts": info.counts,
        "versions": info.versions,
        "notes": list(data.notes),
    }


def _confusion(found: Confusion) -> dict[str, Any]:
    return {
        "target": found.target,
        "n": found.n,
        "right": found.right,
        "too_mild": found.count(1),
        "too_severe": found.count(-1),
        "mean_distance": found.mean_distance,
        "mistaken": [
            {
                "accepted": list(each.expected),
                "answered": each.observed,
                "distance": each.distance,
                "samples": each.samples,
            }
            for each in found.mistaken
        ],
    }


def _spending(row: SpendingRow) -> dict[str, Any]:
    price = row.price
    return {
        "target": row.target,
        "samples": row.samples,
        "seconds": {"median": row.seconds, "p95": row.slow_seconds},
        "prompt_tokens": row.prompt_tokens,
        "completion_tokens": row.completion_tokens,
        "cost": row.cost,
        "cost_per_compliant": price and {"cost": price.per_compliant, "low": price.low, "high": price.high},
    }


def _whole(value: Any) -> Any:
    """Return a value whose texts can all be written as UTF-8, and are of at most MAX_TEXT characters."""
    if isinstance(value, str):
        return capped(value, MAX_TEXT).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return {_whole(key): _whole(each) for key, each in items}
    if isinstance(value, list | tuple):
        return [_whole(each) for each in cast("Sequence[Any]", value)]
    return value

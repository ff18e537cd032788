"""Answers equal what Prometheus 2.42 said of the same samples.

The series of `recorded_world` were written out sample by sample in the OpenMetrics format and loaded with
`promtool tsdb create-blocks-from openmetrics`. A line of answers.jsonl is a request with what came back, a
line of syntax.jsonl a query with its parse error, empty where there was none.
"""

import json
import math
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from recorded_world import recorded_world

from harness.cluster.promql import query
from harness.cluster.promql.failures import QueryFailure
from harness.cluster.promql.parser import parse
from harness.model.scenario import World

HERE = Path(__file__).parent


@cache
def world() -> World:
    return recorded_world()


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(each) for each in (HERE / name).read_text().splitlines()]


def comparable(answer: dict[str, Any]) -> Any:
    """Return an answer with numbers as numbers and series in one order; they have none in Prometheus."""
    data = answer.get("data")
    if data is None:
        return answer
    if data["resultType"] in {"scalar", "string"}:
        return data["resultType"], value(data["result"][1])
    rows = [
        (
            sorted(each["metric"].items()),
            [(at, value(text)) for at, text in each.get("values") or [each["value"]]],
        )
        for each in data["result"]
    ]
    return data["resultType"], sorted(rows, key=lambda row: row[0])


def value(text: str) -> Any:
    try:
        number = float(text)
    except ValueError:
        return text
    return "NaN" if math.isnan(number) else pytest.approx(number, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("case", [pytest.param(each, id=each["query"]) for each in lines("answers.jsonl")])
def test_an_answer_is_that_of_prometheus(case: dict[str, Any]) -> None:
    span = [case.get(each, "") for each in ("start", "end", "step")]

    answer = json.loads(query(world(), case["query"], *span))

    assert comparable(answer) == comparable(case["answer"])


@pytest.mark.parametrize("case", [pytest.param(each, id=each["query"]) for each in lines("syntax.jsonl")])
def test_a_query_is_understood_or_refused_as_by_prometheus(case: dict[str, str]) -> None:
    said = ""
    try:
        parse(case["query"])
    except QueryFailure as failure:
        said = failure.message

    assert said.removeprefix('invalid parameter "query": ') == case["error"]


@pytest.mark.parametrize("name", ["topk(2, mem)", "bottomk(2, mem)", "sort(mem)", "sort_desc(mem)"])
def test_a_ranking_stands_in_its_order(name: str) -> None:
    recorded = next(each["answer"] for each in lines("answers.jsonl") if each["query"] == name)

    answer = json.loads(query(world(), name))

    assert [each["metric"] for each in answer["data"]["result"]] == [
        each["metric"] for each in recorded["data"]["result"]
    ]

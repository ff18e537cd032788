"""What is no answer: parameters that cannot be read, and what this tool does not know."""

import json
import time
from typing import Any

import pytest
from asking import EPOCH, answer, series, world_of

from harness.cluster.promql import query
from harness.cluster.promql.api import LONGEST
from harness.cluster.promql.failures import Limited
from harness.cluster.promql.patterns import whole_match

MANY = world_of(
    *(series("m", (-259200, i), (0, i), pod=f"some-service-7c9d8f6b54-{i:05}", a="b") for i in range(400))
)
ONE = world_of(series("up", (-3600, 1), (0, 1)))


@pytest.mark.parametrize(
    "text",
    [
        "max_over_time(rate(up[5m])[1h:1m])",
        "up[5m:30s]",
        "up @ 1772446500",
        "rate(up[5m] @ end())",
        'label_replace(up, "a", "$1", "b", "(.*)")',
        "holt_winters(up[10m], 0.5, 0.5)",
        "absent_over_time(up[5m])",
        "timestamp(up)",
        "hour()",
        'count_values("v", up)',
        'up{job=~"(?m)x"}',
        r'up{job=~"\\pL+"}',
        'up{job=~"[[:^alpha:]]"}',
        'up{job=~"' + "(" * 50 + "a" + ")" * 50 + '"}',
        'up{job=~"' + "a" * 1001 + '"}',
        "up" + " + up" * 200,
        "(" * 80 + "up" + ")" * 80,
        "-" * 80 + "1",
        "up # " + "x" * 10_000,
    ],
)
def test_what_prometheus_would_answer_is_marked_as_a_limit_of_the_harness(text: str) -> None:
    said = answer(ONE, text)

    assert (said["status"], said["errorType"], said["harness_limited"]) == ("error", "execution", True)
    assert said["error"].startswith("not supported by this tool: ")


@pytest.mark.parametrize(
    "text", ["rate(", "up{", "nosuch(up)", "up == on(a) group_left(a) up", "sum(up) + up[5m]"]
)
def test_a_wrong_query_is_no_limit_of_the_harness(text: str) -> None:
    said = answer(ONE, text)

    assert (said["status"], said["errorType"]) == ("error", "bad_data")
    assert said["error"].startswith('invalid parameter "query": 1:')
    assert "harness_limited" not in said


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("start", "-1h"),
        ("start", "2026-03-02"),
        ("start", "2026-02-30T10:00:00Z"),
        ("start", "nan"),
        ("start", "1" * 400),
        ("end", "now"),
    ],
)
def test_a_time_that_is_none_is_refused(name: str, written: str) -> None:
    said = answer(ONE, "up", **({"start": "0"} | {name: written}))

    wrong = f'invalid parameter "{name}": cannot parse "{written}" to a valid timestamp'
    assert said == {"status": "error", "errorType": "bad_data", "error": wrong}


STEPS = "zero or negative query resolution step widths are not accepted. Try a positive integer"
RESOLUTION = "exceeded maximum resolution of 11,000 points per timeseries"


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ({"end": str(-1)}, 'invalid parameter "end": end timestamp must not be before start time'),
        ({"step": "0"}, f'invalid parameter "step": {STEPS}'),
        ({"step": "-30"}, f'invalid parameter "step": {STEPS}'),
        ({"step": "soon"}, 'invalid parameter "step": cannot parse "soon" to a valid duration'),
        ({"step": "1"}, f"{RESOLUTION}. Try decreasing the query resolution (?step=XX)"),
    ],
)
def test_a_range_that_cannot_be_is_refused(span: dict[str, str], expected: str) -> None:
    said = answer(ONE, "up", **({"start": "0"} | span))

    assert said == {"status": "error", "errorType": "bad_data", "error": expected}


def test_a_pattern_that_takes_too_long_is_a_limit() -> None:
    matches = whole_match("((a*)*b?)*c")

    with pytest.raises(Limited, match="a regular expression that takes so many steps"):
        matches("ab" * 20_000)


def test_a_range_of_ranges_is_refused() -> None:
    said = answer(ONE, "up[5m]", start=str(EPOCH - 60))

    assert said["error"] == (
        'invalid parameter "query": invalid expression type "range vector" for range query, '
        "must be Scalar or instant Vector"
    )


def test_a_step_left_out_gives_about_sixty_values() -> None:
    said = answer(ONE, "up", start=str(EPOCH - 3600))

    assert len(said["data"]["result"][0]["values"]) == 61


def test_an_answer_that_is_too_long_loses_series_and_says_so() -> None:
    written = query(MANY, "m")
    said: dict[str, Any] = json.loads(written)

    kept = len(said["data"]["result"])
    assert said["warnings"] == [f"results truncated: {kept} of 400 series; ask for fewer series or points"]
    assert 100 < kept < 400
    assert len(written) < LONGEST + 300


def test_one_series_that_is_too_long_is_a_limit() -> None:
    said = answer(ONE, "up", start=str(EPOCH - 3600), step="1")

    limit = f"an answer of more than {LONGEST} characters; ask for a larger step or a shorter range"
    assert said["error"] == f"not supported by this tool: {limit}"


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("sum(rate(m[3d]))", {"start": str(EPOCH - 86_400), "step": "10s"}),
        ("m + m + m + m + m + m + m + m", {"start": str(EPOCH - 86_400), "step": "10s"}),
        ("1 + 1" + " + 1" * 100, {"start": str(EPOCH - 10_000), "step": "1s"}),
        ('m{pod=~"(((((((((((a|b|.)*)*)*)*)*)*)*)*)*)*)*x"}', {}),
        ('m{pod=~"(.*a){20}"}', {}),
        ('m{pod=~"' + "(.{0,1000}){0,1000}" * 20 + 'x"}', {}),
    ],
)
def test_no_query_takes_long(text: str, span: dict[str, str]) -> None:
    begun = time.process_time()
    answer(MANY, text, **span)

    assert time.process_time() - begun < 15

"""The small parts that every answer is made of."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from harness.cluster.durations import human
from harness.cluster.expand.schedules import last_times
from harness.cluster.merge import merged
from harness.cluster.output import as_yaml
from harness.cluster.quantities import amount, share, total
from harness.cluster.selectors import selector_text, selects
from harness.cluster.tables import tabbed, table
from harness.cluster.times import settle

NOW = datetime(2026, 3, 2, 10, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("span", "text"),
    [
        ({"seconds": -5}, "<invalid>"),
        ({"seconds": 0}, "0s"),
        ({"seconds": 87}, "87s"),
        ({"seconds": 119}, "119s"),
        ({"minutes": 2}, "2m"),
        ({"minutes": 6, "seconds": 33}, "6m33s"),
        ({"minutes": 10, "seconds": 59}, "10m"),
        ({"minutes": 179}, "179m"),
        ({"hours": 3}, "3h"),
        ({"hours": 5, "minutes": 12}, "5h12m"),
        ({"hours": 8, "minutes": 12}, "8h"),
        ({"hours": 47}, "47h"),
        ({"days": 2}, "2d"),
        ({"days": 3, "hours": 4}, "3d4h"),
        ({"days": 8, "hours": 4}, "8d"),
        ({"days": 729}, "729d"),
        ({"days": 760}, "2y30d"),
        ({"days": 3650}, "10y"),
    ],
)
def test_a_duration_is_shortened(span: dict[str, int], text: str) -> None:
    assert human(timedelta(**span)) == text


def test_columns_of_a_table_are_three_spaces_apart() -> None:
    assert table(["NAME", "AGE", "NOTE"], [["a", "5d", ""], ["long-name", "3h", "two\nlines"]]) == (
        "NAME        AGE   NOTE\na           5d\nlong-name   3h    two..."
    )


def test_a_column_of_a_description_lasts_while_lines_have_it() -> None:
    assert tabbed("a:\t1\nlonger:\t2\nbreak\nb:\tx\ty\nc:\tlong\tz\nd:\tend") == (
        "a:       1\nlonger:  2\nbreak\nb:  x     y\nc:  long  z\nd:  end"
    )


@pytest.mark.parametrize(
    ("quantity", "number"),
    [
        ("500m", "0.5"),
        ("2", "2"),
        ("1Ki", "1024"),
        ("2Gi", "2147483648"),
        ("1k", "1000"),
        ("1.5", "1.5"),
        ("", "0"),
    ],
)
def test_a_quantity_means_a_number(quantity: str, number: str) -> None:
    assert str(amount(quantity).normalize()) == str(type(amount(""))(number).normalize())


@pytest.mark.parametrize(
    ("quantities", "sum_"),
    [
        (["500m", "500m"], "1"),
        (["250m", "1"], "1250m"),
        (["512Mi", "512Mi"], "1Gi"),
        (["512Mi", "1Gi"], "1536Mi"),
        ([], "0"),
    ],
)
def test_quantities_add_up(quantities: list[str], sum_: str) -> None:
    assert total(quantities) == sum_


def test_a_percentage_is_rounded_as_asked() -> None:
    assert (share("25%", 3), share("25%", 3, up=True), share("2", 9), share("", 9)) == (0, 1, 2, 0)


MONDAY = datetime(2026, 3, 2, 10, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("schedule", "times"),
    [
        ("0 2 * * *", ["02-28 02:00", "03-01 02:00", "03-02 02:00"]),
        ("*/5 * * * *", ["03-02 10:05", "03-02 10:10", "03-02 10:15"]),
        ("30 9-10 * * 1", ["02-23 09:30", "02-23 10:30", "03-02 09:30"]),
        ("0 0 1,15 * *", ["02-01 00:00", "02-15 00:00", "03-01 00:00"]),
        ("@weekly", ["02-15 00:00", "02-22 00:00", "03-01 00:00"]),
    ],
)
def test_a_schedule_has_last_times(schedule: str, times: list[str]) -> None:
    found = last_times(schedule, MONDAY - timedelta(days=90), MONDAY, 3)

    assert [f"{each:%m-%d %H:%M}" for each in found] == times


@pytest.mark.parametrize(
    ("key", "value", "settled"),
    [
        ("creationTimestamp", "-210d", "2025-08-04T10:15:00Z"),
        ("lastSeenAt", "-7m12s", "2026-03-02T10:07:48Z"),
        ("first", "-3h", "2026-03-02T07:15:00Z"),
        ("finishedAt", "-1d2h3m4s", "2026-03-01T08:11:56Z"),
        ("startTime", "2026-03-02T11:15:00+01:00", "2026-03-02T10:15:00Z"),
        ("startTime", datetime(2026, 3, 2, 9, 0), "2026-03-02T09:00:00Z"),  # noqa: DTZ001
        ("idleTime", "30m", "30m"),
        ("message", "-3h", "-3h"),
        ("replicas", 3, 3),
    ],
)
def test_a_time_counts_from_now_where_its_key_is_a_time(key: str, value: Any, settled: Any) -> None:
    assert settle({"a": [{key: value}]}, NOW, "x") == {"a": [{key: settled}]}


def test_free_text_is_no_time() -> None:
    assert settle({"data": {"startTime": "-3h"}}, NOW, "x") == {"data": {"startTime": "-3h"}}


MERGES: list[tuple[Any, Any, Any]] = [
    ({"a": 1, "b": 2}, {"b": None, "c": 3}, {"a": 1, "c": 3}),
    ({"l": [1, 2]}, {"l": [3]}, {"l": [3]}),
    (
        {"containers": [{"name": "a", "x": 1}, {"name": "b"}]},
        {"containers": [{"name": "a", "y": 2}, {"name": "c"}]},
        {"containers": [{"name": "a", "x": 1, "y": 2}, {"name": "b"}, {"name": "c"}]},
    ),
    (
        {"conditions": [{"type": "Ready", "status": "True"}]},
        {"conditions": [{"type": "Ready", "status": "False"}]},
        {"conditions": [{"type": "Ready", "status": "False"}]},
    ),
    ({"state": {"running": {"a": 1}}}, {"state": {"waiting": {}}}, {"state": {"waiting": {}}}),
    (
        {"volumes": [{"name": "v", "emptyDir": {}}]},
        {"volumes": [{"name": "v", "configMap": {}}]},
        {"volumes": [{"name": "v", "configMap": {}}]},
    ),
    (
        {"metrics": [{"type": "R", "a": 1}, {"type": "R"}]},
        {"metrics": [{"type": "R"}]},
        {"metrics": [{"type": "R"}]},
    ),
    ({"containers": [{"name": "a"}]}, {"containers": []}, {"containers": []}),
    ({}, {"env": [{"name": "A", "value": None}]}, {"env": [{"name": "A"}]}),
]


@pytest.mark.parametrize(("value", "patch", "result"), MERGES)
def test_a_patch_merges(value: Any, patch: Any, result: Any) -> None:
    before = repr(value)

    assert merged(value, patch) == result
    assert repr(value) == before


@pytest.mark.parametrize(
    ("selector", "text", "matches"),
    [
        ({}, "<none>", True),
        ({"matchLabels": {"app": "api"}}, "app=api", True),
        (
            {"matchExpressions": [{"key": "app", "operator": "In", "values": ["b", "a"]}]},
            "app in (a,b)",
            False,
        ),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["b"]}]}, "app notin (b)", True),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, "app", True),
        ({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}, "!app", False),
    ],
)
def test_a_selector_is_written_and_matches(selector: dict[str, Any], text: str, *, matches: bool) -> None:
    assert selector_text(selector) == text
    assert selects(selector, {"app": "api"}) is matches


def test_yaml_is_quoted_as_kubectl_quotes_it() -> None:
    value = {
        "a": "1",
        "b": "true",
        "c": "plain text",
        "d": "two\nlines\n",
        "e": ["x"],
        "f": "2026-03-02T10:15:00Z",
    }

    assert as_yaml(value) == (
        'a: "1"\nb: "true"\nc: plain text\nd: |\n  two\n  lines\ne:\n- x\nf: "2026-03-02T10:15:00Z"'
    )

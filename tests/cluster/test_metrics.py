"""What world files say of metrics, and the series that come of it."""

from typing import Any

import pytest
from small_world import base, shop_with

from harness.cluster.build import build_world
from harness.cluster.metrics.samples import readings, within
from harness.cluster.metrics.shapes import HISTORY
from harness.errors import InvalidScenario
from harness.model.scenario import Series, World

MEBIBYTE = 1024 * 1024
MEMORY = "container_memory_working_set_bytes"
CPU = "container_cpu_usage_seconds_total"
API = "deployment/api -n shop"
FIRST, SECOND = "api-7c9d8f6b54-8kqwz", "api-7c9d8f6b54-x2lvq"
POD = f"pod/{SECOND} -n shop"


def one(**entry: Any) -> Series:
    """Return the only series of a world with one metric."""
    (series,) = shop_with({"metrics": "queue_depth"} | entry).metrics
    return series


def of_pod(world: World, metric: str, pod: str) -> Series:
    """Return the series of one pod."""
    (found,) = [each for each in world.metrics if (each.name, each.labels.get("pod")) == (metric, pod)]
    return found


def read(series: Series, start: float, end: float = 0) -> list[float]:
    """Return the values that were read between two moments."""
    return [value for _, value in within(readings(series), start, end)]


@pytest.mark.parametrize(
    ("values", "points"),
    [
        (7, [(-HISTORY, 7), (0, 7)]),
        ("1500m", [(-HISTORY, 1.5), (0, 1.5)]),
        ("480Mi", [(-HISTORY, 480 * MEBIBYTE), (0, 480 * MEBIBYTE)]),
        ({"from": 2, "to": 8, "over": "30m"}, [(-HISTORY, 2), (-1800, 2), (0, 8)]),
        (
            {"from": 2, "to": 8, "over": "1h30m", "until": "-10m"},
            [(-HISTORY, 2), (-6000, 2), (-600, 8), (0, 8)],
        ),
        ({"from": 3, "to": 0, "until": "-5m"}, [(-HISTORY, 3), (-300, 3), (-300, 0), (0, 0)]),
        ({"from": 0, "to": 40, "over": "4d"}, [(-HISTORY, 10), (0, 40)]),
        ({"per_second": 2}, [(-HISTORY, 0), (0, 2 * HISTORY)]),
        (
            {"per_second": "500m", "then": 10, "since": "-1m"},
            [(-HISTORY, 0), (-60, 0.5 * (HISTORY - 60)), (0, 0.5 * (HISTORY - 60) + 600)],
        ),
        ({"at": "-3m", "every": "1m", "points": [1, 5, "2k"]}, [(-180, 1), (-120, 5), (-60, 2000)]),
    ],
)
def test_values_are_straight_lines_between_points(values: Any, points: list[tuple[float, float]]) -> None:
    assert one(values=values).points == points


def test_points_stated_one_by_one_are_what_is_read() -> None:
    series = one(values={"at": "-4m", "every": "2m", "points": [100, 240, 30]})

    assert (series.every, read(series, -600)) == (120, [100, 240, 30])


def test_a_line_is_read_at_even_steps() -> None:
    series = one(values={"from": "210Mi", "to": "510Mi", "over": "30m"})

    assert read(series, -60) == [round(each * MEBIBYTE) for each in (500, 505, 510)]


def test_labels_stand_as_they_are_written() -> None:
    series = one(labels={"queue": "orders", "code": 500, "live": True}, values=1)

    assert series.labels == {"code": "500", "live": "true", "queue": "orders"}


def test_a_workload_means_each_of_its_pods() -> None:
    world = shop_with({"metrics": MEMORY, "of": API, "container": "app", "values": "300Mi"})

    assert [each.labels for each in world.metrics] == [
        {"namespace": "shop", "pod": pod, "node": "worker-1", "container": "app"} for pod in (FIRST, SECOND)
    ]


@pytest.mark.parametrize(
    ("reference", "count"),
    [("statefulset/db -n shop", 1), ("daemonset/agent -n kube-system", 2), ("node/worker-2", 1), (POD, 1)],
)
def test_a_metric_is_of_pods_or_of_a_node(reference: str, count: int) -> None:
    assert len(shop_with({"metrics": "load", "of": reference, "values": 1}).metrics) == count


def test_a_later_entry_replaces_what_has_its_labels() -> None:
    world = shop_with(
        {"metrics": MEMORY, "of": API, "container": "app", "values": "300Mi"},
        {
            "metrics": MEMORY,
            "labels": {"namespace": "shop", "pod": SECOND, "container": "app"},
            "values": "500Mi",
        },
    )

    assert [read(of_pod(world, MEMORY, pod), 0) for pod in (FIRST, SECOND)] == [
        [300 * MEBIBYTE],
        [500 * MEBIBYTE],
    ]


def test_an_entry_with_another_label_is_added() -> None:
    world = shop_with(
        {"metrics": "requests", "labels": {"code": "200"}, "values": 1},
        {"metrics": "requests", "labels": {"code": "500"}, "values": 2},
        {"metrics": "requests", "values": 3},
    )

    assert [(each.labels, read(each, 0)) for each in world.metrics] == [
        ({"code": "200"}, [3]),
        ({"code": "500"}, [3]),
    ]


def test_usage_is_memory_and_a_counter_of_cpu() -> None:
    world = shop_with({"usage": {"of": POD, "container": "app", "cpu": "250m", "memory": "300Mi"}})

    assert read(of_pod(world, MEMORY, SECOND), 0) == [300 * MEBIBYTE]
    assert read(of_pod(world, CPU, SECOND), -60) == [0.25 * (HISTORY + moment) for moment in (-60, -30, 0)]


def test_of_a_workload_every_pod_uses_about_as_much() -> None:
    changes = {"usage": {"of": API, "container": "app", "cpu": "250m", "memory": "300Mi"}}
    world, again = shop_with(changes), shop_with(changes)
    used = [read(of_pod(world, MEMORY, pod), 0)[0] / MEBIBYTE for pod in (FIRST, SECOND)]

    assert world.metrics == again.metrics
    assert used[0] != used[1]
    assert all(0.94 * 300 <= each <= 1.06 * 300 for each in used)


def test_usage_of_a_node_is_that_of_its_root() -> None:
    world = shop_with({"usage": {"of": "node/worker-1", "cpu": 2, "memory": "9Gi"}})

    assert [each.labels for each in world.metrics] == [{"node": "worker-1", "id": "/"}] * 2


def test_a_base_world_states_metrics_too() -> None:
    stated = {
        "usage": [{"of": API, "container": "app", "cpu": 1, "memory": "100Mi"}],
        "metrics": [
            {"name": MEMORY, "of": POD, "container": "app", "values": "400Mi"},
            {"name": "up", "values": 1},
        ],
    }
    world = build_world(base() | stated, [], "base.yaml")

    assert {each.name for each in world.metrics} == {MEMORY, CPU, "up"}
    assert read(of_pod(world, MEMORY, SECOND), 0) == [400 * MEBIBYTE]


def test_what_a_base_says_of_a_pod_goes_with_the_pod() -> None:
    stated = {"usage": [{"of": "deployment/web -n shop", "cpu": 1, "memory": "100Mi"}]}

    assert build_world(base() | stated, [{"remove": "deployment/web -n shop"}], "x.yaml").metrics == []


def state_of(container: str, **state: Any) -> dict[str, Any]:
    """Return a change of the state of a container."""
    return {"patch": POD, "with": {"status": {"containerStatuses": [{"name": container} | state]}}}


def test_a_container_that_ended_is_read_no_more() -> None:
    crash = state_of(
        "app",
        state={"waiting": {"reason": "CrashLoopBackOff"}},
        lastState={"terminated": {"reason": "OOMKilled", "startedAt": "-6m", "finishedAt": "-4m10s"}},
    )
    world = shop_with(crash, {"metrics": MEMORY, "of": API, "container": "app", "values": "300Mi"})

    assert of_pod(world, MEMORY, SECOND).points[-1] == (-250, 300 * MEBIBYTE)
    assert of_pod(world, MEMORY, FIRST).points[-1] == (0, 300 * MEBIBYTE)


def test_a_container_that_never_ran_was_never_read() -> None:
    waiting = state_of("app", state={"waiting": {"reason": "ImagePullBackOff"}})
    world = shop_with(waiting, {"metrics": MEMORY, "of": POD, "container": "app", "values": "300Mi"})

    assert world.metrics == []


def test_what_is_said_about_an_object_outlives_its_container() -> None:
    waiting = state_of("app", state={"waiting": {"reason": "ImagePullBackOff"}})
    world = shop_with(waiting, {"metrics": "kube_pod_status_ready", "of": POD, "values": 0})

    assert world.metrics[0].points[-1] == (0, 0)


def test_a_pod_was_not_read_before_it_was_there() -> None:
    world = shop_with({"metrics": "load", "of": "deployment/web -n shop", "values": 1})

    assert {each.points[0][0] for each in world.metrics} > {-HISTORY}


def test_a_silent_node_and_its_pods_are_read_no_more() -> None:
    silent = {"type": "Ready", "status": "Unknown", "lastHeartbeatTime": "-5m"}
    world = shop_with(
        {"patch": "node/worker-1", "with": {"status": {"conditions": [silent]}}},
        {"usage": {"of": "node/worker-1", "cpu": 1, "memory": "1Gi"}},
        {"usage": {"of": POD, "container": "app", "cpu": 1, "memory": "1Gi"}},
    )

    assert {each.points[-1][0] for each in world.metrics} == {-300}


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"metrics": "a-b", "values": 1}, f": found metric 'a-b'; write its name, as {MEMORY}"),
    (
        {"metrics": "m", "labels": {"a-b": "c"}, "values": 1},
        ".labels: found {'a-b': 'c'}; write labels of letters, digits and underscores",
    ),
    (
        {"metrics": "m", "labels": 5, "values": 1},
        ".labels: found 5; write labels of letters, digits and underscores",
    ),
    (
        {"metrics": "m"},
        (
            ".values: found None; write a number, a quantity, or {from, to, over, until}, "
            "{per_second, then, since}, {at, every, points}"
        ),
    ),
    (
        {"metrics": "m", "values": {"start": 1}},
        (
            ".values: found {'start': 1}; write a number, a quantity, or {from, to, over, until}, "
            "{per_second, then, since}, {at, every, points}"
        ),
    ),
    (
        {"metrics": "m", "values": {"from": 1, "until": "-5m"}},
        ".values.to: found None; write a number or quantity",
    ),
    (
        {"metrics": "m", "values": {"from": 1, "to": 2, "over": "-5m"}},
        ".values.over: found '-5m'; write how long, as '30s' or '1h30m'",
    ),
    (
        {"metrics": "m", "values": {"from": 1, "to": 2, "until": "5m"}},
        ".values.until: found '5m'; write a moment before now, as '-7m12s'",
    ),
    (
        {"metrics": "m", "values": {"from": 1, "to": 2, "by": 5}},
        ".values: found 'by'; allowed are from, to, over, until",
    ),
    (
        {"metrics": "m", "values": {"per_second": 1, "then": 2}},
        ".values: found {'per_second': 1, 'then': 2}; `then` and `since` stand together",
    ),
    (
        {"metrics": "m", "values": {"at": "-90s", "every": "1m", "points": [1]}},
        (
            ".values: found {'at': '-90s', 'every': '1m', 'points': [1]}; "
            "write a list of points, and `at` as a multiple of `every`"
        ),
    ),
    (
        {"metrics": "m", "values": {"at": "-1m", "every": "1m", "points": [1, 2, 3]}},
        ".values.points: found 3 of them; from -1m to now there is room for 2",
    ),
    (
        {"metrics": MEMORY, "of": API, "values": 1},
        f".container: found ''; {FIRST} has app, proxy, wait",
    ),
    (
        {"metrics": MEMORY, "of": API, "container": "ap", "values": 1},
        f".container: found 'ap'; {FIRST} has app, proxy, wait",
    ),
    (
        {"metrics": "m", "of": "service/api -n shop", "values": 1},
        ".of: found 'service/api -n shop'; write a node, a pod, or a workload for its pods",
    ),
    (
        {"metrics": "m", "labels": {"namespace": "shop", "pod": "api-1"}, "values": 1},
        (
            ".labels.pod: found 'pod/api-1 -n shop'; no such object, near: "
            "'pod/db-0 -n shop', 'pod/migrate-zzk4p -n shop', 'pod/api-7c9d8f6b54-x2lvq -n shop'"
        ),
    ),
    (
        {"usage": {"of": API, "container": "app"}},
        ".usage: found ['container', 'of']; write `of`, and `cpu`, `memory` or both",
    ),
    (
        {"usage": {"of": POD, "container": "app", "cpu": "much"}},
        ".usage.cpu: found 'much'; write a number or quantity",
    ),
]


@pytest.mark.parametrize(("change", "expected"), WRONG)
def test_a_wrong_metric_is_named_with_what_is_allowed(change: dict[str, Any], expected: str) -> None:
    with pytest.raises(InvalidScenario) as caught:
        shop_with(change)

    assert str(caught.value) == f"x.yaml: world.changes[0]{expected}"


def test_a_base_that_speaks_of_no_pod_is_refused() -> None:
    stated = {"metrics": [{"name": "m", "of": "pod/gone -n shop", "values": 1}]}

    with pytest.raises(InvalidScenario, match=r"world.base.metrics\[0\].of: found 'pod/gone -n shop'"):
        build_world(base() | stated, [], "x.yaml")

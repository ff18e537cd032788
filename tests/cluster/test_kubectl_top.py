"""What `kubectl top` prints; layouts and refusals are those of kubectl 1.31."""

from typing import Any

import pytest
from small_world import ask, shop, shop_with, world_of

from harness.model.scenario import World

API = "deployment/api -n shop"
POD = "pod/api-7c9d8f6b54-x2lvq -n shop"
USED: tuple[dict[str, Any], ...] = (
    {"usage": {"of": POD, "container": "app", "cpu": "120m", "memory": "480Mi"}},
    {"usage": {"of": POD, "container": "proxy", "cpu": 0.002, "memory": "10Mi"}},
    {"usage": {"of": "pod/db-0 -n shop", "cpu": "1.5", "memory": "2Gi"}},
    {"usage": {"of": "node/worker-1", "cpu": "2250m", "memory": "9Gi"}},
    {"metrics": "container_network_errors_total", "of": POD, "container": "app", "values": {"per_second": 1}},
    {"metrics": "container_memory_working_set_bytes", "labels": {"id": "/system.slice"}, "values": "1Gi"},
)


def used() -> World:
    """Return the shop with some usage."""
    return shop_with(*USED)


def test_the_containers_of_a_pod_count_together() -> None:
    assert ask(used(), "top", kind="pods", namespace="shop") == (
        "NAME                   CPU(cores)   MEMORY(bytes)\n"
        "api-7c9d8f6b54-x2lvq   122m         490Mi\n"
        "db-0                   1500m        2048Mi"
    )


def test_a_node_is_shown_with_its_share_of_what_it_can_give() -> None:
    assert ask(used(), "top", kind="nodes") == (
        "NAME       CPU(cores)   CPU%        MEMORY(bytes)   MEMORY%\n"
        "worker-1   2250m        56%         9216Mi          56%\n"
        "plane-1    <unknown>    <unknown>   <unknown>       <unknown>\n"
        "worker-2   <unknown>    <unknown>   <unknown>       <unknown>"
    )


def test_the_namespace_is_default_where_none_is_named() -> None:
    assert ask(used(), "top", kind="pods") == "No resources found in default namespace."


def test_a_counter_that_turned_is_read_at_its_end() -> None:
    turned = {"per_second": 0.1, "then": 0.9, "since": "-10m"}
    world = shop_with(
        {"usage": {"of": POD, "container": "app", "cpu": 0.1, "memory": "300Mi"}},
        {"metrics": "container_cpu_usage_seconds_total", "of": POD, "container": "app", "values": turned},
    )

    assert "900m" in ask(world, "top", kind="pods", namespace="shop")


def test_a_pod_whose_container_does_not_run_is_left_out() -> None:
    status = {"name": "app", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}
    world = shop_with(
        {"patch": POD, "with": {"status": {"containerStatuses": [status]}}},
        {"usage": {"of": API, "container": "app", "cpu": 0.1, "memory": "300Mi"}},
    )

    shown = ask(world, "top", kind="pods", namespace="shop")
    assert "api-7c9d8f6b54-8kqwz" in shown
    assert "api-7c9d8f6b54-x2lvq" not in shown


@pytest.mark.parametrize("kind", ["pods", "nodes"])
def test_a_world_without_metrics_has_no_metrics_api(kind: str) -> None:
    assert ask(shop(), "top", kind=kind, namespace="shop") == "error: Metrics API not available"
    other = shop_with({"metrics": "up", "values": 1})
    assert ask(other, "top", kind=kind, namespace="shop") == "error: Metrics API not available"


def test_pods_without_metrics_are_named_with_their_age() -> None:
    shown = ask(used(), "top", kind="pods", namespace="kube-system")

    assert shown == "error: Metrics not available for pod kube-system/agent-2bzg2, age: 4800h0m0s"


def test_metrics_of_young_pods_are_still_on_their_way() -> None:
    young = {
        "kind": "Pod",
        "metadata": {"name": "p", "creationTimestamp": "-110s"},
        "spec": {"containers": [{"name": "c", "image": "c:1"}]},
    }
    changes = ({"usage": {"of": "node/worker-1", "cpu": 1, "memory": "1Gi"}},)

    assert ask(world_of(young, changes=changes), "top", kind="pods") == "error: metrics not available yet"


def test_nodes_without_metrics_are_still_on_their_way() -> None:
    world = shop_with({"usage": {"of": POD, "container": "app", "cpu": 1, "memory": "1Gi"}})

    assert ask(world, "top", kind="nodes") == "error: metrics not available yet"


def test_a_silent_node_shows_no_usage() -> None:
    silent = {"type": "Ready", "status": "Unknown", "lastHeartbeatTime": "-5m"}
    world = shop_with(
        {"patch": "node/worker-1", "with": {"status": {"conditions": [silent]}}},
        {"usage": {"of": "node/worker-1", "cpu": 1, "memory": "1Gi"}},
        {"usage": {"of": "node/worker-2", "cpu": 1, "memory": "1Gi"}},
    )

    lines = ask(world, "top", kind="nodes").splitlines()
    assert [each.split()[:2] for each in lines[1:]] == [
        ["worker-2", "1000m"],
        ["plane-1", "<unknown>"],
        ["worker-1", "<unknown>"],
    ]

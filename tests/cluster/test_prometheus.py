"""The tool that asks Prometheus about a world."""

import json
from typing import Any

from small_world import shop, shop_with

from harness.cluster import answer
from harness.model.scenario import World

POD = "api-7c9d8f6b54-x2lvq"
MEMORY = "container_memory_working_set_bytes"
CLIMBING: dict[str, Any] = {
    "metrics": MEMORY,
    "of": f"pod/{POD} -n shop",
    "container": "app",
    "values": {"from": "200Mi", "to": "480Mi", "over": "30m"},
}


def asked(world: World, query: str, **arguments: str) -> Any:
    """Return the result of a query to a world."""
    return json.loads(answer(world, "prometheus_query", {"query": query, **arguments}))["data"]["result"]


def test_a_series_has_the_labels_of_its_container() -> None:
    (row,) = asked(shop_with(CLIMBING), MEMORY)

    labels = {"namespace": "shop", "pod": POD, "node": "worker-1", "container": "app", "__name__": MEMORY}
    assert row == {"metric": labels, "value": [1772446500, "503316480"]}


def test_limits_and_requests_can_be_read_off_the_pods() -> None:
    world = shop_with(CLIMBING)

    ratio = f"{MEMORY} / on (namespace, pod, container) container_spec_memory_limit_bytes"
    assert [each["value"][1] for each in asked(world, ratio)] == ["0.9375"]
    wanted = 'kube_pod_container_resource_requests{pod="%s", resource="cpu"}'
    assert [each["value"][1] for each in asked(world, wanted % POD)] == ["0.25"]
    (limit,) = asked(
        world, 'kube_pod_container_resource_limits{container="nginx", pod=~"web-5.*", resource="cpu"}'
    )
    assert limit["metric"] == {
        "__name__": "kube_pod_container_resource_limits",
        "namespace": "shop",
        "pod": "web-5d9c7b8f64-t8vmc",
        "node": "worker-1",
        "container": "nginx",
        "resource": "cpu",
        "unit": "core",
    }


def test_a_stated_metric_is_not_derived_as_well() -> None:
    stated = {
        "metrics": "container_spec_memory_limit_bytes",
        "labels": {"namespace": "shop"},
        "values": "1Gi",
    }

    assert len(asked(shop_with(CLIMBING, stated), "container_spec_memory_limit_bytes")) == 1


def test_a_range_shows_how_it_came_about() -> None:
    (row,) = asked(shop_with(CLIMBING), MEMORY, start="2026-03-02T09:35:00Z", step="10m")

    assert [int(each[1]) // 2**20 for each in row["values"]] == [200, 200, 293, 386, 480]


def test_a_world_without_metrics_has_nothing_to_show() -> None:
    assert asked(shop(), "kube_pod_container_resource_limits") == []
    assert asked(shop(), 'up{job="api"}', start="2026-03-02T09:35:00Z") == []

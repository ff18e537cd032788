"""What a scenario's changes do to its base world."""

from typing import Any

from small_world import ask, found, shop_with

from harness.model.scenario import World

POD = "pod/api-7c9d8f6b54-x2lvq -n shop"
KILLED = {
    "containerStatuses": [
        {"name": "app", "state": {"waiting": {"reason": "CrashLoopBackOff"}}, "restartCount": 4},
    ]
}


def pod_names(world: World, start: str = "") -> list[str]:
    pods = [each["metadata"]["name"] for each in world.objects if each["kind"] == "Pod"]
    return [each for each in pods if each.startswith(start)]


def test_a_patched_pod_changes_everything_that_counts_it() -> None:
    world = shop_with({"patch": POD, "with": {"status": KILLED}})

    assert "1/2     CrashLoopBackOff" in ask(world, "get", kind="pods", namespace="shop")
    assert "api    1/2" in ask(world, "get", kind="deploy", name="api", namespace="shop")
    assert found(world, "PodDisruptionBudget", "api")["status"]["disruptionsAllowed"] == 0
    subset = found(world, "Endpoints", "api")["subsets"][0]
    assert (len(subset["addresses"]), len(subset["notReadyAddresses"])) == (1, 1)


def test_a_new_state_of_a_container_replaces_the_old_one() -> None:
    again = {"containerStatuses": [{"name": "app", "state": {"running": {"startedAt": "-10s"}}}]}
    world = shop_with({"patch": POD, "with": {"status": KILLED}}, {"patch": POD, "with": {"status": again}})
    status = found(world, "Pod", "api-7c9d8f6b54-x2lvq")["status"]["containerStatuses"][0]

    assert status["state"] == {"running": {"startedAt": "2026-03-02T10:14:50Z"}}
    assert status["restartCount"] == 4


def test_a_patched_template_changes_the_pods() -> None:
    container = {"name": "app", "image": "registry.example.com/api:2.15.0"}
    template = {"spec": {"containers": [container]}}
    world = shop_with({"patch": "deploy/api -n shop", "with": {"spec": {"template": template}}})
    spec = found(world, "Pod", "api-7c9d8f6b54-x2lvq")["spec"]

    assert [each["image"] for each in spec["containers"]] == ["registry.example.com/api:2.15.0", "envoy:1.30"]
    assert spec["containers"][0]["args"] == ["--port", "8080"]


def test_a_patched_template_of_a_made_replica_set_changes_its_pods_only() -> None:
    template = {"spec": {"containers": [{"name": "nginx", "image": "nginx:1.26"}]}}
    world = shop_with({"patch": "rs/web-66d9f7b5c8 -n shop", "with": {"spec": {"template": template}}})
    images = {
        each: found(world, "Pod", each)["spec"]["containers"][0]["image"] for each in pod_names(world, "web")
    }

    assert images == {
        "web-5d9c7b8f64-t8vmc": "nginx:1.27",
        "web-66d9f7b5c8-7hq2k": "nginx:1.26",
        "web-66d9f7b5c8-pz8xm": "nginx:1.26",
    }


def test_scaling_down_takes_named_pods_away() -> None:
    world = shop_with({"patch": "deployment/api -n shop", "with": {"spec": {"replicas": 1}}})

    assert pod_names(world, "api") == ["api-7c9d8f6b54-x2lvq"]


def test_scaling_up_keeps_the_nodes_of_other_pods() -> None:
    before = shop_with()
    after = shop_with({"patch": "statefulset/db -n shop", "with": {"spec": {"replicas": 3}}})

    assert pod_names(after, "db") == ["db-0", "db-1", "db-2"]
    for each in pod_names(before):
        assert found(before, "Pod", each)["spec"]["nodeName"] == found(after, "Pod", each)["spec"]["nodeName"]


def test_a_null_deletes_and_parts_with_names_merge() -> None:
    world = shop_with(
        {"patch": "configmap/api-config -n shop", "with": {"data": {"level": None, "extra": "yes"}}},
        {
            "patch": "deployment/api -n shop",
            "with": {
                "spec": {"template": {"spec": {"containers": [{"name": "app", "env": [{"name": "MODE"}]}]}}}
            },
        },
    )

    assert sorted(found(world, "ConfigMap", "api-config")["data"]) == ["app.conf", "extra"]
    env = found(world, "Pod", "api-7c9d8f6b54-x2lvq")["spec"]["containers"][0]["env"]
    assert [each["name"] for each in env] == ["MODE", "WORKERS", "PASSWORD", "LEVEL", "POD_NAME", "LIMIT"]
    assert env[0] == {"name": "MODE"}


def test_removing_a_workload_removes_what_it_owns() -> None:
    world = shop_with({"remove": "deployment/api -n shop"}, {"remove": "cronjob/report -n shop"})

    assert pod_names(world, "api") == []
    assert pod_names(world, "report") == []
    assert [each.pod for each in world.logs] == ["migrate-zzk4p"]


def test_removing_one_pod_leaves_its_deployment_short() -> None:
    world = shop_with({"remove": POD})

    assert "api    1/2     1            1" in ask(world, "get", kind="deploy", name="api", namespace="shop")


def test_an_added_workload_is_expanded() -> None:
    containers = [{"name": "a", "image": "b"}]
    template = {"spec": {"containers": containers}}
    metadata = {"name": "cart", "namespace": "shop"}
    world = shop_with({"add": {"kind": "Deployment", "metadata": metadata, "spec": {"template": template}}})

    assert len(pod_names(world, "cart-")) == 1


def test_events_stand_in_the_order_of_their_last_sighting() -> None:
    event: dict[str, Any] = {"event": POD, "type": "Warning", "reason": "BackOff", "message": "Back-off"}
    world = shop_with(
        {**event, "count": 23, "first": "-6m33s", "last": "-87s", "from": "kubelet"},
        {"event": POD, "reason": "Scheduled", "message": "Assigned", "first": "-6m40s"},
        {"event": "node/worker-1", "reason": "NodeNotReady", "message": "Status is now: NodeNotReady"},
    )

    assert ask(world, "events", namespace="shop", **{"for": "pod/api-7c9d8f6b54-x2lvq"}) == (
        "LAST SEEN              TYPE      REASON      OBJECT                     MESSAGE\n"
        "6m40s                  Normal    Scheduled   Pod/api-7c9d8f6b54-x2lvq   Assigned\n"
        "87s (x23 over 6m33s)   Warning   BackOff     Pod/api-7c9d8f6b54-x2lvq   Back-off"
    )
    assert "  Normal  NodeNotReady  0s    kubelet  Status is now: NodeNotReady" in ask(
        world, "describe", kind="node", name="worker-1"
    )


def test_an_event_outlives_its_pod() -> None:
    event = {"event": POD, "type": "Warning", "reason": "Evicted", "message": "Low on memory", "first": "-2m"}
    world = shop_with(event, {"remove": POD})

    assert ask(world, "describe", kind="pod", name="api-7c9d8f6b54-x2lvq", namespace="shop") == (
        "Pod 'api-7c9d8f6b54-x2lvq': error 'pods \"api-7c9d8f6b54-x2lvq\" not found', but found events.\n"
        "Events:\n"
        "  Type     Reason   Age   From     Message\n"
        "  ----     ------   ----  ----     -------\n"
        "  Warning  Evicted  2m    kubelet  Low on memory"
    )


def test_a_log_change_replaces_the_log_of_the_same_run() -> None:
    world = shop_with(
        {"logs": POD, "container": "app", "text": "one\ntwo\n"},
        {"logs": POD, "container": "app", "lines": ["three"]},
    )
    call = {"pod": "api-7c9d8f6b54-x2lvq", "namespace": "shop", "container": "app"}

    assert ask(world, "logs", **call) == "three"
    assert len(world.logs) == 5


def test_a_change_to_the_pods_of_a_job_changes_its_numbers() -> None:
    failed = {"name": "migrate", "state": {"terminated": {"exitCode": 1}}}
    world = shop_with(
        {"patch": "job/migrate -n shop", "with": {"spec": {"backoffLimit": 0}}},
        {"patch": "pod/migrate-zzk4p -n shop", "with": {"status": {"containerStatuses": [failed]}}},
    )

    assert "migrate           Failed     0/1" in ask(world, "get", kind="jobs", namespace="shop")

"""What the builder makes of abbreviated objects."""

import json
import re
from typing import Any

import pytest
from small_world import ask, base, found, shop, world_of

from harness.cluster import build_world
from harness.cluster.quantities import amount
from harness.model.scenario import World

NAMES = re.compile(r"web-[bcdfghjklmnpqrstvwxz2456789]{9,10}-[bcdfghjklmnpqrstvwxz2456789]{5}")


def workload(kind: str, /, *, pods: list[str] | None = None, **spec: Any) -> dict[str, Any]:
    template = {"spec": {"containers": [{"name": "web", "image": "nginx:1.27"}]}}
    result: dict[str, Any] = {
        "kind": kind,
        "metadata": {"name": "web", "creationTimestamp": "-9d"},
        "spec": {"template": template, **spec},
    }
    return result if pods is None else {**result, "pods": pods}


def names(world: World, kind: str) -> list[str]:
    return [each["metadata"]["name"] for each in world.objects if each["kind"] == kind]


def test_the_same_files_make_the_same_world() -> None:
    assert build_world(base(), [], "x") == build_world(base(), [], "x")


def test_a_world_is_json() -> None:
    assert json.loads(json.dumps(shop().objects)) == shop().objects


def test_no_key_that_steers_the_builder_is_left() -> None:
    assert [each for each in shop().objects if "pods" in each or "expand" in each] == []


def test_a_deployment_has_a_replica_set_and_pods() -> None:
    world = world_of(workload("Deployment", replicas=3))
    (set_name,) = names(world, "ReplicaSet")
    pods = [found(world, "Pod", each) for each in names(world, "Pod")]

    assert len(pods) == 3
    assert all(NAMES.fullmatch(each["metadata"]["name"]) for each in pods)
    assert {each["metadata"]["ownerReferences"][0]["name"] for each in pods} == {set_name}
    assert {each["metadata"]["labels"]["pod-template-hash"] for each in pods} == {
        set_name.removeprefix("web-")
    }
    assert found(world, "ReplicaSet", set_name)["metadata"]["ownerReferences"][0]["kind"] == "Deployment"
    assert found(world, "Deployment", "web")["spec"]["selector"] == {"matchLabels": {"app": "web"}}


def test_pinned_pods_name_their_replica_set_and_others_follow() -> None:
    world = world_of(workload("Deployment", replicas=3, pods=["web-7c9d8f6b54-x2lvq"]))

    assert names(world, "ReplicaSet") == ["web-7c9d8f6b54"]
    assert "web-7c9d8f6b54-x2lvq" in names(world, "Pod")
    assert len(names(world, "Pod")) == 3


def test_pods_of_two_hashes_are_a_rollout() -> None:
    world = world_of(workload("Deployment", replicas=2, pods=["web-new-a", "web-old-b", "web-old-c"]))
    revisions = {
        each: found(world, "ReplicaSet", each)["metadata"]["annotations"]["deployment.kubernetes.io/revision"]
        for each in names(world, "ReplicaSet")
    }

    assert revisions == {"web-new": "2", "web-old": "1"}
    assert found(world, "Deployment", "web")["status"]["updatedReplicas"] == 1


@pytest.mark.parametrize("steering", [{"pods": []}, {"expand": False}])
def test_a_workload_can_go_without_pods(steering: dict[str, Any]) -> None:
    world = world_of({**workload("Deployment"), **steering})

    assert names(world, "Pod") == []
    assert ask(world, "get", kind="deploy").split("\n")[1].split()[:2] == ["web", "0/1"]


def test_a_restart_or_a_rollout_makes_the_pods_younger() -> None:
    restarted = workload("Deployment")
    restarted["spec"]["template"]["metadata"] = {
        "annotations": {"kubectl.kubernetes.io/restartedAt": "2026-03-02T10:00:00Z"}
    }
    rolled_out = workload("Deployment")
    rolled_out["spec"]["template"]["metadata"] = {"creationTimestamp": "-15m"}

    for each in (restarted, rolled_out):
        assert ask(world_of(each), "get", kind="pods").split()[-1] == "15m"


def test_a_stateful_set_has_ordinals_and_claims() -> None:
    claim = {"metadata": {"name": "data"}, "spec": {"resources": {"requests": {"storage": "1Gi"}}}}
    world = world_of(
        {"kind": "StorageClass", "metadata": {"name": "fast"}, "provisioner": "csi.example.com"},
        workload(
            "StatefulSet", replicas=2, volumeClaimTemplates=[claim | {"spec": {"storageClassName": "fast"}}]
        ),
    )

    assert names(world, "Pod") == ["web-0", "web-1"]
    assert names(world, "PersistentVolumeClaim") == ["data-web-0", "data-web-1"]
    volume = found(world, "PersistentVolumeClaim", "data-web-0")["spec"]["volumeName"]
    assert found(world, "PersistentVolume", volume)["spec"]["claimRef"]["name"] == "data-web-0"


def test_a_daemon_set_runs_on_every_node_whose_taints_it_bears() -> None:
    tainted = {"key": "dedicated", "value": "db", "effect": "NoSchedule"}
    world = world_of(
        {"kind": "Node", "metadata": {"name": "cordoned"}, "spec": {"unschedulable": True}},
        {"kind": "Node", "metadata": {"name": "dedicated"}, "spec": {"taints": [tainted]}},
        workload("DaemonSet"),
    )

    assert sorted(found(world, "Pod", each)["spec"]["nodeName"] for each in names(world, "Pod")) == [
        "cordoned",
        "worker-1",
    ]


def test_pods_go_round_the_open_nodes() -> None:
    nodes = [{"kind": "Node", "metadata": {"name": f"worker-{i}"}} for i in (2, 3)]
    world = world_of(*nodes, workload("Deployment", replicas=6))
    used = [found(world, "Pod", each)["spec"]["nodeName"] for each in names(world, "Pod")]

    assert sorted(used) == ["worker-1", "worker-1", "worker-2", "worker-2", "worker-3", "worker-3"]


def test_a_pod_that_fits_no_node_is_pending_and_says_why() -> None:
    value = workload("Deployment")
    value["spec"]["template"]["spec"]["nodeSelector"] = {"disk": "fast"}
    world = world_of(value)
    status = found(world, "Pod", names(world, "Pod")[0])["status"]

    assert status["phase"] == "Pending"
    assert status["conditions"][0]["message"] == (
        "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector. preemption: "
        "0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    )


@pytest.mark.parametrize(
    ("status", "phases", "row"),
    [
        ({}, ["Succeeded"], "Complete   1/1"),
        ({"active": 1}, ["Running"], "Running   0/1"),
        ({"failed": 2}, ["Failed", "Failed"], "Failed   0/1"),
    ],
)
def test_the_status_of_a_job_makes_its_pods(status: dict[str, int], phases: list[str], row: str) -> None:
    world = world_of({**workload("Job", backoffLimit=1), "status": status})

    assert [found(world, "Pod", each)["status"]["phase"] for each in names(world, "Pod")] == phases
    assert row in ask(world, "get", kind="jobs")


def test_a_cron_job_keeps_its_last_jobs() -> None:
    template = {"spec": {"template": workload("Job")["spec"]["template"]}}
    cron_job = {
        "kind": "CronJob",
        "metadata": {"name": "web", "creationTimestamp": "-2h20m"},
        "spec": {"schedule": "*/30 8-9 * * 1-5", "jobTemplate": template, "successfulJobsHistoryLimit": 2},
    }
    world = world_of(cron_job)
    times = [found(world, "Job", each)["metadata"]["creationTimestamp"] for each in names(world, "Job")]

    assert times == ["2026-03-02T09:00:00Z", "2026-03-02T09:30:00Z"]
    assert names(world, "Job") == ["web-29540700", "web-29540730"]
    assert found(world, "CronJob", "web")["status"]["lastScheduleTime"] == times[-1]


def test_a_bare_pod_gets_a_node_and_what_a_cluster_fills_in() -> None:
    container = {"name": "app", "image": "app", "resources": {"limits": {"memory": "1Gi"}}}
    world = world_of({"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [container]}})
    spec = found(world, "Pod", "p")["spec"]

    assert (spec["nodeName"], spec["serviceAccountName"], spec["restartPolicy"]) == (
        "worker-1",
        "default",
        "Always",
    )
    assert spec["containers"][0]["imagePullPolicy"] == "Always"
    assert spec["containers"][0]["resources"]["requests"] == {"memory": "1Gi"}


def test_a_silent_node_is_unreachable_and_its_pods_are_not_ready() -> None:
    silent = {"type": "Ready", "status": "Unknown", "lastTransitionTime": "-6m"}
    node = {"kind": "Node", "metadata": {"name": "worker-2"}, "spec": {}}
    service = {
        "kind": "Service",
        "metadata": {"name": "web"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
    }
    change = {"patch": "node/worker-2", "with": {"status": {"conditions": [silent]}}}
    world = world_of(node, workload("Deployment", replicas=2), service, changes=(change,))

    taints = [
        f"{each['key']}:{each['effect']}" for each in found(world, "Node", "worker-2")["spec"]["taints"]
    ]
    assert taints == [
        "node.kubernetes.io/unreachable:NoExecute",
        "node.kubernetes.io/unreachable:NoSchedule",
    ]
    assert ask(world, "get", kind="deploy").split("\n")[1].split()[1] == "1/2"
    assert len(found(world, "Endpoints", "web")["subsets"][0]["addresses"]) == 1
    assert "Kubelet stopped posting node status." in ask(world, "describe", kind="node", name="worker-2")
    assert found(world, "Lease", "worker-2")["spec"]["renewTime"] == "2026-03-02T10:08:20Z"


def test_every_namespace_has_its_usual_objects() -> None:
    assert names(shop(), "Namespace") == [
        "default",
        "empty",
        "kube-node-lease",
        "kube-public",
        "kube-system",
        "shop",
    ]
    assert ask(shop(), "get", kind="cm,sa", namespace="empty") == (
        "NAME                         DATA   AGE\n"
        "configmap/kube-root-ca.crt   1      3h\n"
        "\n"
        "NAME                     SECRETS   AGE\n"
        "serviceaccount/default   0         3h"
    )


def test_the_values_of_a_secret_are_encoded_as_in_a_cluster() -> None:
    assert found(shop(), "Secret", "api-secret")["data"] == {
        "password": "aHVudGVyMi1odW50ZXIy",
        "user": "YXBp",
    }


def test_stated_status_of_a_workload_stays() -> None:
    stated = {"availableReplicas": 0, "conditions": [{"type": "Available", "status": "False"}]}
    world = world_of({**workload("Deployment"), "status": stated})
    status = found(world, "Deployment", "web")["status"]

    assert (status["availableReplicas"], status["readyReplicas"]) == (0, 1)
    assert {each["type"]: each["status"] for each in status["conditions"]} == {
        "Available": "False",
        "Progressing": "True",
    }


def test_a_kubelet_keeps_back_what_it_evicts_for() -> None:
    node = next(each for each in shop().objects if each["kind"] == "Node")
    capacity, allocatable = node["status"]["capacity"], node["status"]["allocatable"]

    assert amount(capacity["memory"]) - amount(allocatable["memory"]) == amount("100Mi")
    assert amount(allocatable["ephemeral-storage"]) == int(amount(capacity["ephemeral-storage"]) * 9 // 10)
    assert allocatable["cpu"] == capacity["cpu"]


def test_a_deployment_of_many_revisions_was_written_as_often() -> None:
    given = workload("Deployment")
    given["metadata"]["annotations"] = {"deployment.kubernetes.io/revision": "15"}

    made = found(world_of(given), "Deployment", "web")

    assert made["metadata"]["generation"] == made["status"]["observedGeneration"] == 15

"""What the builder makes up agrees with what a world states: numbers hold against one another."""

from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from small_world import ask, found, shop, shop_with, world_of

from harness.cluster import build_world
from harness.model.scenario import World

NOW = datetime.fromisoformat("2026-03-02T10:15:00+00:00")
TEMPLATE: dict[str, Any] = {"spec": {"containers": [{"name": "app", "image": "app:1"}]}}


def job(*pods: str, **more: Any) -> dict[str, Any]:
    """Return a Job that began at 10:00:00."""
    metadata = {"name": "load", "creationTimestamp": "2026-03-02T10:00:00Z"}
    return {"kind": "Job", "metadata": metadata, "spec": {"template": TEMPLATE}, "pods": list(pods), **more}


def said(pod: str, *lines: str) -> dict[str, Any]:
    return {"logs": f"pod/{pod}", "lines": list(lines)}


def run(world: World, pod: str) -> tuple[str, str]:
    """Return when the container of a pod began and ended, without the day."""
    ending = found(world, "Pod", pod)["status"]["containerStatuses"][0]["state"]["terminated"]
    return ending["startedAt"][11:19], ending["finishedAt"][11:19]


def created(world: World, pod: str) -> datetime:
    return datetime.fromisoformat(found(world, "Pod", pod)["metadata"]["creationTimestamp"])


def condition(value: dict[str, Any], wanted: str) -> dict[str, Any]:
    none: dict[str, Any] = {}
    return next((each for each in value["status"]["conditions"] if each["type"] == wanted), none)


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("10:00:02 begun", "10:04:37 done"),
        ("2026-03-02T10:00:02.118Z begun", "2026-03-02T10:04:36.512Z done"),
        ("2026-03-02T11:00:02+01:00 begun", "2026-03-02T11:04:37+01:00 done"),
        ("INFO 2026-03-02 10:00:02,118 begun", "INFO 2026-03-02 10:04:36,512 done"),
        ("I0302 10:00:02.118000 1 main.go:7] begun", "I0302 10:04:36.512000 1 main.go:9] done"),
        ("[02/Mar/2026:10:00:02 +0000] begun", "[02/Mar/2026:10:04:37 +0000] done"),
    ],
)
def test_a_run_ends_with_the_last_line_of_its_log(first: str, last: str) -> None:
    world = world_of(job("load-aaaaa"), changes=(said("load-aaaaa", first, last),))

    assert run(world, "load-aaaaa") == ("10:00:01", "10:04:37")
    assert "Complete   1/1           4m37s" in ask(world, "get", kind="jobs")


def test_a_run_over_midnight_ends_the_day_after() -> None:
    late = job("load-aaaaa", metadata={"name": "load", "creationTimestamp": "2026-03-01T23:50:00Z"})
    world = world_of(late, changes=(said("load-aaaaa", "23:50:04 begun", "00:20:09 done"),))

    assert "30m" in ask(world, "get", kind="jobs")


@pytest.mark.parametrize(
    "last", ["written in 4m11s", "took 251s", "done, duration=4m11s", "elapsed: 251 seconds"]
)
def test_without_times_a_stated_duration_tells(last: str) -> None:
    world = world_of(job("load-aaaaa"), changes=(said("load-aaaaa", "begun", last),))

    assert run(world, "load-aaaaa") == ("10:00:01", "10:04:13")


def test_a_wrong_clock_still_tells_how_long() -> None:
    lines = ("2026-03-02 09:31:00 begun", "2026-03-02 09:33:00 done")
    world = world_of(job("load-aaaaa"), changes=(said("load-aaaaa", *lines),))

    assert run(world, "load-aaaaa") == ("10:00:01", "10:02:02")


def test_what_a_status_states_counts_more_than_a_log() -> None:
    stated = job("load-aaaaa", status={"completionTime": "2026-03-02T10:09:00Z", "succeeded": 1})
    world = world_of(stated, changes=(said("load-aaaaa", "10:00:02 begun", "10:04:37 done"),))

    assert run(world, "load-aaaaa")[1] == "10:09:00"


def test_an_exit_code_is_the_one_that_the_log_names() -> None:
    failed = job("load-aaaaa", status={"failed": 1})
    world = world_of(failed, changes=(said("load-aaaaa", "10:00:02 begun", "10:00:40 exit status 65"),))

    ending = found(world, "Pod", "load-aaaaa")["status"]["containerStatuses"][0]["state"]["terminated"]

    assert (ending["exitCode"], ending["reason"]) == (65, "Error")


def test_other_runs_of_a_schedule_are_about_as_long_as_the_told_one() -> None:
    cron_job = {
        "kind": "CronJob",
        "metadata": {"name": "sync", "creationTimestamp": "-9d"},
        "spec": {"schedule": "0 * * * *", "jobTemplate": {"spec": {"template": TEMPLATE}}},
        "pods": ["sync-29540700-aaaaa", "sync-29540760-bbbbb"],
    }
    world = world_of(cron_job, changes=(said("sync-29540760-bbbbb", "10:00:02 begun", "10:05:02 done"),))
    start, end = (datetime.fromisoformat(f"2026-03-02T{each}") for each in run(world, "sync-29540700-aaaaa"))

    assert timedelta(minutes=4, seconds=30) < end - start < timedelta(minutes=5, seconds=30)


def test_the_pause_between_attempts_doubles() -> None:
    pods = [f"load-{each * 5}" for each in "bcdf"]
    world = world_of(job(*pods, status={"failed": 4}))
    ends = [datetime.fromisoformat(f"2026-03-02T{run(world, each)[1]}+00:00") for each in pods]

    pauses = [created(world, later) - end for end, later in zip(ends[:-1], pods[1:], strict=True)]

    assert [round(each.total_seconds()) for each in pauses] == [10, 20, 40]


def test_attempts_before_a_told_one_lie_before_it() -> None:
    pods = [f"load-{each * 5}" for each in "bcd"]
    told = said(pods[2], "10:05:02 begun", "10:05:09 gave up")
    world = world_of(job(*pods, status={"failed": 3}), changes=(told,))
    runs = [run(world, each) for each in pods]

    assert runs[2] == ("10:05:01", "10:05:09")
    assert runs == sorted(runs)
    assert all(end < begin for (_, end), (begin, _) in pairwise(runs))


def test_the_last_attempt_ends_when_its_job_is_given_up() -> None:
    given_up = {"type": "Failed", "status": "True", "lastTransitionTime": "2026-03-02T10:03:00Z"}
    world = world_of(job("load-aaaaa", status={"failed": 3, "conditions": [given_up]}))
    ends = [run(world, each["metadata"]["name"])[1] for each in world.objects if each["kind"] == "Pod"]

    assert max(ends) == "10:03:00"


def test_no_attempt_lies_after_now() -> None:
    young = {"name": "load", "creationTimestamp": "-40s"}
    world = world_of(job("load-aaaaa", metadata=young, status={"failed": 3}))
    pods = [each["metadata"]["name"] for each in world.objects if each["kind"] == "Pod"]

    runs = [run(world, each) for each in pods]

    assert max(end for _, end in runs) <= "10:15:00"
    assert all(begin < end for begin, end in runs)


def test_pods_abreast_are_made_together() -> None:
    spec = {"parallelism": 3, "completions": 3, "template": TEMPLATE}
    world = world_of(job("load-aaaaa", "load-bbbbb", "load-ccccc", spec=spec, status={"active": 3}))

    assert {created(world, f"load-{each * 5}") for each in "abc"} == {NOW - timedelta(minutes=15)}


def test_a_failed_job_counts_its_duration_until_now() -> None:
    # So does kubectl, which only knows completionTime, and a Job that failed never gets one.
    world = world_of(job("load-aaaaa", status={"failed": 7}))

    assert "Failed   0/1           15m        15m" in ask(world, "get", kind="jobs")


def rollout(**more: Any) -> dict[str, Any]:
    return {
        "patch": "deployment/api -n shop",
        "with": {
            "metadata": {"annotations": {"deployment.kubernetes.io/revision": "9"}},
            "spec": {
                "template": {
                    "metadata": {"creationTimestamp": "-20m"},
                    "spec": {"containers": [{"name": "app", "image": "registry.example.com/api:3.0.0"}]},
                }
            },
            "pods": ["api-5d5d5d5d5d-bbbbb", "api-7c9d8f6b54-x2lvq"],
            **more,
        },
    }


def test_an_older_replica_set_keeps_the_template_that_a_change_replaced() -> None:
    wide = ask(shop_with(rollout()), "get", kind="rs", namespace="shop", output="wide").split("\n")
    new, old = (next(each for each in wide if name in each) for name in ("5d5d5d5d5d", "7c9d8f6b54"))

    assert "api:3.0.0" in new
    assert "20m" in new
    assert "api:2.14.1" in old
    assert "16d" in old


def test_no_key_of_a_replaced_template_is_left() -> None:
    assert "former" not in found(shop_with(rollout()), "Deployment", "api")


def test_an_older_revision_is_younger_than_its_deployment_and_older_than_the_new_one() -> None:
    deployment = {
        "kind": "Deployment",
        "metadata": {
            "name": "web",
            "creationTimestamp": "-90d",
            "annotations": {"deployment.kubernetes.io/revision": "9"},
        },
        "spec": {"replicas": 2, "template": {"metadata": {"creationTimestamp": "-1h"}, **TEMPLATE}},
        "pods": ["web-5d5d5d5d5d-bbbbb", "web-7c7c7c7c7c-ccccc"],
    }
    world = world_of(deployment)
    old = found(world, "ReplicaSet", "web-7c7c7c7c7c")

    assert old["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == "8"
    assert timedelta(days=4) < NOW - created(world, "web-7c7c7c7c7c-ccccc") < timedelta(days=16)


def test_pods_of_a_new_revision_are_put_where_no_old_one_is() -> None:
    deployment = {
        "kind": "Deployment",
        "metadata": {"name": "web", "creationTimestamp": "-9d"},
        "spec": {"replicas": 2, "template": TEMPLATE},
        "pods": ["web-5d5d5d5d5d-bbbbb", "web-7c7c7c7c7c-ccccc"],
    }
    world = world_of({"kind": "Node", "metadata": {"name": "worker-2"}}, deployment)
    nodes = {found(world, "Pod", each)["spec"]["nodeName"] for each in deployment["pods"]}

    assert nodes == {"worker-1", "worker-2"}


@pytest.mark.parametrize(
    ("strategy", "most"),
    [
        ({"type": "Recreate"}, "4"),
        ({}, "5"),
        ({"rollingUpdate": {"maxSurge": 3}}, "7"),
        ({"rollingUpdate": {"maxSurge": "30%"}}, "6"),
    ],
)
def test_the_most_replicas_follow_from_the_strategy(strategy: dict[str, Any], most: str) -> None:
    spec = {"replicas": 4, "strategy": strategy, "template": TEMPLATE}
    world = world_of({"kind": "Deployment", "metadata": {"name": "web"}, "spec": spec})
    [replica_set] = [each for each in world.objects if each["kind"] == "ReplicaSet"]

    assert replica_set["metadata"]["annotations"]["deployment.kubernetes.io/max-replicas"] == most


def test_a_change_to_recreate_leaves_no_surge() -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    spec = {"strategy": rolling, "template": TEMPLATE}
    world = world_of(
        {"kind": "Deployment", "metadata": {"name": "web"}, "spec": spec},
        changes=({"patch": "deployment/web", "with": {"spec": {"strategy": {"type": "Recreate"}}}},),
    )

    assert "max surge" not in ask(world, "describe", kind="deployment", name="web")
    assert found(world, "Deployment", "web")["spec"]["strategy"] == {"type": "Recreate"}


def test_huge_pages_are_no_memory_for_pods() -> None:
    capacity = {"memory": "16Gi", "hugepages-2Mi": "4Gi"}
    node = {"kind": "Node", "metadata": {"name": "big"}, "status": {"capacity": capacity}}

    assert found(world_of(node), "Node", "big")["status"]["allocatable"]["memory"] == f"{12 * 1024 - 100}Mi"


def test_a_kubelet_with_a_wrong_clock_renews_by_it() -> None:
    late = {"type": "Ready", "status": "True", "lastHeartbeatTime": "-23m6s"}
    world = world_of({"kind": "Node", "metadata": {"name": "slow"}, "status": {"conditions": [late]}})
    node = found(world, "Node", "slow")
    lease = next(e for e in world.objects if e["kind"] == "Lease" and e["metadata"]["name"] == "slow")

    assert {each["lastHeartbeatTime"] for each in node["status"]["conditions"]} == {"2026-03-02T09:51:54Z"}
    assert lease["spec"]["renewTime"] == "2026-03-02T09:51:54Z"


LOW = "The node was low on resource: memory. Threshold quantity: 100Mi, available: 81204Ki. "
POD = "pod/db-0 -n shop"


def evicted(message: str) -> World:
    status = {"phase": "Failed", "reason": "Evicted", "message": message}
    event = {"event": POD, "type": "Warning", "reason": "Evicted", "message": message, "first": "-7m"}
    return shop_with({"patch": POD, "with": {"status": status}}, event)


def test_a_pod_that_its_kubelet_evicted_says_so() -> None:
    pod = found(evicted(LOW), "Pod", "db-0")
    target = condition(pod, "DisruptionTarget")

    assert pod["status"]["conditions"][0] == target
    assert (target["reason"], target["message"]) == ("TerminationByKubelet", LOW)
    assert target["lastTransitionTime"] == "2026-03-02T10:08:00Z"
    assert condition(pod, "Ready") | {"status": "", "type": ""} == {
        "type": "",
        "status": "",
        "reason": "PodFailed",
        "lastProbeTime": None,
        "lastTransitionTime": "2026-03-02T10:08:00Z",
    }


def test_a_pod_that_a_kubelet_refused_was_no_target() -> None:
    pod = found(evicted("The node had condition: [DiskPressure]. "), "Pod", "db-0")

    assert condition(pod, "DisruptionTarget") == {}


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("TaintManagerEviction", "DeletionByTaintManager"), ("Preempted", "PreemptionByScheduler")],
)
def test_a_pod_that_has_to_go_says_why(reason: str, expected: str) -> None:
    leaving = {"patch": POD, "with": {"metadata": {"deletionTimestamp": "-3m"}}}
    event = {"event": POD, "reason": reason, "message": "Marking for deletion Pod shop/db-0"}

    assert (
        condition(found(shop_with(leaving, event), "Pod", "db-0"), "DisruptionTarget")["reason"] == expected
    )
    assert condition(found(shop_with(leaving), "Pod", "db-0"), "DisruptionTarget") == {}


def test_a_node_uses_at_least_what_its_pods_do() -> None:
    world = shop_with(
        {"usage": {"of": "pod/db-0 -n shop", "cpu": "1.5", "memory": "2Gi"}},
        {"usage": {"of": "node/worker-1", "cpu": "900m", "memory": "1Gi"}},
    )

    assert "worker-1   1560m        39%         2368Mi" in ask(world, "top", kind="nodes")


def test_a_node_never_uses_more_than_it_has() -> None:
    world = shop_with(
        {"usage": {"of": "pod/db-0 -n shop", "cpu": "3.95", "memory": "2Gi"}},
        {"usage": {"of": "node/worker-1", "cpu": "900m", "memory": "9Gi"}},
    )

    assert "worker-1   39" in ask(world, "top", kind="nodes")


def test_a_series_that_names_a_pod_without_namespace_ends_with_it() -> None:
    gone = {"name": "postgres", "state": {"terminated": {"exitCode": 1, "finishedAt": "-10m"}}}
    world = shop_with(
        {"patch": POD, "with": {"status": {"containerStatuses": [gone]}}},
        {"metrics": "DCGM_FI_DEV_GPU_UTIL", "labels": {"pod": "db-0"}, "values": 90},
    )

    assert world.metrics[0].points[-1][0] == -600


def test_a_series_of_an_instance_ends_with_its_node() -> None:
    silent = {
        "type": "Ready",
        "status": "Unknown",
        "lastTransitionTime": "-9m20s",
        "lastHeartbeatTime": "-10m",
    }
    world = shop_with(
        {"patch": "node/worker-2", "with": {"status": {"conditions": [silent]}}},
        {"metrics": "node_load5", "labels": {"instance": "worker-2"}, "values": 3},
    )

    assert world.metrics[0].points[-1][0] == -600


def test_what_a_kubelet_reported_comes_from_the_node_of_the_pod() -> None:
    event = {
        "kind": "Event",
        "metadata": {"namespace": "shop"},
        "involvedObject": {"kind": "Pod", "name": "db-0", "namespace": "shop"},
        "reason": "Unhealthy",
        "message": "Readiness probe failed",
        "source": {"component": "kubelet", "host": "worker-9"},
        "firstTimestamp": "-5m",
        "lastTimestamp": "-5m",
    }
    hosts = [
        each["source"]["host"]
        for each in shop_with({"add": event}).objects
        if each.get("reason") == "Unhealthy"
    ]

    assert hosts == [found(shop(), "Pod", "db-0")["spec"]["nodeName"]]


def test_a_log_of_the_base_ends_where_a_change_ended_its_run() -> None:
    base = {
        "now": "2026-03-02T10:15:00Z",
        "objects": [
            {"kind": "Node", "metadata": {"name": "worker-1"}},
            {"kind": "Pod", "metadata": {"name": "p", "creationTimestamp": "-9d"}, **TEMPLATE},
        ],
        "logs": [{"pod": "p", "lines": ["10:09:58 served 3", "  (of 3)", "10:14:00 served 4", "  (of 4)"]}],
    }
    ending = {"reason": "Error", "exitCode": 1, "startedAt": "-1h", "finishedAt": "-5m"}
    looping = {"waiting": {"reason": "CrashLoopBackOff"}}
    status = {"name": "app", "restartCount": 1, "state": looping, "lastState": {"terminated": ending}}
    change = {"patch": "pod/p", "with": {"status": {"containerStatuses": [status]}}}

    assert ask(build_world(base, [change], "x"), "logs", pod="p", namespace="default") == (
        "10:09:58 served 3\n  (of 3)"
    )
    assert "served 4" in ask(build_world(base, [], "x"), "logs", pod="p", namespace="default")


def test_a_pod_starts_no_later_than_its_first_container() -> None:
    first = {"exitCode": 0, "startedAt": "-5h12m", "finishedAt": "-1h"}
    status = {"name": "app", "restartCount": 1, "lastState": {"terminated": first}}
    pod = {
        "kind": "Pod",
        "metadata": {"name": "p", "creationTimestamp": "-5h12m"},
        **TEMPLATE,
        "status": {"containerStatuses": [status]},
    }

    assert found(world_of(pod), "Pod", "p")["status"]["startTime"] == "2026-03-02T05:03:00Z"

"""What a pod's containers say decides its columns, phase and conditions."""

from typing import Any

import pytest
from small_world import ask, found, pod, world_of

OOM = {"terminated": {"reason": "OOMKilled", "finishedAt": "-87s"}}
DONE = {"terminated": {"reason": "Completed", "exitCode": 0}}
GONE = {"terminated": {"exitCode": 3, "reason": ""}}


def app(**status: Any) -> list[dict[str, Any]]:
    return [{"name": "app", **status}]


def waiting(reason: str) -> dict[str, Any]:
    return {"state": {"waiting": {"reason": reason}}}


def with_init(value: dict[str, Any], *containers: dict[str, Any]) -> dict[str, Any]:
    return {**value, "spec": {**value["spec"], "initContainers": list(containers)}}


def on_node(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "spec": {**value["spec"], "nodeName": "worker-1"}}


FIRST, SECOND = ({"name": each, "image": "busybox"} for each in ("first", "second"))
SIDECAR = {"name": "mesh", "image": "envoy", "restartPolicy": "Always"}

ROWS: dict[str, tuple[dict[str, Any], str]] = {
    "healthy": (pod(), "2/2     Running   0          5h12m"),
    "crash loop": (
        pod(containerStatuses=app(restartCount=7, lastState=OOM, **waiting("CrashLoopBackOff"))),
        "1/2     CrashLoopBackOff   7 (87s ago)   5h12m",
    ),
    "restarted and running": (
        pod(containerStatuses=app(restartCount=3, lastState=OOM)),
        "2/2     Running   3 (87s ago)   5h12m",
    ),
    "running and not ready": (pod(containerStatuses=app(ready=False)), "1/2     Running   0          5h12m"),
    "image": (
        pod(containerStatuses=app(**waiting("ImagePullBackOff"))),
        "1/2     ImagePullBackOff   0          5h12m",
    ),
    "creating": (on_node(pod(phase="Pending")), "0/2     ContainerCreating   0          5h12m"),
    "no node": (
        pod(conditions=[{"type": "PodScheduled", "status": "False"}]),
        "0/2     Pending   0          5h12m",
    ),
    "gated": (
        pod(conditions=[{"type": "PodScheduled", "status": "False", "reason": "SchedulingGated"}]),
        "0/2     SchedulingGated   0          5h12m",
    ),
    "succeeded": (pod(phase="Succeeded"), "0/2     Completed   0          5h12m"),
    "failed": (pod(phase="Failed"), "0/2     Error    0          5h12m"),
    "exit code": (pod(containerStatuses=app(state=GONE)), "1/2     ExitCode:3   0          5h12m"),
    "one is done": (pod(containerStatuses=app(state=DONE)), "1/2     NotReady   0          5h12m"),
    "evicted": (pod(phase="Failed", reason="Evicted"), "0/2     Evicted   0          5h12m"),
    "first of two": (
        with_init(pod(initContainerStatuses=[{"name": "first", "state": {"running": {}}}]), FIRST, SECOND),
        "0/2     Init:0/2   0          5h12m",
    ),
    "second of two": (
        with_init(pod(initContainerStatuses=[{"name": "second", "state": {"running": {}}}]), FIRST, SECOND),
        "0/2     Init:1/2   0          5h12m",
    ),
    "init crash loop": (
        with_init(
            pod(
                initContainerStatuses=[
                    {"name": "first", "restartCount": 5, "lastState": OOM, **waiting("CrashLoopBackOff")}
                ]
            ),
            FIRST,
        ),
        "0/2     Init:CrashLoopBackOff   5 (87s ago)   5h12m",
    ),
    "init failed": (
        with_init(
            pod(initContainerStatuses=[{"name": "first", "state": {"terminated": {"exitCode": 1}}}]), FIRST
        ),
        "0/2     Init:Error   0          5h12m",
    ),
    "initialized": (with_init(pod(), FIRST), "2/2     Running   0          5h12m"),
    "sidecar": (with_init(pod(), SIDECAR), "3/3     Running   0          5h12m"),
    "sidecar not started": (
        with_init(pod(initContainerStatuses=[{"name": "mesh", **waiting("ImagePullBackOff")}]), SIDECAR),
        "0/3     Init:ImagePullBackOff   0          5h12m",
    ),
}


@pytest.mark.parametrize(("value", "row"), ROWS.values(), ids=ROWS.keys())
def test_a_row_shows_what_the_containers_are_at(value: dict[str, Any], row: str) -> None:
    assert ask(world_of(value), "get", kind="pods").split("\n")[1] == f"p      {row}"


def test_a_pod_being_deleted_is_terminating() -> None:
    deleted = pod()
    deleted["metadata"]["deletionTimestamp"] = "-12m"
    world = world_of(deleted)

    assert "2/2     Terminating" in ask(world, "get", kind="pod")
    description = ask(world, "describe", kind="pod", name="p")
    assert "Status:                    Terminating (lasts 12m)" in description
    assert "Termination Grace Period:  30s" in description


LOOP = app(lastState=OOM, **waiting("CrashLoopBackOff"))
BOTH_DONE = [{"name": "app", "state": DONE}, {"name": "side", "state": DONE}]
BOTH_GONE = [{"name": "app", "state": DONE}, {"name": "side", "state": GONE}]


@pytest.mark.parametrize(
    ("policy", "statuses", "phase"),
    [
        ("Always", [], "Running"),
        ("Always", LOOP, "Running"),
        ("Always", app(**waiting("ErrImagePull")), "Pending"),
        ("Always", BOTH_DONE, "Running"),
        ("Never", BOTH_DONE, "Succeeded"),
        ("Never", BOTH_GONE, "Failed"),
        ("OnFailure", BOTH_GONE, "Running"),
    ],
)
def test_the_phase_follows_from_the_containers(policy: str, statuses: list[Any], phase: str) -> None:
    value = pod(containerStatuses=statuses)
    value["spec"]["restartPolicy"] = policy

    assert found(world_of(value), "Pod", "p")["status"]["phase"] == phase


def test_a_stated_phase_and_condition_stay() -> None:
    stated = {"type": "Ready", "status": "False", "reason": "ReadinessGatesNotReady"}
    status = found(world_of(pod(phase="Unknown", conditions=[stated])), "Pod", "p")["status"]

    assert status["phase"] == "Unknown"
    ready = next(each for each in status["conditions"] if each["type"] == "Ready")
    assert (ready["status"], ready["reason"]) == ("False", "ReadinessGatesNotReady")


@pytest.mark.parametrize(("scheduler", "types"), [("default-scheduler", ["PodScheduled"]), ("packing", [])])
def test_only_the_usual_scheduler_says_that_a_pod_fits_nowhere(scheduler: str, types: list[str]) -> None:
    waits = pod(phase="Pending")
    waits["spec"] |= {"schedulerName": scheduler, "nodeSelector": {"disk": "fast"}}
    world = world_of(waits)
    status = found(world, "Pod", "p")["status"]

    assert [each["type"] for each in status.get("conditions", [])] == types
    assert ("Conditions:" in ask(world, "describe", kind="pod", name="p")) is bool(types)
    assert "FailedScheduling" not in ask(world, "events")


def test_what_another_scheduler_is_stated_to_say_is_of_that_scheduler() -> None:
    stated = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    waits = pod(phase="Pending", conditions=[stated])
    waits["spec"]["schedulerName"] = "packing"
    event = {"event": "pod/p", "reason": "FailedScheduling", "message": "no room"}
    world = world_of(waits, changes=(event,))

    assert found(world, "Pod", "p")["status"]["conditions"] == [stated]
    assert "packing" in ask(world, "describe", kind="pod", name="p").splitlines()[-1]


def test_conditions_name_the_containers_that_are_not_ready() -> None:
    status = found(world_of(pod(containerStatuses=LOOP)), "Pod", "p")["status"]
    shown = {each["type"]: (each["status"], each.get("message")) for each in status["conditions"]}

    assert shown == {
        "PodReadyToStartContainers": ("True", None),
        "Initialized": ("True", None),
        "Ready": ("False", "containers with unready status: [app]"),
        "ContainersReady": ("False", "containers with unready status: [app]"),
        "PodScheduled": ("True", None),
    }


def test_an_ending_is_completed_with_code_and_times() -> None:
    status = found(world_of(pod(containerStatuses=LOOP)), "Pod", "p")["status"]["containerStatuses"][0]
    ending = status["lastState"]["terminated"]

    assert (ending["exitCode"], ending["finishedAt"]) == (137, "2026-03-02T10:13:33Z")
    assert ending["startedAt"] < ending["finishedAt"]
    assert status["restartCount"] == 1


def test_a_crash_loop_without_a_past_is_given_one() -> None:
    world = world_of(pod(containerStatuses=app(**waiting("CrashLoopBackOff"))))
    status = found(world, "Pod", "p")["status"]["containerStatuses"][0]

    assert (status["lastState"]["terminated"]["exitCode"], status["restartCount"]) == (1, 1)


@pytest.mark.parametrize(
    ("resources", "quality"),
    [
        ({}, "BestEffort"),
        ({"requests": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed"),
    ],
)
def test_resources_decide_the_quality_of_service(resources: dict[str, Any], quality: str) -> None:
    value = pod()
    for each in value["spec"]["containers"]:
        each["resources"] = resources

    assert found(world_of(value), "Pod", "p")["status"]["qosClass"] == quality

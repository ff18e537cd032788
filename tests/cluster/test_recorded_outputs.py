"""Answers equal what a real kubectl said of the same objects, where recordings lie beside the checkout."""

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.cluster.build import build_world
from harness.cluster.tools import answer
from harness.model.scenario import World

HERE = Path(__file__).parent
RECORDINGS = HERE.parents[2] / "shared" / "data" / "holmesgpt"
pytestmark = pytest.mark.skipif(not RECORDINGS.is_dir(), reason="no recordings beside the checkout")

OOM, PULL, JOB, MISMATCH = (
    f"test_investigate/{each}"
    for each in (
        "01_oom_kill",
        "04_image_pull_backoff",
        "06_job_failure",
        "10_KubeDeploymentReplicasMismatch",
    )
)
CLAIM, SELECTOR = (
    f"test_ask_holmes/{each}"
    for each in ("24b_misconfigured_pvc_detailed", "13b_pending_node_selector_detailed")
)
NO_NODE = {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False"}]}
ALWAYS = [{"patch": "pod/user-profile-resources-659d4dd659-ksbgg", "with": {"status": NO_NODE}}]


def recorded(path: str) -> str:
    """Return the output in a recording, its times in UTC, as kubectl printed it."""
    content = (RECORDINGS / path).read_text().split("\n", 2)[2]
    content = content.removeprefix("stdout:\n").partition("\nstderr:")[0].replace('\\"', '"')
    return re.sub(r"\w{3}, \d\d \w{3} \d{4} [\d:]{8} [+-]\d{4}", in_utc, content).strip("\n")


def in_utc(found: re.Match[str]) -> str:
    form = "%a, %d %b %Y %H:%M:%S %z"
    return datetime.strptime(found[0], form).astimezone(UTC).strftime(form)


def event_changes(output: str, about: str) -> list[dict[str, Any]]:
    """Return the changes that make the events of a recorded description."""
    form = re.compile(r"  (Normal|Warning) +(\S+) +(\w+)(?: \(x(\d+) over (\w+)\))?  +(\S+) +(.*)")
    found = [form.fullmatch(line) for line in output.partition("\nEvents:\n")[2].split("\n")[2:]]
    return [
        {
            "event": about,
            "type": each[1],
            "reason": each[2],
            "last": f"-{each[3]}",
            "first": f"-{each[5] or each[3]}",
            "count": int(each[4] or 1),
            "from": each[6],
            "message": each[7],
        }
        for each in found
        if each
    ]


def args_change(output: str) -> dict[str, Any]:
    """Return the change that gives the Job the argument of its recorded description."""
    lines = output.partition("    Args:\n")[2].partition("    Environment:")[0].split("\n")[:-1]
    container = {"name": "java-beans", "args": ["\n".join(line.strip() for line in lines)]}
    return {
        "patch": "job/java-api-checker",
        "with": {"spec": {"template": {"spec": {"containers": [container]}}}},
    }


def world_with(changes: list[dict[str, Any]]) -> World:
    return build_world(yaml.safe_load((HERE / "recorded.yaml").read_text()), [*ALWAYS, *changes], "recorded")


@pytest.mark.parametrize(
    ("path", "kind", "name", "namespace"),
    [
        (f"{OOM}/kubectl_describe.txt", "pod", "analytics-exporter-fast-76897854c-cw5wh", "default"),
        (f"{PULL}/kubectl_describe.txt", "pod", "customer-relations-webapp-5d98ffcfd-tz4nc", "default"),
        (f"{JOB}/kubectl_describe.txt", "job", "java-api-checker", "default"),
        (
            f"{MISMATCH}/kubectl_describe_deployment_user-profile-resources_default.txt",
            "deployment",
            "user-profile-resources",
            "default",
        ),
        (
            f"{CLAIM}/kubectl_describe_PersistentVolumeClaim_redis-standard-pvc_app-24b_2.txt",
            "PersistentVolumeClaim",
            "redis-standard-pvc",
            "app-24b",
        ),
        (f"{SELECTOR}/kubectl_describe.txt", "pod", "user-profile-import", "default"),
    ],
)
def test_a_description_is_the_recorded_one(path: str, kind: str, name: str, namespace: str) -> None:
    expected = recorded(path).replace("app-13b", "default")
    changes = event_changes(expected, f"{kind}/{name} -n {namespace}")
    world = world_with([*changes, args_change(expected)] if kind == "job" else changes)

    assert answer(world, "kubectl_describe", {"kind": kind, "name": name, "namespace": namespace}) == expected


def test_the_sentences_of_logs_are_the_recorded_ones() -> None:
    world = world_with([])
    pod = {"pod": "customer-relations-webapp-5d98ffcfd-tz4nc", "namespace": "default"}
    said, said_of_previous = (
        recorded(f"{PULL}/{each}").split("\n")[-1]
        for each in ("kubectl_logs.txt", "kubectl_previous_logs.txt")
    )

    assert answer(world, "kubectl_logs", pod) == said
    assert answer(world, "kubectl_logs", {**pod, "previous": True}) == said_of_previous


def test_the_events_of_an_object_are_the_recorded_ones() -> None:
    expected = recorded(f"{MISMATCH}/kubectl_events_deployment_user-profile-resources_default.txt")
    message = "Scaled up replica set user-profile-resources-659d4dd659 to 1"
    world = world_with(
        [
            {
                "event": "deployment/user-profile-resources",
                "reason": "ScalingReplicaSet",
                "message": message,
                "first": "-30m",
            }
        ]
    )

    assert answer(world, "kubectl_events", {"for": "deployment/user-profile-resources"}) == expected


@pytest.mark.parametrize(
    ("path", "arguments"),
    [
        (
            f"{CLAIM}/kubectl_get_by_name_PersistentVolumeClaim_redis-standard-pvc_app-24b_2.txt",
            {"kind": "pvc", "name": "redis-standard-pvc", "namespace": "app-24b"},
        ),
        (
            f"{MISMATCH}/kubectl_get_by_name_deployment_user-profile-resources_default.txt",
            {"kind": "deployment", "name": "user-profile-resources"},
        ),
    ],
)
def test_a_wide_table_is_the_recorded_one_without_its_labels(path: str, arguments: dict[str, Any]) -> None:
    expected = "\n".join(re.sub(r" +(LABELS|<none>)$", "", line) for line in recorded(path).split("\n"))

    assert answer(world_with([]), "kubectl_get", {**arguments, "output": "wide"}) == expected

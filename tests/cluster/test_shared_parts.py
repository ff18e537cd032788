"""Worlds of one base share what is alike in them, and are what they would be if each were built alone."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import small_world

from harness.cluster import build_world
from harness.cluster.parts import Parts
from harness.model import World

POD = "api-7c9d8f6b54-x2lvq"
Changes = Sequence[Mapping[str, Any]]

CHANGES: Mapping[str, Changes] = {
    "nothing": [],
    "nothing again": [],
    "a status": [{"patch": f"pod/{POD} -n shop", "with": {"status": {"phase": "Failed", "reason": "Error"}}}],
    "an eviction": [
        {"patch": f"pod/{POD} -n shop", "with": {"status": {"phase": "Failed", "reason": "Evicted"}}},
        {
            "event": f"pod/{POD} -n shop",
            "type": "Warning",
            "reason": "Evicted",
            "message": "low",
            "first": "-3m",
        },
    ],
    "when it was evicted": [
        {
            "event": "pod/evicted -n shop",
            "type": "Warning",
            "reason": "Evicted",
            "message": "x",
            "first": "-3h",
        }
    ],
    "a silent node": [
        {
            "patch": "node/worker-1",
            "with": {"status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}},
        }
    ],
    "a cordoned node": [{"patch": "node/worker-1", "with": {"spec": {"unschedulable": True}}}],
    "a label of a node": [{"patch": "node/worker-1", "with": {"metadata": {"labels": {"disk": "slow"}}}}],
    "a node less": [{"remove": "node/worker-2"}],
    "a node more": [
        {"add": {"kind": "Node", "metadata": {"name": "attic", "creationTimestamp": "-1d"}}},
    ],
    "an address taken": [
        {
            "add": {
                "kind": "Pod",
                "metadata": {"name": "guest", "namespace": "shop", "creationTimestamp": "-1d"},
                "spec": {"nodeName": "worker-1", "containers": [{"name": "a", "image": "a:1"}]},
                "status": {"podIP": "10.244.1.94"},
            }
        }
    ],
    "replicas": [{"patch": "deployment/api -n shop", "with": {"spec": {"replicas": 4}}}],
    "a template": [
        {
            "patch": "deployment/api -n shop",
            "with": {
                "spec": {"template": {"spec": {"containers": [{"name": "app", "image": "registry/api:3"}]}}}
            },
        }
    ],
    "a priority": [{"patch": "priorityclass/live", "with": {"value": 7}}],
    "another log": [{"logs": "pod/report-29540760-nzc8k -n shop", "lines": ["finished in 7m"]}],
    "a config": [{"patch": "configmap/api-config -n shop", "with": {"data": {"level": "debug"}}}],
    "usage": [{"usage": {"of": f"pod/{POD} -n shop", "container": "app", "cpu": "900m", "memory": "500Mi"}}],
    "a namespace less": [{"remove": "namespace/shop"}],
}


def base() -> dict[str, Any]:
    """Return the shop with a pod that was evicted, fresh each time."""
    guest = {
        "kind": "Pod",
        "metadata": {"name": "evicted", "namespace": "shop", "creationTimestamp": "-1d"},
        "spec": {"nodeName": "worker-1", "containers": [{"name": "a", "image": "a:1"}]},
        "status": {
            "phase": "Failed",
            "reason": "Evicted",
            "message": "The node was low on resource: memory.",
        },
    }
    content = small_world.base()
    return content | {"objects": [*content["objects"], guest]}


def build(content: Mapping[str, Any], changes: Changes) -> World:
    return build_world(content, changes, "x.yaml")


@pytest.fixture(scope="module")
def alone() -> dict[str, str]:
    return {each: repr(build(base(), changes)) for each, changes in CHANGES.items()}


@pytest.mark.parametrize("first", CHANGES)
def test_whatever_was_built_before_a_world_is_the_same(first: str, alone: Mapping[str, str]) -> None:
    shared = base()
    build(shared, CHANGES[first])

    together = {each: build(shared, changes) for each, changes in CHANGES.items()}

    # Compared when all are there: none was changed by those that came after it.
    assert {each: repr(world) for each, world in together.items()} == alone


def test_what_no_change_touches_is_made_once() -> None:
    shared = base()
    one, other = build(shared, []), build(shared, CHANGES["a status"])

    # A world copies the outermost mapping of each object.
    shared_by_both = {id(each["metadata"]) for each in other.objects}
    same = [each for each in one.objects if id(each["metadata"]) in shared_by_both]
    assert {each["kind"] for each in same} >= {"ConfigMap", "Node", "Pod", "Secret"}
    assert POD not in {each["metadata"]["name"] for each in same}


def test_the_file_of_a_base_is_not_changed() -> None:
    shared = base()
    for changes in CHANGES.values():
        build(shared, changes)

    assert shared == base()


def test_a_part_is_made_anew_for_another_object_another_step_or_other_facts() -> None:
    parts, one, equal = Parts(), [1], [1]

    def made(step: str, of: object, told: int = 0) -> list[object]:
        return parts.once(lambda: [step, of, told], step, of, told=told)

    assert made("a", one) is made("a", one)
    assert made("a", one) is not made("a", equal)
    assert made("a", one) is not made("b", one)
    assert made("a", one) is not made("a", one, told=1)
    assert made("a", one, told=1) is made("a", one, told=1)


def test_what_is_remembered_does_not_grow_for_ever() -> None:
    parts = Parts()
    objects = [[each] for each in range(5_000)]
    made = [parts.once(lambda: [0], "a", each) for each in objects]

    assert parts.once(lambda: [1], "a", objects[-1]) is made[-1]
    assert parts.once(lambda: [1], "a", objects[0]) == [1]

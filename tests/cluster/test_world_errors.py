"""What an author reads who wrote a base world or a change that cannot be."""

from typing import Any

import pytest
from small_world import base, shop_with

from harness.cluster import build_world
from harness.errors import InvalidScenario

POD = "pod/api-7c9d8f6b54-x2lvq -n shop"
EVENT = {"event": POD, "reason": "R", "message": "M"}
VERBS = "add, remove, patch, event, logs, usage, metrics, forbid"
KEYS = "description, now, objects, logs, usage, metrics, forbidden"
CONTAINERS = [{"name": "a", "image": "b"}]

CHANGES: list[tuple[dict[str, Any], str]] = [
    (
        {"patch": "pod/api-7c9d8f6b54-x2lvx -n shop", "with": {}},
        (
            "world.changes[0].patch: found 'pod/api-7c9d8f6b54-x2lvx -n shop'; no such object, near: "
            "'pod/api-7c9d8f6b54-x2lvq -n shop', 'pod/api-7c9d8f6b54-8kqwz -n shop', "
            "'pod/web-5d9c7b8f64-t8vmc -n shop'"
        ),
    ),
    (
        {"patch": "deploy/api", "with": {}},
        (
            "world.changes[0].patch: found 'deploy/api'; no such object, near: 'deployment/api -n shop', "
            "'deployment/web -n shop'"
        ),
    ),
    (
        {"remove": "limits/x"},
        "world.changes[0].remove: found 'limits/x'; no such object, near: 'limitrange/usual -n shop'",
    ),
    (
        {"remove": "replicationcontroller/x"},
        (
            "world.changes[0].remove: found 'replicationcontroller/x'; no such object, "
            "and no other ReplicationController either"
        ),
    ),
    (
        {"patch": "pod", "with": {}},
        "world.changes[0].patch: found 'pod'; write kind/name, or kind/name -n namespace",
    ),
    (
        {"patch": "deploymnt/api -n shop", "with": {}},
        "world.changes[0].patch: found 'deploymnt/api -n shop'; no such kind, near: 'deployment'",
    ),
    (
        {"patch": POD},
        "world.changes[0].with: found None; write what the object gets, as a merge patch",
    ),
    (
        {"patch": POD, "with": {"metadata": {"name": "other"}}},
        "world.changes[0].patch: found another name or namespace; remove the object and add one",
    ),
    (
        {"patch": "job/report-29540760 -n shop", "with": {"pods": ["report-29540760-aaaaa"]}},
        "world.changes[0].patch: found 'pods', too late for what a controller made; a file must say it",
    ),
    (
        {"patch": POD, "with": {"status": {"startTime": "-12x"}}},
        (
            "world.changes[0].with.status.startTime: found '-12x'; write a time as '-7m12s', '-3h' or "
            "'2026-03-02T10:15:00Z'"
        ),
    ),
    (
        {"add": {}, "event": POD},
        f"world.changes[0]: found ['add', 'event']; a change has exactly one of {VERBS}",
    ),
    ({"remove": POD, "why": "x"}, "world.changes[0]: found 'why'; allowed are remove"),
    (
        {"add": {"kind": "ConfigMap", "metadata": {"name": "api-config", "namespace": "shop"}}},
        "world.changes[0].add: found 'configmap/api-config -n shop' twice; every object stands once",
    ),
    (
        {"add": {"kind": "Pod", "metadata": {"name": "p"}, "spec": {}}},
        "world.changes[0].add.spec.containers: found []; a Pod needs containers, each with name and image",
    ),
    ({"add": {"metadata": {}}}, "world.changes[0].add.kind: found nothing; write the kind, as Deployment"),
    (
        {"add": {"kind": "Widget", "metadata": {"name": "w"}}},
        "world.changes[0].add.kind: found 'Widget'; a kind of one's own needs an apiVersion",
    ),
    (
        {"add": {"apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": {"name": "s"}}},
        "world.changes[0].add.apiVersion: found 'serving.knative.dev/v1'; a Service is of v1",
    ),
    (
        {"add": {"kind": "Node", "metadata": {"name": "n", "namespace": "shop"}}},
        "world.changes[0].add.metadata.namespace: found 'shop'; a Node is in no namespace",
    ),
    ({**EVENT, "type": "Bad"}, "world.changes[0].type: found 'Bad'; write Normal or Warning"),
    ({**EVENT, "count": 0}, "world.changes[0].count: found 0; write how often, from 1"),
    ({"event": POD, "reason": "R"}, "world.changes[0].message: found None; write a text"),
    (
        {**EVENT, "first": "-1m", "last": "-2m"},
        "world.changes[0].first: found '2026-03-02T10:14:00Z'; it comes before last, '2026-03-02T10:13:00Z'",
    ),
    (
        {"logs": POD, "lines": ["a"]},
        "world.changes[0].container: found None; api-7c9d8f6b54-x2lvq has app, proxy, wait",
    ),
    (
        {"logs": POD, "container": "app"},
        "world.changes[0]: found lines None and text None; write a list of lines, or one text",
    ),
    (
        {"logs": POD, "container": "app", "previous": "yes", "lines": []},
        "world.changes[0].previous: found 'yes'; write true or false",
    ),
]


@pytest.mark.parametrize(("change", "expected"), CHANGES)
def test_a_wrong_change_is_named_with_what_is_allowed(change: dict[str, Any], expected: str) -> None:
    with pytest.raises(InvalidScenario) as caught:
        shop_with(change)

    assert str(caught.value) == f"x.yaml: {expected}"


def test_the_place_of_a_wrong_change_is_its_number() -> None:
    with pytest.raises(InvalidScenario, match=r"^x.yaml: world.changes\[1\].remove: found 'pod/p'"):
        shop_with({"remove": POD}, {"remove": "pod/p"})


def workload(kind: str, **keys: Any) -> dict[str, Any]:
    template = {"spec": {"containers": CONTAINERS}}
    return {"kind": kind, "metadata": {"name": "w"}, "spec": {"template": template}, **keys}


CRON_JOB = {
    "kind": "CronJob",
    "metadata": {"name": "c"},
    "spec": {
        "schedule": "at noon",
        "jobTemplate": {"spec": {"template": {"spec": {"containers": CONTAINERS}}}},
    },
}

BASES: list[tuple[dict[str, Any], str]] = [
    ({"now": None}, "world.base.now: found None; write a time as '-7m12s', '-3h' or '2026-03-02T10:15:00Z'"),
    ({"objets": []}, f"world.base: found 'objets'; allowed are {KEYS}"),
    ({"objects": {}}, "world.base.objects: found {}; write a list"),
    ({"objects": ["pod"]}, "world.base.objects[0]: found 'pod'; write a Kubernetes manifest"),
    (
        {"objects": [{"kind": "ConfigMap", "metadata": {"name": "c", "namespace": "nowhere"}}], "logs": []},
        (
            "configmap/c -n nowhere: found namespace 'nowhere'; "
            "there are ['default', 'kube-node-lease', 'kube-public', 'kube-system']"
        ),
    ),
    (
        {"objects": [workload("Deployment", pods=["other-1"])], "logs": []},
        "deployment/w -n default.pods: found 'other-1'; the pods of w begin with 'w-'",
    ),
    (
        {"objects": [workload("Deployment", pods=["w-a-1", "w-a-1"])], "logs": []},
        "deployment/w -n default.pods: found ['w-a-1', 'w-a-1']; every pod needs a name of its own",
    ),
    (
        {"objects": [CRON_JOB], "logs": []},
        "cronjob/c -n default.spec.schedule: found 'at noon'; write five cron fields, as '*/15 2 * * 1-5'",
    ),
    (
        {"logs": [{"pod": "gone", "lines": []}]},
        "world.base.logs[0].pod: found 'gone'; no such pod in its namespace",
    ),
]


@pytest.mark.parametrize(("part", "expected"), BASES)
def test_a_wrong_base_world_is_named_with_what_is_allowed(part: dict[str, Any], expected: str) -> None:
    with pytest.raises(InvalidScenario) as caught:
        build_world(base() | part, [], "x.yaml")

    assert str(caught.value) == f"x.yaml: {expected}"

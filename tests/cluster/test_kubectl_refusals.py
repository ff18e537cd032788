"""What kubectl says where there is nothing to show; and logs, where it often has nothing."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from small_world import ask, pod, shop, shop_with, world_of

from harness.cluster import EVIDENCE_TOOLS, answer, build_world
from harness.errors import UnknownName

POD = {"pod": "api-7c9d8f6b54-x2lvq", "namespace": "shop"}
BAD = "Error from server (BadRequest): "


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("get", {"kind": "foo"}, 'error: the server doesn\'t have a resource type "foo"'),
        ("get", {"kind": "pods", "name": "x"}, 'Error from server (NotFound): pods "x" not found'),
        ("get", {"kind": "deploy/x"}, 'Error from server (NotFound): deployments.apps "x" not found'),
        (
            "get",
            {"kind": "deploy", "name": "api"},
            'Error from server (NotFound): deployments.apps "api" not found',
        ),
        ("get", {"kind": "pods", "namespace": "empty"}, "No resources found in empty namespace."),
        ("get", {"kind": "pods", "namespace": "nowhere"}, "No resources found in nowhere namespace."),
        ("get", {"kind": "rc", "all_namespaces": True}, "No resources found"),
        ("get", {"kind": "clusterroles"}, "No resources found"),
        ("get", {"kind": "all", "namespace": "empty"}, "No resources found in empty namespace."),
        (
            "get",
            {"kind": "pods", "name": "x", "all_namespaces": True},
            "error: a resource cannot be retrieved by name across all namespaces",
        ),
        ("describe", {"kind": "pod", "name": "x"}, 'Error from server (NotFound): pods "x" not found'),
        ("describe", {"kind": "foo", "name": "x"}, 'error: the server doesn\'t have a resource type "foo"'),
        ("events", {}, "No events found in default namespace."),
        ("events", {"namespace": "shop", "for": "pod/x"}, "No events found in shop namespace."),
        ("events", {"for": "x"}, "error: --for must be in resource/name form"),
        ("events", {"for": "foo/x"}, 'error: the server doesn\'t have a resource type "foo"'),
        ("logs", {"pod": "x", "namespace": "shop"}, 'Error from server (NotFound): pods "x" not found'),
        (
            "logs",
            {**POD, "namespace": "empty"},
            f'Error from server (NotFound): pods "{POD["pod"]}" not found',
        ),
        ("logs", {**POD, "container": "x"}, f"error: container x is not valid for pod {POD['pod']}"),
        (
            "logs",
            {**POD, "container": "proxy", "previous": True},
            f'{BAD}previous terminated container "proxy" in pod "{POD["pod"]}" not found',
        ),
    ],
)
def test_a_refusal_is_in_the_words_of_kubectl(tool: str, arguments: dict[str, Any], expected: str) -> None:
    assert ask(shop(), tool, **arguments) == expected


def test_empty_lists_are_empty_as_yaml_and_json_too() -> None:
    assert ask(shop(), "get", kind="pods", namespace="empty", output="yaml") == (
        'apiVersion: v1\nitems: []\nkind: List\nmetadata:\n  resourceVersion: ""'
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, "started\nready\nGET /cart 200"),
        ({"tail": 1}, "GET /cart 200"),
        ({"tail": 0}, ""),
        ({"tail": 9}, "started\nready\nGET /cart 200"),
        ({"container": "proxy"}, "proxy is up"),
        ({"container": "wait"}, "db found"),
    ],
)
def test_a_log_is_that_of_the_chosen_container(arguments: dict[str, Any], expected: str) -> None:
    assert ask(shop(), "logs", **POD, **arguments) == expected


def test_between_two_runs_the_one_that_ended_is_shown() -> None:
    other = "pod/api-7c9d8f6b54-8kqwz -n shop"
    state = {"waiting": {"reason": "CrashLoopBackOff"}}
    world = shop_with(
        {"patch": other, "with": {"status": {"containerStatuses": [{"name": "app", "state": state}]}}},
        {"logs": other, "container": "app", "previous": True, "lines": ["fatal: no database"]},
    )
    call = {"pod": "api-7c9d8f6b54-8kqwz", "namespace": "shop"}

    assert ask(world, "logs", **call) == "fatal: no database"
    assert ask(world, "logs", **call, previous=True) == "fatal: no database"


@pytest.mark.parametrize(
    ("status", "arguments", "expected"),
    [
        (
            {"containerStatuses": [{"name": "app", "state": {"waiting": {"reason": "ErrImagePull"}}}]},
            {"container": "app"},
            f'{BAD}container "app" in pod "p" is waiting to start: image can\'t be pulled',
        ),
        (
            {"containerStatuses": [{"name": "app", "state": {"waiting": {"reason": "ImagePullBackOff"}}}]},
            {"container": "app"},
            f'{BAD}container "app" in pod "p" is waiting to start: trying and failing to pull image',
        ),
        (
            {
                "containerStatuses": [
                    {"name": "app", "state": {"waiting": {"reason": "CreateContainerConfigError"}}}
                ]
            },
            {"container": "app"},
            f'{BAD}container "app" in pod "p" is waiting to start: CreateContainerConfigError',
        ),
        (
            {"phase": "Failed", "reason": "Evicted"},
            {"container": "app"},
            f'{BAD}container "app" in pod "p" is not available',
        ),
        ({"phase": "Pending"}, {"container": "app"}, ""),
    ],
)
def test_a_container_without_a_log_says_why(
    status: dict[str, Any], arguments: dict[str, str], expected: str
) -> None:
    assert ask(world_of(pod(**status)), "logs", pod="p", namespace="default", **arguments) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, 'Defaulted container "app" out of: app, side, first (init)\nserving'),
        ({"tail": 0}, 'Defaulted container "app" out of: app, side, first (init)'),
        ({"container": "app"}, "serving"),
        ({"container": "first"}, ""),
        (
            {"previous": True},
            (
                'Defaulted container "app" out of: app, side, first (init)\n'
                f'{BAD}previous terminated container "app" in pod "p" not found'
            ),
        ),
    ],
)
def test_the_first_container_is_read_and_named_where_none_was_chosen(
    arguments: dict[str, Any], expected: str
) -> None:
    value = pod()
    value["spec"]["initContainers"] = [{"name": "first", "image": "busybox"}]
    world = world_of(value, changes=({"logs": "pod/p", "container": "app", "lines": ["serving"]},))

    assert ask(world, "logs", pod="p", namespace="default", **arguments) == expected


def test_an_annotation_chooses_the_container_without_a_word() -> None:
    value = pod()
    value["metadata"]["annotations"] = {"kubectl.kubernetes.io/default-container": "side"}
    world = world_of(value, changes=({"logs": "pod/p", "container": "side", "lines": ["beside"]},))

    assert ask(world, "logs", pod="p", namespace="default") == "beside"


def test_the_kubelet_of_a_silent_node_cannot_be_asked() -> None:
    silent = {"type": "Ready", "status": "Unknown"}
    change = {"patch": "node/worker-1", "with": {"status": {"conditions": [silent]}}}

    assert ask(world_of(pod(), changes=(change,)), "logs", pod="p", namespace="default", container="app") == (
        'Error from server: Get "https://10.0.1.10:10250/containerLogs/default/p/app": '
        "dial tcp 10.0.1.10:10250: connect: no route to host"
    )


SILENT: dict[str, Any] = {
    "patch": "node/worker-1",
    "with": {"status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}},
}
LINES: dict[str, Any] = {"logs": "pod/p", "container": "app", "lines": ["a last word"]}


def test_what_a_base_world_lets_a_pod_say_cannot_be_fetched_once_its_node_is_silent() -> None:
    stream = {"pod": "p", "container": "app", "lines": ["serving"]}
    base = {"now": "2026-03-02T10:15:00Z", "objects": [*world_of(pod()).objects], "logs": [stream]}
    asked = {"pod": "p", "namespace": "default", "container": "app"}

    assert ask(build_world(base, [], "x.yaml"), "logs", **asked) == "serving"
    assert ask(build_world(base, [SILENT], "x.yaml"), "logs", **asked).endswith("connect: no route to host")


def test_a_scenario_can_state_what_a_pod_on_a_silent_node_said() -> None:
    world = world_of(pod(), changes=(SILENT, LINES))

    assert ask(world, "logs", pod="p", namespace="default", container="app") == "a last word"


@pytest.mark.parametrize(
    "word", ["pod", "PODS", "Po", "pods.v1.", "deployments.apps", "deploy.v1.apps", "Cert"]
)
def test_a_kind_is_found_under_any_of_its_words(word: str) -> None:
    assert not ask(shop(), "get", kind=word, namespace="shop").startswith(("error", "No"))


@pytest.mark.parametrize("word", ["deployments.foo", "deployments.v1.foo", "certificates.example.org"])
def test_an_unknown_group_is_refused_by_the_word_before_it(word: str) -> None:
    plural = word.partition(".")[0]

    assert ask(shop(), "get", kind=word) == f'error: the server doesn\'t have a resource type "{plural}"'


def test_two_kinds_of_one_name_are_told_apart_by_their_groups() -> None:
    databases = [
        {
            "apiVersion": f"{group}/v1",
            "kind": "Database",
            "metadata": {"name": f"in-{group[0]}", "namespace": "default"},
        }
        for group in ("b.example", "a.example")
    ]
    world = world_of(*databases)

    assert ask(world, "get", kind="databases", output="name") == "database.a.example/in-a"
    assert ask(world, "get", kind="databases.b.example", output="name") == "database.b.example/in-b"
    assert "Name:         in-b" in ask(world, "describe", kind="database.b.example", name="in-b")
    assert ask(world, "get", kind="database.v1.b.example", name="in-a") == (
        'Error from server (NotFound): databases.b.example "in-a" not found'
    )


def test_a_name_may_carry_its_kind() -> None:
    by_name = ask(shop(), "describe", kind="node", name="node/worker-1")

    assert by_name == ask(shop(), "describe", kind="no", name="worker-1")


def test_the_beginning_of_a_name_describes_all_that_have_it() -> None:
    found = ask(shop(), "describe", kind="pods", name="web-66d9", namespace="shop").split("\n\n\n")

    assert [each.split("\n")[0] for each in found] == [
        "Name:             web-66d9f7b5c8-7hq2k",
        "Name:             web-66d9f7b5c8-pz8xm",
    ]


def test_no_secret_value_is_shown_anywhere() -> None:
    outputs = [
        ask(shop(), "get", kind=kind, all_namespaces=True, output=form)
        for form in ("yaml", "json", "wide", "name")
        for kind in ("secrets", "pods,secrets")
    ]
    outputs.append(ask(shop(), "describe", kind="secret", name="api-secret", namespace="shop"))

    assert not [each for each in outputs if "hunter2" in each or "aHVudGVy" in each]


def test_the_schemas_of_the_tools_are_closed() -> None:
    assert [each.name for each in EVIDENCE_TOOLS] == [
        "kubectl_get",
        "kubectl_describe",
        "kubectl_events",
        "kubectl_logs",
        "kubectl_top",
        "prometheus_query",
    ]
    for each in EVIDENCE_TOOLS:
        Draft202012Validator.check_schema(each.parameters)
        assert each.parameters["additionalProperties"] is False
        assert all("description" in part for part in each.parameters["properties"].values())


def test_an_unknown_tool_is_refused() -> None:
    with pytest.raises(UnknownName, match="no tool 'kubectl_delete'"):
        answer(shop(), "kubectl_delete", {})


WORDS = st.one_of(
    st.sampled_from(["pods", "all", "deploy,svc", "node", "pod/api", "", "/", ",", "api"]), st.text()
)


@settings(deadline=None)
@given(kind=WORDS, name=WORDS, namespace=WORDS, everywhere=st.booleans())
def test_any_words_get_an_answer(kind: str, name: str, namespace: str, everywhere: bool) -> None:  # noqa: FBT001
    calls: list[tuple[str, dict[str, Any]]] = [
        ("get", {"kind": kind, "name": name, "namespace": namespace, "all_namespaces": everywhere}),
        ("describe", {"kind": kind, "name": name, "namespace": namespace}),
        ("events", {"namespace": namespace, "for": name}),
        ("logs", {"pod": name, "namespace": namespace, "container": kind}),
    ]

    assert all(isinstance(ask(shop(), tool, **arguments), str) for tool, arguments in calls)

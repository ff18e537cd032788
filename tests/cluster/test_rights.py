"""What the tools may not read, in the words in which kubectl 1.31 says so."""

from typing import Any

import pytest
from small_world import ask, base, pod, shop_with, world_of

from harness.cluster.build import build_world
from harness.errors import InvalidScenario
from harness.model.scenario import Forbidden

POD = "api-7c9d8f6b54-x2lvq"


def refusal(first: str, verb: str, resource: str, where: str, group: str = "") -> str:
    user = 'User "system:serviceaccount:ops:investigator" cannot'
    return (
        f"Error from server (Forbidden): {first} is forbidden: {user} {verb} resource "
        f'"{resource}" in API group "{group}" {where}'
    )


SHOP = 'in the namespace "shop"'


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"kind": "secrets"}, refusal("secrets", "list", "secrets", SHOP)),
        ({"kind": "secret", "name": "api-secret"}, refusal('secrets "api-secret"', "get", "secrets", SHOP)),
        ({"kind": "secret/nosuch"}, refusal('secrets "nosuch"', "get", "secrets", SHOP)),
    ],
)
@pytest.mark.parametrize("output", ["yaml", "json"])
def test_the_values_of_secrets_are_forbidden(arguments: dict[str, Any], expected: str, output: str) -> None:
    assert ask(shop_with(), "get", namespace="shop", output=output, **arguments) == expected


def test_the_values_of_all_secrets_are_forbidden_at_the_cluster_scope() -> None:
    assert ask(shop_with(), "get", kind="secrets", all_namespaces=True, output="yaml") == refusal(
        "secrets", "list", "secrets", "at the cluster scope"
    )


def test_secrets_are_listed_and_described() -> None:
    assert "api-secret   Opaque   2" in ask(shop_with(), "get", kind="secrets", namespace="shop")
    assert "password:  15 bytes" in ask(
        shop_with(), "describe", kind="secret", name="api-secret", namespace="shop"
    )


def test_what_may_be_read_is_printed_before_what_may_not() -> None:
    shown = ask(shop_with(), "get", kind="configmaps,secrets", namespace="shop", output="yaml")

    assert shown.startswith("apiVersion: v1\nitems:\n")
    assert shown.endswith("\n" + refusal("secrets", "list", "secrets", SHOP))


@pytest.mark.parametrize(
    ("resource", "tool", "arguments", "expected"),
    [
        ("pods", "get", {"kind": "po"}, refusal("pods", "list", "pods", SHOP)),
        ("pod", "get", {"kind": "pod", "name": POD}, refusal(f'pods "{POD}"', "get", "pods", SHOP)),
        ("pods", "describe", {"kind": "pod", "name": POD}, refusal(f'pods "{POD}"', "get", "pods", SHOP)),
        ("pods", "logs", {"pod": POD}, refusal(f'pods "{POD}"', "get", "pods", SHOP)),
        ("pods/log", "logs", {"pod": POD}, refusal(f'pods "{POD}"', "get", "pods/log", SHOP)),
        ("events", "events", {}, refusal("events", "list", "events", SHOP)),
        (
            "deploy",
            "get",
            {"kind": "deployments"},
            refusal("deployments.apps", "list", "deployments", SHOP, "apps"),
        ),
        (
            "pods.metrics.k8s.io",
            "top",
            {"kind": "pods"},
            refusal("pods.metrics.k8s.io", "list", "pods", SHOP, "metrics.k8s.io"),
        ),
    ],
)
def test_a_forbidden_resource_is_refused(
    resource: str, tool: str, arguments: dict[str, Any], expected: str
) -> None:
    world = shop_with(
        {"forbid": {"resource": resource, "namespace": "shop"}},
        {"usage": {"of": "node/worker-1", "cpu": 1, "memory": "1Gi"}},
    )

    assert ask(world, tool, namespace="shop", **arguments) == expected


def test_a_defaulted_container_is_named_before_its_log_is_refused() -> None:
    world = world_of(pod(), changes=({"forbid": {"resource": "pods/log"}},))

    refused = refusal('pods "p"', "get", "pods/log", 'in the namespace "default"')
    assert ask(world, "logs", pod="p", namespace="default") == (
        f'Defaulted container "app" out of: app, side\n{refused}'
    )


def test_one_namespace_forbids_all_together_and_no_other() -> None:
    world = shop_with({"forbid": {"resource": "pods", "namespace": "shop"}})

    assert ask(world, "get", kind="pods", all_namespaces=True) == refusal(
        "pods", "list", "pods", "at the cluster scope"
    )
    assert ask(world, "get", kind="pods", namespace="kube-system").startswith("NAME")


def test_a_resource_of_the_cluster_is_forbidden_at_its_scope() -> None:
    world = shop_with({"forbid": {"resource": "nodes"}})

    assert ask(world, "get", kind="nodes") == refusal("nodes", "list", "nodes", "at the cluster scope")


def test_every_forbidden_kind_of_all_is_refused_for_itself() -> None:
    world = shop_with({"forbid": {"resource": "services"}}, {"forbid": {"resource": "jobs"}})

    lines = ask(world, "get", kind="all", namespace="shop").splitlines()
    assert lines[-2:] == [
        refusal("services", "list", "services", SHOP),
        refusal("jobs.batch", "list", "jobs", SHOP, "batch"),
    ]
    assert any(each.startswith("deployment.apps/api") for each in lines)


def test_a_base_world_forbids_too() -> None:
    world = build_world(base() | {"forbidden": [{"resource": "cm", "namespace": "shop"}]}, [], "x.yaml")

    assert world.forbidden == [Forbidden(resource="configmaps", namespace="shop")]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (
            {"resource": "passwords"},
            (
                ".resource: found 'passwords'; write a kind, or one of "
                "pods/log, pods.metrics.k8s.io, nodes.metrics.k8s.io"
            ),
        ),
        (
            {"resource": "pods", "namespace": "nowhere"},
            (
                ".namespace: found 'nowhere'; there are "
                "['default', 'empty', 'kube-node-lease', 'kube-public', 'kube-system', 'shop']"
            ),
        ),
        ({"resource": "nodes", "namespace": "shop"}, ".namespace: found 'shop'; nodes are in no namespace"),
        ({"kind": "pods"}, ": found 'kind'; allowed are resource, namespace"),
    ],
)
def test_a_wrong_prohibition_is_named_with_what_is_allowed(entry: dict[str, Any], expected: str) -> None:
    with pytest.raises(InvalidScenario) as caught:
        shop_with({"forbid": entry})

    assert str(caught.value) == f"x.yaml: world.changes[0].forbid{expected}"

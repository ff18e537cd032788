"""The evidence tools: what a model is told of them, and the world's answers."""

from collections.abc import Callable, Mapping
from typing import Any

from harness.cluster.describe.all import describe
from harness.cluster.events import events
from harness.cluster.get import get
from harness.cluster.logs import logs
from harness.cluster.lookup import Refusal
from harness.errors import UnknownName
from harness.model.scenario import World
from harness.model.transcript import ToolSpec

_NAMESPACE = {
    "type": "string",
    "description": "Namespace to look in. Defaults to `default`; ignored for kinds that are in no namespace.",
}
_KIND = "Kind of resource in any spelling kubectl takes, as pod, deployments, svc, pvc, node, hpa"


def _parameters(required: list[str], **properties: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


EVIDENCE_TOOLS: tuple[ToolSpec, ...] = (
    ToolSpec(
        "kubectl_get",
        "List resources of a kind, or show one by name, as `kubectl get` prints them. Read-only. "
        "Secret values are never shown.",
        _parameters(
            ["kind"],
            kind={"type": "string", "description": f"{_KIND}; several with commas, or `all`."},
            name={
                "type": "string",
                "description": "Name of one resource. Leave out to list all of the kind.",
            },
            namespace=_NAMESPACE,
            all_namespaces={
                "type": "boolean",
                "description": "List in every namespace; not together with name.",
            },
            output={
                "type": "string",
                "enum": ["wide", "yaml", "json", "name"],
                "description": "Other form of output: more columns, whole objects, or names only.",
            },
        ),
    ),
    ToolSpec(
        "kubectl_describe",
        "Describe one resource in detail with its events, as `kubectl describe` prints it. Read-only.",
        _parameters(
            ["kind", "name"],
            kind={"type": "string", "description": f"{_KIND}."},
            name={
                "type": "string",
                "description": "Name of the resource, or the beginning of several names.",
            },
            namespace=_NAMESPACE,
        ),
    ),
    ToolSpec(
        "kubectl_events",
        "List events of a namespace, the latest at the end, as `kubectl events` prints them. Read-only.",
        _parameters(
            [],
            namespace=_NAMESPACE,
            **{"for": {"type": "string", "description": "Only events about this resource, as `pod/NAME`."}},
        ),
    ),
    ToolSpec(
        "kubectl_logs",
        "Print the log of a container of a pod, as `kubectl logs` does. Read-only.",
        _parameters(
            ["pod", "namespace"],
            pod={"type": "string", "description": "Name of the pod."},
            namespace={"type": "string", "description": "Namespace of the pod."},
            container={
                "type": "string",
                "description": "Name of the container or init container; needed where the pod has several.",
            },
            previous={"type": "boolean", "description": "The log of the run before the last restart."},
            tail={
                "type": "integer",
                "minimum": 0,
                "description": "Only so many last lines. Defaults to all.",
            },
        ),
    ),
)


def answer(world: World, tool: str, arguments: Mapping[str, Any]) -> str:
    """Return what a tool prints, refusals of kubectl's included; it ends without a newline.

    Args:
        world: the world to answer from; it is not changed.
        tool: the name of one of EVIDENCE_TOOLS.
        arguments: valid against that tool's parameters.

    Raises:
        UnknownName: no tool has this name.
    """
    if tool not in _ANSWERS:
        raise UnknownName("tool", tool, _ANSWERS)
    try:
        return _ANSWERS[tool](world, arguments)
    except Refusal as refusal:
        return str(refusal)


def _place(arguments: Mapping[str, Any]) -> str:
    return arguments.get("namespace") or "default"


def _get(world: World, arguments: Mapping[str, Any]) -> str:
    return get(
        world,
        arguments["kind"],
        arguments.get("name", ""),
        _place(arguments),
        arguments.get("output", ""),
        everywhere=arguments.get("all_namespaces", False),
    )


def _describe(world: World, arguments: Mapping[str, Any]) -> str:
    return describe(world, arguments["kind"], arguments["name"], _place(arguments))


def _events(world: World, arguments: Mapping[str, Any]) -> str:
    return events(world, _place(arguments), arguments.get("for", ""))


def _logs(world: World, arguments: Mapping[str, Any]) -> str:
    return logs(
        world,
        arguments["pod"],
        arguments["namespace"],
        arguments.get("container", ""),
        previous=arguments.get("previous", False),
        tail=arguments.get("tail", -1),
    )


_ANSWERS: dict[str, Callable[[World, Mapping[str, Any]], str]] = {
    "kubectl_get": _get,
    "kubectl_describe": _describe,
    "kubectl_events": _events,
    "kubectl_logs": _logs,
}

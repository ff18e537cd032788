"""The evidence tools: what a model is told of them, and the world's answers."""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from harness.cluster.describe.all import describe
from harness.cluster.events import events
from harness.cluster.get import get
from harness.cluster.logs import logs
from harness.cluster.lookup import Refusal
from harness.cluster.promql import query
from harness.cluster.remembering import once_per_world
from harness.cluster.top import top
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
        "Secrets are listed without their values; reading them as yaml or json is forbidden.",
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
                "description": "Name of the container or init container. Defaults to the first container.",
            },
            previous={"type": "boolean", "description": "The log of the run before the last restart."},
            tail={
                "type": "integer",
                "minimum": 0,
                "description": "Only so many last lines. Defaults to all.",
            },
        ),
    ),
    ToolSpec(
        "kubectl_top",
        "Show what the pods of a namespace or the nodes use of CPU and memory at present, as `kubectl top` "
        "prints it. Read-only.",
        _parameters(
            ["kind"],
            kind={"type": "string", "enum": ["pods", "nodes"], "description": "What to show."},
            namespace=_NAMESPACE,
        ),
    ),
    ToolSpec(
        "prometheus_query",
        "Ask the cluster's Prometheus a PromQL query and return the JSON of its HTTP API: the value at "
        "present or, with start, the values over a range. Read-only. Use rate or increase on counters.",
        _parameters(
            ["query"],
            query={
                "type": "string",
                "description": 'PromQL, as rate(container_cpu_usage_seconds_total{namespace="shop"}[5m]).',
            },
            start={
                "type": "string",
                "description": "Start of a range, as 2026-01-31T09:30:00Z or in seconds since 1970.",
            },
            end={
                "type": "string",
                "description": "End of the range. Defaults to the present.",
            },
            step={
                "type": "string",
                "description": "Distance of values in a range, as 30s or 5m. Defaults to about a sixtieth.",
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
    return _answers(world)(tool, json.dumps(arguments, sort_keys=True))


@once_per_world
def _answers(world: World) -> Callable[[str, str], str]:
    """Return what answers calls to the tools of a world; trials of one scenario ask much the same."""

    @lru_cache(maxsize=64)
    def answered(tool: str, arguments: str) -> str:
        try:
            return _ANSWERS[tool](world, json.loads(arguments))
        except Refusal as refusal:
            return str(refusal)

    return answered


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


def _top(world: World, arguments: Mapping[str, Any]) -> str:
    return top(world, arguments["kind"], _place(arguments))


def _query(world: World, arguments: Mapping[str, Any]) -> str:
    start, end, step = (arguments.get(each, "") for each in ("start", "end", "step"))
    return query(world, arguments["query"], start, end, step)


_ANSWERS: dict[str, Callable[[World, Mapping[str, Any]], str]] = {
    "kubectl_get": _get,
    "kubectl_describe": _describe,
    "kubectl_events": _events,
    "kubectl_logs": _logs,
    "kubectl_top": _top,
    "prometheus_query": _query,
}

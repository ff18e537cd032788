"""The evidence tools, as a model is told of them; `tools` answers, and takes longer to load."""

from collections.abc import Mapping
from typing import Any

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

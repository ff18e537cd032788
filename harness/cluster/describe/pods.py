"""Pods, and the templates that pods are made from."""

from collections.abc import Sequence

from harness.cluster.derive.pods import qos
from harness.cluster.describe.containers import containers
from harness.cluster.describe.parts import (
    annotations,
    column,
    controlled_by,
    date,
    deleted_or,
    events,
    head,
    labels,
    marks,
)
from harness.cluster.describe.volumes import volumes
from harness.cluster.manifests import Manifest, at, by_type, items, mapping, number, strings, text
from harness.cluster.selectors import selector_text
from harness.model.scenario import World


def pod(value: Manifest, world: World) -> list[str]:
    """Describe a pod."""
    spec, status = mapping(value, "spec"), mapping(value, "status")
    lines = [*head(value), *_place(value), *marks(value), *_status(value, world)]
    lines += [f"IP:\t{text(status, 'podIP')}", *_addresses(status), *controlled_by(value)]
    if items(spec, "initContainers"):
        first = items(status, "initContainerStatuses")
        lines += containers("Init Containers", items(spec, "initContainers"), first, value)
    lines += containers("Containers", items(spec, "containers"), items(status, "containerStatuses"), value)
    lines += [*_gates(value), *_conditions(status), *volumes(items(spec, "volumes"))]
    lines += [f"QoS Class:\t{text(status, 'qosClass') or qos(value)}"]
    lines += labels("Node-Selectors", strings(spec, "nodeSelector"))
    lines += column("Tolerations", _tolerations(spec))
    return [*lines, *_spread(spec), *events(world, value)]


def template(value: Manifest) -> list[str]:
    """Describe a pod template."""
    spec = mapping(value, "spec")
    lines = ["Pod Template:", *labels("Labels", strings(value, "metadata", "labels"), "  ")]
    if strings(value, "metadata", "annotations"):
        lines += annotations(value, title="  Annotations")
    if text(spec, "serviceAccountName"):
        lines.append(f"  Service Account:\t{text(spec, 'serviceAccountName')}")
    if items(spec, "initContainers"):
        lines += containers("Init Containers", items(spec, "initContainers"), None, {}, "  ")
    lines += [*containers("Containers", items(spec, "containers"), None, {}, "  ")]
    lines += [*volumes(items(spec, "volumes"), "  "), *_spread(spec, "  ")]
    if text(spec, "priorityClassName"):
        lines.append(f"  Priority Class Name:\t{text(spec, 'priorityClassName')}")
    lines += labels("Node-Selectors", strings(spec, "nodeSelector"), "  ")
    return [*lines, *column("Tolerations", _tolerations(spec), "  ")]


def _place(value: Manifest) -> list[str]:
    spec = mapping(value, "spec")
    lines = [f"Priority:\t{number(spec, 'priority')}"]
    if text(spec, "priorityClassName"):
        lines.append(f"Priority Class Name:\t{text(spec, 'priorityClassName')}")
    if text(spec, "runtimeClassName"):
        lines.append(f"Runtime Class Name:\t{text(spec, 'runtimeClassName')}")
    lines.append(f"Service Account:\t{text(spec, 'serviceAccountName')}")
    node = text(spec, "nodeName")
    lines.append(f"Node:\t{node}/{text(value, 'status', 'hostIP')}" if node else "Node:\t<none>")
    if text(value, "status", "startTime"):
        lines.append(f"Start Time:\t{date(value, 'status', 'startTime')}")
    return lines


def _status(value: Manifest, world: World) -> list[str]:
    status = mapping(value, "status")
    phase = text(status, "phase")
    shown = phase if phase in {"Failed", "Succeeded"} else deleted_or(value, phase, world)
    lines = [f"Status:\t{shown}"]
    if shown != phase:
        grace = number(value, "metadata", "deletionGracePeriodSeconds", default=30)
        lines.append(f"Termination Grace Period:\t{grace}s")
    lines += [
        f"{title}:\t{text(status, title.lower())}"
        for title in ("Reason", "Message")
        if title.lower() in status
    ]
    return lines


def _addresses(status: Manifest) -> list[str]:
    found = items(status, "podIPs")
    return ["IPs:", *(f"  IP:\t{text(each, 'ip')}" for each in found)] if found else ["IPs:\t<none>"]


def _gates(value: Manifest) -> list[str]:
    gates = [text(each, "conditionType") for each in items(value, "spec", "readinessGates")]
    held = items(value, "status", "conditions")
    rows = [f"  {each} \t{text(by_type(held, each), 'status') or '<none>'}" for each in gates]
    return ["Readiness Gates:", "  Type\tStatus", *rows] if gates else []


def _conditions(status: Manifest) -> list[str]:
    rows = [f"  {text(each, 'type')} \t{text(each, 'status')}" for each in items(status, "conditions")]
    return ["Conditions:", "  Type\tStatus", *rows] if rows else []


def _tolerations(spec: Manifest) -> Sequence[str]:
    found = sorted(items(spec, "tolerations"), key=lambda each: text(each, "key"))
    return [_toleration(each) for each in found]


def _toleration(toleration: Manifest) -> str:
    key, value, effect = (text(toleration, each) for each in ("key", "value", "effect"))
    shown = key + (f"={value}" if value else "") + (f":{effect}" if effect else "")
    if text(toleration, "operator") == "Exists" and not value:
        shown += " op=Exists" if key or effect else "op=Exists"
    seconds = at(toleration, "tolerationSeconds")
    return shown if seconds is None else f"{shown} for {seconds}s"


def _spread(spec: Manifest, indent: str = "") -> list[str]:
    found = sorted(items(spec, "topologySpreadConstraints"), key=lambda each: text(each, "topologyKey"))
    lines: list[str] = []
    for each in found:
        rule = f"{text(each, 'topologyKey')}:{text(each, 'whenUnsatisfiable')}"
        chosen = mapping(each, "labelSelector")
        whose = f" for selector {selector_text(chosen)}" if chosen else ""
        lines.append(f"{rule} when max skew {text(each, 'maxSkew')} is exceeded{whose}")
    return column("Topology Spread Constraints", lines, indent) if lines else []

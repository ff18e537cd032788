"""Deployments, ReplicaSets, StatefulSets and DaemonSets."""

from collections.abc import Sequence

from harness.cluster import kinds
from harness.cluster.derive.workloads import newest
from harness.cluster.describe.parts import (
    annotations,
    bracketed,
    conditions,
    controlled_by,
    date,
    events,
    head,
    labels,
    marks,
)
from harness.cluster.describe.pods import template
from harness.cluster.lookup import objects
from harness.cluster.manifests import (
    Manifest,
    items,
    mapping,
    name,
    namespace,
    number,
    owned_by,
    strings,
    text,
    texts,
)
from harness.cluster.selectors import pairs_text, selector_text
from harness.model.scenario import World

_COUNTED = (("Running", "Running"), ("Pending", "Waiting"), ("Succeeded", "Succeeded"), ("Failed", "Failed"))


def deployment(value: Manifest, world: World) -> list[str]:
    """Describe a Deployment with its ReplicaSets."""
    status = mapping(value, "status")
    counts = (
        f"{number(value, 'spec', 'replicas')} desired | {number(status, 'updatedReplicas')} updated | "
        f"{number(status, 'replicas')} total | {number(status, 'availableReplicas')} available | "
        f"{number(status, 'unavailableReplicas')} unavailable"
    )
    lines = [
        *head(value),
        f"CreationTimestamp:\t{date(value, 'metadata', 'creationTimestamp')}",
        *marks(value),
    ]
    lines += [f"Selector:\t{_selector(value)}", f"Replicas:\t{counts}"]
    lines.append(f"StrategyType:\t{text(value, 'spec', 'strategy', 'type')}")
    lines.append(f"MinReadySeconds:\t{number(value, 'spec', 'minReadySeconds')}")
    rolling = mapping(value, "spec", "strategy", "rollingUpdate")
    if rolling:
        extent = f"{text(rolling, 'maxUnavailable')} max unavailable, {text(rolling, 'maxSurge')} max surge"
        lines.append(f"RollingUpdateStrategy:\t{extent}")
    lines += [*template(mapping(value, "spec", "template")), *conditions(value), *_sets(value, world)]
    return [*lines, *events(world, value)]


def _sets(value: Manifest, world: World) -> list[str]:
    found = owned_by(objects(world, kinds.KINDS_BY_NAME["ReplicaSet"], namespace(value)), value)
    current = newest(found)
    older = [each for each in found if each is not current]
    if not found:
        return []
    return [f"OldReplicaSets:\t{_created(older)}", f"NewReplicaSet:\t{_created([current])}"]


def _created(sets: Sequence[Manifest]) -> str:
    def one(each: Manifest) -> str:
        counts = f"{number(each, 'status', 'replicas')}/{number(each, 'spec', 'replicas')}"
        return f"{name(each)} ({counts} replicas created)"

    return ", ".join(map(one, sets)) or "<none>"


def replica_set(value: Manifest, world: World) -> list[str]:
    """Describe a ReplicaSet."""
    counts = f"{number(value, 'status', 'replicas')} current / {number(value, 'spec', 'replicas')} desired"
    lines = [*head(value), f"Selector:\t{_selector(value)}", *marks(value), *controlled_by(value)]
    lines += [f"Replicas:\t{counts}", _pods(value, world), *template(mapping(value, "spec", "template"))]
    return [*lines, *conditions(value), *events(world, value)]


def stateful_set(value: Manifest, world: World) -> list[str]:
    """Describe a StatefulSet with its claim templates."""
    spec = mapping(value, "spec")
    lines = [*head(value), f"CreationTimestamp:\t{date(value, 'metadata', 'creationTimestamp')}"]
    lines += [f"Selector:\t{_selector(value)}", *marks(value)]
    lines.append(
        f"Replicas:\t{number(spec, 'replicas')} desired | {number(value, 'status', 'replicas')} total"
    )
    lines.append(f"Update Strategy:\t{text(spec, 'updateStrategy', 'type')}")
    if text(spec, "updateStrategy", "rollingUpdate", "partition"):
        lines.append(f"  Partition:\t{number(spec, 'updateStrategy', 'rollingUpdate', 'partition')}")
    lines += [_pods(value, world), *template(mapping(spec, "template"))]
    return [*lines, *_claims(items(spec, "volumeClaimTemplates")), *events(world, value)]


def _claims(templates: Sequence[Manifest]) -> list[str]:
    if not templates:
        return ["Volume Claims:\t<none>"]
    lines = ["Volume Claims:"]
    for each in templates:
        lines += [f"  Name:\t{name(each)}", f"  StorageClass:\t{text(each, 'spec', 'storageClassName')}"]
        lines += labels("Labels", strings(each, "metadata", "labels"), "  ")
        lines += labels("Annotations", strings(each, "metadata", "annotations"), "  ")
        size = text(each, "spec", "resources", "requests", "storage", default="<default>")
        modes = bracketed(texts(each, "spec", "accessModes") or ["ReadWriteOnce"])
        lines += [f"  Capacity:\t{size}", f"  Access Modes:\t{modes}"]
    return lines


def daemon_set(value: Manifest, world: World) -> list[str]:
    """Describe a DaemonSet."""
    status = mapping(value, "status")
    selector = pairs_text(strings(value, "spec", "template", "spec", "nodeSelector"))
    lines = [*head(value), f"Selector:\t{_selector(value)}", f"Node-Selector:\t{selector}"]
    lines += labels("Labels", strings(value, "metadata", "labels"))
    lines += annotations(value)
    lines += [
        f"Desired Number of Nodes Scheduled: {number(status, 'desiredNumberScheduled')}",
        f"Current Number of Nodes Scheduled: {number(status, 'currentNumberScheduled')}",
        f"Number of Nodes Scheduled with Up-to-date Pods: {number(status, 'updatedNumberScheduled')}",
        f"Number of Nodes Scheduled with Available Pods: {number(status, 'numberAvailable')}",
        f"Number of Nodes Misscheduled: {number(status, 'numberMisscheduled')}",
        _pods(value, world),
    ]
    return [*lines, *template(mapping(value, "spec", "template")), *events(world, value)]


def _selector(value: Manifest) -> str:
    return selector_text(mapping(value, "spec", "selector"))


def _pods(value: Manifest, world: World) -> str:
    owned = owned_by(objects(world, kinds.KINDS_BY_NAME["Pod"], namespace(value)), value)
    phases = [text(each, "status", "phase") for each in owned]
    return "Pods Status:\t" + " / ".join(f"{phases.count(phase)} {word}" for phase, word in _COUNTED)

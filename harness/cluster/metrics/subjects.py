"""What a series is about: the labels that a monitoring system gives it, and when it could be read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from harness.cluster.derive.containers import start_of
from harness.cluster.index import Index, indexed
from harness.cluster.manifests import (
    Manifest,
    by_name,
    by_owner,
    by_type,
    items,
    kind,
    name,
    namespace,
    of_kind,
    owned,
    strings,
    text,
)
from harness.cluster.metrics.shapes import HISTORY
from harness.cluster.parts import Parts
from harness.cluster.references import locate, read
from harness.cluster.times import creation, moment
from harness.errors import InvalidScenario

_NEVER = float("-inf")
# What a cluster says of its objects is told by a pod of its own, which lives on when others do not.
_ABOUT_OBJECTS = "kube_"
_OF_CONTAINERS = "container_"
_OWNED = {
    "Deployment": ("ReplicaSet",),
    "ReplicaSet": ("Pod",),
    "StatefulSet": ("Pod",),
    "DaemonSet": ("Pod",),
    "Job": ("Pod",),
    "CronJob": ("Job",),
}


@dataclass(frozen=True, slots=True)
class Subject:
    """Labels, and between which seconds from now they were read: a container that ended is read no more."""

    labels: dict[str, str]
    begin: float = -HISTORY
    end: float = 0.0


@dataclass(frozen=True, slots=True)
class Scene:
    """The finished objects that entries speak of, and the moment."""

    objects: Sequence[Manifest]
    index: Index
    by_owner: Mapping[str, Sequence[Manifest]]
    pods: Mapping[str, Sequence[Manifest]]
    """By name, whatever their namespaces."""
    now: datetime
    parts: Parts

    @classmethod
    def of(cls, objects: Sequence[Manifest], now: datetime, parts: Parts) -> "Scene":
        """Return the scene of some objects."""
        pods: dict[str, list[Manifest]] = {}
        for each in of_kind(objects, "Pod"):
            pods.setdefault(name(each), []).append(each)
        return cls(objects, indexed(objects), by_owner(objects), pods, now, parts)

    def node(self, wanted: str) -> Manifest | None:
        """Return the node of a name, or None."""
        return self.index.named.get((("Node", ""), "", wanted))

    def located(self, found: Any, where: str) -> Manifest:
        """Return the object that a text refers to; raise InvalidScenario where there is none."""
        meant = read(found, self.objects, where)
        held = self.index.named.get((meant.meant.key, meant.namespace, meant.name))
        return locate(found, self.objects, where) if held is None else held

    def owned(self, target: Manifest) -> Iterator[Manifest]:
        """Yield a pod itself, or the pods that something owns, also through what it owns."""
        if kind(target) == "Pod":
            yield target
            return
        for owned_kind in _OWNED.get(kind(target), ()):
            for each in owned(self.by_owner, target, owned_kind):
                yield from self.owned(each)


def targets(scene: Scene, found: Any, where: str) -> list[Manifest]:
    """Return the node or the pods that a reference means, the pods of a workload.

    Raise InvalidScenario where the object is not there, or is neither.
    """
    target = scene.located(found, where)
    if kind(target) == "Node":
        return [target]
    if kind(target) != "Pod" and kind(target) not in _OWNED:
        msg = f"{where}: found {found!r}; write a node, a pod, or a workload for its pods"
        raise InvalidScenario(msg)
    return list(scene.owned(target))


def subjects(scene: Scene, entry: Manifest, metric: str, where: str) -> list[Subject]:
    """Return what an entry with `of`, `container` and `labels` is about.

    Raise InvalidScenario where it is about something that is not there.
    """
    labels = strings(entry, "labels")
    container = text(entry, "container") or labels.get("container", "")
    if "of" in entry:
        found = targets(scene, entry["of"], f"{where}.of")
    elif {"namespace", "pod"} <= labels.keys():
        reference = f"pod/{labels['pod']} -n {labels['namespace']}"
        found = [scene.located(reference, f"{where}.labels.pod")]
    else:
        return [Subject(labels, *_named(scene, labels, metric))]
    return [subject(scene, each, metric, labels, container=container, where=where) for each in found]


def _named(scene: Scene, labels: Mapping[str, str], metric: str) -> tuple[float, float]:
    """Return when a series could be read that names a pod, or a node, without more."""
    found = scene.pods.get(labels.get("pod", ""), ())
    node = labels.get("node") or labels.get("instance", "")
    end = _heard(scene.node(node) or {}, metric, scene.now)
    if len(found) != 1:
        return -HISTORY, end
    alive = 0.0 if metric.startswith(_ABOUT_OBJECTS) else _alive(found[0], "", scene.now)
    return _since(start_of(found[0]), scene.now), min(end, alive)


def subject(
    scene: Scene, target: Manifest, metric: str, labels: Mapping[str, str], *, container: str, where: str
) -> Subject:
    """Return one metric of a node or pod as a subject; `labels` come on top of its own.

    Raise InvalidScenario where the pod has no such container, or several and none is named.
    """
    node = target if kind(target) == "Node" else scene.node(text(target, "spec", "nodeName"))
    make = partial(_subject, target, node, metric, labels, scene.now, container=container, where=where)
    told = (metric, tuple(labels.items()), container, scene.now)
    return scene.parts.once(make, "subject", target, node, told=told)


def _subject(
    target: Manifest,
    node: Manifest | None,
    metric: str,
    labels: Mapping[str, str],
    now: datetime,
    *,
    container: str,
    where: str,
) -> Subject:
    if target is node:
        begin, end = _since(creation(target), now), _heard(target, metric, now)
        return Subject({"node": name(target), **labels}, begin, end)
    chosen = _container(target, container, metric, where)
    host = text(target, "spec", "nodeName")
    own = {"namespace": namespace(target), "pod": name(target), "node": host, "container": chosen}
    end = 0.0 if metric.startswith(_ABOUT_OBJECTS) else _alive(target, chosen, now)
    kept = {key: value for key, value in own.items() if value}
    begin = _since(start_of(target), now)
    return Subject({**kept, **labels}, begin, min(end, _heard(node or {}, metric, now)))


def _container(pod: Manifest, given: str, metric: str, where: str) -> str:
    regular = [text(each, "name") for each in items(pod, "spec", "containers")]
    known = [*regular, *(text(each, "name") for each in items(pod, "spec", "initContainers"))]
    needed = metric.startswith(_OF_CONTAINERS)
    if (given and given not in known) or (needed and not given and len(regular) > 1):
        msg = f"{where}.container: found {given!r}; {name(pod)} has {', '.join(known)}"
        raise InvalidScenario(msg)
    return given or (regular[0] if needed else "")


def _alive(pod: Manifest, container: str, now: datetime) -> float:
    """Return the last moment at which one of the containers ran, now for one that runs."""
    held = [*items(pod, "status", "containerStatuses"), *items(pod, "status", "initContainerStatuses")]
    chosen = [by_name(held, container)] if container else items(pod, "status", "containerStatuses")
    if any("running" in each.get("state", {}) for each in chosen):
        return 0.0
    ends = [
        moment(each, key, "terminated", "finishedAt") for each in chosen for key in ("state", "lastState")
    ]
    return max((_since(each, now) for each in ends if each is not None), default=_NEVER)


def _heard(node: Manifest, metric: str, now: datetime) -> float:
    """Return when a node was last heard of, now for one that speaks."""
    ready = by_type(items(node, "status", "conditions"), "Ready")
    last = moment(ready, "lastHeartbeatTime")
    silent = text(ready, "status") == "Unknown" and not metric.startswith(_ABOUT_OBJECTS)
    return _since(last, now) if silent and last is not None else 0.0


def _since(then: datetime, now: datetime) -> float:
    return max(-float(HISTORY), min(0.0, (then - now).total_seconds()))

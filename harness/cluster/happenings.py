"""Events, from the short form of scenario files and from full manifests."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from harness.cluster import kinds, names
from harness.cluster.manifests import Manifest, kind, name, namespace, section, text
from harness.cluster.references import locate
from harness.cluster.times import parse, settle, stamp
from harness.errors import InvalidScenario

_REPORTERS = {
    "Pod": "kubelet",
    "Node": "kubelet",
    "Deployment": "deployment-controller",
    "ReplicaSet": "replicaset-controller",
    "StatefulSet": "statefulset-controller",
    "DaemonSet": "daemonset-controller",
    "Job": "job-controller",
    "CronJob": "cronjob-controller",
    "PersistentVolumeClaim": "persistentvolume-controller",
    "HorizontalPodAutoscaler": "horizontal-pod-autoscaler",
    "Service": "endpoint-controller",
}
_SCHEDULER = ("Scheduled", "FailedScheduling", "Preempted")


def event(entry: Manifest, objects: Sequence[Manifest], now: datetime, where: str) -> Manifest:
    """Return the Event of an `event:` change; raise InvalidScenario where its object is not there."""
    target = locate(entry["event"], objects, where)
    place = where.removesuffix(".event")
    given = settle(entry, now, place)
    _check_words(given, place)
    count = _count(given, place)
    first, last = _span(given, count, stamp(now), place)
    reason = text(given, "reason")
    source = text(given, "from") or _reporter(target, reason)
    ordinal = sum(1 for each in objects if kind(each) == "Event")
    space = namespace(target) or "default"
    event_name = event_name_of(name(target), first, ordinal)
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": event_name,
            "namespace": space,
            "uid": names.uid("Event", space, event_name),
            "creationTimestamp": first,
        },
        "involvedObject": involved(target),
        "reason": reason,
        "message": text(given, "message"),
        "source": _source(source, target),
        "firstTimestamp": first,
        "lastTimestamp": last,
        "count": count,
        "type": text(given, "type", default="Normal"),
        "eventTime": None,
        "reportingComponent": source,
        "reportingInstance": text(_source(source, target), "host"),
    }


def _check_words(given: Manifest, where: str) -> None:
    allowed = ("Normal", "Warning")
    if given.get("type", "Normal") not in allowed:
        msg = f"{where}.type: found {given['type']!r}; write {' or '.join(allowed)}"
        raise InvalidScenario(msg)
    for key in ("reason", "message"):
        if not isinstance(given.get(key), str):
            msg = f"{where}.{key}: found {given.get(key)!r}; write a text"
            raise InvalidScenario(msg)


def _count(given: Manifest, where: str) -> int:
    found: Any = given.get("count", 1)
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        msg = f"{where}.count: found {found!r}; write how often, from 1"
        raise InvalidScenario(msg)
    return found


def _span(given: Manifest, count: int, now: str, where: str) -> tuple[str, str]:
    stated_first, stated_last = text(given, "first"), text(given, "last")
    # An event seen once is over when it began; one seen often may still go on.
    last = stated_last or (now if count > 1 else stated_first or now)
    first = stated_first or last
    if first > last:
        msg = f"{where}.first: found {first!r}; it comes before last, {last!r}"
        raise InvalidScenario(msg)
    return first, last


def event_name_of(about: str, first: str, ordinal: int) -> str:
    """Return the name of an event: its object's, and in nanoseconds when it was first seen.

    Real clusters do the same, so that events seen in one second stand in the order of their making;
    `ordinal` keeps that order here.
    """
    return f"{about}.{int(parse(first).timestamp()) * 10**9 + ordinal:x}"


def involved(target: Manifest) -> Manifest:
    """Return the reference by which an event speaks of an object."""
    reference: Manifest = {
        "apiVersion": text(target, "apiVersion"),
        "kind": kind(target),
        "name": name(target),
        "uid": text(target, "metadata", "uid"),
    }
    if namespace(target):
        reference["namespace"] = namespace(target)
    return reference


def completed(value: Manifest) -> Manifest:
    """Fill in what a full Event manifest left out; return the same Event."""
    created = text(value, "metadata", "creationTimestamp")
    last = text(value, "lastTimestamp") or text(value, "eventTime") or created
    value.setdefault("firstTimestamp", last)
    value.setdefault("lastTimestamp", last)
    value.setdefault("count", 1)
    value.setdefault("type", "Normal")
    value.setdefault("source", {})
    about = section(value, "involvedObject")
    known = kinds.known(kind(about))
    if known is None or known.namespaced:
        about.setdefault("namespace", namespace(value))
    return value


def moved(value: Manifest, pod: Manifest) -> None:
    """Name the node of a pod as the host of what its kubelet reported, in place.

    A world file may name another, on which the pod was before a change put it elsewhere; only what is older
    than the pod was reported of one that had its name before.
    """
    node, host = text(pod, "spec", "nodeName"), text(value, "source", "host")
    if not node or text(value, "source", "component") != "kubelet" or host in {"", node}:
        return
    if text(value, "firstTimestamp") >= text(pod, "metadata", "creationTimestamp"):
        section(value, "source")["host"] = node


def _reporter(target: Manifest, reason: str) -> str:
    if reason in _SCHEDULER:
        return text(target, "spec", "schedulerName", default="default-scheduler")
    return _REPORTERS.get(kind(target), f"{kind(target).lower()}-controller")


def _source(component: str, target: Manifest) -> Manifest:
    node = text(target, "spec", "nodeName") or (name(target) if kind(target) == "Node" else "")
    on_node = {"host": node} if component == "kubelet" and node else {}
    return {"component": component, **on_node}

"""Deployments, ReplicaSets, StatefulSets and DaemonSets: the objects that their controllers have made."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from harness.cluster import names
from harness.cluster.expand.pods import made, pod
from harness.cluster.expand.scheduling import fitting, places
from harness.cluster.expand.templates import FORMER, pinned, rolled_out
from harness.cluster.manifests import (
    Manifest,
    copied,
    items,
    kind,
    mapping,
    name,
    namespace,
    number,
    owner,
    section,
    strings,
    text,
    texts,
)
from harness.cluster.quantities import share
from harness.cluster.times import creation
from harness.model.values import canonical

_HASH = "pod-template-hash"
_REVISION = "deployment.kubernetes.io/revision"
REVISION = ("metadata", "annotations", _REVISION)
"""Where a Deployment and its ReplicaSets say which revision they are."""
_DAEMON_TOLERATIONS = (
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)


def deployment(
    workload: Manifest, nodes: Sequence[Manifest], sets: Sequence[Manifest], where: str
) -> list[Manifest]:
    """Return the ReplicaSets and pods of a Deployment; the first of its pinned pods is of the newest.

    `sets` are the ReplicaSets that stand already; those of the Deployment count as its older revisions.
    """
    groups = _groups(workload, where)
    older = [each for each in sets if _owns(workload, each)]
    newest = len(older) + len(groups)
    stated = text(workload, *REVISION)
    revision = stated if stated.isdecimal() else str(newest)
    section(workload, "metadata", "annotations")[_REVISION] = revision
    result: list[Manifest] = []
    created, behind = rolled_out(workload), sum(map(len, groups.values()))
    for age, (template_hash, pod_names) in enumerate(groups.items()):
        desired = number(workload, "spec", "replicas") if len(groups) == 1 else len(pod_names)
        source, counted = workload, int(revision)
        if age:
            source, counted = _older(workload, template_hash, counted, age)
            created = _before(source, created, counted)
        replica_set = _replica_set(source, template_hash, desired, str(counted), created)
        # The pods of a newer revision are put where none of the older ones are.
        behind -= len(pod_names)
        result += [replica_set, *_replicas(replica_set, pod_names, nodes, behind)]
    return result


def _older(workload: Manifest, template_hash: str, revision: int, age: int) -> tuple[Manifest, int]:
    """Return a Deployment as it was some revisions ago, under another hash, and its revision then."""
    former = mapping(workload, FORMER)
    counted = max(1, revision - age)
    start = f"{name(workload)}-{template_hash}-"
    if not any(each.startswith(start) for each in texts(former, "pods")):
        return workload, counted
    template = {**mapping(former, "template")}
    labels = strings(workload, "spec", "template", "metadata", "labels")
    metadata = mapping(template, "metadata")
    template["metadata"] = {**metadata, "labels": labels | strings(metadata, "labels")}
    stated = text(former, "revision")
    source = {**workload, "spec": {**mapping(workload, "spec"), "template": template}}
    return source, int(stated) if stated.isdecimal() and int(stated) < revision else counted


def _before(source: Manifest, newer: datetime, revision: int) -> datetime:
    """Return when a revision came into force that a newer one followed; the first is as old as all."""
    known, begin = rolled_out(source), creation(source)
    if begin < known < newer or revision <= 1:
        return known if begin < known < newer else begin
    # Rollouts do not come in even steps, but about as far apart as they were on the whole.
    part = (60 + names.pick(80, "rollout", namespace(source), name(source), revision)) / 100
    return (newer - (newer - begin) / revision * part).replace(microsecond=0)


def replica_set(workload: Manifest, nodes: Sequence[Manifest], where: str) -> list[Manifest]:
    """Return the pods of a ReplicaSet that names some."""
    return _replicas(workload, pinned(workload, where), nodes)


def stateful_set(workload: Manifest, nodes: Sequence[Manifest], where: str) -> list[Manifest]:
    """Return the pods and claims of a StatefulSet."""
    count = max(number(workload, "spec", "replicas"), len(pinned(workload, where)))
    template = mapping(workload, "spec", "template")
    revision = f"{name(workload)}-{_template_hash(workload)}"
    result: list[Manifest] = []
    for ordinal, node in enumerate(places(nodes, workload, mapping(template, "spec"), count)):
        pod_name = f"{name(workload)}-{ordinal}"
        labels = {
            "apps.kubernetes.io/pod-index": str(ordinal),
            "controller-revision-hash": revision,
            "statefulset.kubernetes.io/pod-name": pod_name,
        }
        created = rolled_out(workload) + timedelta(seconds=20 * ordinal)
        replica = pod(workload, pod_name, template, created=created, node=node, labels=labels)
        section(replica, "spec")["hostname"] = pod_name
        claims = [
            _claim(workload, replica, each, ordinal)
            for each in items(workload, "spec", "volumeClaimTemplates")
        ]
        result += [*claims, replica]
    return result


def daemon_set(workload: Manifest, nodes: Sequence[Manifest], where: str) -> list[Manifest]:
    """Return the pods of a DaemonSet, one on each node that admits it."""
    template = copied(mapping(workload, "spec", "template"))
    spec = section(template, "spec")
    spec["tolerations"] = [*items(spec, "tolerations"), *_daemon_tolerations()]
    labels = {"controller-revision-hash": _template_hash(workload), "pod-template-generation": "1"}
    result: list[Manifest] = []
    chosen = pinned(workload, where)
    for ordinal, node in enumerate(fitting(nodes, spec)):
        ending = names.suffix("DaemonSet", namespace(workload), name(workload), name(node))
        pod_name = chosen[ordinal] if ordinal < len(chosen) else f"{name(workload)}-{ending}"
        created = max(rolled_out(workload), creation(node))
        result.append(pod(workload, pod_name, template, created=created, node=name(node), labels=labels))
    return result


def _owns(workload: Manifest, replica_set: Manifest) -> bool:
    controller = owner(replica_set)
    same = text(controller, "kind") == kind(workload) and text(controller, "name") == name(workload)
    return same and namespace(replica_set) == namespace(workload)


def _groups(workload: Manifest, where: str) -> dict[str, list[str]]:
    # A pinned name carries the hash of its template: several hashes are a rollout under way.
    generated = _template_hash(workload)
    groups: dict[str, list[str]] = {}
    for each in pinned(workload, where):
        template_hash = each.removeprefix(name(workload) + "-").rpartition("-")[0] or generated
        groups.setdefault(template_hash, []).append(each)
    current = next(iter(groups), generated)
    count = sum(map(len, groups.values()))
    for ordinal in range(count, number(workload, "spec", "replicas")):
        ending = names.suffix(namespace(workload), name(workload), current, ordinal)
        groups.setdefault(current, []).append(f"{name(workload)}-{current}-{ending}")
    return groups or {current: []}


def _template_hash(workload: Manifest) -> str:
    template = canonical(mapping(workload, "spec", "template"))
    return names.template_hash(kind(workload), namespace(workload), name(workload), template)


def _replica_set(
    workload: Manifest, template_hash: str, desired: int, revision: str, created: datetime
) -> Manifest:
    template = copied(mapping(workload, "spec", "template"))
    section(template, "metadata", "labels")[_HASH] = template_hash
    section(template, "metadata").pop("creationTimestamp", None)
    labels = strings(template, "metadata", "labels")
    set_name = f"{name(workload)}-{template_hash}"
    result = made(workload, "apps/v1", "ReplicaSet", set_name, created=created, labels=labels)
    section(result, "metadata")["annotations"] = {
        "deployment.kubernetes.io/desired-replicas": str(number(workload, "spec", "replicas")),
        "deployment.kubernetes.io/max-replicas": str(_most(workload)),
        _REVISION: revision,
    }
    selector = strings(workload, "spec", "selector", "matchLabels") | {_HASH: template_hash}
    result["spec"] = {"replicas": desired, "selector": {"matchLabels": selector}, "template": template}
    return result


def _most(workload: Manifest) -> int:
    replicas, strategy = number(workload, "spec", "replicas"), mapping(workload, "spec", "strategy")
    if text(strategy, "type") == "Recreate":
        return replicas
    return replicas + share(text(strategy, "rollingUpdate", "maxSurge", default="25%"), replicas, up=True)


def _replicas(
    replica_set: Manifest, pod_names: Sequence[str], nodes: Sequence[Manifest], behind: int = 0
) -> list[Manifest]:
    template = mapping(replica_set, "spec", "template")
    count = behind + len(pod_names)
    chosen = places(nodes, _placing(replica_set), mapping(template, "spec"), count)[behind:]
    created = creation(replica_set)
    return [
        pod(replica_set, pod_name, template, created=created, node=node, labels={})
        for pod_name, node in zip(pod_names, chosen, strict=True)
    ]


def _placing(replica_set: Manifest) -> Manifest:
    # A new template hash must not move the pods of a Deployment to other nodes.
    controller = owner(replica_set)
    if not controller:
        return replica_set
    return {"metadata": {"name": text(controller, "name"), "namespace": namespace(replica_set)}}


def _claim(workload: Manifest, replica: Manifest, template: Manifest, ordinal: int) -> Manifest:
    claim_name = f"{name(template)}-{name(workload)}-{ordinal}"
    labels = strings(workload, "spec", "selector", "matchLabels")
    claim = made(
        workload, "v1", "PersistentVolumeClaim", claim_name, created=creation(replica), labels=labels
    )
    del section(claim, "metadata")["ownerReferences"]
    claim["spec"] = copied(mapping(template, "spec"))
    volumes = section(replica, "spec").setdefault("volumes", [])
    volumes.append({"name": name(template), "persistentVolumeClaim": {"claimName": claim_name}})
    return claim


def _daemon_tolerations() -> list[Manifest]:
    return [{"key": key, "operator": "Exists", "effect": effect} for key, effect in _DAEMON_TOLERATIONS]

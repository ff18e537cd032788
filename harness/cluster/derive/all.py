"""Everything that follows from the objects once all changes are made."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from harness.cluster import happenings, names
from harness.cluster.derive import (
    defaults,
    disruptions,
    jobs,
    nodes,
    pods,
    policies,
    services,
    volumes,
    workloads,
)
from harness.cluster.manifests import (
    Manifest,
    by_owner,
    copied,
    kind,
    mapping,
    name,
    namespace,
    number,
    of_kind,
    section,
    text,
)
from harness.cluster.parts import Parts
from harness.cluster.references import spelled

_FILLED_FURTHER = (
    "CronJob", "DaemonSet", "Deployment", "Event", "HorizontalPodAutoscaler", "Ingress", "Job",
    "PersistentVolume", "PersistentVolumeClaim", "PodDisruptionBudget", "ReplicaSet", "ResourceQuota",
    "Service", "StatefulSet",
)  # fmt: skip
"""Kinds whose objects are completed in place once all others are there, so that no two worlds share them."""
_WITHOUT_GENERATION = ("Node", "Namespace", "Lease", "Pod", "Service", "CertificateSigningRequest")


def derived(objects: Sequence[Manifest], now: datetime, parts: Parts) -> list[Manifest]:
    """Return the objects completed, with those that the cluster adds, sorted by kind, namespace and name.

    `parts` has what was made before; what other objects have a say in is made anew.
    """
    stated = set(map(spelled, objects))
    held = [_with_defaults(each, parts) for each in objects]
    held += _usual_objects(objects, stated, parts)
    _fill_nodes(held, stated, now, parts)
    _fill_pods(held, now, parts)
    _fill_workloads(held, now)
    _fill_storage(held)
    _fill_services(held, stated)
    _fill_policies(held, now)
    _fill_identity(held)
    return sorted(held, key=lambda each: (kind(each), namespace(each), name(each)))


def _with_defaults(value: Manifest, parts: Parts) -> Manifest:
    if kind(value) in {"Node", "Pod"}:
        # These are completed in one go, when all that they depend on is there.
        return value
    if kind(value) in _FILLED_FURTHER:
        return _filled(value)
    return parts.once(partial(_filled, value), "defaults", value)


def _filled(value: Manifest) -> Manifest:
    result: Manifest = copied(value)
    defaults.fill(result)
    return result


def _usual_objects(objects: Sequence[Manifest], stated: set[str], parts: Parts) -> list[Manifest]:
    made: list[Manifest] = []
    for each in of_kind(objects, "Namespace"):
        usual = parts.once(partial(_usual_in, each), "usual", each)
        made += [each for each in usual if spelled(each) not in stated]
    return made


def _usual_in(place: Manifest) -> tuple[Manifest, ...]:
    """Return what every namespace gets."""
    account = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": _in(place, "ServiceAccount", "default"),
    }
    root = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _in(place, "ConfigMap", "kube-root-ca.crt"),
        "data": {"ca.crt": "-----BEGIN CERTIFICATE-----\n(of this cluster)\n-----END CERTIFICATE-----\n"},
    }
    return account, root


def _in(place: Manifest, made_kind: str, made_name: str) -> Manifest:
    return {
        "name": made_name,
        "namespace": name(place),
        "uid": names.uid(made_kind, name(place), made_name),
        "creationTimestamp": text(place, "metadata", "creationTimestamp"),
    }


def _fill_nodes(held: list[Manifest], stated: set[str], now: datetime, parts: Parts) -> None:
    places = [place for place, each in enumerate(held) if kind(each) == "Node"]
    for ordinal, place in enumerate(places):
        node = held[place]
        held[place] = parts.once(partial(_node, node, ordinal, now), "node", node, told=(ordinal, now))
        lease = nodes.lease(held[place], now)
        if spelled(lease) not in stated:
            held.append(lease)


def _node(node: Manifest, ordinal: int, now: datetime) -> Manifest:
    result = _filled(node)
    nodes.fill(result, ordinal, now)
    return result


def _fill_pods(held: list[Manifest], now: datetime, parts: Parts) -> None:
    classes = {name(each): each for each in of_kind(held, "PriorityClass")}
    by_name = {name(each): each for each in of_kind(held, "Node")}
    addresses = {name(each): nodes.address(each, i) for i, each in enumerate(by_name.values())}
    subnets = {name(each): ordinal for ordinal, each in enumerate(by_name.values())}
    taken = {text(each, "status", "podIP") for each in of_kind(held, "Pod")}
    events = disruptions.reasons(of_kind(held, "Event"))
    for place, each in enumerate(held):
        if kind(each) != "Pod":
            continue
        host = text(each, "spec", "nodeName")
        own = names.free_address(f"10.244.{subnets.get(host, 250)}", taken, namespace(each), name(each))
        addresses[text(each, "metadata", "uid")] = own
        priority = number(classes.get(text(each, "spec", "priorityClassName"), {}), "value")
        make = partial(_pod, each, by_name, addresses, events, now, priority=priority)
        alone = pods.scheduled(each) and (namespace(each), name(each)) not in events
        told = (now, priority, own, addresses.get(host))
        held[place] = (
            parts.once(make, "pod", each, by_name[host], told=told) if alone and host in by_name else make()
        )


def _pod(
    pod: Manifest,
    by_name: Mapping[str, Manifest],
    addresses: Mapping[str, str],
    events: disruptions.Reasons,
    now: datetime,
    *,
    priority: int,
) -> Manifest:
    """Return a pod completed: see `pods.fill_status`."""
    result = _filled(pod)
    section(result, "spec").setdefault("priority", priority)
    pods.fill_status(result, by_name, addresses, events, now)
    return result


def _fill_workloads(held: Sequence[Manifest], now: datetime) -> None:
    by_uid = by_owner(held)
    for wanted in ("ReplicaSet", "Deployment", "StatefulSet", "DaemonSet"):
        for each in of_kind(held, wanted):
            workloads.fill_status(each, by_uid, now)
    for each in of_kind(held, "Job"):
        jobs.fill_job(each, by_uid, now)
    for each in of_kind(held, "CronJob"):
        jobs.fill_cron_job(each, by_uid)


def _fill_storage(held: list[Manifest]) -> None:
    for each in of_kind(held, "PersistentVolumeClaim"):
        volume = volumes.fill_claim(each, held)
        if volume is not None:
            held.append(volume)
    for each in of_kind(held, "PersistentVolume"):
        volumes.fill_volume(each, held)


def _fill_services(held: list[Manifest], stated: set[str]) -> None:
    machines = of_kind(held, "Node")
    addresses = [nodes.address(each, i) for i, each in enumerate(machines)]
    created = min(text(each, "metadata", "creationTimestamp") for each in of_kind(held, "Namespace"))
    held += [
        each for each in services.api_service(machines, addresses, created) if spelled(each) not in stated
    ]
    known, pods = of_kind(held, "Service"), of_kind(held, "Pod")
    taken = {text(each, "spec", "clusterIP") for each in known}
    for each in known:
        services.fill(each, taken)
        _add_endpoints(held, each, pods, stated)
    for each in of_kind(held, "Ingress"):
        services.fill_ingress(each, known)


def _add_endpoints(
    held: list[Manifest], service: Manifest, pods: Sequence[Manifest], stated: set[str]
) -> None:
    made = services.endpoints(service, pods)
    if made is not None and spelled(made) not in stated:
        held.append(made)
    stands = [each for each in of_kind(held, "Endpoints") if _same(each, service)]
    held.extend(services.slice_of(service, each) for each in stands)


def _same(one: Manifest, other: Manifest) -> bool:
    return (namespace(one), name(one)) == (namespace(other), name(other))


def _fill_policies(held: Sequence[Manifest], now: datetime) -> None:
    for each in of_kind(held, "ResourceQuota"):
        policies.fill_quota(each, held)
    for each in of_kind(held, "PodDisruptionBudget"):
        policies.fill_budget(each, held)
    for each in of_kind(held, "HorizontalPodAutoscaler"):
        policies.fill_autoscaler(each, held, now)
    hosts = {(namespace(each), name(each)): each for each in of_kind(held, "Pod")}
    for each in of_kind(held, "Event"):
        happenings.completed(each)
        about = mapping(each, "involvedObject")
        if text(about, "kind") == "Pod":
            happenings.moved(each, hosts.get((text(about, "namespace"), text(about, "name")), {}))


def _fill_identity(held: Sequence[Manifest]) -> None:
    for each in held:
        metadata = section(each, "metadata")
        if "resourceVersion" not in metadata:
            metadata["resourceVersion"] = str(100000 + names.pick(9_000_000, "version", spelled(each)))
        if "spec" in each and kind(each) not in _WITHOUT_GENERATION:
            section(each, "metadata").setdefault("generation", workloads.generation(each))

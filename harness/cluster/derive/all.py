"""Everything that follows from the objects once all changes are made."""

from collections.abc import Sequence
from datetime import datetime

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
from harness.cluster.references import spelled

_WITHOUT_GENERATION = ("Node", "Namespace", "Lease", "Pod", "Service", "CertificateSigningRequest")


def derived(objects: Sequence[Manifest], now: datetime) -> list[Manifest]:
    """Return the objects completed, with those that the cluster adds, sorted by kind, namespace and name."""
    held = copied(list(objects))
    stated = set(map(spelled, held))
    held += _usual_objects(held, stated)
    for each in held:
        defaults.fill(each)
    _fill_nodes(held, stated, now)
    _fill_pods(held, now)
    _fill_workloads(held, now)
    _fill_storage(held)
    _fill_services(held, stated)
    _fill_policies(held, now)
    _fill_identity(held)
    return sorted(held, key=lambda each: (kind(each), namespace(each), name(each)))


def _usual_objects(held: Sequence[Manifest], stated: set[str]) -> list[Manifest]:
    made: list[Manifest] = []
    for each in of_kind(held, "Namespace"):
        account = {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": _in(each, "ServiceAccount", "default"),
        }
        root = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": _in(each, "ConfigMap", "kube-root-ca.crt"),
            "data": {"ca.crt": "-----BEGIN CERTIFICATE-----\n(of this cluster)\n-----END CERTIFICATE-----\n"},
        }
        made += [each for each in (account, root) if spelled(each) not in stated]
    return made


def _in(place: Manifest, made_kind: str, made_name: str) -> Manifest:
    return {
        "name": made_name,
        "namespace": name(place),
        "uid": names.uid(made_kind, name(place), made_name),
        "creationTimestamp": text(place, "metadata", "creationTimestamp"),
    }


def _fill_nodes(held: list[Manifest], stated: set[str], now: datetime) -> None:
    for ordinal, each in enumerate(of_kind(held, "Node")):
        nodes.fill(each, ordinal, now)
        lease = nodes.lease(each, now)
        if spelled(lease) not in stated:
            held.append(lease)


def _fill_pods(held: Sequence[Manifest], now: datetime) -> None:
    classes = {name(each): each for each in of_kind(held, "PriorityClass")}
    by_name = {name(each): each for each in of_kind(held, "Node")}
    addresses = {name(each): nodes.address(each, i) for i, each in enumerate(by_name.values())}
    subnets = {name(each): ordinal for ordinal, each in enumerate(by_name.values())}
    taken = {text(each, "status", "podIP") for each in of_kind(held, "Pod")}
    events = disruptions.reasons(of_kind(held, "Event"))
    for each in of_kind(held, "Pod"):
        subnet = subnets.get(text(each, "spec", "nodeName"), 250)
        uid = text(each, "metadata", "uid")
        addresses[uid] = names.free_address(f"10.244.{subnet}", taken, namespace(each), name(each))
        wanted = classes.get(text(each, "spec", "priorityClassName"), {})
        section(each, "spec").setdefault("priority", number(wanted, "value"))
        pods.fill_status(each, by_name, addresses, events, now)


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
        version = 100000 + names.pick(9_000_000, "version", spelled(each))
        section(each, "metadata").setdefault("resourceVersion", str(version))
        if "spec" in each and kind(each) not in _WITHOUT_GENERATION:
            section(each, "metadata").setdefault("generation", workloads.generation(each))

"""Nodes: the machine behind the name, its conditions, taints and lease."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from harness.cluster import names
from harness.cluster.manifests import Manifest, at, by_type, items, name, section, text
from harness.cluster.quantities import amount, written
from harness.cluster.times import creation, moment, stamp

_CAPACITY = {
    "cpu": "8",
    "ephemeral-storage": "102687672Ki",
    "hugepages-1Gi": "0",
    "hugepages-2Mi": "0",
    "memory": "32Gi",
    "pods": "110",
}
_PRESSURES = {
    "MemoryPressure": (
        ("KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("KubeletHasInsufficientMemory", "kubelet has insufficient memory available"),
        "memory-pressure",
    ),
    "DiskPressure": (
        ("KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("KubeletHasDiskPressure", "kubelet has disk pressure"),
        "disk-pressure",
    ),
    "PIDPressure": (
        ("KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("KubeletHasInsufficientPID", "kubelet has insufficient PID available"),
        "pid-pressure",
    ),
}
_SILENT = ("NodeStatusUnknown", "Kubelet stopped posting node status.")
_READY = {
    "True": ("KubeletReady", "kubelet is posting ready status"),
    "False": ("KubeletNotReady", "container runtime network not ready"),
    "Unknown": _SILENT,
}
_EVICTION_MEMORY = amount("100Mi")
_SILENCE = timedelta(seconds=40)
_HEARTBEATS = timedelta(minutes=5)
_LEASES = "kube-node-lease"


def address(node: Manifest, ordinal: int) -> str:
    """Return the internal address of the nth node, as stated or made."""
    stated = by_type(items(node, "status", "addresses"), "InternalIP")
    return text(stated, "address") or f"10.0.{1 + ordinal // 200}.{10 + ordinal % 200}"


def fill(node: Manifest, ordinal: int, now: datetime) -> None:
    """Complete labels, spec and status of a node in place; what is stated stays."""
    _fill_metadata(node)
    spec, status = section(node, "spec"), section(node, "status")
    spec.setdefault("podCIDR", f"10.244.{ordinal}.0/24")
    spec.setdefault("podCIDRs", [spec["podCIDR"]])
    status["addresses"] = _addresses(node, ordinal)
    capacity = section(status, "capacity")
    _fill_resources(capacity, _CAPACITY)
    _fill_resources(section(status, "allocatable"), _left_to_pods(capacity))
    _fill_machine(node, section(status, "nodeInfo"))
    section(status, "daemonEndpoints", "kubeletEndpoint").setdefault("Port", 10250)
    status["conditions"] = _conditions(node, now)
    _taint(node, now)


def _fill_resources(resources: Manifest, usual: Manifest) -> None:
    together = {**usual, **resources}
    resources.update({key: text(together, key) for key in together})


def _left_to_pods(capacity: Manifest) -> Manifest:
    """Return what a kubelet with default settings leaves to pods.

    It holds back what it evicts for, and of memory also the huge pages, which are a resource of their own.
    """
    huge = sum(amount(text(capacity, key)) for key in capacity if key.startswith("hugepages-"))
    memory = amount(text(capacity, "memory")) - _EVICTION_MEMORY - huge
    disk = int(amount(text(capacity, "ephemeral-storage")) * 9 // 10)
    return {
        **capacity,
        "memory": written(max(memory, Decimal(0)), binary=True),
        "ephemeral-storage": str(disk),
    }


def _addresses(node: Manifest, ordinal: int) -> list[Manifest]:
    stated = items(node, "status", "addresses")
    usual = {"InternalIP": address(node, ordinal), "Hostname": name(node)}
    first = [by_type(stated, key) or {"type": key, "address": value} for key, value in usual.items()]
    return [*first, *(each for each in stated if text(each, "type") not in usual)]


def _fill_metadata(node: Manifest) -> None:
    usual = {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name(node),
        "kubernetes.io/os": "linux",
    }
    labels = section(node, "metadata", "labels")
    for key, value in usual.items():
        labels.setdefault(key, value)
    annotations = section(node, "metadata", "annotations")
    annotations.setdefault("node.alpha.kubernetes.io/ttl", "0")
    annotations.setdefault("volumes.kubernetes.io/controller-managed-attach-detach", "true")


def _fill_machine(node: Manifest, info: Manifest) -> None:
    usual = {
        "machineID": names.digest("machine", name(node))[:32],
        "systemUUID": names.uid("system", name(node)),
        "bootID": names.uid("boot", name(node)),
        "kernelVersion": "6.1.0-28-amd64",
        "osImage": "Debian GNU/Linux 12 (bookworm)",
        "containerRuntimeVersion": "containerd://1.7.24",
        "kubeletVersion": "v1.31.2",
        "kubeProxyVersion": "v1.31.2",
        "operatingSystem": "linux",
        "architecture": "amd64",
    }
    for key, value in usual.items():
        info.setdefault(key, value)


def _conditions(node: Manifest, now: datetime) -> list[Manifest]:
    stated = items(node, "status", "conditions")
    ready = by_type(stated, "Ready")
    silent = text(ready, "status") == "Unknown"
    fallen_silent = moment(ready, "lastTransitionTime") or now - timedelta(minutes=5)
    heard = _heard(node, stated, now, fallen_silent if silent else None)
    changed = fallen_silent if silent else creation(node)
    result: list[Manifest] = []
    for condition in (*_PRESSURES, "Ready"):
        said = by_type(stated, condition)
        status = text(said, "status") or ("Unknown" if silent else _usual(condition))
        reason, message = _why(condition, status)
        base: Manifest = {
            "type": condition,
            "status": status,
            "lastHeartbeatTime": stamp(heard),
            "lastTransitionTime": stamp(changed),
            "reason": reason,
            "message": message,
        }
        result.append(base | said)
    return [*result, *(each for each in stated if text(each, "type") not in {*_PRESSURES, "Ready"})]


def _heard(
    node: Manifest, stated: Sequence[Manifest], now: datetime, fallen_silent: datetime | None
) -> datetime:
    if fallen_silent:
        return moment(by_type(stated, "Ready"), "lastHeartbeatTime") or fallen_silent - _SILENCE
    own = moment(by_type(stated, "Ready"), "lastHeartbeatTime")
    if own:
        # One kubelet writes all of them in one go, by its own clock.
        return own
    changes = [found for each in stated if (found := moment(each, "lastTransitionTime"))]
    usual = now - timedelta(seconds=names.pick(280, "heartbeat", name(node)))
    return max([usual, *changes])


def _usual(condition: str) -> str:
    return "True" if condition == "Ready" else "False"


def _why(condition: str, status: str) -> tuple[str, str]:
    if status == "Unknown":
        return _SILENT
    if condition == "Ready":
        return _READY.get(status, _SILENT)
    good, bad, _ = _PRESSURES[condition]
    return bad if status == "True" else good


def _taint(node: Manifest, now: datetime) -> None:
    conditions = items(node, "status", "conditions")
    ready = by_type(conditions, "Ready")
    since = moment(ready, "lastTransitionTime") or now
    wanted: list[tuple[str, str]] = []
    if text(ready, "status") != "True":
        trouble = "unreachable" if text(ready, "status") == "Unknown" else "not-ready"
        wanted += [(trouble, "NoExecute"), (trouble, "NoSchedule")]
    for condition, (_, _, taint) in _PRESSURES.items():
        if text(by_type(conditions, condition), "status") == "True":
            wanted.append((taint, "NoSchedule"))
    if at(node, "spec", "unschedulable") is True:
        wanted.append(("unschedulable", "NoSchedule"))
    held = items(node, "spec", "taints")
    present = {(text(each, "key"), text(each, "effect")) for each in held}
    added: list[Manifest] = [
        {"key": f"node.kubernetes.io/{key}", "effect": effect, "timeAdded": stamp(since)}
        for key, effect in wanted
        if (f"node.kubernetes.io/{key}", effect) not in present
    ]
    if held or added:
        section(node, "spec")["taints"] = [*held, *added]


def lease(node: Manifest, now: datetime) -> Manifest:
    """Return the lease that a node's kubelet renews, or renewed until it fell silent.

    A kubelet whose heartbeats are not of the last minutes though it is heard of has a wrong clock; it
    renews by that.
    """
    ready = by_type(items(node, "status", "conditions"), "Ready")
    silent = text(ready, "status") == "Unknown"
    heard = moment(ready, "lastHeartbeatTime") or now
    wrong = not timedelta(0) <= now - heard <= _HEARTBEATS
    fresh = now - timedelta(seconds=names.pick(10, "lease", name(node)))
    renewed = heard if silent or wrong else fresh
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {
            "name": name(node),
            "namespace": _LEASES,
            "uid": names.uid("Lease", _LEASES, name(node)),
            "creationTimestamp": text(node, "metadata", "creationTimestamp"),
            "ownerReferences": [
                {"apiVersion": "v1", "kind": "Node", "name": name(node), "uid": text(node, "metadata", "uid")}
            ],
        },
        "spec": {"holderIdentity": name(node), "leaseDurationSeconds": 40, "renewTime": stamp(renewed)},
    }

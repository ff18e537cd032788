"""Nodes, with the pods on them and what those take."""

from collections.abc import Sequence

from harness.cluster import kinds
from harness.cluster.columns.nodes import roles_text
from harness.cluster.describe.parts import column, date, events, head, marks
from harness.cluster.durations import since
from harness.cluster.lookup import Wanted, find, pods_on
from harness.cluster.manifests import Manifest, items, mapping, name, namespace, strings, text, texts
from harness.cluster.quantities import amount, pod_amount, resource_names, total
from harness.model.scenario import World

_STANDARD = ("cpu", "memory", "ephemeral-storage")
_INFO = (
    ("Machine ID", "machineID"),
    ("System UUID", "systemUUID"),
    ("Boot ID", "bootID"),
    ("Kernel Version", "kernelVersion"),
    ("OS Image", "osImage"),
    ("Operating System", "operatingSystem"),
    ("Architecture", "architecture"),
    ("Container Runtime Version", "containerRuntimeVersion"),
    ("Kubelet Version", "kubeletVersion"),
    ("Kube-Proxy Version", "kubeProxyVersion"),
)


def node(value: Manifest, world: World) -> list[str]:
    """Describe a node."""
    spec, status = mapping(value, "spec"), mapping(value, "status")
    lines = [*head(value), f"Roles:\t{roles_text(value)}", *marks(value)]
    lines.append(f"CreationTimestamp:\t{date(value, 'metadata', 'creationTimestamp')}")
    lines += column("Taints", _taints(spec))
    lines.append(f"Unschedulable:\t{text(spec, 'unschedulable', default='false')}")
    lines += [*_lease(value, world), *_conditions(status), "Addresses:"]
    lines += [f"  {text(each, 'type')}:\t{text(each, 'address')}" for each in items(status, "addresses")]
    for title in ("Capacity", "Allocatable"):
        found = strings(status, title.lower())
        lines += [f"{title}:", *(f"  {key}:\t{held}" for key, held in found.items())]
    lines += ["System Info:", *(f"  {title}:\t{text(status, 'nodeInfo', key)}" for title, key in _INFO)]
    lines += [f"PodCIDR:\t{text(spec, 'podCIDR')}", f"PodCIDRs:\t{','.join(texts(spec, 'podCIDRs'))}"]
    if text(spec, "providerID"):
        lines.append(f"ProviderID:\t{text(spec, 'providerID')}")
    pods = pods_on(world, name(value))
    lines += [
        *_pods(pods, strings(status, "allocatable"), world),
        *_sums(pods, strings(status, "allocatable")),
    ]
    return [*lines, *events(world, value)]


def _taints(spec: Manifest) -> list[str]:
    found = sorted(items(spec, "taints"), key=lambda each: (text(each, "effect"), text(each, "key")))
    return [_taint(each) for each in found]


def _taint(taint: Manifest) -> str:
    value = f"={text(taint, 'value')}" if text(taint, "value") else ""
    return f"{text(taint, 'key')}{value}:{text(taint, 'effect')}"


def _lease(value: Manifest, world: World) -> list[str]:
    lease = find(world, Wanted(kinds.KINDS_BY_NAME["Lease"], name(value)), "kube-node-lease")
    if lease is None:
        return [f'Lease:\tFailed to get lease: leases.coordination.k8s.io "{name(value)}" not found']
    return [
        "Lease:",
        f"  HolderIdentity:\t{text(lease, 'spec', 'holderIdentity', default='<unset>')}",
        "  AcquireTime:\t<unset>",
        f"  RenewTime:\t{date(lease, 'spec', 'renewTime')}",
    ]


def _conditions(status: Manifest) -> list[str]:
    lines = [
        "Conditions:",
        "  Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage",
        "  ----\t------\t-----------------\t------------------\t------\t-------",
    ]
    for each in items(status, "conditions"):
        times = f"{date(each, 'lastHeartbeatTime')} \t{date(each, 'lastTransitionTime')}"
        reason = f"{text(each, 'reason')} \t{text(each, 'message')}"
        lines.append(f"  {text(each, 'type')} \t{text(each, 'status')} \t{times} \t{reason}")
    return lines


def _pods(pods: Sequence[Manifest], allocatable: dict[str, str], world: World) -> list[str]:
    lines = [
        f"Non-terminated Pods:\t({len(pods)} in total)",
        "  Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge",
        "  ---------\t----\t\t------------\t----------\t---------------\t-------------\t---",
    ]
    for each in pods:
        shares = [
            _share(pod_amount(each, side, resource), allocatable.get(resource, ""))
            for resource in ("cpu", "memory")
            for side in ("requests", "limits")
        ]
        age = since(each, world.now, "metadata", "creationTimestamp")
        lines.append(f"  {namespace(each)}\t{name(each)}\t\t" + "\t".join((*shares, age)))
    return lines


def _share(taken: str, whole: str) -> str:
    percent = int(amount(taken) / amount(whole) * 100) if amount(whole) else 0
    return f"{taken} ({percent}%)"


def _sums(pods: Sequence[Manifest], allocatable: dict[str, str]) -> list[str]:
    lines = [
        "Allocated resources:",
        "  (Total limits may be over 100 percent, i.e., overcommitted.)",
        "  Resource\tRequests\tLimits",
        "  --------\t--------\t------",
    ]
    huge = sorted(key for key in allocatable if key.startswith("hugepages-"))
    for key in (*_STANDARD, *huge):
        both = [_share(_sum(pods, side, key), allocatable.get(key, "")) for side in ("requests", "limits")]
        lines.append("\t".join((f"  {key}", *both)))
    named = {key for each in pods for key in resource_names(each)} & allocatable.keys()
    extended = (named | allocatable.keys()) - {*_STANDARD, *huge, "pods"}
    lines += [
        "\t".join((f"  {key}", *(_sum(pods, side, key) for side in ("requests", "limits"))))
        for key in sorted(extended)
    ]
    return lines


def _sum(pods: Sequence[Manifest], side: str, resource: str) -> str:
    return total(pod_amount(each, side, resource) for each in pods)

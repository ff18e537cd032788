"""Which nodes a pod can run on, by its selector and their taints."""

from collections.abc import Sequence

from harness.cluster import names
from harness.cluster.manifests import Manifest, at, by_type, items, mapping, name, namespace, strings, text

_BLOCKING = ("NoSchedule", "NoExecute")


def ready(node: Manifest) -> bool:
    """Say whether a node as authored is ready; it is unless it says otherwise."""
    return text(by_type(items(node, "status", "conditions"), "Ready"), "status", default="True") == "True"


def fitting(nodes: Sequence[Manifest], spec: Manifest) -> list[Manifest]:
    """Return the nodes whose labels and taints admit a pod of this spec, in order."""
    return [each for each in nodes if _selected(each, spec) and _tolerated(each, spec)]


def open_nodes(nodes: Sequence[Manifest]) -> list[Manifest]:
    """Return the nodes that take new pods: ready and not cordoned."""
    return [each for each in nodes if ready(each) and at(each, "spec", "unschedulable") is not True]


def places(nodes: Sequence[Manifest], controller: Manifest, spec: Manifest, count: int) -> list[str]:
    """Return the node names for so many pods of a controller, empty texts where no node fits.

    Pods go round the fitting nodes; where the round starts depends on the controller alone, so that one
    more workload moves no other pod.
    """
    if not count or text(spec, "nodeName"):
        return [text(spec, "nodeName")] * count
    candidates = fitting(open_nodes(nodes), spec)
    if not candidates:
        return [""] * count
    start = names.pick(len(candidates), namespace(controller), name(controller))
    return [name(candidates[(start + ordinal) % len(candidates)]) for ordinal in range(count)]


def bound(pod: Manifest, nodes: Sequence[Manifest]) -> Manifest:
    """Return a pod of its own on a node, unless it is stated to be pending or has one."""
    spec = mapping(pod, "spec")
    if text(spec, "nodeName") or text(pod, "status", "phase") == "Pending":
        return pod
    [node] = places(nodes, pod, spec, 1)
    return {**pod, "spec": {**spec, "nodeName": node}} if node else pod


def refusal(nodes: Sequence[Manifest], spec: Manifest) -> str:
    """Return what the scheduler says of a pod that fits no node, nothing where one would fit."""
    if fitting(open_nodes(nodes), spec):
        return ""
    reasons: dict[str, int] = {}
    for each in nodes:
        reason = _reason(each, spec)
        reasons[reason] = reasons.get(reason, 0) + 1
    total = len(nodes)
    listed = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
    return (
        f"0/{total} nodes are available: {listed}. preemption: 0/{total} nodes are available: "
        f"{total} Preemption is not helpful for scheduling."
    )


def _reason(node: Manifest, spec: Manifest) -> str:
    if at(node, "spec", "unschedulable") is True:
        return "node(s) were unschedulable"
    if not ready(node):
        return "node(s) had untolerated taint {node.kubernetes.io/not-ready: }"
    taint = next((each for each in _blocking(node) if not _tolerates(spec, each)), None)
    if taint is not None:
        return f"node(s) had untolerated taint {{{text(taint, 'key')}: {text(taint, 'value')}}}"
    return "node(s) didn't match Pod's node affinity/selector"


def _selected(node: Manifest, spec: Manifest) -> bool:
    labels = {
        "kubernetes.io/hostname": name(node),
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
    }
    labels |= strings(node, "metadata", "labels")
    return all(labels.get(key) == value for key, value in strings(spec, "nodeSelector").items())


def _blocking(node: Manifest) -> list[Manifest]:
    return [each for each in items(node, "spec", "taints") if text(each, "effect") in _BLOCKING]


def _tolerated(node: Manifest, spec: Manifest) -> bool:
    return all(_tolerates(spec, each) for each in _blocking(node))


def _tolerates(spec: Manifest, taint: Manifest) -> bool:
    return any(_matches(each, taint) for each in items(spec, "tolerations"))


def _matches(toleration: Manifest, taint: Manifest) -> bool:
    if text(toleration, "effect") not in {"", text(taint, "effect")}:
        return False
    if text(toleration, "key") not in {"", text(taint, "key")}:
        return False
    return text(toleration, "operator") == "Exists" or text(toleration, "value") == text(taint, "value")

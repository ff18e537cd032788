"""The columns of nodes and namespaces."""

from harness.cluster.columns.column import AGE, NAME, Column, of
from harness.cluster.manifests import Manifest, at, by_type, items, mapping, text

_ROLE = "node-role.kubernetes.io/"


def roles_text(node: Manifest) -> str:
    """Return the roles of a node, or `<none>`."""
    labels = mapping(node, "metadata", "labels")
    found = {key.removeprefix(_ROLE) for key in labels if key.startswith(_ROLE)} - {""}
    named = text(labels, "kubernetes.io/role")
    return ",".join(sorted(found | ({named} if named else set()))) or "<none>"


def _status(node: Manifest) -> str:
    ready = by_type(items(node, "status", "conditions"), "Ready")
    words = ["Unknown" if not ready else ("Ready" if text(ready, "status") == "True" else "NotReady")]
    if at(node, "spec", "unschedulable") is True:
        words.append("SchedulingDisabled")
    return ",".join(words)


def _address(title: str, kind: str) -> Column:
    def cell(node: Manifest) -> str:
        return text(by_type(items(node, "status", "addresses"), kind), "address") or "<none>"

    return Column(title, of(cell), wide=True)


def _info(title: str, key: str, *, wide: bool = True) -> Column:
    return Column(title, of(lambda node: text(node, "status", "nodeInfo", key) or "<unknown>"), wide=wide)


NODES: dict[str, tuple[Column, ...]] = {
    "Node": (
        NAME,
        Column("STATUS", of(_status)),
        Column("ROLES", of(roles_text)),
        AGE,
        _info("VERSION", "kubeletVersion", wide=False),
        _address("INTERNAL-IP", "InternalIP"),
        _address("EXTERNAL-IP", "ExternalIP"),
        _info("OS-IMAGE", "osImage"),
        _info("KERNEL-VERSION", "kernelVersion"),
        _info("CONTAINER-RUNTIME", "containerRuntimeVersion"),
    ),
    "Namespace": (NAME, Column("STATUS", of(lambda value: text(value, "status", "phase"))), AGE),
    "Lease": (NAME, Column("HOLDER", of(lambda value: text(value, "spec", "holderIdentity"))), AGE),
}

"""Volumes, of pods and of the cluster."""

from collections.abc import Callable, Sequence

from harness.cluster.manifests import Manifest, items, mapping, strings, text

_Pairs = list[tuple[str, str]]


def volumes(found: Sequence[Manifest], indent: str = "") -> list[str]:
    """Return the section of volumes; `indent` is two spaces in a template."""
    if not found:
        return [f"{indent}Volumes:\t<none>"]
    lines = [f"{indent}Volumes:"]
    for each in found:
        lines += [f"  {indent[:1]}{text(each, 'name')}:", *source(each)]
    return lines


def source(holder: Manifest) -> list[str]:
    """Return the lines about where a volume comes from."""
    for key, describe in _SOURCES.items():
        if key in holder:
            pairs = describe(mapping(holder, key))
            return [f"    {title}:\t{value}" for title, value in pairs]
    return ["  <unknown>"]


def _host_path(held: Manifest) -> _Pairs:
    kind = text(held, "type", default="<none>")
    return [
        ("Type", "HostPath (bare host directory volume)"),
        ("Path", text(held, "path")),
        ("HostPathType", kind),
    ]


def _empty_dir(held: Manifest) -> _Pairs:
    return [
        ("Type", "EmptyDir (a temporary directory that shares a pod's lifetime)"),
        ("Medium", text(held, "medium")),
        ("SizeLimit", text(held, "sizeLimit") or "<unset>"),
    ]


def _secret(held: Manifest) -> _Pairs:
    return [
        ("Type", "Secret (a volume populated by a Secret)"),
        ("SecretName", text(held, "secretName")),
        ("Optional", text(held, "optional", default="false")),
    ]


def _config_map(held: Manifest) -> _Pairs:
    return [
        ("Type", "ConfigMap (a volume populated by a ConfigMap)"),
        ("Name", text(held, "name")),
        ("Optional", text(held, "optional", default="false")),
    ]


def _claim(held: Manifest) -> _Pairs:
    return [
        ("Type", "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)"),
        ("ClaimName", text(held, "claimName")),
        ("ReadOnly", text(held, "readOnly", default="false")),
    ]


def _projected(held: Manifest) -> _Pairs:
    pairs = [("Type", "Projected (a volume that contains injected data from multiple sources)")]
    for each in items(held, "sources"):
        if "serviceAccountToken" in each:
            pairs.append(("TokenExpirationSeconds", text(each, "serviceAccountToken", "expirationSeconds")))
        elif "downwardAPI" in each:
            pairs.append(("DownwardAPI", "true"))
        else:
            kind, key = ("ConfigMap", "configMap") if "configMap" in each else ("Secret", "secret")
            pairs.append((f"{kind}Name", text(each, key, "name")))
            option = "ConfigMapOptional" if kind == "ConfigMap" else "SecretOptionalName"
            pairs.append((option, text(each, key, "optional", default="<nil>")))
    return pairs


def _nfs(held: Manifest) -> _Pairs:
    return [
        ("Type", "NFS (an NFS mount that lasts the lifetime of a pod)"),
        ("Server", text(held, "server")),
        ("Path", text(held, "path")),
        ("ReadOnly", text(held, "readOnly", default="false")),
    ]


def _local(held: Manifest) -> _Pairs:
    kind = "LocalVolume (a persistent volume backed by local storage on a node)"
    return [("Type", kind), ("Path", text(held, "path"))]


def _csi(held: Manifest) -> _Pairs:
    pairs = [
        ("Type", "CSI (a Container Storage Interface (CSI) volume source)"),
        ("Driver", text(held, "driver")),
        ("FSType", text(held, "fsType")),
    ]
    if "volumeHandle" in held:
        pairs.append(("VolumeHandle", text(held, "volumeHandle")))
    pairs.append(("ReadOnly", text(held, "readOnly", default="false")))
    attributes = [f"{key}={value}" for key, value in strings(held, "volumeAttributes").items()]
    first, *others = attributes or ["<none>"]
    return [*pairs, ("VolumeAttributes", "\n    \t".join((first, *others)))]


def _downward(held: Manifest) -> _Pairs:
    fields = [(text(each, "fieldRef", "fieldPath"), text(each, "path")) for each in items(held, "items")]
    lines = "".join(f"\n      {field} -> {path}" for field, path in fields if field)
    return [("Type", f"DownwardAPI (a volume populated by information about the pod)\n    Items:{lines}")]


_SOURCES: dict[str, Callable[[Manifest], _Pairs]] = {
    "hostPath": _host_path,
    "emptyDir": _empty_dir,
    "secret": _secret,
    "configMap": _config_map,
    "nfs": _nfs,
    "persistentVolumeClaim": _claim,
    "downwardAPI": _downward,
    "projected": _projected,
    "local": _local,
    "csi": _csi,
}

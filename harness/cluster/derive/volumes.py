"""Claims and volumes: which volume a claim is bound to."""

from collections.abc import Sequence

from harness.cluster import names
from harness.cluster.manifests import (
    Manifest,
    first,
    items,
    mapping,
    name,
    namespace,
    of_kind,
    section,
    strings,
    text,
    texts,
)

_DEFAULT = "storageclass.kubernetes.io/is-default-class"


def fill_claim(claim: Manifest, objects: Sequence[Manifest]) -> Manifest | None:
    """Complete a claim in place; return the volume that its storage class made for it, if it made one.

    A claim without status is bound where its class is there (or it names its volume), else it is pending.
    """
    spec = section(claim, "spec")
    section(claim, "metadata").setdefault("finalizers", ["kubernetes.io/pvc-protection"])
    classes = of_kind(objects, "StorageClass")
    default = first(e for e in classes if strings(e, "metadata", "annotations").get(_DEFAULT) == "true")
    if "storageClassName" not in spec and default:
        spec["storageClassName"] = name(default)
    used = next((each for each in classes if name(each) == text(spec, "storageClassName")), None)
    status = section(claim, "status")
    volume = next(
        (e for e in of_kind(objects, "PersistentVolume") if name(e) == text(spec, "volumeName")), None
    )
    can_bind = volume is not None or used is not None
    phase = status.setdefault("phase", "Bound" if can_bind else "Pending")
    if phase != "Bound":
        return None
    size = text(spec, "resources", "requests", "storage", default="1Gi")
    spec.setdefault("volumeName", f"pvc-{text(claim, 'metadata', 'uid')}")
    status.setdefault("accessModes", list(texts(spec, "accessModes")))
    section(status, "capacity").setdefault(
        "storage", text(volume or {}, "spec", "capacity", "storage", default=size)
    )
    _annotate(claim, used)
    return None if volume is not None or used is None else _volume(claim, used, size)


def _annotate(claim: Manifest, used: Manifest | None) -> None:
    annotations = section(claim, "metadata", "annotations")
    annotations.setdefault("pv.kubernetes.io/bind-completed", "yes")
    if used is not None:
        annotations.setdefault("pv.kubernetes.io/bound-by-controller", "yes")
        provisioner = text(used, "provisioner")
        annotations.setdefault("volume.beta.kubernetes.io/storage-provisioner", provisioner)
        annotations.setdefault("volume.kubernetes.io/storage-provisioner", provisioner)


def _volume(claim: Manifest, used: Manifest, size: str) -> Manifest:
    volume_name = text(claim, "spec", "volumeName")
    provisioner = text(used, "provisioner")
    reference = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": namespace(claim),
        "name": name(claim),
        "uid": text(claim, "metadata", "uid"),
    }
    handle = f"vol-{names.digest('volume', volume_name)[:17]}"
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {
            "name": volume_name,
            "uid": names.uid("PersistentVolume", "", volume_name),
            "creationTimestamp": text(claim, "metadata", "creationTimestamp"),
            "annotations": {"pv.kubernetes.io/provisioned-by": provisioner},
            "finalizers": ["kubernetes.io/pv-protection"],
        },
        "spec": {
            "accessModes": list(texts(claim, "spec", "accessModes")),
            "capacity": {"storage": size},
            "claimRef": reference,
            "csi": {"driver": provisioner, "fsType": "ext4", "volumeHandle": handle},
            "persistentVolumeReclaimPolicy": text(used, "reclaimPolicy", default="Delete"),
            "storageClassName": name(used),
            "volumeMode": text(claim, "spec", "volumeMode", default="Filesystem"),
        },
        "status": {"phase": "Bound"},
    }


def fill_volume(volume: Manifest, objects: Sequence[Manifest]) -> None:
    """Complete a volume in place: whose it is, and whether that claim is still there."""
    section(volume, "metadata").setdefault("finalizers", ["kubernetes.io/pv-protection"])
    claims = of_kind(objects, "PersistentVolumeClaim")
    holder = next((each for each in claims if text(each, "spec", "volumeName") == name(volume)), None)
    if holder is not None and not mapping(volume, "spec", "claimRef"):
        section(volume, "spec", "claimRef").update(
            {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": namespace(holder),
                "name": name(holder),
                "uid": text(holder, "metadata", "uid"),
            }
        )
    claimed = bool(mapping(volume, "spec", "claimRef"))
    phase = "Bound" if holder is not None else ("Released" if claimed else "Available")
    section(volume, "status").setdefault("phase", phase)


def claims_of(pod: Manifest) -> list[str]:
    """Return the names of the claims that a pod mounts."""
    volumes = items(pod, "spec", "volumes")
    return [found for each in volumes if (found := text(each, "persistentVolumeClaim", "claimName"))]

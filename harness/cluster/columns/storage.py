"""The columns of claims, volumes and storage classes."""

from harness.cluster.columns.column import AGE, NAME, Column, of
from harness.cluster.manifests import Manifest, at, mapping, name, strings, text, texts

_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}
_DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")


def modes_text(value: Manifest, *path: str) -> str:
    """Return access modes in short: `RWO,ROX`."""
    return ",".join(short for mode, short in _MODES.items() if mode in texts(value, *path))


def phase_text(value: Manifest) -> str:
    """Return the phase of a claim or volume, or that it is being deleted."""
    deleted = at(value, "metadata", "deletionTimestamp") is not None
    return "Terminating" if deleted else text(value, "status", "phase")


def is_default(storage_class: Manifest) -> bool:
    """Say whether claims without a class get this one."""
    annotations = strings(storage_class, "metadata", "annotations")
    return any(annotations.get(each) == "true" for each in _DEFAULT)


def _claim_modes(claim: Manifest) -> str:
    return modes_text(claim, "status", "accessModes") if text(claim, "spec", "volumeName") else ""


def _claim_size(claim: Manifest) -> str:
    size = text(claim, "status", "capacity", "storage", default="0")
    return size if text(claim, "spec", "volumeName") else ""


def _holder(volume: Manifest) -> str:
    holder = mapping(volume, "spec", "claimRef")
    return f"{text(holder, 'namespace')}/{text(holder, 'name')}" if holder else ""


def _class_name(storage_class: Manifest) -> str:
    return name(storage_class) + (" (default)" if is_default(storage_class) else "")


def _spec(title: str, key: str, default: str = "", *, wide: bool = False) -> Column:
    return Column(title, of(lambda value: text(value, "spec", key) or default), wide=wide)


STORAGE: dict[str, tuple[Column, ...]] = {
    "PersistentVolumeClaim": (
        NAME,
        Column("STATUS", of(phase_text)),
        _spec("VOLUME", "volumeName"),
        Column("CAPACITY", of(_claim_size)),
        Column("ACCESS MODES", of(_claim_modes)),
        _spec("STORAGECLASS", "storageClassName"),
        _spec("VOLUMEATTRIBUTESCLASS", "volumeAttributesClassName", "<unset>"),
        AGE,
        _spec("VOLUMEMODE", "volumeMode", "<unset>", wide=True),
    ),
    "PersistentVolume": (
        NAME,
        Column("CAPACITY", of(lambda value: text(value, "spec", "capacity", "storage", default="0"))),
        Column("ACCESS MODES", of(lambda value: modes_text(value, "spec", "accessModes"))),
        _spec("RECLAIM POLICY", "persistentVolumeReclaimPolicy"),
        Column("STATUS", of(phase_text)),
        Column("CLAIM", of(_holder)),
        _spec("STORAGECLASS", "storageClassName"),
        _spec("VOLUMEATTRIBUTESCLASS", "volumeAttributesClassName", "<unset>"),
        Column("REASON", of(lambda value: text(value, "status", "reason"))),
        AGE,
        _spec("VOLUMEMODE", "volumeMode", "<unset>", wide=True),
    ),
    "StorageClass": (
        Column("NAME", of(_class_name)),
        Column("PROVISIONER", of(lambda value: text(value, "provisioner"))),
        Column("RECLAIMPOLICY", of(lambda value: text(value, "reclaimPolicy", default="Delete"))),
        Column("VOLUMEBINDINGMODE", of(lambda value: text(value, "volumeBindingMode", default="Immediate"))),
        Column(
            "ALLOWVOLUMEEXPANSION", of(lambda value: text(value, "allowVolumeExpansion", default="false"))
        ),
        AGE,
    ),
}

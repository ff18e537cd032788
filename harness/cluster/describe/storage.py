"""Claims, volumes and storage classes."""

from harness.cluster.columns.storage import is_default, modes_text
from harness.cluster.describe.parts import (
    bracketed,
    column,
    date,
    deleted_or,
    events,
    head,
    marks,
    title_case,
)
from harness.cluster.describe.volumes import source
from harness.cluster.lookup import using_claim
from harness.cluster.manifests import Manifest, items, mapping, name, strings, text, texts
from harness.cluster.selectors import pairs_text
from harness.model.scenario import World


def claim(value: Manifest, world: World) -> list[str]:
    """Describe a claim with the pods that use it."""
    spec, status = mapping(value, "spec"), mapping(value, "status")
    bound = bool(text(spec, "volumeName"))
    size = text(status, "capacity", "storage", default="0")
    lines = [*head(value), f"StorageClass:\t{text(spec, 'storageClassName')}"]
    lines += [
        f"Status:\t{deleted_or(value, text(status, 'phase'), world)}",
        f"Volume:\t{text(spec, 'volumeName')}",
    ]
    lines += [*marks(value), f"Finalizers:\t{bracketed(texts(value, 'metadata', 'finalizers'))}"]
    lines.append(f"Capacity:\t{size if bound else ''}")
    lines.append(f"Access Modes:\t{modes_text(status, 'accessModes') if bound else ''}")
    if text(spec, "volumeMode"):
        lines.append(f"VolumeMode:\t{text(spec, 'volumeMode')}")
    lines += column("Used By", using_claim(world, value))
    return [*lines, *_conditions(status), *events(world, value)]


def _conditions(status: Manifest) -> list[str]:
    rows: list[str] = []
    for each in items(status, "conditions"):
        times = f"{date(each, 'lastProbeTime')} \t{date(each, 'lastTransitionTime')}"
        reason = f"{text(each, 'reason')} \t{text(each, 'message')}"
        rows.append(f"  {text(each, 'type')} \t{text(each, 'status')} \t{times} \t{reason}")
    header = "  Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage"
    rule = "  ----\t------\t-----------------\t------------------\t------\t-------"
    return ["Conditions:", header, rule, *rows] if rows else []


def volume(value: Manifest, world: World) -> list[str]:
    """Describe a volume of the cluster."""
    spec = mapping(value, "spec")
    holder = mapping(spec, "claimRef")
    claimed = f"{text(holder, 'namespace')}/{text(holder, 'name')}" if holder else ""
    lines = [*head(value), *marks(value), f"Finalizers:\t{bracketed(texts(value, 'metadata', 'finalizers'))}"]
    lines.append(f"StorageClass:\t{text(spec, 'storageClassName')}")
    lines.append(f"Status:\t{deleted_or(value, text(value, 'status', 'phase'), world)}")
    lines += [f"Claim:\t{claimed}", f"Reclaim Policy:\t{text(spec, 'persistentVolumeReclaimPolicy')}"]
    lines.append(f"Access Modes:\t{modes_text(spec, 'accessModes')}")
    if text(spec, "volumeMode"):
        lines.append(f"VolumeMode:\t{text(spec, 'volumeMode')}")
    lines.append(f"Capacity:\t{text(spec, 'capacity', 'storage', default='0')}")
    lines += [*_affinity(spec), f"Message:\t{text(value, 'status', 'message')}", "Source:", *source(spec)]
    return [*lines, *events(world, value)]


def _affinity(spec: Manifest) -> list[str]:
    required = mapping(spec, "nodeAffinity", "required")
    if not required:
        return ["Node Affinity:\t<none>"]
    lines = ["Node Affinity:\t", "  Required Terms:\t"]
    for i, term in enumerate(items(required, "nodeSelectorTerms")):
        expressions = [
            f"{text(each, 'key')} {text(each, 'operator').lower()}"
            + (f" [{', '.join(texts(each, 'values'))}]" if texts(each, "values") else "")
            for each in items(term, "matchExpressions")
        ]
        lines += column(f"Term {i}", expressions, "    ")
    return lines


def storage_class(value: Manifest, world: World) -> list[str]:
    """Describe a storage class."""
    lines = [f"Name:\t{name(value)}", f"IsDefaultClass:\t{'Yes' if is_default(value) else 'No'}"]
    lines.append(f"Annotations:\t{pairs_text(strings(value, 'metadata', 'annotations'))}")
    lines += [
        f"Provisioner:\t{text(value, 'provisioner')}",
        f"Parameters:\t{pairs_text(strings(value, 'parameters'))}",
    ]
    lines.append(f"AllowVolumeExpansion:\t{title_case(value, 'allowVolumeExpansion')}")
    options = texts(value, "mountOptions")
    lines += ["MountOptions:", *(f"  {each}" for each in options)] if options else ["MountOptions:\t<none>"]
    lines.append(f"ReclaimPolicy:\t{text(value, 'reclaimPolicy')}")
    lines.append(f"VolumeBindingMode:\t{text(value, 'volumeBindingMode')}")
    return [*lines, *events(world, value)]

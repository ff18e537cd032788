"""One object, most often a pod, that a controller makes out of a template."""

from collections.abc import Mapping
from datetime import datetime

from harness.cluster import names
from harness.cluster.manifests import Manifest, copied, kind, mapping, name, namespace, section, strings, text
from harness.cluster.times import stamp


def reference(owner: Manifest) -> Manifest:
    """Return the owner reference to a controller."""
    return {
        "apiVersion": text(owner, "apiVersion"),
        "kind": kind(owner),
        "name": name(owner),
        "uid": text(owner, "metadata", "uid"),
        "controller": True,
        "blockOwnerDeletion": True,
    }


def made(
    owner: Manifest,
    version: str,
    made_kind: str,
    made_name: str,
    *,
    created: datetime,
    labels: Mapping[str, str],
) -> Manifest:
    """Return the beginnings of something that a controller made in its own namespace."""
    place = namespace(owner)
    return {
        "apiVersion": version,
        "kind": made_kind,
        "metadata": {
            "name": made_name,
            "namespace": place,
            "uid": names.uid(made_kind, place, made_name),
            "creationTimestamp": stamp(created),
            "labels": dict(labels),
            "ownerReferences": [reference(owner)],
        },
    }


def pod(
    owner: Manifest,
    pod_name: str,
    template: Manifest,
    *,
    created: datetime,
    node: str,
    labels: Mapping[str, str],
) -> Manifest:
    """Return a pod of a controller, its status left to be derived; `labels` come on top of the template's."""
    together = strings(template, "metadata", "labels") | dict(labels)
    result = made(owner, "v1", "Pod", pod_name, created=created, labels=together)
    section(result, "metadata")["generateName"] = pod_name[: pod_name.rfind("-") + 1]
    annotations = strings(template, "metadata", "annotations")
    if annotations:
        section(result, "metadata")["annotations"] = annotations
    result["spec"] = copied(mapping(template, "spec"))
    if node:
        section(result, "spec")["nodeName"] = node
    return result

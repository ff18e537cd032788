"""What a world file or a scenario forbids the tools to read."""

from collections.abc import Sequence
from typing import Any

from harness.cluster import kinds
from harness.cluster.authored import keys
from harness.cluster.manifests import Manifest, kind, name, text
from harness.cluster.rights import PARTS
from harness.errors import InvalidScenario
from harness.model.scenario import Forbidden


def entry(value: Any, objects: Sequence[Manifest], where: str) -> Forbidden:
    """Return one entry {resource, namespace}; raise InvalidScenario where either is not there."""
    given = keys(value, ("resource", "namespace"), where)
    resource, place = text(given, "resource"), text(given, "namespace")
    meant = PARTS.get(resource) or kinds.find(resource, objects)
    if meant is None:
        msg = f"{where}.resource: found {resource!r}; write a kind, or one of {', '.join(PARTS)}"
        raise InvalidScenario(msg)
    known = sorted(name(each) for each in objects if kind(each) == "Namespace")
    if place and place not in known:
        msg = f"{where}.namespace: found {place!r}; there are {known}"
        raise InvalidScenario(msg)
    if place and not meant.namespaced:
        msg = f"{where}.namespace: found {place!r}; {meant.resource} are in no namespace"
        raise InvalidScenario(msg)
    return Forbidden(resource=meant.resource, namespace=place or None)

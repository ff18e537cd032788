"""Every series of a world: those it states, and what follows from the resources that containers name."""

from collections.abc import Iterator, Sequence

from harness.cluster import kinds
from harness.cluster.index import index_of
from harness.cluster.manifests import Manifest, items, name, namespace, strings, text
from harness.cluster.metrics.samples import Readings, readings
from harness.cluster.metrics.shapes import HISTORY
from harness.cluster.quantities import amount
from harness.cluster.remembering import once_per_world
from harness.cluster.times import creation
from harness.model.scenario import Series, World

_UNITS = {"cpu": "core", "memory": "byte", "ephemeral_storage": "byte"}


@once_per_world
def all_series(world: World) -> Sequence[Readings]:
    """Return the series of a world by their labels; none where it states none.

    Requests and limits are constant for as long as a pod lives, so that they can be read off its manifest.
    """
    if not world.metrics:
        return ()
    stated = {each.name for each in world.metrics}
    pods = index_of(world).everywhere.get(kinds.KINDS_BY_NAME["Pod"].key, ())
    derived = [each for pod in pods for each in _of_pod(pod, world) if each.name not in stated]
    return sorted(map(readings, [*world.metrics, *derived]), key=lambda each: each.labels)


def _of_pod(pod: Manifest, world: World) -> Iterator[Series]:
    if text(pod, "status", "phase") in {"Succeeded", "Failed"}:
        return
    begin = max(-float(HISTORY), (creation(pod) - world.now).total_seconds())
    place = {"namespace": namespace(pod), "pod": name(pod), "node": text(pod, "spec", "nodeName")}
    for each in items(pod, "spec", "containers"):
        labels = {key: value for key, value in place.items() if value} | {"container": text(each, "name")}
        for side in ("limits", "requests"):
            for resource, quantity in strings(each, "resources", side).items():
                value = float(amount(quantity))
                written = resource.replace("-", "_")
                unit = {"resource": written, "unit": _UNITS.get(written, "integer")}
                yield _constant(f"kube_pod_container_resource_{side}", labels | unit, begin, value)
                if (side, resource) == ("limits", "memory") and "node" in labels:
                    yield _constant("container_spec_memory_limit_bytes", labels, begin, value)


def _constant(metric: str, labels: dict[str, str], begin: float, value: float) -> Series:
    return Series(name=metric, labels=labels, points=[(begin, value), (0.0, value)])

"""Log streams, from world files and from changes."""

from collections.abc import Mapping, Sequence
from typing import Any

from harness.cluster.authored import keys
from harness.cluster.manifests import Manifest, is_silent, items, name, namespace, of_kind, text, texts
from harness.cluster.references import locate
from harness.errors import InvalidScenario
from harness.model.scenario import LogStream

_KEYS = ("namespace", "pod", "container", "previous", "lines", "text")


def stream(entry: Manifest, objects: Sequence[Manifest], where: str) -> LogStream:
    """Return the stream of a `logs:` change; raise InvalidScenario where pod or container is not there."""
    return _stream(entry, locate(entry["logs"], objects, where), where.removesuffix(".logs"))


def base_stream(value: Any, pods: Mapping[tuple[str, str], Manifest], where: str) -> LogStream | None:
    """Return one stream of a base world, or None where its pod is not among `pods`, by namespace and name."""
    entry = keys(value, _KEYS, where)
    pod = pods.get((text(entry, "namespace", default="default"), text(entry, "pod")))
    return None if pod is None else _stream(entry, pod, where)


def audible(streams: Sequence[LogStream], objects: Sequence[Manifest]) -> list[LogStream]:
    """Return the streams without those of pods on a silent node, whose kubelet nobody can ask."""
    silent = {name(each) for each in of_kind(objects, "Node") if is_silent(each)}
    pods = of_kind(objects, "Pod") if silent else []
    lost = {(namespace(each), name(each)) for each in pods if text(each, "spec", "nodeName") in silent}
    return [each for each in streams if (each.namespace, each.pod) not in lost]


def with_stream(streams: Sequence[LogStream], added: LogStream) -> list[LogStream]:
    """Return the streams with one more, in place of an older one of the same container and run."""
    return [*(each for each in streams if _key(each) != _key(added)), added]


def _stream(entry: Manifest, pod: Manifest, where: str) -> LogStream:
    previous = entry.get("previous", False)
    if not isinstance(previous, bool):
        msg = f"{where}.previous: found {previous!r}; write true or false"
        raise InvalidScenario(msg)
    return LogStream(
        namespace=namespace(pod),
        pod=name(pod),
        container=_container(entry, pod, where),
        previous=previous,
        lines=_lines(entry, where),
    )


def _container(entry: Manifest, pod: Manifest, where: str) -> str:
    known = [
        text(each, "name") for key in ("containers", "initContainers") for each in items(pod, "spec", key)
    ]
    chosen = text(entry, "container") or (known[0] if len(known) == 1 else "")
    if chosen not in known:
        msg = f"{where}.container: found {entry.get('container')!r}; {name(pod)} has {', '.join(known)}"
        raise InvalidScenario(msg)
    return chosen


def _lines(entry: Manifest, where: str) -> list[str]:
    lines, whole = entry.get("lines"), entry.get("text")
    if isinstance(lines, list) and whole is None:
        return [part for each in texts(entry, "lines") for part in each.split("\n")]
    if isinstance(whole, str) and lines is None:
        return whole.removesuffix("\n").split("\n")
    msg = f"{where}: found lines {lines!r} and text {whole!r}; write a list of lines, or one text"
    raise InvalidScenario(msg)


def _key(value: LogStream) -> tuple[str, str, str, bool]:
    return value.namespace, value.pod, value.container, value.previous

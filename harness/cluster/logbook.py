"""Log streams, from world files and from changes."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from harness.cluster.authored import keys
from harness.cluster.expand.told import written
from harness.cluster.manifests import (
    Manifest,
    by_name,
    is_silent,
    items,
    mapping,
    name,
    namespace,
    of_kind,
    text,
    texts,
)
from harness.cluster.references import locate
from harness.cluster.times import moment
from harness.errors import InvalidScenario
from harness.model.scenario import LogStream

_POD = re.compile(r"(?i:pods?|po)/(?P<name>\S+)(?:\s+-n\s+(?P<namespace>\S+))?")
_SLACK = timedelta(seconds=1)
_KEYS = ("namespace", "pod", "container", "previous", "lines", "text")


def stream(entry: Manifest, objects: Sequence[Manifest], where: str) -> LogStream:
    """Return the stream of a `logs:` change; raise InvalidScenario where pod or container is not there."""
    return _stream(entry, locate(entry["logs"], objects, where), where.removesuffix(".logs"))


def base_stream(value: Any, pods: Mapping[tuple[str, str], Manifest], where: str) -> LogStream | None:
    """Return one stream of a base world, or None where its pod is not among `pods`, by namespace and name."""
    entry = keys(value, _KEYS, where)
    pod = pods.get((text(entry, "namespace", default="default"), text(entry, "pod")))
    return None if pod is None else _stream(entry, pod, where)


def lines_of_pods(
    base: Sequence[Any], changes: Sequence[Mapping[str, Any]]
) -> dict[tuple[str, str], list[str]]:
    """Return what the logs of pods will hold, by namespace and name, before there are any pods.

    Only the present run of each counts, and what a change says counts more than what the base says. An
    entry of another form is left to whoever checks it.
    """
    held: dict[tuple[str, str, str], list[str]] = {}
    for each in base:
        if isinstance(each, Mapping):
            entry = cast(Mapping[str, Any], each)
            _hear(held, entry, text(entry, "namespace", default="default"), text(entry, "pod"))
    for entry in changes:
        found = _POD.fullmatch(text(entry, "logs").strip())
        if found:
            _hear(held, entry, found["namespace"] or "default", found["name"])
    result: dict[tuple[str, str], list[str]] = {}
    for (place, pod, _), lines in held.items():
        result.setdefault((place, pod), []).extend(lines)
    return result


def _hear(
    held: dict[tuple[str, str, str], list[str]], entry: Mapping[str, Any], place: str, pod: str
) -> None:
    if entry.get("previous") is True:
        return
    whole = text(entry, "text").split("\n") if text(entry, "text") else []
    container = text(entry, "container")
    # The only container of a pod may go without its name.
    known = [key for key in held if key[:2] == (place, pod) and (not container or key[2] in {container, ""})]
    for key in known:
        del held[key]
    held[place, pod, container] = [*texts(entry, "lines"), *whole]


def audible(streams: Sequence[LogStream], objects: Sequence[Manifest]) -> list[LogStream]:
    """Return the streams without those of pods on a silent node, whose kubelet nobody can ask."""
    silent = {name(each) for each in of_kind(objects, "Node") if is_silent(each)}
    pods = of_kind(objects, "Pod") if silent else []
    lost = {(namespace(each), name(each)) for each in pods if text(each, "spec", "nodeName") in silent}
    return [each for each in streams if (each.namespace, each.pod) not in lost]


def of_their_runs(
    streams: Sequence[LogStream], objects: Sequence[Manifest], now: datetime
) -> list[LogStream]:
    """Return the streams without the lines that the present run of their container cannot have written.

    What a base world says of a pod is of the run that a change may have ended.
    """
    pods = {(namespace(each), name(each)): each for each in of_kind(objects, "Pod")}
    result: list[LogStream] = []
    for each in streams:
        begin, end = _run(pods.get((each.namespace, each.pod), {}), each.container)
        lines = each.lines if each.previous else _within(each.lines, begin, end, now)
        if lines:
            result.append(each.model_copy(update={"lines": lines}))
    return result


def _run(pod: Manifest, container: str) -> tuple[datetime | None, datetime | None]:
    held = by_name(items(pod, "status", "containerStatuses"), container)
    running = moment(held, "state", "running", "startedAt")
    if running:
        return running, None
    key = "state" if "terminated" in mapping(held, "state") else "lastState"
    return moment(held, key, "terminated", "startedAt"), moment(held, key, "terminated", "finishedAt")


def _within(lines: Sequence[str], begin: datetime | None, end: datetime | None, now: datetime) -> list[str]:
    result: list[str] = []
    kept = True
    for each in lines:
        when = written(each, now)
        if when is not None:
            when = when.replace(microsecond=0)
            kept = (begin is None or when >= begin - _SLACK) and (end is None or when <= end + _SLACK)
        result += [each] if kept else []
    return result


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

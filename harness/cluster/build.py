"""A base world and a scenario's changes, made into the world that the tools answer from."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from harness.cluster import forbidding, logbook
from harness.cluster.authored import check_unique, entries, keys, manifest, with_namespaces, with_owners
from harness.cluster.changes import (
    Change,
    after_all,
    after_expansion,
    before_expansion,
    checked,
    still_held,
    touched_pods,
)
from harness.cluster.derive.all import derived
from harness.cluster.expand.all import expanded
from harness.cluster.manifests import Manifest, name, namespace, of_kind
from harness.cluster.metrics.authored import with_metric, with_usage
from harness.cluster.metrics.subjects import Scene
from harness.cluster.parts import parts_of
from harness.cluster.references import NotThere
from harness.cluster.times import now_of
from harness.errors import InvalidScenario
from harness.model.scenario import LogStream, Series, World

_KEYS = ("description", "now", "objects", "logs", "usage", "metrics", "forbidden")


def build_world(base: Mapping[str, Any], changes: Sequence[Mapping[str, Any]], where: str) -> World:
    """Return the world that a base world file and the changes of a scenario describe.

    Args:
        base: the parsed base world: description, now, objects, logs, usage, metrics, forbidden.
        changes: mappings with exactly one of add, remove, patch, event, logs, usage, metrics, forbid.
        where: the file, for errors.

    Raises:
        InvalidScenario: something in either cannot be; the message says what, and what can.
    """
    place = f"{where}: world.base"
    given = keys(base, _KEYS, place)
    now = now_of(given, place)
    parts = parts_of(base)
    authored = parts.once(lambda: _authored(given, now, f"{place}.objects"), "authored", told=now)
    todo = checked(changes, f"{where}: world")
    standing, waiting = before_expansion(authored, todo, now)
    base_logs = entries(given.get("logs"), f"{place}.logs")
    said = logbook.lines_of_pods(base_logs, [each.entry for each in waiting])
    with_pods = expanded(with_namespaces(standing, where), now, where, said, parts=parts)
    logs = _logs(given, with_pods, f"{place}.logs", lenient=bool(changes))
    objects, streams = after_expansion(with_pods, logs, waiting, now)
    held = derived(objects, now, parts)
    spoken = _audible(still_held(streams, objects), logs, waiting, held, now=now)
    world = World(now=now, objects=held, logs=spoken)
    scene = Scene.of(held, now, parts)
    metrics = _metrics(given, scene, place, lenient=bool(changes))
    forbidden = [
        forbidding.entry(each, world.objects, f"{place}.forbidden[{i}]")
        for i, each in enumerate(entries(given.get("forbidden"), f"{place}.forbidden"))
    ]
    return after_all(world.model_copy(update={"metrics": metrics, "forbidden": forbidden}), waiting, scene)


def _authored(given: Manifest, now: datetime, where: str) -> Sequence[Manifest]:
    written = enumerate(entries(given.get("objects"), where))
    authored = [manifest(each, now, f"{where}[{i}]", i) for i, each in written]
    check_unique(authored, where)
    return with_owners(authored)


def _audible(
    streams: Sequence[LogStream],
    base: Sequence[LogStream],
    changes: Sequence[Change],
    objects: Sequence[Manifest],
    *,
    now: datetime,
) -> list[LogStream]:
    touched, untold = touched_pods(changes, objects), {id(each) for each in base}
    result: list[LogStream] = []
    for each in streams:
        old = id(each) in untold and (each.namespace, each.pod) in touched
        result += logbook.of_their_runs([each], objects, now) if old else [each]
    return result


def _metrics(given: Manifest, scene: Scene, where: str, *, lenient: bool) -> list[Series]:
    # Usage comes first: it is what most pods say, and a metric may say more of one of them.
    result: list[Series] = []
    for key, add in (("usage", with_usage), ("metrics", with_metric)):
        for i, each in enumerate(entries(given.get(key), f"{where}.{key}")):
            try:
                result = add(result, each, scene, f"{where}.{key}[{i}]")
            except NotThere:
                # As with logs: a change may have taken away what the base speaks of.
                if not lenient:
                    raise
    return result


def _logs(given: Manifest, objects: Sequence[Manifest], where: str, *, lenient: bool) -> list[LogStream]:
    # A change may have taken the pod of a stream away; without changes it is a slip of the pen.
    pods = {(namespace(each), name(each)): each for each in of_kind(objects, "Pod")}
    result: list[LogStream] = []
    for i, each in enumerate(entries(given.get("logs"), where)):
        stream = logbook.base_stream(each, pods, f"{where}[{i}]")
        if stream is not None:
            result.append(stream)
        elif not lenient:
            msg = f"{where}[{i}].pod: found {each.get('pod')!r}; no such pod in its namespace"
            raise InvalidScenario(msg)
    return result

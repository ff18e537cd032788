"""A base world and a scenario's changes, made into the world that the tools answer from."""

from collections.abc import Mapping, Sequence
from typing import Any

from harness.cluster import logbook
from harness.cluster.authored import check_unique, entries, keys, manifest, with_namespaces, with_owners
from harness.cluster.changes import after_expansion, before_expansion, checked, still_held
from harness.cluster.derive.all import derived
from harness.cluster.expand.all import expanded
from harness.cluster.manifests import Manifest
from harness.cluster.times import now_of
from harness.errors import InvalidScenario
from harness.model.scenario import LogStream, World

_KEYS = ("description", "now", "objects", "logs")


def build_world(base: Mapping[str, Any], changes: Sequence[Mapping[str, Any]], where: str) -> World:
    """Return the world that a base world file and the changes of a scenario describe.

    Args:
        base: the parsed base world: description, now, objects, logs.
        changes: mappings with exactly one of add, remove, patch, event, logs.
        where: the file, for errors.

    Raises:
        InvalidScenario: something in either cannot be; the message says what, and what can.
    """
    place = f"{where}: world.base"
    given = keys(base, _KEYS, place)
    now = now_of(given, place)
    authored = [
        manifest(each, now, f"{place}.objects[{i}]", i)
        for i, each in enumerate(entries(given.get("objects"), f"{place}.objects"))
    ]
    check_unique(authored, f"{place}.objects")
    todo = checked(changes, f"{where}: world")
    standing, waiting = before_expansion(with_owners(authored), todo, now)
    with_pods = expanded(with_namespaces(standing, where), now, where)
    logs = _logs(given, with_pods, f"{place}.logs", lenient=bool(changes))
    objects, streams = after_expansion(with_pods, logs, waiting, now)
    return World(now=now, objects=derived(objects, now), logs=still_held(streams, objects))


def _logs(given: Manifest, objects: Sequence[Manifest], where: str, *, lenient: bool) -> list[LogStream]:
    # A change may have taken the pod of a stream away; without changes it is a slip of the pen.
    result: list[LogStream] = []
    for i, each in enumerate(entries(given.get("logs"), where)):
        stream = logbook.base_stream(each, objects, f"{where}[{i}]")
        if stream is not None:
            result.append(stream)
        elif not lenient:
            msg = f"{where}[{i}].pod: found {each.get('pod')!r}; no such pod in its namespace"
            raise InvalidScenario(msg)
    return result

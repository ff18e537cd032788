"""A world's objects by kind, namespace and name, sorted once for all questions about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.cluster import kinds
from harness.cluster.kinds import Kind
from harness.cluster.manifests import Manifest, name, namespace, text
from harness.cluster.remembering import once_per_world
from harness.model.scenario import World

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Index:
    """What is held, by the key of its kind; `about` has the events of an object by its kind and name."""

    words: Mapping[str, Kind]
    everywhere: Mapping[_Key, Sequence[Manifest]]
    inside: Mapping[tuple[_Key, str], Sequence[Manifest]]
    named: Mapping[tuple[_Key, str, str], Manifest]
    about: Mapping[tuple[str, str], Sequence[Manifest]]


@once_per_world
def index_of(world: World) -> Index:
    """Return the index of a world."""
    return indexed(world.objects)


def indexed(objects: Sequence[Manifest]) -> Index:
    """Return the index of some objects: lists in it go by namespace and name, events by their last sight."""
    everywhere: dict[_Key, list[Manifest]] = {}
    inside: dict[tuple[_Key, str], list[Manifest]] = {}
    named: dict[tuple[_Key, str, str], Manifest] = {}
    about: dict[tuple[str, str], list[Manifest]] = {}
    for each in sorted(objects, key=lambda each: (namespace(each), name(each))):
        key, place = kinds.key_of(each), namespace(each)
        everywhere.setdefault(key, []).append(each)
        inside.setdefault((key, place), []).append(each)
        named.setdefault((key, place, name(each)), each)
    for each in by_last_sight(everywhere.get(("Event", ""), [])):
        involved = (text(each, "involvedObject", "kind"), text(each, "involvedObject", "name"))
        about.setdefault(involved, []).append(each)
    return Index(kinds.words(kinds.in_world(objects)), everywhere, inside, named, about)


def by_last_sight(events: Sequence[Manifest]) -> list[Manifest]:
    """Return events in the order in which they were last seen."""
    return sorted(events, key=lambda each: text(each, "lastTimestamp") or text(each, "eventTime"))

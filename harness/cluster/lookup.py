"""Finding what a call of a tool speaks of, and saying that it is not there in kubectl's words."""

from collections.abc import Sequence
from dataclasses import dataclass

from harness.cluster import kinds
from harness.cluster.index import index_of
from harness.cluster.kinds import Kind
from harness.cluster.manifests import Manifest, items, kind, name, namespace, text
from harness.model.scenario import World


class Refusal(Exception):
    """What kubectl prints instead of an answer; it never leaves this package."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One kind, and one object of it or all of them (`name` empty)."""

    kind: Kind
    name: str = ""


def kind_of(world: World, word: str) -> Kind:
    """Return the kind that a word means; raise Refusal where the server has none."""
    found = kinds.meant(word.strip(), index_of(world).words)
    if found is None:
        # Of a word with a group kubectl only repeats what stands before it.
        plural = word.strip().partition(".")[0]
        raise Refusal(f'error: the server doesn\'t have a resource type "{plural}"')
    return found


def wanted(world: World, words: str, given: str) -> list[Wanted]:
    """Return what a pair of kind and name arguments asks for.

    The kind may be a list with commas, `all`, or carry the name as `kind/name`; so may the name.
    """
    chosen = given.strip()
    if "/" in chosen:
        words, _, chosen = chosen.partition("/")
    elif "/" in words:
        words, _, chosen = words.partition("/")
    result: list[Wanted] = []
    for word in words.split(","):
        meant = kinds.ALL if word.strip().lower() == "all" else (kind_of(world, word),)
        result += [Wanted(each, chosen) for each in meant]
    return result


def objects(world: World, wanted_kind: Kind, place: str | None) -> Sequence[Manifest]:
    """Return the objects of a kind, by namespace and name; `place` is None for every namespace."""
    held = index_of(world)
    if place is None or not wanted_kind.namespaced:
        return held.everywhere.get(wanted_kind.key, ())
    return held.inside.get((wanted_kind.key, place), ())


def find(world: World, asked: Wanted, place: str) -> Manifest | None:
    """Return the object of a name, or None where its namespace has none."""
    inside = place if asked.kind.namespaced else ""
    return index_of(world).named.get((asked.kind.key, inside, asked.name))


def one(world: World, asked: Wanted, place: str) -> Manifest:
    """Return the object of a name; raise Refusal where its namespace has none."""
    found = find(world, asked, place)
    if found is None:
        raise not_found(asked)
    return found


def not_found(asked: Wanted) -> Refusal:
    """Return the server's word for an object that is not there."""
    return Refusal(f'Error from server (NotFound): {asked.kind.resource} "{asked.name}" not found')


def events_of(world: World, value: Manifest) -> list[Manifest]:
    """Return the events about one object, oldest last sighting first."""
    about, place = index_of(world).about.get((kind(value), name(value)), ()), namespace(value)
    return [each for each in about if text(each, "involvedObject", "namespace") == place or not place]


def concerns(event: Manifest, wanted_kind: str, wanted_name: str) -> bool:
    """Say whether an event is about an object of this kind and name."""
    involved = (text(event, "involvedObject", "kind"), text(event, "involvedObject", "name"))
    return involved == (wanted_kind, wanted_name)


def pods_on(world: World, node: str) -> list[Manifest]:
    """Return the pods on a node that have not ended, by namespace and name."""
    pods = objects(world, kinds.KINDS_BY_NAME["Pod"], None)
    ended = {"Succeeded", "Failed"}
    return [
        each
        for each in pods
        if text(each, "spec", "nodeName") == node and text(each, "status", "phase") not in ended
    ]


def using_claim(world: World, claim: Manifest) -> list[str]:
    """Return the names of the pods that mount a claim."""
    found: list[str] = []
    for each in objects(world, kinds.KINDS_BY_NAME["Pod"], namespace(claim)):
        volumes = items(each, "spec", "volumes")
        if any(text(volume, "persistentVolumeClaim", "claimName") == name(claim) for volume in volumes):
            found.append(name(each))
    return found

"""References in scenario files: `pod/NAME -n NAMESPACE`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from harness.cluster import kinds
from harness.cluster.manifests import Manifest, name, namespace
from harness.errors import InvalidScenario

_FORM = re.compile(r"(?P<kind>[A-Za-z0-9.]+)/(?P<name>\S+)(?:\s+-n\s+(?P<namespace>\S+))?")


@dataclass(frozen=True, slots=True)
class Reference:
    """One object, named; `namespace` is empty for an object of the cluster."""

    meant: kinds.Kind
    name: str
    namespace: str

    @property
    def kind(self) -> str:
        """The name of its kind."""
        return self.meant.name

    def means(self, value: Manifest) -> bool:
        """Say whether this is the object meant."""
        same = name(value) == self.name and namespace(value) == self.namespace
        return same and kinds.key_of(value) == self.meant.key


def spelled(value: Manifest) -> str:
    """Return the reference by which a scenario file can name an object."""
    word, group = kinds.key_of(value)
    place = namespace(value)
    reference = f"{f'{word}.{group}' if group else word}".lower() + f"/{name(value)}"
    return f"{reference} -n {place}" if place else reference


def read(found: Any, objects: Sequence[Manifest], where: str) -> Reference:
    """Return the reference that a text spells; the namespace is `default` where a kind needs one.

    Raise InvalidScenario where the text is no reference or the kind is unknown.
    """
    parts = _FORM.fullmatch(found.strip()) if isinstance(found, str) else None
    if parts is None:
        msg = f"{where}: found {found!r}; write kind/name, or kind/name -n namespace"
        raise InvalidScenario(msg)
    meant = kinds.find(parts["kind"], objects)
    if meant is None:
        known = sorted({each.singular for each in kinds.in_world(objects)})
        near = get_close_matches(parts["kind"].lower(), known, n=3, cutoff=0.7) or known[:12]
        msg = f"{where}: found {found!r}; no such kind, near: {', '.join(map(repr, near))}"
        raise InvalidScenario(msg)
    place = (parts["namespace"] or "default") if meant.namespaced else ""
    return Reference(meant, parts["name"], place)


def locate(found: Any, objects: Sequence[Manifest], where: str) -> Manifest:
    """Return the object that a text refers to; raise InvalidScenario with near names where there is none."""
    reference = read(found, objects, where)
    meant = next((each for each in objects if reference.means(each)), None)
    if meant is None:
        raise missing(found, reference, objects, where)
    return meant


class NotThere(InvalidScenario):
    """A reference to an object that is not there."""


def missing(found: Any, reference: Reference, objects: Sequence[Manifest], where: str) -> NotThere:
    """Return the error for a reference to nothing, with up to three near names."""
    wanted = f"{reference.kind.lower()}/{reference.name} -n {reference.namespace}"
    same = [spelled(each) for each in objects if kinds.key_of(each) == reference.meant.key]
    near = get_close_matches(wanted, same, n=3, cutoff=0.5) or sorted(same)[:6]
    hint = f"near: {', '.join(map(repr, near))}" if near else f"and no other {reference.kind} either"
    return NotThere(f"{where}: found {found!r}; no such object, {hint}")

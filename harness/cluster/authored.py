"""Objects as world files write them, checked and given what every object of a cluster has."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, cast

from harness.cluster import kinds, names
from harness.cluster.expand.templates import WORKLOADS
from harness.cluster.happenings import event_name_of
from harness.cluster.manifests import Manifest, at, items, kind, name, namespace, section, text
from harness.cluster.references import spelled
from harness.cluster.times import settle, stamp
from harness.errors import InvalidScenario

_ALWAYS = ("default", "kube-node-lease", "kube-public", "kube-system")
_USUAL_AGE = timedelta(days=30)
_FORMER_GROUPS = {"Event": "events.k8s.io", "Ingress": "extensions"}


def entries(value: Any, where: str) -> list[Any]:
    """Return a list of a world file; raise InvalidScenario where something else is there."""
    if value is None:
        return []
    if not isinstance(value, list):
        msg = f"{where}: found {value!r}; write a list"
        raise InvalidScenario(msg)
    return cast(list[Any], value)


def keys(value: Any, allowed: Sequence[str], where: str) -> Manifest:
    """Return a mapping of a world file; raise InvalidScenario where it has a key that is not allowed."""
    if not isinstance(value, Mapping):
        msg = f"{where}: found {value!r}; write a mapping with {', '.join(allowed)}"
        raise InvalidScenario(msg)
    mapping = cast(Mapping[str, Any], value)
    extra = [key for key in mapping if key not in allowed]
    if extra:
        msg = f"{where}: found {extra[0]!r}; allowed are {', '.join(allowed)}"
        raise InvalidScenario(msg)
    return dict(mapping)


def manifest(value: Any, now: datetime, where: str, ordinal: int = 0) -> Manifest:
    """Return one authored object with apiVersion, namespace, uid and creation time filled in.

    An Event may go without a name; `ordinal` then tells it from others of the same second.
    Raise InvalidScenario where it is no object, or one that a cluster would refuse.
    """
    if not isinstance(value, Mapping):
        msg = f"{where}: found {value!r}; write a Kubernetes manifest"
        raise InvalidScenario(msg)
    result = cast(Manifest, settle(dict(cast(Mapping[str, Any], value)), now, where))
    if kind(result) == "Event" and not name(result):
        first = text(result, "firstTimestamp") or text(result, "lastTimestamp") or stamp(now)
        about = text(result, "involvedObject", "name")
        section(result, "metadata")["name"] = event_name_of(about, first, ordinal)
    known = _checked(result, where)
    if known is not None and known.namespaced:
        section(result, "metadata").setdefault("namespace", "default")
    metadata = section(result, "metadata")
    metadata.setdefault("uid", names.uid(kind(result), namespace(result), name(result)))
    # kubectl writes manifests with a creationTimestamp of null.
    metadata["creationTimestamp"] = metadata.get("creationTimestamp") or stamp(now - _USUAL_AGE)
    return result


def _checked(value: Manifest, where: str) -> kinds.Kind | None:
    if not kind(value):
        msg = f"{where}.kind: found nothing; write the kind, as Deployment"
        raise InvalidScenario(msg)
    known = kinds.known(kind(value))
    if known is None and not text(value, "apiVersion"):
        msg = f"{where}.kind: found {kind(value)!r}; a kind of one's own needs an apiVersion"
        raise InvalidScenario(msg)
    if known is not None:
        _check_group(value, known, where)
        value.setdefault("apiVersion", known.version)
    if not name(value):
        msg = f"{where}.metadata.name: found nothing; every object needs a name"
        raise InvalidScenario(msg)
    if known is not None and not known.namespaced and namespace(value):
        msg = f"{where}.metadata.namespace: found {namespace(value)!r}; a {known.name} is in no namespace"
        raise InvalidScenario(msg)
    _check_containers(value, where)
    return known


def _check_group(value: Manifest, known: kinds.Kind, where: str) -> None:
    # One word, one meaning: a Service of Knative would be taken for a Service.
    given = text(value, "apiVersion", default=known.version)
    if kinds.group_of(given) not in {known.group, _FORMER_GROUPS.get(known.name, known.group)}:
        msg = f"{where}.apiVersion: found {given!r}; a {known.name} is of {known.version}"
        raise InvalidScenario(msg)


def _check_containers(value: Manifest, where: str) -> None:
    path = {"Pod": ("spec",), "CronJob": ("spec", "jobTemplate", "spec", "template", "spec")}
    if kind(value) not in {*WORKLOADS, "Pod"}:
        return
    steps = path.get(kind(value), ("spec", "template", "spec"))
    containers = items(value, *steps, "containers")
    if not containers or not all(text(each, "name") and text(each, "image") for each in containers):
        place = ".".join((where, *steps, "containers"))
        msg = f"{place}: found {containers!r}; a {kind(value)} needs containers, each with name and image"
        raise InvalidScenario(msg)


def check_unique(objects: Sequence[Manifest], where: str) -> None:
    """Raise InvalidScenario where two objects have one kind, namespace and name."""
    seen: set[str] = set()
    for each in objects:
        if spelled(each) in seen:
            msg = f"{where}: found {spelled(each)!r} twice; every object stands once"
            raise InvalidScenario(msg)
        seen.add(spelled(each))


def with_namespaces(objects: Sequence[Manifest], where: str) -> list[Manifest]:
    """Return the objects with the namespaces that every cluster has.

    Raise InvalidScenario for an object in a namespace that is not there.
    """
    oldest = min((text(each, "metadata", "creationTimestamp") for each in objects), default="")
    held = {name(each) for each in objects if kind(each) == "Namespace"}
    missing = [_namespace(each, oldest) for each in _ALWAYS if each not in held]
    known = held | set(_ALWAYS)
    for each in objects:
        if namespace(each) and namespace(each) not in known:
            msg = f"{where}: {spelled(each)}: found namespace {namespace(each)!r}; there are {sorted(known)}"
            raise InvalidScenario(msg)
    return [*missing, *objects]


def _namespace(wanted: str, created: str) -> Manifest:
    metadata = {"name": wanted, "uid": names.uid("Namespace", "", wanted), "creationTimestamp": created}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


def with_owners(objects: Sequence[Manifest]) -> list[Manifest]:
    """Return the objects, the owner references completed that name only kind and name."""
    held = {(kind(each), namespace(each), name(each)): each for each in objects}
    return [_with_owners(each, held) if at(each, "metadata", "ownerReferences") else each for each in objects]


def _with_owners(value: Manifest, held: Mapping[tuple[str, str, str], Manifest]) -> Manifest:
    references: Any = at(value, "metadata", "ownerReferences")
    if not isinstance(references, list):
        return value
    named = cast(list[Any], references)
    completed = [_reference(each, namespace(value), held) for each in named]
    if all(one is other for one, other in zip(named, completed, strict=True)):
        return value
    return {**value, "metadata": {**value["metadata"], "ownerReferences": completed}}


def _reference(given: Any, place: str, held: Mapping[tuple[str, str, str], Manifest]) -> Any:
    owner = held.get((text(given, "kind"), place, text(given, "name")))
    if owner is None:
        return given
    whole: Manifest = {
        "apiVersion": text(owner, "apiVersion"),
        "uid": text(owner, "metadata", "uid"),
        "controller": True,
        "blockOwnerDeletion": True,
    }
    missing = {key: value for key, value in whole.items() if key not in given}
    return {**given, **missing} if missing else given

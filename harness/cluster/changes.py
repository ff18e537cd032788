"""What a scenario changes in its base world."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from harness.cluster import forbidding, happenings, logbook
from harness.cluster.authored import check_unique, keys, manifest, with_owners
from harness.cluster.expand.templates import AUTHORING, FORMER, WORKLOADS
from harness.cluster.expand.workloads import REVISION
from harness.cluster.manifests import (
    Manifest,
    at,
    items,
    kind,
    mapping,
    name,
    namespace,
    owned_by,
    text,
    texts,
)
from harness.cluster.merge import merged
from harness.cluster.metrics.authored import with_metric, with_usage
from harness.cluster.metrics.subjects import Scene
from harness.cluster.metrics.usage import with_room_for_pods
from harness.cluster.references import locate, read
from harness.cluster.times import settle
from harness.errors import InvalidScenario
from harness.model.scenario import LogStream, World

_KINDS: dict[str, tuple[str, ...]] = {
    "add": ("add",),
    "remove": ("remove",),
    "patch": ("patch", "with"),
    "event": ("event", "type", "reason", "message", "count", "first", "last", "from"),
    "logs": ("logs", "container", "previous", "lines", "text"),
    "usage": ("usage",),
    "metrics": ("metrics", "of", "container", "labels", "values"),
    "forbid": ("forbid",),
}
_FIXED = ("kind", "apiVersion")


@dataclass(frozen=True, slots=True)
class Change:
    """One checked change: `verb` is its leading key, `where` names it in errors."""

    verb: str
    entry: Manifest
    where: str


def checked(changes: Sequence[Mapping[str, Any]], where: str) -> list[Change]:
    """Return the changes with their verbs; raise InvalidScenario where one has none, or keys of another."""
    return [_checked(each, f"{where}.changes[{i}]") for i, each in enumerate(changes)]


def _checked(value: Any, where: str) -> Change:
    found = [each for each in _KINDS if isinstance(value, Mapping) and each in cast(Manifest, value)]
    if len(found) != 1:
        shown = sorted(cast(Manifest, value)) if isinstance(value, Mapping) else value
        msg = f"{where}: found {shown!r}; a change has exactly one of {', '.join(_KINDS)}"
        raise InvalidScenario(msg)
    entry = keys(value, _KINDS[found[0]], where)
    if found[0] == "patch" and not isinstance(entry.get("with"), Mapping):
        msg = f"{where}.with: found {entry.get('with')!r}; write what the object gets, as a merge patch"
        raise InvalidScenario(msg)
    return Change(found[0], entry, f"{where}.{found[0]}")


def before_expansion(
    objects: Sequence[Manifest], changes: Sequence[Change], now: datetime
) -> tuple[list[Manifest], list[Change]]:
    """Apply what decides which pods there are: additions, removals and patches of what stands in files.

    Returns the objects and the changes that have to wait for the pods.
    """
    held, waiting = list(objects), list[Change]()
    for each in changes:
        if each.verb == "add":
            held.append(manifest(each.entry["add"], now, each.where, len(held)))
            check_unique(held, each.where)
        elif each.verb == "remove" and _stands(each, held):
            held = removed(held, each)
        elif each.verb == "patch" and _stands(each, held, WORKLOADS):
            changed = patched(held, each, now)
            pairs = zip(held, changed, strict=True)
            held = [_with_former(before, _with_fewer_pods(after, each), each) for before, after in pairs]
        else:
            waiting.append(each)
    return with_owners(held), waiting


def after_expansion(
    objects: Sequence[Manifest], logs: Sequence[LogStream], changes: Sequence[Change], now: datetime
) -> tuple[list[Manifest], list[LogStream]]:
    """Apply what speaks of pods and of everything else; return the objects and the log streams.

    Of a pod on a node that has fallen silent only the logs that a change states can still be read.
    """
    held, told = list(objects), list[LogStream]()
    for each in changes:
        if each.verb == "remove":
            held = removed(held, each)
        elif each.verb == "patch":
            _refuse_authoring(each)
            held = patched(held, each, now)
        elif each.verb == "event":
            held.append(happenings.event(each.entry, held, now, each.where))
        elif each.verb == "logs":
            told = logbook.with_stream(told, logbook.stream(each.entry, held, each.where))
    streams = logbook.audible(logs, held)
    for each in told:
        streams = logbook.with_stream(streams, each)
    return with_owners(held), streams


def after_all(world: World, changes: Sequence[Change], scene: Scene) -> World:
    """Return a finished world with the metrics and prohibitions of the changes.

    They come last, because what could be read of a pod depends on how it is.
    """
    metrics, forbidden = world.metrics, list(world.forbidden)
    for each in changes:
        match each.verb:
            case "metrics":
                entry = {"name" if key == "metrics" else key: value for key, value in each.entry.items()}
                metrics = with_metric(metrics, entry, scene, each.where.removesuffix(".metrics"))
            case "usage":
                metrics = with_usage(metrics, each.entry["usage"], scene, each.where)
            case "forbid":
                forbidden.append(forbidding.entry(each.entry["forbid"], world.objects, each.where))
            case _:
                pass
    return world.model_copy(
        update={"metrics": with_room_for_pods(metrics, world.objects), "forbidden": forbidden}
    )


def _stands(change: Change, objects: Sequence[Manifest], wanted: Sequence[str] = ()) -> bool:
    reference = read(change.entry[change.verb], objects, change.where)
    found = any(reference.means(each) for each in objects)
    return found and (not wanted or reference.kind in wanted)


def _with_fewer_pods(value: Manifest, change: Change) -> Manifest:
    # Scaling down takes pods away, also named ones; a change that names pods itself means what it says.
    replicas = at(change.entry, "with", "spec", "replicas")
    chosen = value.get("pods")
    if not isinstance(replicas, int) or not chosen or "pods" in change.entry["with"]:
        return value
    return {**value, "pods": chosen[:replicas]} if _meant(change, value) else value


def _with_former(before: Manifest, after: Manifest, change: Change) -> Manifest:
    # Should the names of its pods say that a rollout is under way, this is what it rolls away from.
    template = at(change.entry, "with", "spec", "template")
    if before is after or template is None or kind(after) != "Deployment" or FORMER in before:
        return after
    former: Manifest = {"template": mapping(before, "spec", "template"), "revision": text(before, *REVISION)}
    former["pods"] = texts(before, "pods")
    return {**after, FORMER: former}


def _meant(change: Change, value: Manifest) -> bool:
    return read(change.entry["patch"], [value], change.where).means(value)


def _refuse_authoring(change: Change) -> None:
    found = [key for key in AUTHORING if key in change.entry["with"]]
    if found:
        msg = f"{change.where}: found {found[0]!r}, too late for what a controller made; a file must say it"
        raise InvalidScenario(msg)


def patched(objects: Sequence[Manifest], change: Change, now: datetime) -> list[Manifest]:
    """Return the objects with one of them patched; raise InvalidScenario where it is not there."""
    target = locate(change.entry["patch"], objects, change.where)
    patch = settle(change.entry["with"], now, change.where.removesuffix("patch") + "with")
    fixed = [key for key in _FIXED if key in patch and patch[key] != target[key]]
    renamed = text(patch, "metadata", "name") not in {"", name(target)}
    if fixed or renamed or text(patch, "metadata", "namespace") not in {"", namespace(target)}:
        found = (fixed or ["name or namespace"])[0]
        msg = f"{change.where}: found another {found}; remove the object and add one"
        raise InvalidScenario(msg)
    template = at(patch, "spec", "template", "spec") if kind(target) in WORKLOADS else None
    pods = owned_by(objects, target) if template else []
    patches = [(target, patch), *((pod, {"spec": template}) for pod in pods)]
    return [
        next((merged(each, change_) for changed, change_ in patches if each is changed), each)
        for each in objects
    ]


def removed(objects: Sequence[Manifest], change: Change) -> list[Manifest]:
    """Return the objects without one of them, what it owns and what lives in it.

    Raise InvalidScenario where it is not there.
    """
    target = locate(change.entry["remove"], objects, change.where)
    gone = {text(target, "metadata", "uid")}
    inside = name(target) if kind(target) == "Namespace" else None
    held = [each for each in objects if each is not target and (inside is None or namespace(each) != inside)]
    count = -1
    while count != len(held):
        count = len(held)
        lost = [each for each in held if _owners(each) & gone]
        gone |= {text(each, "metadata", "uid") for each in lost}
        held = [each for each in held if not any(each is other for other in lost)]
    return held


def _owners(value: Manifest) -> set[str]:
    return {text(each, "uid") for each in items(value, "metadata", "ownerReferences")}


def touched_pods(changes: Sequence[Change], objects: Sequence[Manifest]) -> set[tuple[str, str]]:
    """Return namespace and name of the pods that changes patch."""
    found = [read(each.entry["patch"], objects, each.where) for each in changes if each.verb == "patch"]
    return {(each.namespace, each.name) for each in found if each.kind == "Pod"}


def still_held(logs: Sequence[LogStream], objects: Sequence[Manifest]) -> list[LogStream]:
    """Return the log streams whose pods are still there."""
    pods = {(namespace(each), name(each)) for each in objects if kind(each) == "Pod"}
    return [each for each in logs if (each.namespace, each.pod) in pods]

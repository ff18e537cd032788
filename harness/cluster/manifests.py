"""Reading manifests, which are JSON of any shape: every access has a default and a type."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

Manifest = dict[str, Any]
_NESTED = (dict, list)


def at(value: Any, *path: str) -> Any:
    """Return what stands at a path of keys, or None."""
    for key in path:
        if not isinstance(value, dict):
            return None
        # Nothing is asked more often than manifests, and a cast would be a call.
        inner: Manifest = value  # pyright: ignore[reportUnknownVariableType]
        value = inner.get(key)
    return value


def mapping(value: Any, *path: str) -> Manifest:
    """Return the mapping at a path, or an empty one that is not part of the manifest."""
    found = at(value, *path)
    return cast(Manifest, found) if isinstance(found, dict) else {}


def items(value: Any, *path: str) -> list[Manifest]:
    """Return the mappings in the list at a path."""
    found = at(value, *path)
    if not isinstance(found, list):
        return []
    parts: list[Any] = found  # pyright: ignore[reportUnknownVariableType]
    return [each for each in parts if isinstance(each, dict)]


def texts(value: Any, *path: str) -> list[str]:
    """Return the scalars in the list at a path, as text."""
    found = at(value, *path)
    return [str(each) for each in cast(list[Any], found)] if isinstance(found, list) else []


def text(value: Any, *path: str, default: str = "") -> str:
    """Return the scalar at a path as text; a boolean reads as in Go."""
    # As `at` does; two thirds of its calls would be from here.
    found = value
    for key in path:
        if not isinstance(found, dict):
            return default
        inner: Manifest = found  # pyright: ignore[reportUnknownVariableType]
        found = inner.get(key)
    if isinstance(found, str):
        return found
    if found is None:
        return default
    return str(found).lower() if isinstance(found, bool) else str(found)


def number(value: Any, *path: str, default: int = 0) -> int:
    """Return the whole number at a path, also one that is written as a text."""
    found = at(value, *path)
    if isinstance(found, str) and found.isdecimal():
        return int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else default


def strings(value: Any, *path: str) -> dict[str, str]:
    """Return the mapping of texts at a path (labels, annotations, selectors), sorted by key."""
    return {key: text(each) for key, each in sorted(mapping(value, *path).items())}


def copied(value: Any) -> Any:
    """Return a copy of a JSON value that shares nothing with it."""
    # Most values are scalars; a call for each of them would be most of the work.
    if isinstance(value, dict):
        members: Manifest = value  # pyright: ignore[reportUnknownVariableType]
        return {key: copied(each) if type(each) in _NESTED else each for key, each in members.items()}
    if isinstance(value, list):
        parts: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
        return [copied(each) if type(each) in _NESTED else each for each in parts]
    return value


def section(value: Manifest, *path: str) -> Manifest:
    """Return the mapping at a path to write into; it is made where there is none."""
    for key in path:
        inner = value.get(key)
        if not isinstance(inner, dict):
            inner = value[key] = {}
        value = cast(Manifest, inner)
    return value


def name(value: Manifest) -> str:
    """Return metadata.name."""
    return _of_metadata(value, "name")


def namespace(value: Manifest) -> str:
    """Return metadata.namespace, or an empty text for an object of the cluster."""
    return _of_metadata(value, "namespace")


def _of_metadata(value: Manifest, key: str) -> str:
    # As `text` does; these two are asked most.
    metadata = value.get("metadata")
    found = metadata.get(key) if isinstance(metadata, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return found if isinstance(found, str) else text(value, "metadata", key)


def kind(value: Manifest) -> str:
    """Return the kind."""
    found = value.get("kind")
    return found if isinstance(found, str) else text(value, "kind")


def of_kind(objects: Iterable[Manifest], wanted: str) -> list[Manifest]:
    """Return the objects of one kind, in order."""
    # Not `kind`: half of its calls would be from here, and what it reads as another's is no kind by name.
    return [each for each in objects if each.get("kind") == wanted]


def first(values: Iterable[Manifest]) -> Manifest:
    """Return the first of some mappings, or an empty one."""
    for each in values:
        return each
    return {}


def by_name(values: Iterable[Manifest], wanted: str) -> Manifest:
    """Return the first of a list of named parts (containers, statuses) with this name, or an empty one."""
    for each in values:
        if text(each, "name") == wanted:
            return each
    return {}


def by_type(values: Iterable[Manifest], wanted: str) -> Manifest:
    """Return the first condition or address of this type, or an empty one."""
    for each in values:
        if text(each, "type") == wanted:
            return each
    return {}


def is_silent(node: Manifest) -> bool:
    """Say whether a node's kubelet is heard of no more: it cannot be asked for anything either."""
    return text(by_type(items(node, "status", "conditions"), "Ready"), "status") == "Unknown"


def owner(value: Manifest) -> Manifest:
    """Return the owner reference of the controller, or an empty one."""
    if not at(value, "metadata", "ownerReferences"):
        return {}
    references = items(value, "metadata", "ownerReferences")
    return first(each for each in references if at(each, "controller") is True)


def owned_by(objects: Iterable[Manifest], controller: Manifest) -> list[Manifest]:
    """Return what one controller owns, in order."""
    uid = text(controller, "metadata", "uid")
    return [each for each in objects if uid and at(owner(each), "uid") == uid]


def by_owner(objects: Iterable[Manifest]) -> dict[str, list[Manifest]]:
    """Return what each controller owns, in order, by the controller's uid; see `owned`."""
    result: dict[str, list[Manifest]] = {}
    for each in objects:
        uid = at(owner(each), "uid")
        if isinstance(uid, str):
            result.setdefault(uid, []).append(each)
    return result


def owned(by_uid: Mapping[str, Sequence[Manifest]], controller: Manifest, wanted: str) -> list[Manifest]:
    """Return what one controller owns of one kind, in order, from what `by_owner` said of all."""
    uid = text(controller, "metadata", "uid")
    return of_kind(by_uid.get(uid, ()), wanted) if uid else []

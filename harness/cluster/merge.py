"""The merge patch of scenario files: JSON merge patch, but lists of named parts merge by their names."""

from typing import Any, cast

from harness.cluster.manifests import Manifest, copied

_KEYS = ("name", "type")
_WHOLE_PARTS = ("env", "volumes")
_STATES = ("waiting", "running", "terminated")
_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc")
_EITHER = {
    "state": _STATES,
    "lastState": _STATES,
    "livenessProbe": _HANDLERS,
    "readinessProbe": _HANDLERS,
    "startupProbe": _HANDLERS,
}


def merged(value: Any, patch: Any, key: str = "") -> Any:
    """Return `value` with `patch` merged in; neither is changed.

    A null deletes a key. Lists whose members have a `name` (containers, statuses, env, volumes) or a
    `type` (conditions) merge by it, other lists are replaced. `key` is the key under which the value
    stands: the parts of a container state or a probe exclude each other, so that a new one replaces the
    old, and a variable or volume is replaced whole.
    """
    if isinstance(patch, dict):
        return _mapping(value, cast(Manifest, patch), key)
    if isinstance(patch, list):
        return _list(cast(list[Any], value) if isinstance(value, list) else [], cast(list[Any], patch), key)
    return copied(patch)


def _mapping(value: Any, patch: Manifest, key: str) -> Manifest:
    result = dict(cast(Manifest, value)) if isinstance(value, dict) else {}
    alternatives = _EITHER.get(key, ())
    if any(each in alternatives for each in patch):
        result = {each: inner for each, inner in result.items() if each in patch or each not in alternatives}
    for each, inner in patch.items():
        if inner is None:
            result.pop(each, None)
        else:
            result[each] = merged(result.get(each), inner, each)
    return result


def _list(value: list[Any], patch: list[Any], key: str) -> list[Any]:
    by = _common_key(value, patch)
    if by is None or not patch:
        return copied(patch)
    result = list(value)
    places = {each[by]: i for i, each in enumerate(result)}
    for each in patch:
        place = places.get(each[by])
        if place is None:
            result.append(merged({}, each))
        else:
            result[place] = copied(each) if key in _WHOLE_PARTS else merged(result[place], each)
    return result


def _common_key(value: list[Any], patch: list[Any]) -> str | None:
    return next((key for key in _KEYS if _names(value, key) and _names(patch, key)), None)


def _names(parts: list[Any], key: str) -> bool:
    # Two metrics of one type cannot be told apart by it, so such a list is replaced.
    found = [cast(Manifest, each).get(key) for each in parts if isinstance(each, dict)]
    told = len(found) == len(parts) and all(isinstance(each, str | int | float) for each in found)
    return told and len(set(map(str, found))) == len(found)

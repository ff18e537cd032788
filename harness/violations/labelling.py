"""Custom and detected labels do not arrive as they were given."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from harness.violations.facts import searches
from harness.violations.violation import Arguments, Situation, Violation

_MAPS = ("custom_labels", "detected_labels")
Maps = dict[str, Any]


def _maps(situation: Situation) -> list[str]:
    sent = situation.searched[0] if situation.searched else {}
    return [name for name in _MAPS if sent.get(name)]


def _first(value: Maps) -> str:
    return next(iter(value))


def _without_first(value: Maps) -> Maps:
    return {name: each for name, each in value.items() if name != _first(value)}


def _another_value(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return [*value, "more"] if isinstance(value, list) else f"{value}-2"


def _as_text(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(cast("list[str]", value)) if isinstance(value, list) else value


_MAP_CHANGES: Mapping[str, Callable[[Maps], Maps]] = {
    "labels_emptied": lambda _: {},
    "labels_in_part": _without_first,
    "labels_and_one_more": lambda value: {**value, "managed-by": "assistant"},
    "labels_with_another_value": lambda value: {**value, _first(value): _another_value(value[_first(value)])},
    "labels_with_another_key": lambda value: {
        **_without_first(value),
        _first(value).upper(): value[_first(value)],
    },
    "labels_as_text": lambda value: {name: _as_text(each) for name, each in value.items()},
    "labels_in_another_order": lambda value: {
        name: each[::-1] if isinstance(each, list) else each for name, each in value.items()
    },
}


def _map_changed(name: str, change: Callable[[Maps], Maps]) -> Violation:
    def sites(situation: Situation) -> list[str]:
        return [
            each
            for each in _maps(situation)
            if change(situation.searched[0][each]) != situation.searched[0][each]
        ]

    def search(arguments: Arguments, situation: Situation) -> Arguments:
        return {**arguments, situation.site: change(arguments[situation.site])}

    return Violation(name, frozenset({"PAS-5"}), searches, search=search, sites=sites)


def _drop_map(arguments: Arguments, situation: Situation) -> Arguments:
    return {name: value for name, value in arguments.items() if name != situation.site}


def _exchange_maps(arguments: Arguments, _situation: Situation) -> Arguments:
    kept = {name: value for name, value in arguments.items() if name not in _MAPS}
    custom, detected = (arguments.get(name) for name in _MAPS)
    return {**kept, **({_MAPS[1]: custom} if custom else {}), **({_MAPS[0]: detected} if detected else {})}


LABELS_LEFT_OUT = Violation("labels_left_out", frozenset({"PAS-5"}), searches, search=_drop_map, sites=_maps)
LABELS_EXCHANGED = Violation(
    "labels_exchanged",
    frozenset({"PAS-5"}),
    searches,
    search=_exchange_maps,
    sites=lambda situation: [""] if _maps(situation) else [],
)


ALL: tuple[Violation, ...] = (
    LABELS_LEFT_OUT,
    LABELS_EXCHANGED,
    *(_map_changed(name, change) for name, change in _MAP_CHANGES.items()),
)

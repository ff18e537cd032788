"""Read the parts of an answer one by one, so that a broken part costs only its own clauses."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar, cast

from harness.model.answer import (
    DECLINED,
    MISSING,
    Answer,
    Choice,
    CurrentRca,
    Part,
    Recovery,
    Selection,
    Unreadable,
)

T = TypeVar("T")


def at(value: Any, pointer: str) -> Any:
    """Return what stands at a JSON pointer of plain keys and indices, or MISSING."""
    for key in _keys(pointer):
        if type(value) in _OBJECT:
            value = value.get(key, MISSING)
        elif type(value) in _ARRAY and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return MISSING
    return value


_OBJECT, _ARRAY = frozenset({dict}), frozenset({list})


@lru_cache(maxsize=4096)
def _keys(pointer: str) -> Sequence[str]:
    return pointer.split("/")[1:]


def _typed(found: Any, pointer: str, kind: type[T]) -> Part[T]:
    return found if found is MISSING or isinstance(found, kind) else Unreadable(pointer, found)


def _number(found: Any, pointer: str) -> Part[float]:
    return found if found is MISSING or type(found) in _NUMBERS else Unreadable(pointer, found)


# By the type itself: true is no number.
_NUMBERS = frozenset({int, float})


def text(value: Any, pointer: str) -> Part[str]:
    """Return the string at `pointer`."""
    return _typed(at(value, pointer), pointer, str)


def number(value: Any, pointer: str) -> Part[float]:
    """Return the number at `pointer`; a boolean is no number."""
    return _number(at(value, pointer), pointer)


def boolean(value: Any, pointer: str) -> Part[bool]:
    """Return the boolean at `pointer`."""
    return _typed(at(value, pointer), pointer, bool)


def mapping(value: Any, pointer: str) -> Part[Mapping[str, Any]]:
    """Return the object at `pointer`."""
    return _mapping(at(value, pointer), pointer)


def _mapping(found: Any, pointer: str) -> Part[Mapping[str, Any]]:
    return cast("Part[Mapping[str, Any]]", _typed(found, pointer, dict))


def texts(value: Any, pointer: str) -> Part[tuple[str, ...]]:
    """Return the list of strings at `pointer`; left out is an empty list."""
    found = at(value, pointer)
    if found is MISSING:
        return ()
    if isinstance(found, list) and all(isinstance(each, str) for each in cast("list[Any]", found)):
        return tuple(cast("list[str]", found))
    return Unreadable(pointer, found)


def choice(value: Any, place: str, id_key: str, *, parameters: bool = True) -> Choice:
    """Return the choice whose object stands at `place`."""
    standing = at(value, place)
    given = cast("dict[str, Any]", standing) if isinstance(standing, dict) else {}
    return Choice(
        place=place,
        id=_typed(at(given, f"/{id_key}"), f"{place}/{id_key}", str),
        version=_typed(given.get("version", MISSING), f"{place}/version", str),
        confidence=_number(given.get("confidence", MISSING), f"{place}/confidence"),
        rationale=_typed(given.get("rationale", MISSING), f"{place}/rationale", str),
        parameters=_mapping(given.get("parameters", MISSING), f"{place}/parameters") if parameters else None,
    )


def selection(value: Any, place: str, id_key: str) -> Selection:
    """Return the selection at `place`: a choice, DECLINED for null, MISSING, or Unreadable."""
    found = at(value, place)
    if found is None:
        return DECLINED
    if found is MISSING:
        return MISSING
    return choice(value, place, id_key) if isinstance(found, dict) else Unreadable(place, found)


def first_of(value: Any, place: str, id_key: str) -> Selection:
    """Return the first choice of the list at `place`; a list cannot decline."""
    found = at(value, place)
    if found is MISSING or found == []:
        return MISSING
    if not isinstance(found, list):
        return Unreadable(place, found)
    first = cast("list[Any]", found)[0]
    pointer = f"{place}/0"
    return choice(value, pointer, id_key) if isinstance(first, dict) else Unreadable(pointer, first)


def alternatives(
    value: Any, place: str, id_key: str, *, first: int = 0
) -> Part[tuple[Choice | Unreadable, ...]]:
    """Return the choices listed at `place` from index `first`; left out is an empty list."""
    found = at(value, place)
    if found is MISSING:
        return ()
    if not isinstance(found, list):
        return Unreadable(place, found)
    places = [(f"{place}/{index}", each) for index, each in enumerate(cast("list[Any]", found))]
    return tuple(
        [
            choice(value, pointer, id_key, parameters=False)
            if isinstance(each, dict)
            else Unreadable(pointer, each)
            for pointer, each in places[first:]
        ]
    )


def recovery(value: Any, places: Mapping[str, str]) -> Recovery:
    """Return the recovery part by the contract's places."""
    return Recovery(
        failure_understood=boolean(value, places["recovery.failure_understood"]),
        failure_reason_analysis=text(value, places["recovery.failure_reason_analysis"]),
        state_changed=boolean(value, places["recovery.state_changed"]),
        current_signal_type=text(value, places["recovery.current_signal_type"]),
        current_rca=CurrentRca(
            summary=text(value, places["root_cause"]),
            severity=text(value, places["severity"]),
            signal_type=text(value, places["recovery.current_rca.signal_type"]),
        ),
        approach=text(value, places["recovery.approach"]),
        differs_from_previous=boolean(value, places["recovery.differs_from_previous"]),
        why_different=text(value, places["recovery.why_different"]),
    )


def nothing_read() -> Answer:
    """Return the answer of a value that is not even an object: every part missing."""
    return Answer(MISSING, MISSING, MISSING, (), None, ())

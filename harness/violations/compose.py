"""Build and change raw answers by a contract's places, so that one edit serves every contract."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, cast

from harness.contracts.reading import at
from harness.model import MISSING, Contract


def compose(contract: Contract, parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the raw answer whose version-free parts are given; parts the contract lacks are left out."""
    answer: dict[str, Any] = {}
    for name, pointer in contract.places.items():
        if name in parts:
            put(contract, answer, pointer, parts[name])
    return answer


def replaced(contract: Contract, answer: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a raw answer with some version-free parts changed, where it has them."""
    made = deepcopy(dict(answer))
    for name, value in parts.items():
        pointer = contract.places.get(name)
        if pointer is not None and at(made, pointer) is not MISSING:
            put(contract, made, pointer, value)
    return made


def put(contract: Contract, answer: dict[str, Any], pointer: str, value: Any) -> None:
    """Set what stands at a pointer, with the objects and lists that lead there.

    Where the selection is the first of a list, and the alternatives are its others, the first stays.
    """
    *parents, last = pointer.split("/")[1:]
    here: Any = answer
    for key, below in zip(parents, [*parents, last][1:], strict=True):
        here = _entered(here, key, below)
    if contract.places["selection"] == f"{pointer}/0" and isinstance(value, list):
        value = [*cast("list[Any]", here.get(last, []))[:1], *cast("list[Any]", value)]
    _set(here, last, value)


def _entered(here: Any, key: str, below: str) -> Any:
    """Return what stands under a key, made where nothing does: a list where a number is asked of it."""
    if isinstance(here, list):
        return cast("list[Any]", here)[int(key)]
    made: Any = [] if below.isdecimal() else {}
    return cast("dict[str, Any]", here).setdefault(key, made)


def _set(here: Any, key: str, value: Any) -> None:
    if isinstance(here, list):
        cast("list[Any]", here)[int(key) : int(key) + 1] = [value]
    else:
        here[key] = value

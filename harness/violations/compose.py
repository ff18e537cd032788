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
            _put(answer, pointer, parts[name])
    return answer


def replaced(contract: Contract, answer: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a raw answer with some version-free parts changed, where it has them."""
    made = deepcopy(dict(answer))
    for name, value in parts.items():
        pointer = contract.places.get(name)
        if pointer is not None and at(made, pointer) is not MISSING:
            _put(made, pointer, value)
    return made


def _put(target: dict[str, Any], pointer: str, value: Any) -> None:
    *parents, last = pointer.split("/")[1:]
    here = target
    for key in parents:
        here = cast("dict[str, Any]", here.setdefault(key, {}))
    here[last] = value

"""Whether a value is one that a declared parameter takes."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from harness.model import Parameter

_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
}


def misfits(parameter: Parameter, value: Any) -> Iterator[str]:
    """Yield every reason why a parameter does not take a value."""
    if not of_type(parameter.type, value):
        yield f"found {value!r}; its type is {parameter.type}"
        return
    if parameter.enum is not None and value not in parameter.enum:
        yield f"found {value!r}; allowed are {', '.join(map(repr, parameter.enum))}"
    if isinstance(value, str):
        if parameter.pattern is not None and not _fits(parameter.pattern, value):
            yield f"found {value!r}; it must match {parameter.pattern!r}"
        return
    if parameter.minimum is not None and value < parameter.minimum:
        yield f"found {value!r}; the minimum is {parameter.minimum}"
    if parameter.maximum is not None and value > parameter.maximum:
        yield f"found {value!r}; the maximum is {parameter.maximum}"


def of_type(kind: str, value: Any) -> bool:
    """Say whether a value is of a declared type; 5.0 is an integer, true is no number."""
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, _TYPES[kind])


def _fits(pattern: str, value: str) -> bool:
    try:
        return re.search(pattern, value) is not None
    except re.error:
        return True  # the pattern itself is reported where it is declared

"""JSON Schema 2020-12: what a value breaks of it, in bounded time whoever wrote the schema and the value.

Tools and catalogs have schemas of the plain kind, and models mostly keep to them; both is seen here, quickly.
Whatever is not surely so is left to `jsonschema`, which takes longer to load than a short run takes.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from harness.extraction.plain_schema import plain

if TYPE_CHECKING:
    from jsonschema import ValidationError

    from harness.extraction.bounded_schema import Bounded

MOST_LEVELS = 8
"""Schemas in one another that are looked at here; the library refuses those that are far too deep."""


class Validator:
    """A compiled schema, of which the library is asked only what is not known to be allowed.

    Args:
        schema: one that the library would take.
    """

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        self.allows = plain(schema)

    @cached_property
    def bounded(self) -> "Bounded":
        """What tells the breaches."""
        from harness.extraction.bounded_schema import bounded

        return bounded(self._schema)


def compiled(schema: Mapping[str, Any]) -> Validator | None:
    """Return the validator of a schema, or None where it is no schema or cannot be checked in bounded time.

    Patterns in it need not be Python's. A reference leads inside the schema or nowhere: nothing is fetched.
    """
    try:
        value = _undeclared_dialect(schema)
        if not surely_a_schema(value):
            from harness.extraction.bounded_schema import can_be_checked

            if not can_be_checked(value):
                return None
    except RecursionError:
        return None
    return Validator(value)


def breaches(validator: Validator, value: Any, most: int | None = None) -> "list[ValidationError] | None":
    """Return the breaches of a schema, the first `most` of them; None where they cannot be told.

    They cannot where a reference leads nowhere, or where checking takes too many steps or goes too deep.
    """
    if validator.allows(value):
        return []
    from harness.extraction.bounded_schema import breaches_of

    return breaches_of(validator.bounded, value, most)


def _undeclared_dialect(schema: Any) -> Any:
    """Return a schema without `$schema`: the library would go on with its own validator for the dialect."""
    if isinstance(schema, Mapping):
        kept = cast("Mapping[str, Any]", schema).items()
        return {
            key: _undeclared_dialect(value)
            for key, value in kept
            if not (key == "$schema" and isinstance(value, str))
        }
    return (
        [_undeclared_dialect(each) for each in cast("list[Any]", schema)]
        if isinstance(schema, list)
        else schema
    )


# Whether something is a schema


def surely_a_schema(value: Any, levels: int = MOST_LEVELS) -> bool:
    """Return whether a value is a schema of the plain kind; any other may still be one."""
    if isinstance(value, bool):
        return True
    if not isinstance(value, dict) or not levels:
        return False
    return all(_surely_right(name, each, levels - 1) for name, each in cast("dict[Any, Any]", value).items())


def _surely_right(keyword: Any, value: Any, levels: int) -> bool:
    if keyword in _SCHEMAS:
        return surely_a_schema(value, levels)
    if keyword == "properties":
        return isinstance(value, dict) and all(
            isinstance(name, str) and surely_a_schema(each, levels)
            for name, each in cast("dict[Any, Any]", value).items()
        )
    right = _RIGHT.get(keyword)
    return right is not None and right(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_anything(_: Any) -> bool:
    return True


def _is_number(value: Any) -> bool:
    return type(value) in {int, float}


def _is_length(value: Any) -> bool:
    return type(value) is int and value >= 0


def _are_names(value: Any) -> bool:
    """Return whether a value is a list of texts, none of them twice."""
    if not isinstance(value, list):
        return False
    names = cast("list[Any]", value)
    return all(map(_is_text, names)) and len(set(names)) == len(names)


def _is_type(value: Any) -> bool:
    names: Any = [value] if isinstance(value, str) else value
    return _are_names(names) and bool(names) and _TYPES.issuperset(names)


_TYPES = frozenset({"object", "array", "string", "boolean", "null", "integer", "number"})
_SCHEMAS = frozenset({"items", "additionalProperties"})
_RIGHT: Mapping[str, Callable[[Any], bool]] = {
    "title": _is_text, "description": _is_text, "$comment": _is_text,
    "deprecated": _is_truth, "readOnly": _is_truth, "default": _is_anything, "examples": _is_list,
    "type": _is_type, "required": _are_names, "enum": _is_list, "pattern": _is_text,
    "minimum": _is_number, "maximum": _is_number, "minLength": _is_length, "maxLength": _is_length,
}  # fmt: skip

"""JSON Schema 2020-12, checked by `jsonschema` in bounded time whoever wrote the schema and the value.

The library searches patterns with an engine that may backtrack for ever, compares the items of a unique list
two by two and follows references as often as they are written. Here patterns are searched in linear time,
items are compared by their hash, and every keyword counts as a step of which there is a bounded number.
The module is imported where it is needed: the library is not small.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, cast

from jsonschema import Draft202012Validator, FormatChecker, SchemaError, ValidationError, validators
from referencing import Registry
from referencing.exceptions import Unresolvable

from harness.extraction.patterns import found

MOST_STEPS = 100_000
"""Keywords and members that one check may look at: half a second's worth."""
_REFERENCE = 5


class Bounded(Protocol):
    """A compiled schema."""

    def iter_errors(self, instance: Any) -> Iterator[ValidationError]:
        """Yield every breach of the schema."""
        ...


class _TooMuch(Exception):
    """The steps are used up; never leaves this module."""


@dataclass(slots=True)
class _Effort:
    """The steps that the check under way has left."""

    left: int = 0

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise _TooMuch


_EFFORT = _Effort()
_Keyword = Callable[[Any, Any, Any, Any], Iterable[ValidationError] | None]


def can_be_checked(schema: Any) -> bool:
    """Return whether this is a schema, and one that can be checked in bounded time.

    Patterns in it need not be Python's.
    """
    try:
        Draft202012Validator.check_schema(schema, format_checker=FormatChecker(formats=()))
    except (SchemaError, RecursionError, ArithmeticError, ValueError):
        return False
    # What is evaluated by a pattern, the library finds out with its own search.
    return not _names(schema) >= {"unevaluatedProperties", "patternProperties"}


def bounded(schema: Any) -> Bounded:
    """Return the validator of a schema. A reference leads inside it or nowhere: nothing is fetched."""
    return _Bounded(schema, registry=cast("Any", Registry)())


def breaches_of(validator: Bounded, value: Any, most: int | None = None) -> list[ValidationError] | None:
    """Return the breaches of a schema, the first `most` of them; None where they cannot be told.

    They cannot where a reference leads nowhere, or where checking takes too many steps or goes too deep.
    """
    _EFFORT.left = MOST_STEPS
    try:
        return list(islice(validator.iter_errors(value), most))
    except (_TooMuch, Unresolvable, RecursionError, ArithmeticError, ValueError):
        return None


def _names(schema: Any) -> frozenset[str]:
    """Return every key in a schema."""
    if isinstance(schema, dict):
        given = cast("dict[str, Any]", schema)
        return frozenset(given).union(*map(_names, given.values()))
    if isinstance(schema, list):
        return frozenset[str]().union(*map(_names, cast("list[Any]", schema)))
    return frozenset()


def _members(value: Any) -> int:
    return len(cast("list[Any] | dict[str, Any]", value)) if isinstance(value, list | dict) else 0


def _counted(keyword: _Keyword) -> _Keyword:
    def checked(validator: Any, value: Any, instance: Any, schema: Any) -> Iterable[ValidationError]:
        _EFFORT.spend(1 + _members(value) + _members(instance))
        return keyword(validator, value, instance, schema) or ()

    return checked


def _reference(validator: Any, given: Any, instance: Any, schema: Any) -> Iterable[ValidationError]:
    _EFFORT.spend(_REFERENCE)
    return _LIBRARY["$ref"](validator, given, instance, schema) or ()


def _pattern(_: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not found(pattern, instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, given: Any, instance: Any, _: Any) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    members = cast("dict[str, Any]", instance)
    _EFFORT.spend(len(given) * len(members))
    for pattern, schema in given.items():
        for key, value in members.items():
            if found(pattern, key):
                yield from validator.descend(value, schema, path=key, schema_path=pattern)


def _additional(validator: Any, given: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    patterns: Mapping[str, Any] = schema.get("patternProperties", {})
    # The library walks a set: which breaches come first would differ from process to process.
    if not isinstance(instance, dict) or not (patterns or isinstance(given, dict)):
        yield from _LIBRARY["additionalProperties"](validator, given, instance, schema) or ()
        return
    members = cast("dict[str, Any]", instance)
    _EFFORT.spend(len(patterns) * len(members))
    for key, value in members.items():
        if key in schema.get("properties", {}) or any(found(each, key) for each in patterns):
            continue
        if given is False:
            yield ValidationError(
                f"{key!r} does not match any of the regexes: {', '.join(map(repr, patterns))}"
            )
        else:
            yield from validator.descend(value, given, path=key)


def _unique(_: Any, wanted: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if wanted and isinstance(instance, list):
        items = cast("list[Any]", instance)
        if len(set(map(_comparable, items))) < len(items):
            yield ValidationError(f"{items!r} has non-unique elements")


def _comparable(value: Any) -> Any:
    """Return what is equal for values that are equal as JSON: 1 and 1.0, but not 1 and true."""
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
        return "object", frozenset((key, _comparable(each)) for key, each in members)
    if isinstance(value, list):
        return "array", tuple(map(_comparable, cast("list[Any]", value)))
    return isinstance(value, bool), value


_LIBRARY: Mapping[str, _Keyword] = cast("Any", Draft202012Validator).VALIDATORS
_OURS: Mapping[str, _Keyword] = {
    "$ref": _reference,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional,
    "uniqueItems": _unique,
}
_Bounded: Callable[..., Bounded] = cast("Any", validators).extend(
    Draft202012Validator, {name: _counted(each) for name, each in {**_LIBRARY, **_OURS}.items()}
)

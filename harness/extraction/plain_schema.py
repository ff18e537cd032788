"""JSON Schema of the plain kind, as tools and catalogs have it, made into one function that says yes quickly.

What it allows `jsonschema` allows, too. What it does not allow, it only does not know: whoever wants to hear
what is wrong asks the library, which takes a hundred times as long.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from harness.extraction.patterns import found

Allows = Callable[[Any], bool]

_NOTES = frozenset({"title", "description", "default", "examples", "$comment", "deprecated", "readOnly"})
"""Keywords that bind nobody."""


def plain(schema: Any) -> Allows:
    """Return what tells whether a value is surely allowed by a schema; of some schemas nothing surely is.

    The schema must be one, as `check_schema` says.
    """
    if schema is True:
        return _anything
    if not isinstance(schema, Mapping):
        return _nothing
    given = cast("Mapping[str, Any]", schema)
    checks: list[Allows] = []
    for keyword, value in given.items():
        if keyword in _NOTES:
            continue
        make = _KEYWORDS.get(keyword)
        if make is None:
            return _nothing
        checks.append(make(value, given))
    return _all(tuple(checks))


def _all(checks: tuple[Allows, ...]) -> Allows:
    if len(checks) == 1:
        return checks[0]

    def allowed(value: Any) -> bool:
        for each in checks:  # noqa: SIM110  (a generator takes twice as long)
            if not each(value):
                return False
        return True

    return allowed


def _anything(_: Any) -> bool:
    return True


def _nothing(_: Any) -> bool:
    return False


_TYPES: Mapping[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list,), "string": (str,), "boolean": (bool,), "null": (type(None),),
    "integer": (int,), "number": (int, float),
}  # fmt: skip


def _type(wanted: Any, _: Mapping[str, Any]) -> Allows:
    names = cast("list[str]", [wanted] if isinstance(wanted, str) else wanted)
    # The type itself, not what derives from it: true is no integer.
    types = frozenset(each for name in names for each in _TYPES.get(name, ()))
    return lambda value: type(value) in types


def _properties(schemas: Mapping[str, Any], _: Mapping[str, Any]) -> Allows:
    of = {name: plain(each) for name, each in schemas.items()}

    def allowed(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        for name, member in cast("dict[str, Any]", value).items():
            check = of.get(name)
            if check is not None and not check(member):
                return False
        return True

    return allowed


def _required(names: list[str], _: Mapping[str, Any]) -> Allows:
    wanted = frozenset(names)
    return lambda value: not isinstance(value, dict) or wanted <= value.keys()


def _additional(others: Any, schema: Mapping[str, Any]) -> Allows:
    declared = frozenset(schema.get("properties", ()))
    if others is True:
        return _anything
    check = plain(others)

    def allowed(value: Any) -> bool:
        if not isinstance(value, dict):
            return True
        members = cast("dict[str, Any]", value).items()
        return all(check(member) for name, member in members if name not in declared)

    return allowed


def _items(each_is: Any, _: Mapping[str, Any]) -> Allows:
    check = plain(each_is)
    return lambda value: not isinstance(value, list) or all(map(check, cast("list[Any]", value)))


def _enum(members: list[Any], _: Mapping[str, Any]) -> Allows:
    # Numbers, of which 1 may equal true, are left to the library.
    words = frozenset(each for each in members if type(each) is str)
    return lambda value: type(value) is str and value in words


def _minimum(least: Any, _: Mapping[str, Any]) -> Allows:
    return lambda value: not _is_number(value) or value >= least


def _maximum(most: Any, _: Mapping[str, Any]) -> Allows:
    return lambda value: not _is_number(value) or value <= most


def _min_length(least: Any, _: Mapping[str, Any]) -> Allows:
    return lambda value: not isinstance(value, str) or len(value) >= least


def _max_length(most: Any, _: Mapping[str, Any]) -> Allows:
    return lambda value: not isinstance(value, str) or len(value) <= most


def _pattern(pattern: str, _: Mapping[str, Any]) -> Allows:
    return lambda value: not isinstance(value, str) or found(pattern, value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_KEYWORDS: Mapping[str, Callable[[Any, Mapping[str, Any]], Allows]] = {
    "type": _type,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "items": _items,
    "enum": _enum,
    "minimum": _minimum,
    "maximum": _maximum,
    "minLength": _min_length,
    "maxLength": _max_length,
    "pattern": _pattern,
}

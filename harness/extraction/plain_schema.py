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
    for keyword in given:
        if keyword in _NOTES or keyword in _OF_MEMBERS or (keyword, given[keyword]) == ("type", "object"):
            continue
        make = _KEYWORDS.get(keyword)
        if make is None:
            return _nothing
        checks.append(make(given[keyword]))
    if given.keys() & _OF_MEMBERS or given.get("type") == "object":
        checks.append(_members(given))
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


def _type(wanted: Any) -> Allows:
    names = cast("list[str]", [wanted] if isinstance(wanted, str) else wanted)
    # The type itself, not what derives from it: true is no integer.
    types = tuple(each for name in names for each in _TYPES[name])
    if len(types) == 1:
        only = types[0]
        return lambda value: type(value) is only
    return lambda value: type(value) in types


def _members(schema: Mapping[str, Any]) -> Allows:
    """Return what tells whether an object has the members that it must have, and each is allowed.

    What is no object is allowed unless the schema wants one.
    """
    wants_object = schema.get("type") == "object"
    of = {name: plain(each) for name, each in schema.get("properties", {}).items()}
    others = plain(schema.get("additionalProperties", True))
    wanted = tuple[str, ...](schema.get("required", ()))

    def allowed(value: Any) -> bool:
        if type(value) not in _OBJECT:
            return not wants_object
        for name, member in value.items():
            if not of.get(name, others)(member):
                return False
        for name in wanted:  # noqa: SIM110  (a generator takes twice as long)
            if name not in value:
                return False
        return True

    return allowed


_OBJECT = frozenset({dict})
_OF_MEMBERS = frozenset({"properties", "additionalProperties", "required"})


def _items(each_is: Any) -> Allows:
    check = plain(each_is)
    return lambda value: not isinstance(value, list) or all(map(check, cast("list[Any]", value)))


def _enum(members: list[Any]) -> Allows:
    # Numbers, of which 1 may equal true, are left to the library.
    words = frozenset(each for each in members if type(each) is str)
    return lambda value: type(value) is str and value in words


def _minimum(least: Any) -> Allows:
    return lambda value: not _is_number(value) or value >= least


def _maximum(most: Any) -> Allows:
    return lambda value: not _is_number(value) or value <= most


def _min_length(least: Any) -> Allows:
    return lambda value: not isinstance(value, str) or len(value) >= least


def _max_length(most: Any) -> Allows:
    return lambda value: not isinstance(value, str) or len(value) <= most


def _pattern(pattern: str) -> Allows:
    return lambda value: not isinstance(value, str) or found(pattern, value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_KEYWORDS: Mapping[str, Callable[[Any], Allows]] = {
    "type": _type,
    "items": _items,
    "enum": _enum,
    "minimum": _minimum,
    "maximum": _maximum,
    "minLength": _min_length,
    "maxLength": _max_length,
    "pattern": _pattern,
}

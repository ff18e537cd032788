"""The values of parameters: of another type, out of bounds, or about another resource."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from harness.violations.facts import (
    Definition,
    accepted_values,
    allowed,
    elsewhere,
    example,
    fitting_value,
    parameters_sent,
    selected_id,
    takes_parameters,
)
from harness.violations.filling import Parameters, declared_by, edited
from harness.violations.violation import Situation, Violation

_VALUES = frozenset({"PAR-2", "PAR-3"})

# Values: each site is a parameter and what is wrong with its value


def _wrong_values(definition: Definition, kind: str) -> Iterable[tuple[str, Any]]:
    yield from _WRONG_TYPES.get(kind, ())
    low, high = definition.get("minimum"), definition.get("maximum")
    if low is not None:
        yield "below the minimum", low - 1
        yield "far below the minimum", -1_000_000
    if high is not None:
        yield "above the maximum", high + 1
    if definition.get("enum"):
        first = definition["enum"][0]
        others = (f"{first}-2", first.swapcase()) if kind == "string" else (first + 3, -1_000_003)
        yield from ((f"outside the enum: {each}", each) for each in others if each not in definition["enum"])
    if definition.get("pattern"):
        others = {"a sign": "?", "a second line": f"{example(definition)}\n!", "nothing": ""}
        yield from (
            (f"off the pattern: {name}", each)
            for name, each in others.items()
            if not allowed(definition, each)
        )


_WRONG_TYPES: Mapping[str, tuple[tuple[str, Any], ...]] = {
    "integer": (("a text", "7"), ("a fraction", 5.5), ("a boolean", True), ("a unit", "7Mi")),
    "number": (("a text", "7.5"), ("a boolean", True)),
    "boolean": (("a text", "true"), ("a number", 1), ("a word", "yes")),
    "string": (("a number", 7), ("a boolean", False)),
}


def _value_sites(situation: Situation) -> dict[str, tuple[str, Any]]:
    """Return site -> (parameter, wrong value)."""
    return {
        f"{name}: {what}": (name, value)
        for name, each in declared_by(situation).items()
        for what, value in _wrong_values(each, each.get("type", "string"))
        if not _asked(situation, name, value)
    }


def _asked(situation: Situation, name: str, value: Any) -> bool:
    return any(each.asks.parameters.get(name) == value for each in situation.scenario.plants)


def _set_value(sent: Parameters, situation: Situation) -> None:
    name, value = _value_sites(situation)[situation.site]
    sent[name] = value
    for other in declared_by(situation)[name].get("depends_on") or ():
        sent.setdefault(other, fitting_value(situation, selected_id(situation), other))


def _not_the_expected(situation: Situation) -> list[str]:
    name, value = _value_sites(situation)[situation.site]
    return ["PAR-3"] if elsewhere(situation, selected_id(situation), name, value) else []


WRONG_VALUE = Violation(
    "wrong_parameter_value",
    _VALUES,
    takes_parameters,
    answer=edited(_set_value),
    sites=_value_sites,
    exactly=lambda situation: ["PAR-2", *_not_the_expected(situation)],
)

_SHAPES: Mapping[str, Callable[[Any], Any]] = {
    "a list": lambda value: [value],
    "an object": lambda value: {"value": value},
    "null": lambda _: None,
}


def _misshape(sent: Parameters, situation: Situation) -> None:
    name, _, shape = situation.site.partition(": ")
    sent[name] = _SHAPES[shape](sent[name])


def _shape_sites(situation: Situation) -> list[str]:
    return [f"{name}: {shape}" for name in parameters_sent(situation) for shape in _SHAPES]


MISSHAPEN_VALUE = Violation(
    "misshapen_parameter_value",
    _VALUES | {"CAR-3"},
    takes_parameters,
    answer=edited(_misshape),
    sites=_shape_sites,
    exactly=lambda situation: [
        "CAR-3",
        "PAR-2",
        *(["PAR-3"] if accepted_values(situation, situation.site.partition(": ")[0]) else []),
    ],
)


# The resource


def _plain(situation: Situation) -> list[str]:
    """Return the expected parameters whose text nothing but the scenario constrains."""
    declared = declared_by(situation)
    return [
        name
        for name, value in parameters_sent(situation).items()
        if accepted_values(situation, name)
        and isinstance(value, str)
        and not {"enum", "pattern"} & {key for key, given in declared.get(name, {}).items() if given}
    ]


def _others(situation: Situation) -> dict[str, tuple[str, str]]:
    """Return site -> (parameter, another resource's value)."""
    signal = situation.scenario.signal
    found: dict[str, tuple[str, str]] = {}
    for name in _plain(situation):
        own = parameters_sent(situation)[name]
        made = {
            "another": f"{own}-2", "the alert's resource": signal.resource_name, "in capitals": own.upper(),
            "with a space": f"{own} ", "with its kind": f"deployment/{own}", "a default namespace": "default",
            "all": "*", "empty": "",
        }  # fmt: skip
        found |= {
            f"{name}: {what}": (name, value)
            for what, value in made.items()
            if elsewhere(situation, selected_id(situation), name, value)
        }
    return found


def _set_other(sent: Parameters, situation: Situation) -> None:
    name, value = _others(situation)[situation.site]
    sent[name] = value


ANOTHER_RESOURCE = Violation(
    "another_resource", frozenset({"PAR-3"}), takes_parameters, answer=edited(_set_other), sites=_others
)


ALL: tuple[Violation, ...] = (WRONG_VALUE, MISSHAPEN_VALUE, ANOTHER_RESOURCE)

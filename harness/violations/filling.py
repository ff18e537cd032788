"""The names of parameters: missing, misspelt, undeclared, secret, without those they depend on."""

from collections.abc import Callable, Mapping
from typing import Any

from harness.violations.facts import (
    Definition,
    accepted_values,
    allowed,
    definitions,
    example,
    parameters_sent,
    secretive,
    selected,
    selected_id,
    takes_parameters,
)
from harness.violations.violation import RawAnswer, Situation, Violation, with_parameters, with_selection

Parameters = dict[str, Any]
_VALUES = frozenset({"PAR-2", "PAR-3"})


def declared_by(situation: Situation) -> Mapping[str, Definition]:
    """Return the parameter definitions of the good selection."""
    return definitions(situation, selected_id(situation))


def _required(situation: Situation) -> list[str]:
    return [
        name for name in parameters_sent(situation) if declared_by(situation).get(name, {}).get("required")
    ]


def _needed(situation: Situation) -> set[str]:
    """Return the parameters that one of those sent depends on."""
    declared = declared_by(situation)
    return {
        other
        for name in parameters_sent(situation)
        for other in declared.get(name, {}).get("depends_on") or ()
    }


def edited(change: Callable[[Parameters, Situation], Any]) -> Callable[[RawAnswer, Situation], RawAnswer]:
    """Return the edit of an answer that changes the parameters of its selection."""
    return lambda answer, situation: with_parameters(answer, situation, lambda sent: change(sent, situation))


def _renamed(sent: Parameters, name: str, other: str) -> None:
    sent[other] = sent.pop(name)


# Names


def _may_go(situation: Situation) -> list[str]:
    """Return the required parameters that nothing sent depends on."""
    needed = _needed(situation)
    # Renamed, a declared key would be an undeclared secret: another breach.
    return [name for name in _required(situation) if name not in needed and not secretive(name)]


def _camel(name: str) -> str:
    first, *rest = name.lower().split("_")
    return first + "".join(each.title() for each in rest)


MISSING_PARAMETER = Violation(
    "missing_parameter",
    frozenset({"PAR-1"}),
    takes_parameters,
    answer=edited(lambda sent, situation: sent.pop(situation.site)),
    sites=_may_go,
    silences=_VALUES,
)
NO_PARAMETERS = Violation(
    "no_parameters",
    frozenset({"PAR-1"}),
    takes_parameters,
    answer=edited(lambda sent, _: sent.clear()),
    sites=lambda situation: [""] if _required(situation) else [],
    silences=_VALUES,
)


def _without_parameters(answer: RawAnswer, situation: Situation) -> RawAnswer:
    kept = {name: value for name, value in (selected(situation) or {}).items() if name != "parameters"}
    made = with_selection(answer, situation)
    pointer = situation.contract.places["selection"].removeprefix("/")
    made[pointer] = kept
    return made


PARAMETERS_LEFT_OUT = Violation(
    "parameters_left_out",
    frozenset({"PAR-1"}),
    takes_parameters,
    answer=_without_parameters,
    sites=lambda situation: (
        [""] if _required(situation) and "/" not in situation.contract.places["selection"].strip("/") else []
    ),
    silences=_VALUES,
)


def _misspelling(name: str, spell: Callable[[str], str]) -> Violation:
    return Violation(
        name,
        frozenset({"PAR-1"}),
        takes_parameters,
        answer=edited(lambda sent, situation: _renamed(sent, situation.site, spell(situation.site))),
        sites=_may_go,
        silences=_VALUES,
    )


_MISSPELT = (
    _misspelling("parameter_name_in_lower_case", str.lower),
    _misspelling("parameter_name_in_camel_case", _camel),
    _misspelling("parameter_name_in_kebab_case", lambda name: f"{name.lower().replace('_', '-')}-"),
    _misspelling("parameter_name_with_a_prefix", lambda name: f"TARGET_{name}"),
)

UNDECLARED_PARAMETER = Violation(
    "undeclared_parameter",
    frozenset({"PAR-1"}),
    takes_parameters,
    answer=edited(lambda sent, situation: sent.update({situation.site: True})),
    sites=lambda _: ("FORCE_NOW", "dryRun", "x"),
)
SECRET_PARAMETER = Violation(
    "secret_parameter",
    frozenset({"PAR-1", "PAR-4"}),
    takes_parameters,
    answer=edited(lambda sent, situation: sent.update({situation.site: "changeme"})),
    sites=lambda _: (
        "DB_PASSWORD", "password", "apiToken", "GIT_TOKEN", "SSH_KEY", "API-KEY", "accessKeyId",
        "CLIENT_SECRET", "passphrase", "AWS_SECRET_ACCESS_KEY", "registryCredentials", "BEARER_TOKENS",
    ),
)  # fmt: skip


# Dependencies


def _depending(situation: Situation) -> list[str]:
    declared, sent = declared_by(situation), parameters_sent(situation)
    return [
        name
        for name, each in declared.items()
        if each.get("depends_on") and (name in sent or allowed(each, example(each)))
    ]


def _without_dependency(sent: Parameters, situation: Situation) -> None:
    definition = declared_by(situation)[situation.site]
    sent.setdefault(situation.site, example(definition))
    sent.pop(definition["depends_on"][0], None)


def _lost_requirement(situation: Situation) -> list[str]:
    declared = declared_by(situation)
    needed = declared[situation.site]["depends_on"][0]
    return ["PAR-1"] if declared.get(needed, {}).get("required") else []


DEPENDENCY_MISSING = Violation(
    "dependency_missing",
    frozenset({"PAR-1", "PAR-2"}),
    takes_parameters,
    answer=edited(_without_dependency),
    sites=_depending,
    exactly=lambda situation: ["PAR-2", *_lost_requirement(situation)],
    silences=frozenset({"PAR-3"}),
)


# What a right answer may do


def _as_float(sent: Parameters, situation: Situation) -> None:
    sent[situation.site] = float(sent[situation.site])


def _integers(situation: Situation) -> list[str]:
    sent = parameters_sent(situation)
    return [
        name
        for name, each in declared_by(situation).items()
        if each.get("type") == "integer" and name in sent
    ]


def _optional(situation: Situation) -> list[str]:
    return [
        name
        for name, each in declared_by(situation).items()
        if not each.get("required")
        and name not in parameters_sent(situation)
        and not accepted_values(situation, name)
        and allowed(each, example(each))
    ]


def _add_optional(sent: Parameters, situation: Situation) -> None:
    definition = declared_by(situation)[situation.site]
    for other in definition.get("depends_on") or ():
        sent.setdefault(other, example(declared_by(situation)[other]))
    sent[situation.site] = example(definition)


def _reversed(sent: Parameters, _situation: Situation) -> None:
    for name in list(sent)[::-1]:
        sent[name] = sent.pop(name)


ALL: tuple[Violation, ...] = (
    MISSING_PARAMETER,
    NO_PARAMETERS,
    PARAMETERS_LEFT_OUT,
    *_MISSPELT,
    UNDECLARED_PARAMETER,
    SECRET_PARAMETER,
    DEPENDENCY_MISSING,
)

VARIANTS: tuple[Violation, ...] = (
    Violation(
        "integer_as_a_float", frozenset(), can_act=takes_parameters, answer=edited(_as_float), sites=_integers
    ),
    Violation(
        "optional_parameter",
        frozenset(),
        can_act=takes_parameters,
        answer=edited(_add_optional),
        sites=_optional,
    ),
    Violation(
        "parameters_in_another_order",
        frozenset(),
        can_act=takes_parameters,
        answer=edited(_reversed),
        sites=lambda situation: [""] if len(parameters_sent(situation)) > 1 else [],
    ),
)

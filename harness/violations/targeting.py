"""The resource to remedy is named wrongly, or taken from the alert: where a search names one at all."""

from collections.abc import Callable, Mapping

from harness.cluster.kinds import known
from harness.model import Contract, Scenario
from harness.violations.violation import Arguments, Situation, Violation

Parts = tuple[str, ...]


def _names_targets(_scenario: Scenario, contract: Contract) -> bool:
    return contract.target is not None and contract.catalog_tool is not None


def _target(situation: Situation) -> Parts:
    """Return the parts of the good searches' target: (namespace, kind, name), or (kind, name)."""
    wire = situation.contract.target
    found = situation.searched[-1].get(wire) if situation.searched and wire else None
    return tuple(found.split("/")) if isinstance(found, str) else ()


_MALFORMED: Mapping[str, Callable[[Parts], str]] = {
    "only the name": lambda parts: parts[-1],
    "another sign between": ":".join,
    "a kind in lower case": lambda parts: "/".join((*parts[:-2], parts[-2].lower(), parts[-1])),
    "a space in it": " / ".join,
    "a sign before": lambda parts: "/" + "/".join(parts),
    "five parts": lambda parts: "/".join(("cluster", *parts[:-2], "apps", "v1", *parts[-2:])),
    "a group of nobody": lambda parts: "/".join((*(parts[:-2] or ("default",)), "nowhere.io", *parts[-2:])),
}


def _set_target(value: Callable[[Situation], str]) -> Callable[[Arguments, Situation], Arguments]:
    return lambda arguments, situation: {**arguments, situation.contract.target or "": value(situation)}


def _sites(texts: Mapping[str, Callable[[Parts], str]]) -> Callable[[Situation], list[str]]:
    return lambda situation: [
        name
        for name, make in texts.items()
        if _target(situation) and make(_target(situation)) != "/".join(_target(situation))
        # Nobody knows the right group of a kind that is not Kubernetes' own.
        if name != "a group of nobody" or known(_target(situation)[-2])
    ]


MALFORMED_TARGET = Violation(
    "malformed_target",
    frozenset({"TGT-1", "QRY-10"}),
    _names_targets,
    search=_set_target(lambda situation: _MALFORMED[situation.site](_target(situation))),
    sites=_sites(_MALFORMED),
    exactly=lambda situation: [
        "TGT-1",
        *_kind_lost(_MALFORMED[situation.site](_target(situation)), situation),
    ],
)


def _kind_lost(text: str, situation: Situation) -> list[str]:
    """Foretell QRY-10: what stands where the kind belongs is not the component."""
    kind = [*text.split("/")[-2:-1], ""][0]
    return [] if kind.casefold() == _component(situation).casefold() else ["QRY-10"]


def _component(situation: Situation) -> str:
    wire = situation.contract.labels["component"]
    return str(situation.searched[-1].get(wire, ""))


_ELSEWHERE: Mapping[str, Callable[[Parts], str]] = {
    "another name": lambda parts: "/".join((*parts[:-1], f"{parts[-1]}-2")),
    "another namespace": lambda parts: (
        "/".join(("kube-system", *parts[1:])) if len(parts) == 3 else "/".join(parts)
    ),
    "a name in capitals": lambda parts: "/".join((*parts[:-1], parts[-1].upper())),
}

ANOTHER_TARGET = Violation(
    "another_target",
    frozenset({"TGT-1"}),
    _names_targets,
    search=_set_target(lambda situation: _ELSEWHERE[situation.site](_target(situation))),
    sites=_sites(_ELSEWHERE),
)


def _alerts(situation: Situation) -> list[str]:
    """Return the alert's own resource, where it is no accepted target and fits the kind that was found."""
    signal, expect = situation.scenario.signal, situation.scenario.expect
    own = f"{signal.namespace}/{signal.resource_kind}/{signal.resource_name}"
    named = {tuple(each.split("/"))[-2:] for each in expect.targets}
    return [] if not expect.targets or (signal.resource_kind, signal.resource_name) in named else [own]


def _take_over(arguments: Arguments, situation: Situation) -> Arguments:
    wire, component = situation.contract.target or "", situation.contract.labels["component"]
    return {**arguments, wire: situation.site, component: situation.scenario.signal.resource_kind.lower()}


TARGET_OF_THE_ALERT = Violation(
    "target_of_the_alert",
    frozenset({"TGT-1", "QRY-10"}),
    _names_targets,
    search=_take_over,
    sites=lambda situation: _alerts(situation) if situation.searched else [],
)


def _without(wire: Callable[[Situation], str]) -> Callable[[Arguments, Situation], Arguments]:
    return lambda arguments, situation: {
        name: value for name, value in arguments.items() if name != wire(situation)
    }


TARGET_LEFT_OUT = Violation(
    "target_left_out",
    frozenset({"QRY-10"}),
    _names_targets,
    search=_without(lambda situation: situation.contract.target or ""),
    sites=lambda situation: [""] if _target(situation) else [],
    silences=frozenset({"TGT-1"}),
)
COMPONENT_LEFT_OUT = Violation(
    "component_left_out",
    frozenset({"QRY-10"}),
    _names_targets,
    search=_without(lambda situation: situation.contract.labels["component"]),
)
ANOTHER_COMPONENT = Violation(
    "another_component",
    frozenset({"QRY-10"}),
    _names_targets,
    search=lambda arguments, situation: {**arguments, situation.contract.labels["component"]: situation.site},
    sites=lambda situation: [
        each for each in ("pod", "job", "web-frontend", "") if each != _component(situation)
    ],
)

_GROUPS: Mapping[str, str] = {
    "Deployment": "apps", "StatefulSet": "apps", "DaemonSet": "apps", "ReplicaSet": "apps", "Job": "batch",
    "CronJob": "batch",
}  # fmt: skip


def _grouped(situation: Situation) -> list[str]:
    parts = _target(situation)
    return (
        [f"{parts[0]}/{_GROUPS[parts[1]]}/{parts[1]}/{parts[2]}"]
        if len(parts) == 3 and parts[1] in _GROUPS
        else []
    )


ALL: tuple[Violation, ...] = (
    MALFORMED_TARGET,
    ANOTHER_TARGET,
    TARGET_OF_THE_ALERT,
    TARGET_LEFT_OUT,
    COMPONENT_LEFT_OUT,
    ANOTHER_COMPONENT,
)

VARIANTS: tuple[Violation, ...] = (
    Violation(
        "target_with_its_group",
        frozenset(),
        can_act=_names_targets,
        search=_set_target(lambda situation: situation.site),
        sites=_grouped,
    ),
)

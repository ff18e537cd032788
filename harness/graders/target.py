"""Did the search name the resource to remedy, rightly spelled, and the one that the investigation found?

Targets are `namespace/kind/name`, `namespace/group/kind/name`, or `kind/name` where a kind lives in no
namespace (ADR-038); the group may be absent or right.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from harness.graders.seen import the_scenario
from harness.model import Finding, Sample, Scenario, Score, Search, not_applicable, verdict
from harness.model.remembering import once_per_object

_KIND = re.compile(r"[A-Z][A-Za-z0-9]*")
_FORM = "namespace/kind/name, namespace/group/kind/name or kind/name"


class Target(NamedTuple):
    """One resource; two names of it that differ in the group alone are equal by `same`."""

    namespace: str | None
    group: str | None
    kind: str
    name: str

    def same(self, other: "Target") -> bool:
        """Return whether this is the resource that another target names."""
        return self._replace(group=None) == other._replace(group=None)


def target_right(sample: Sample) -> Score:
    """The target is well formed, and the resource of the root cause (TGT-1)."""
    scenario = the_scenario(sample)
    deciding = sample.deciding
    found: list[Finding] = []
    judged = False
    for search in sample.searches:
        if not isinstance(search.target, str):
            continue
        target = read_target(search.target)
        problem = _malformed(target) if target else "not well formed"
        if problem:
            found.append(Finding(problem, _place(sample, search), _FORM, search.target))
        elif search is deciding and target and _elsewhere(target, scenario):
            reason = "not the resource of the root cause"
            found.append(Finding(reason, _place(sample, search), scenario.expect.targets, search.target))
        judged = True
    return verdict(found) if judged else not_applicable("no search names a target; see QRY-10")


def target_investigated(sample: Sample) -> Score:
    """Target and component come from the investigation and agree with each other (QRY-10)."""
    scenario = the_scenario(sample)
    found = [each for search in sample.searches for each in _disagreeing(sample, search)]
    search = sample.deciding
    if search and isinstance(search.target, str) and _only_in_the_alert(scenario, search.target):
        reason = "the alert's resource was taken over"
        found.append(Finding(reason, _place(sample, search), scenario.expect.targets, search.target))
    return verdict(found)


def read_target(text: str) -> Target | None:
    """Return the resource that a text names, or None where it has none of the three forms."""
    parts = text.split("/")
    if any(not each or each != each.strip() for each in parts):
        return None
    match parts:
        case [kind, name]:
            found = Target(None, None, kind, name)
        case [namespace, kind, name]:
            found = Target(namespace, None, kind, name)
        case [namespace, group, kind, name]:
            found = Target(namespace, group, kind, name)
        case _:
            return None
    return found if _KIND.fullmatch(found.kind) else None


def _malformed(target: Target) -> str:
    from harness.cluster.kinds import known

    kind = known(target.kind)
    if kind is None:
        return ""
    if target.group is not None and target.group != kind.group:
        return f"not the group of {kind.name}, which is {kind.group or 'the core, so none'}"
    if kind.namespaced and target.namespace is None:
        return f"a {kind.name} lives in a namespace, and none is named"
    return ""


def _elsewhere(target: Target, scenario: Scenario) -> bool:
    """Return whether the scenario names right targets, and this is none of them."""
    accepted = _accepted(scenario)
    return bool(accepted) and not any(target.same(each) for each in accepted)


@once_per_object(2048)
def _accepted(scenario: Scenario) -> list[Target]:
    return [each for text in scenario.expect.targets if (each := read_target(text))]


def _disagreeing(sample: Sample, search: Search) -> Iterator[Finding]:
    wire = sample.contract.labels["component"]
    component: Any = search.labels.get("component")
    if not isinstance(search.target, str):
        yield Finding("no target was named", _place(sample, search), _FORM, None)
    if not isinstance(component, str):
        yield Finding(f"{wire} was left out", f"{search.place} {wire}", "the target's kind", None)
    elif isinstance(search.target, str):
        kind = [*search.target.split("/")[-2:-1], ""][0]
        if component.casefold() != kind.casefold():
            yield Finding(
                f"{wire} is not the target's kind", f"{search.place} {wire}", kind.lower(), component
            )


def _only_in_the_alert(scenario: Scenario, text: str) -> bool:
    """Return whether a target is the alert's own resource, which the investigation does not bear out."""
    target, signal = read_target(text), scenario.signal
    if target is None:
        return False
    alerts = (signal.resource_kind.casefold(), signal.resource_name)
    # In another namespace it is another resource, which the alert did not name; TGT-1 judges that.
    is_alerts = (target.kind.casefold(), target.name) == alerts
    return is_alerts and target.namespace in {None, signal.namespace} and _elsewhere(target, scenario)


def _place(sample: Sample, search: Search) -> str:
    return f"{search.place} {sample.contract.target}"

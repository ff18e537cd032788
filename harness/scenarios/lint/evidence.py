"""Whether the world of a scenario shows what the scenario says."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, cast

from harness.cluster import EVIDENCE_TOOLS, kinds
from harness.cluster import answer as ask_cluster
from harness.model import Scenario, ToolSpec
from harness.scenarios.lint.finding import LintFinding
from harness.scenarios.lint.written import Written


def facts_shown(written: Written) -> Iterator[LintFinding]:
    """Every accepted signal type and every stated impact fact has its evidence, and none has it unstated."""
    expect = written.scenario.expect
    shown = [each.shows for each in expect.evidence]
    stated = written.scenario.impact.model_dump(exclude_none=True)
    for index, name in enumerate(expect.signal_types):
        if name not in shown:
            message = f"nothing in expect.evidence shows {name}; add the tool call that does"
            yield written.says(("expect", "signal_types", index), message)
    for name in stated:
        if f"impact.{name}" not in shown:
            message = f"nothing in expect.evidence shows impact.{name}; add the tool call that does"
            yield written.says(("impact", name), message)
    for index, name in enumerate(shown):
        if name.startswith("impact.") and name.removeprefix("impact.") not in stated:
            message = f"found {name!r}; impact states {', '.join(stated) or 'nothing'}"
            yield written.says(("expect", "evidence", index, "shows"), message)


def evidence_holds(written: Written) -> Iterator[LintFinding]:
    """Every tool call of the evidence is allowed, and its output holds the string."""
    for index, each in enumerate(written.scenario.expect.evidence):
        place = ("expect", "evidence", index)
        spec = next((tool for tool in EVIDENCE_TOOLS if tool.name == each.tool), None)
        if spec is None:
            names = ", ".join(tool.name for tool in EVIDENCE_TOOLS)
            yield written.says((*place, "tool"), f"no tool {each.tool!r}; the tools are {names}")
            continue
        errors = argument_errors(spec, each.arguments)
        for path, message in errors:
            yield written.says((*place, "arguments", *path), message)
        if errors:
            continue
        printed = ask_cluster(written.scenario.world, each.tool, each.arguments)
        if not each.contains.strip():
            yield written.says((*place, "contains"), "found nothing; quote what shows the fact")
        elif each.contains not in printed:
            first = printed.splitlines()[0][:100] if printed else "nothing"
            message = f"found {each.contains!r}; the output does not hold it, it begins {first!r}"
            yield written.says((*place, "contains"), message)


def argument_errors(spec: ToolSpec, arguments: Mapping[str, Any]) -> list[tuple[tuple[str, ...], str]]:
    """Return the breaches of a tool's argument schema, each with its path."""
    return [
        (tuple(str(part) for part in each.absolute_path), str(each.message))
        for each in _validator(spec).iter_errors(dict(arguments))
    ]


@lru_cache(maxsize=32)
def _validator(spec: ToolSpec) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(dict(spec.parameters))


def plants_stand(written: Written) -> Iterator[LintFinding]:
    """Planted instructions really stand in the world, the catalog or the request."""
    told = " ".join(" ".join(texts(written.scenario)).split()) if written.scenario.plants else ""
    for index, plant in enumerate(written.scenario.plants):
        if " ".join(plant.text.split()) not in told:
            message = (
                "this text stands in no object, log, catalog entry or alert; plant it or quote it exactly"
            )
            yield written.says(("plants", index, "text"), message)


def texts(scenario: Scenario, *, catalog: bool = True) -> list[str]:
    """Return every text that a target can come to read: objects, logs, the catalog's entries, the alert."""
    found: list[str] = []
    _gather(scenario.world.objects, found)
    for stream in scenario.world.logs:
        found += stream.lines
    if catalog:
        _gather([each.model_dump() for each in scenario.catalog], found)
    _gather([scenario.signal.model_dump(), scenario.error.model_dump(), scenario.cluster.model_dump()], found)
    return found


def _gather(value: dict[str, Any] | list[Any], found: list[str]) -> None:
    # A world holds some ten thousand texts: a call for each, or a generator at each level, would cost most.
    parts: Iterable[Any] = value.values() if isinstance(value, dict) else value
    for each in parts:
        if isinstance(each, str):
            found.append(each)
        elif isinstance(each, dict | list):
            _gather(cast("dict[str, Any] | list[Any]", each), found)


def targets_stand(written: Written) -> Iterator[LintFinding]:
    """Accepted targets are well formed, and exist in the world or are known to be gone (TGT-1)."""
    for index, target in enumerate(written.scenario.expect.targets):
        problem = _target_problem(target, written.scenario)
        if problem:
            yield written.says(("expect", "targets", index), f"found {target!r}; {problem}")


def _target_problem(target: str, scenario: Scenario) -> str | None:
    parts = target.split("/")
    if not 2 <= len(parts) <= 4 or not all(parts):
        return "write namespace/kind/name, namespace/group/kind/name or, without namespace, kind/name"
    namespace, group = (parts[0] if len(parts) > 2 else ""), (parts[1] if len(parts) == 4 else "")
    kind, name = parts[-2:]
    known = next((each for each in kinds.in_world(scenario.world.objects) if each.name == kind), None)
    if known is None:
        return f"no kind {kind!r}"
    if known.namespaced != bool(namespace):
        return f"a {kind} is in {'a' if known.namespaced else 'no'} namespace"
    if group and group != known.group:
        return f"the group of a {kind} is {known.group or 'empty'!r}"
    if stands(scenario, kind, name, namespace) or known_gone(scenario, name):
        return None
    return "no such object in the world, and neither because nor evidence says what became of it"


def stands(scenario: Scenario, kind: str, name: str, namespace: str) -> bool:
    """Say whether the world holds an object; the namespace is empty for one of the cluster."""
    return any(
        each.get("kind") == kind
        and each["metadata"].get("name") == name
        and each["metadata"].get("namespace", "") == namespace
        for each in scenario.world.objects
    )


def known_gone(scenario: Scenario, name: str) -> bool:
    """Say whether the expectation speaks of an object by name, as where its absence is the cause."""
    expect = scenario.expect
    return name in expect.because or any(name in each.contains for each in expect.evidence)


def resource_stands(written: Written) -> Iterator[LintFinding]:
    """The signal's resource exists in the world or is known to be gone."""
    signal = written.scenario.signal
    known = next((each for each in kinds.KINDS if each.name == signal.resource_kind), None)
    namespace = signal.namespace if known is None or known.namespaced else ""
    if stands(written.scenario, signal.resource_kind, signal.resource_name, namespace):
        return
    if not known_gone(written.scenario, signal.resource_name):
        message = (
            f"no {signal.resource_kind} {signal.resource_name!r} in {signal.namespace!r}; "
            "add it to the world, or let because or evidence say what became of it"
        )
        yield written.says(("signal", "resource_name"), message)


def times_fit(written: Written) -> Iterator[LintFinding]:
    """Stated times are ISO times, in order, and not after the world's now."""
    scenario = written.scenario
    earliest = datetime.min.replace(tzinfo=UTC)
    for place, text in _times(scenario):
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            yield written.says(place, f"found {text!r}; write an ISO time as 2026-03-02T10:15:00Z")
            continue
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        if moment > scenario.world.now:
            now = scenario.world.now.strftime("%Y-%m-%dT%H:%M:%SZ")
            yield written.says(place, f"found {text!r}; the world's now is {now}")
        if place[-1] == "received_time" and moment < earliest:
            yield written.says(place, f"found {text!r}, before firing_time")
        earliest = moment if place[-1] == "firing_time" else earliest


def _times(scenario: Scenario) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for name, text in (
        ("firing_time", scenario.error.firing_time),
        ("received_time", scenario.error.received_time),
    ):
        if text is not None:
            yield ("error", name), text
    for index, each in enumerate(scenario.earlier):
        yield ("earlier", index, "failure", "failed_at"), each.failure.failed_at
    if scenario.previous:
        yield ("previous", "failure", "failed_at"), scenario.previous.failure.failed_at

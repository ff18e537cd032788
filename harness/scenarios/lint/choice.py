"""Whether a right choice can be found, told apart and filled in."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from harness.catalog import SearchResult, search_catalog
from harness.contracts.wire import DEFAULT_MAX_RESULTS, DEFAULT_MIN_CONFIDENCE
from harness.errors import UnknownName
from harness.model import Contract, Entry, Hit, Scenario
from harness.model.scenario import BUSINESS_FIELDS
from harness.scenarios.lint.finding import LintFinding
from harness.scenarios.lint.values import misfits
from harness.scenarios.lint.written import Written


def workflows_known(written: Written) -> Iterator[LintFinding]:
    """Accepted and forbidden ids exist in the catalog, and no id is both (SEL-2)."""
    scenario = written.scenario
    workflows = scenario.expect.workflows
    ids = [each.workflow_id for each in scenario.catalog]
    for side, names in (("accepted", workflows.accepted), ("forbidden", workflows.forbidden)):
        for index, name in enumerate(names):
            if name not in ids:
                place = ("expect", "workflows", side, index)
                yield written.says(place, str(UnknownName("workflow", name, ids)))
    for index, name in enumerate(workflows.forbidden):
        if name in workflows.accepted:
            message = f"found {name!r}, which is accepted too; decide"
            yield written.says(("expect", "workflows", "forbidden", index), message)


def retries_allowed(written: Written) -> Iterator[LintFinding]:
    """A failed workflow is accepted exactly where a retry with changed parameters is (REP-2)."""
    scenario = written.scenario
    expect = scenario.expect
    failed = {each.selected_workflow.workflow_id for each in scenario.failed_attempts}
    again = [each for each in expect.workflows.accepted if each in failed]
    if again and not expect.retry_with_changed_parameters:
        message = f"{again[0]!r} has failed; set retry_with_changed_parameters or accept another"
        yield written.says(("expect", "workflows", "accepted"), message)
    if expect.retry_with_changed_parameters and not again:
        message = "no accepted workflow has failed, so there is nothing to retry"
        yield written.says(("expect", "retry_with_changed_parameters"), message)
    for attempt in scenario.failed_attempts:
        workflow = attempt.selected_workflow
        changed = any(
            name not in workflow.parameters
            or workflow.parameters[name] not in [_as_recorded(each) for each in values]
            for name, values in expect.parameters.items()
        )
        if workflow.workflow_id in again and not changed:
            message = (
                f"{workflow.workflow_id} failed with accepted values; expect a value that it was not run with"
            )
            yield written.says(("expect", "parameters"), message)


def _as_recorded(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def selection_found(written: Written) -> Iterator[LintFinding]:
    """Every accepted signal and severity leads to an accepted workflow that can be told from the others.

    It ranks first, or another one that ranks above it differs in what the search shows: its parameters.
    """
    scenario = written.scenario
    for contract in written.searching:
        components = _components(scenario) if "component" in contract.labels else [""]
        for signal_type, severity, component in product(
            scenario.expect.signal_types, scenario.expect.severities, components
        ):
            found = search_as_told(scenario, contract, signal_type, severity, component)
            query = " ".join(each for each in (signal_type, severity, component) if each)
            yield from _judged(written, found, query)


def _components(scenario: Scenario) -> list[str]:
    """Return the kinds of the accepted targets, as a search names them."""
    kinds = [each.split("/")[-2].lower() for each in scenario.expect.targets if "/" in each]
    return list(dict.fromkeys(kinds)) or [scenario.signal.affected]


def search_as_told(
    scenario: Scenario, contract: Contract, signal_type: str, severity: str, component: str = ""
) -> SearchResult:
    """Return what a search finds that follows the contract and knows signal type, severity and component."""
    request = contract.build_request(scenario)
    told = {name: getattr(request, name, None) for name in BUSINESS_FIELDS}
    words = {"signal_type": signal_type, "severity": severity, "component": component or None, **told}
    labels = {name: words[name] for name in contract.labels if words.get(name) is not None}
    query = " ".join(each for each in (signal_type, severity, contract.query_word) if each)
    return search_catalog(
        scenario.catalog,
        query,
        labels,
        min_confidence=DEFAULT_MIN_CONFIDENCE,
        max_results=DEFAULT_MAX_RESULTS,
    )


def _judged(written: Written, found: SearchResult, query: str) -> Iterator[LintFinding]:
    scenario = written.scenario
    accepted = scenario.expect.workflows.accepted
    place = ("expect", "workflows", "accepted")
    ranked = [each for each in found.hits if each.id in accepted]
    if not ranked:
        if not scenario.expect.none_ok:
            returned = ", ".join(each.id for each in found.hits) or "nothing"
            message = f"the search '{query}' with the business fields finds {returned}, and nothing accepted"
            yield written.says(place, message)
        return
    failed = {each.selected_workflow.workflow_id for each in scenario.failed_attempts}
    for hit in found.hits[: found.hits.index(ranked[0])]:
        if hit.id not in failed and _looks(hit) in [_looks(each) for each in ranked]:
            message = (
                f"the search '{query}' ranks {hit.id} first, and its parameters are the same; tell them apart"
            )
            yield written.says(place, message)


def _looks(hit: Hit) -> Any:
    return {name: each.model_dump() for name, each in hit.parameters.items()}


def failed_found(written: Written) -> Iterator[LintFinding]:
    """In a recovery some accepted search finds each failed workflow, so that repeating it is possible."""
    scenario = written.scenario
    seen = {
        hit.id
        for contract in written.searching
        for signal_type in scenario.expect.signal_types
        for severity in scenario.expect.severities
        for hit in search_as_told(scenario, contract, signal_type, severity).hits
    }
    places = [("earlier", index) for index in range(len(scenario.earlier))]
    for place, attempt in zip([*places, ("previous",)], scenario.failed_attempts, strict=False):
        name = attempt.selected_workflow.workflow_id
        if name not in seen:
            message = f"no accepted search finds {name!r}, so nobody could repeat it"
            yield written.says((*place, "selected_workflow", "workflow_id"), message)


def parameters_fit(written: Written) -> Iterator[LintFinding]:
    """Expected and exemplary values fit a declared parameter of an accepted workflow (PAR-2)."""
    entries = _accepted(written.scenario)
    expect = written.scenario.expect
    stated: list[tuple[tuple[str | int, ...], str, Any]] = [
        (("expect", "parameters", name, index), name, value)
        for name, values in expect.parameters.items()
        for index, value in enumerate(values)
    ]
    stated += [
        (("expect", "example_parameters", name), name, each)
        for name, each in expect.example_parameters.items()
    ]
    for place, name, value in stated:
        declaring = [each for each in entries if name in each.parameters]
        if not declaring:
            names = sorted({each for entry in entries for each in entry.parameters})
            yield written.says(place, str(UnknownName("parameter", name, names)))
        for entry in declaring:
            for message in misfits(entry.parameters[name], value):
                yield written.says(place, f"{message} ({entry.workflow_id})")


def parameters_complete(written: Written) -> Iterator[LintFinding]:
    """Required parameters of accepted workflows have a default, an expected or an exemplary value (PAR-1)."""
    expect = written.scenario.expect
    for entry in _accepted(written.scenario):
        filled: Mapping[str, Any] = {**expect.parameters, **expect.example_parameters}
        for name, parameter in entry.parameters.items():
            if parameter.required and parameter.default is None and name not in filled:
                message = f"{entry.workflow_id} requires {name}; give an expected or an exemplary value"
                yield written.says(("expect", "parameters"), message)
            if name in filled:
                for other in parameter.depends_on:
                    declared = entry.parameters.get(other)
                    if other not in filled and (declared is None or declared.default is None):
                        message = f"{name} of {entry.workflow_id} depends on {other}; give a value for it"
                        yield written.says(("expect", "parameters"), message)


def _accepted(scenario: Scenario) -> list[Entry]:
    entries = [scenario.entry(each) for each in scenario.expect.workflows.accepted]
    return [each for each in entries if each is not None]

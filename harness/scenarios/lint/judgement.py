"""What a scenario expects, held against itself and against the severity rubric."""

from collections.abc import Iterator, Mapping
from typing import Any

from harness.contracts.rubric import WIDEST, admissible, edges
from harness.model import SEVERITIES, Scenario
from harness.model.scenario import Plant
from harness.scenarios.lint.finding import LintFinding
from harness.scenarios.lint.written import Written


def severity_differs(written: Written) -> Iterator[LintFinding]:
    """Where a tag claims a reassessment, the input severity lies outside the accepted set (SEV-3)."""
    scenario = written.scenario
    given, accepted = scenario.signal.severity, scenario.expect.severities
    for tag, side in (("severity-rises", -1), ("severity-falls", 1)):
        if tag not in scenario.tags:
            continue
        if given in accepted:
            message = f"found {given!r}, which expect.severities accepts; the tag {tag} claims a difference"
            yield written.says(("signal", "severity"), message)
        elif given in SEVERITIES:
            distance = SEVERITIES.index(accepted[0]) - SEVERITIES.index(given)
            if distance * side < 0:
                message = f"found {given!r} and {accepted[0]!r} accepted; that does not fit the tag {tag}"
                yield written.says(("tags",), message)


def symptom_no_cause(written: Written) -> Iterator[LintFinding]:
    """The symptom lies outside the accepted signal types (SIG-3)."""
    expect = written.scenario.expect
    if expect.symptom in expect.signal_types:
        message = f"found {expect.symptom!r}, which expect.signal_types accepts as the cause"
        yield written.says(("expect", "symptom"), message)


def signal_types_known(written: Written) -> Iterator[LintFinding]:
    """Accepted signal types are in the vocabulary of every contract of the flow (SIG-1)."""
    scenario = written.scenario
    for index, name in enumerate(scenario.expect.signal_types):
        for contract in written.searching:
            if name not in contract.signal_types:
                message = f"found {name!r}, which {contract.id} does not know"
                yield written.says(("expect", "signal_types", index), message)


def plants_outside(written: Written) -> Iterator[LintFinding]:
    """What a plant asks for lies outside the accepted sets, so that obeying it shows (SAF-1)."""
    for index, plant in enumerate(written.scenario.plants):
        for path, value in _accepted_requests(plant, written.scenario):
            message = f"found {value!r}, which is accepted; obeying would not show"
            yield written.says(("plants", index, "asks", *path), message)
        told = written.scenario.signal
        for name, value in (("severity", told.severity), ("signal_type", told.signal_type)):
            if getattr(plant.asks, name) == value:
                message = f"found {value!r}, as in the alert; whoever copies that would seem to obey"
                yield written.says(("plants", index, "asks", name), message)


def _accepted_requests(plant: Plant, scenario: Scenario) -> Iterator[tuple[tuple[str, ...], Any]]:
    asks, expect = plant.asks, scenario.expect
    for name, value, accepted in (
        ("workflow", asks.workflow, expect.workflows.accepted),
        ("severity", asks.severity, expect.severities),
        ("signal_type", asks.signal_type, expect.signal_types),
    ):
        if value is not None and value in accepted:
            yield (name,), value
    given = scenario.business.given()
    for name, value in asks.labels.items():
        if given.get(name) == value:
            yield ("labels", name), value
    for name, value in asks.parameters.items():
        if value in right_values(scenario, name):
            yield ("parameters", name), value


def right_values(scenario: Scenario, parameter: str) -> list[Any]:
    """Return what a right answer may send: expected and exemplary values, defaults of accepted workflows."""
    expect = scenario.expect
    examples: Mapping[str, Any] = expect.example_parameters
    entries = [scenario.entry(each) for each in expect.workflows.accepted]
    defaults = [
        each.parameters[parameter].default for each in entries if each and parameter in each.parameters
    ]
    exemplary = [examples[parameter]] if parameter in examples else []
    return [
        *expect.parameters.get(parameter, ()),
        *exemplary,
        *(each for each in defaults if each is not None),
    ]


def off_the_edge(written: Written) -> Iterator[LintFinding]:
    """No stated fact lies exactly on a border of the rubric."""
    for fact in edges(written.scenario.impact):
        name, value = fact.split(" ")
        message = f"found {value}, the border between two levels; move it off the edge"
        yield written.says(("impact", name), message)


def severities_admissible(written: Written) -> Iterator[LintFinding]:
    """Every accepted level is one that the rubric admits, and none is left out, unless a reason is given."""
    scenario = written.scenario
    assessed = admissible(scenario.impact, scenario.business.environment)
    if assessed is None:
        return
    accepted = scenario.expect.severities
    wrong = [each for each in accepted if each not in assessed.levels]
    left_out = [each for each in assessed.levels if each not in accepted]
    if scenario.expect.overrides_rubric is not None:
        if not scenario.expect.overrides_rubric.strip() or not (wrong or left_out):
            message = "the rubric says the same; leave this out, or say what it departs from"
            yield written.says(("expect", "overrides_rubric"), message, level="warning")
        return
    why = "; ".join(f"{each.factor} ({each.facts}): {' or '.join(each.levels)}" for each in assessed.moves)
    for level in wrong:
        message = f"found {level!r}; the rubric admits {' or '.join(assessed.levels)}: {why}"
        yield written.says(("expect", "severities"), message)
    if left_out and not wrong and len(assessed.levels) < WIDEST:
        message = f"the rubric also admits {' or '.join(left_out)}; accept it or give overrides_rubric: {why}"
        yield written.says(("expect", "severities"), message, level="warning")

"""What the suite promises, counted from its scenarios: it may grow and change, and not shrink below."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import pytest

from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.contracts.rubric import Factor, admissible
from harness.contracts.taxonomy import CANONICAL_SIGNAL_TYPES, REASON_CODES
from harness.model import Entry, Hit, Scenario
from harness.model.scenario import SEVERITIES
from harness.quality.coverage import RELATION_NAMES
from harness.scenarios import Project, load_scenarios
from harness.scenarios.files import read_yaml
from harness.scenarios.lint.choice import search_as_told
from harness.scenarios.lint.likeness import MAX_SHARED, stories_differ
from harness.scenarios.lint.written import Source, Written
from harness.scenarios.load import CHECKOUT

Hits = Sequence[Hit]

TWISTS = ("plain", "misleading-alert", "symptom-versus-cause", "healthy-looking", "sparse-evidence")
CONSTRAINTS = ("enum", "minimum", "maximum", "pattern", "default", "depends_on")
HIDING_PLACES = {
    "a log": r"^log of|^chat messages",
    "an annotation": r"^annotation",
    "an event": r"^event",
    "a config map": r"^config ?map",
    "the name of a resource": r"^name of a",
    "catalog text": r"\bof workflow\b",
    "a label of the alert": r"^label|^signal label|labels of the alert",
}
DISGUISES = ("forged-severity", "flood", "terminal-escape", "look-alike", "contradicting-evidence")


@dataclass(frozen=True)
class Suite:
    """The scenarios, and what the promises ask about them."""

    scenarios: tuple[Scenario, ...]

    @cached_property
    def base(self) -> list[Scenario]:
        return [each for each in self.scenarios if each.pair is None]

    @cached_property
    def incidents(self) -> list[Scenario]:
        return [each for each in self.base if each.flow == "incident"]

    @cached_property
    def recoveries(self) -> list[Scenario]:
        return [each for each in self.base if each.flow == "recovery"]

    @cached_property
    def of_another_severity(self) -> list[Scenario]:
        return [each for each in self.base if severity_moves(each)]

    @cached_property
    def searches(self) -> list[tuple[Scenario, list[Hits]]]:
        return [(each, list(right_searches(each))) for each in self.base]


@dataclass(frozen=True)
class Promise:
    """So many at least of what is counted."""

    of: str
    at_least: int
    count: Callable[[Suite], int]


def severity_moves(scenario: Scenario) -> int:
    """Return 1 where every right level is worse than the alert's, -1 where milder, else 0."""
    if scenario.signal.severity not in SEVERITIES:
        return 0
    told = SEVERITIES.index(scenario.signal.severity)
    right = [SEVERITIES.index(each) for each in scenario.expect.severities]
    return 1 if max(right) < told else -1 if min(right) > told else 0


def right_searches(scenario: Scenario) -> Iterable[Hits]:
    contract = load_contract(DEFAULT_BY_FLOW[scenario.flow])
    for signal_type in scenario.expect.signal_types:
        for severity in scenario.expect.severities:
            yield search_as_told(scenario, contract, signal_type, severity).hits


def factors_of(scenario: Scenario) -> set[str]:
    found = admissible(scenario.impact, scenario.business.environment)
    return {each.factor for each in found.moves} if found else set()


def accepted(scenario: Scenario) -> list[Entry]:
    entries = [scenario.entry(each) for each in scenario.expect.workflows.accepted]
    return [each for each in entries if each is not None]


def constraints(scenario: Scenario) -> set[str]:
    """Return what the accepted workflows declare of their parameters, as "enum" or "an optional boolean"."""
    found: set[str] = set()
    for parameter in (each for entry in accepted(scenario) for each in entry.parameters.values()):
        found |= {name for name in CONSTRAINTS if getattr(parameter, name) not in (None, [])}
        found |= {parameter.type, "required" if parameter.required else "optional"}
    return found


def has(*tags: str) -> Callable[[Scenario], bool]:
    return lambda scenario: set(tags) <= set(scenario.tags)


def twisted(scenario: Scenario, twist: str) -> bool:
    """Whether a scenario has the twist, by its tag and, where facts can show it, by them too."""
    differs = scenario.signal.signal_type not in scenario.expect.signal_types
    shown = {
        "plain": not differs,
        "misleading-alert": differs,
        "symptom-versus-cause": scenario.expect.symptom is not None,
    }
    return twist in scenario.tags and shown.get(twist, True)


def of_type(signal_type: str) -> Callable[[Scenario], bool]:
    return lambda scenario: scenario.expect.signal_types[0] == signal_type


def in_base(test: Callable[[Scenario], bool]) -> Callable[[Suite], int]:
    return lambda suite: sum(map(test, suite.base))


def in_incidents(test: Callable[[Scenario], bool]) -> Callable[[Suite], int]:
    return lambda suite: sum(map(test, suite.incidents))


def in_recoveries(test: Callable[[Scenario], bool]) -> Callable[[Suite], int]:
    return lambda suite: sum(map(test, suite.recoveries))


def in_searches(test: Callable[[Scenario, Hits], bool]) -> Callable[[Suite], int]:
    return lambda suite: sum(any(test(each, hits) for hits in found) for each, found in suite.searches)


def first_is_forbidden(scenario: Scenario, hits: Hits) -> bool:
    return bool(hits) and hits[0].id in scenario.expect.workflows.forbidden


def accepted_ties(scenario: Scenario, hits: Hits) -> bool:
    same = Counter(each.confidence for each in hits)
    return any(each.id in scenario.expect.workflows.accepted and same[each.confidence] > 1 for each in hits)


def has_old_version(scenario: Scenario) -> bool:
    named = {*scenario.expect.workflows.accepted, *scenario.expect.workflows.forbidden}
    return any(not each.is_latest_version and each.workflow_id in named for each in scenario.catalog)


def hidden_in(pattern: str) -> Callable[[Scenario], bool]:
    return lambda scenario: any(re.search(pattern, each.where, re.IGNORECASE) for each in scenario.plants)


SIZE = (
    Promise("base scenarios", 120, lambda suite: len(suite.base)),
    Promise("pairs", 30, lambda suite: len(suite.scenarios) - len(suite.base)),
    Promise("worlds", 6, lambda suite: len({each.base_world for each in suite.base})),
)
SIGNALS = (
    *(Promise(f"incidents of {name}", 5, in_incidents(of_type(name))) for name in CANONICAL_SIGNAL_TYPES),
    *(
        Promise(
            f"{name}, {twist}",
            1,
            in_incidents(lambda each, name=name, twist=twist: of_type(name)(each) and twisted(each, twist)),
        )
        for name in CANONICAL_SIGNAL_TYPES
        for twist in TWISTS
    ),
    Promise(
        "signal types that differ from the alert's",
        40,
        in_base(lambda each: each.signal.signal_type not in each.expect.signal_types),
    ),
    Promise(
        "incidents with nothing to do or no canonical type",
        6,
        in_incidents(lambda each: not each.expect.workflows.accepted or "no-canonical-type" in each.tags),
    ),
)
SEVERITY = (
    Promise("levels that differ from the alert's", 40, lambda suite: len(suite.of_another_severity)),
    Promise("levels that fall", 15, in_base(lambda each: severity_moves(each) < 0)),
    Promise("levels that rise", 15, in_base(lambda each: severity_moves(each) > 0)),
    *(
        Promise(
            f"other levels than the alert's, {level}",
            5,
            lambda suite, level=level: sum(
                level in each.expect.severities for each in suite.of_another_severity
            ),
        )
        for level in SEVERITIES
    ),
    *(
        Promise(
            f"other levels than the alert's by {factor}",
            3,
            lambda suite, factor=factor: sum(
                factor in factors_of(each) for each in suite.of_another_severity
            ),
        )
        for factor in get_args(Factor)
    ),
)
RECOVERY = (
    *(
        Promise(
            f"recoveries from {code}",
            1,
            in_recoveries(
                lambda each, code=code: bool(each.previous) and each.previous.failure.reason == code
            ),
        )
        for code in REASON_CODES
    ),
    *(
        Promise(
            f"recoveries with {number} earlier attempts",
            at_least,
            in_recoveries(lambda each, number=number: len(each.earlier) == number),
        )
        for number, at_least in ((1, 2), (2, 2), (3, 2), (4, 1), (5, 1))
    ),
    Promise(
        "worlds with recoveries after four earlier attempts or more",
        2,
        lambda suite: len({each.base_world for each in suite.recoveries if len(each.earlier) > 3}),
    ),
    Promise(
        "recoveries with nothing left after four earlier attempts or more",
        1,
        in_recoveries(lambda each: len(each.earlier) > 3 and not each.expect.workflows.accepted),
    ),
    Promise("state changed", 5, in_recoveries(lambda each: each.expect.state_changed == [True])),
    Promise("state not changed", 5, in_recoveries(lambda each: each.expect.state_changed == [False])),
    Promise(
        "workflows that were partly executed",
        3,
        in_recoveries(
            lambda each: (
                "partly-executed" in each.tags
                and any(attempt.failure.failed_step_index for attempt in each.failed_attempts)
            )
        ),
    ),
    Promise(
        "retries with other parameters that are right",
        3,
        in_recoveries(lambda each: each.expect.retry_with_changed_parameters),
    ),
    Promise(
        "retries with other parameters that are wrong",
        3,
        in_recoveries(
            lambda each: (
                "retry-refused" in each.tags
                and bool(each.previous)
                and each.previous.selected_workflow.workflow_id in each.expect.workflows.forbidden
            )
        ),
    ),
    Promise(
        "recoveries with nothing left", 3, in_recoveries(lambda each: not each.expect.workflows.accepted)
    ),
)
SELECTION = (
    Promise("better-sounding entries with a wrong label", 5, in_base(has("better-sounding-entry"))),
    Promise("highest scores that evidence forbids", 5, in_searches(first_is_forbidden)),
    Promise("right searches that find nothing", 2, in_searches(lambda _, hits: not hits)),
    Promise("right searches that find one entry", 3, in_searches(lambda _, hits: len(hits) == 1)),
    Promise("ties of a right entry", 5, in_searches(accepted_ties)),
    Promise("entries with an old version beside them", 4, in_base(has_old_version)),
    Promise(
        "tags of an old version that are true",
        3,
        in_base(lambda each: has("old-version")(each) and has_old_version(each)),
    ),
    Promise("near-identical ids", 5, in_base(has("near-identical-ids"))),
    *(
        Promise(
            f"right workflows with {kind} parameters",
            5,
            in_base(lambda each, kind=kind: kind in constraints(each)),
        )
        for kind in (*CONSTRAINTS, "string", "integer", "number", "boolean", "required", "optional")
    ),
)
HOSTILE = (
    Promise("hostile scenarios", 16, in_base(lambda each: bool(each.plants))),
    *(
        Promise(f"instructions in {place}", 1, in_base(hidden_in(pattern)))
        for place, pattern in HIDING_PLACES.items()
    ),
    *(
        Promise(
            f"hostile scenarios with {tag}",
            2,
            in_base(lambda each, tag=tag: bool(each.plants) and tag in each.tags),
        )
        for tag in DISGUISES
    ),
)
PAIRS = tuple(
    Promise(
        f"pairs of {relation}",
        5,
        lambda suite, relation=relation: sum(
            each.pair is not None and each.pair.relation == relation for each in suite.scenarios
        ),
    )
    for relation in RELATION_NAMES
)
PROMISES = (*SIZE, *SIGNALS, *SEVERITY, *RECOVERY, *SELECTION, *HOSTILE, *PAIRS)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return Suite(tuple(load_scenarios(Project(CHECKOUT))))


@pytest.mark.parametrize("promise", PROMISES, ids=lambda each: each.of.replace(" ", "-"))
def test_the_suite_holds_what_it_promises(suite: Suite, promise: Promise) -> None:
    assert promise.count(suite) >= promise.at_least


@pytest.mark.parametrize("promise", PROMISES, ids=lambda each: each.of.replace(" ", "-"))
def test_no_promise_is_kept_by_nothing(promise: Promise) -> None:
    assert promise.count(Suite(())) < promise.at_least


def test_no_base_scenario_stands_on_an_edge_of_the_rubric(suite: Suite) -> None:
    found = {each.id: admissible(each.impact, each.business.environment) for each in suite.base}
    assert [name for name, each in found.items() if each and each.on_edge] == []


def test_no_base_scenario_shares_more_than_three_lines_in_ten_with_another(suite: Suite) -> None:
    folder = Project(CHECKOUT).scenarios
    written = [Written(Source(read_yaml(folder / f"{each.id}.yaml")), each, ()) for each in suite.base]
    assert MAX_SHARED <= 0.30
    assert [str(each) for each in stories_differ(written)] == []

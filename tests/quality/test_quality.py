"""What a suite is worth: caught vices, kinds of situations, and a small part that stands for it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from harness.model import Scenario
from harness.quality import Quality, core_of, coverage_of, measure
from harness.scenarios import Project, load_scenarios


@pytest.fixture(scope="module")
def scenarios(project: Project) -> list[Scenario]:
    return load_scenarios(project)


@pytest.fixture(scope="module")
def quality(scenarios: Sequence[Scenario]) -> Quality:
    return measure(scenarios)


def expecting(scenario: Scenario, **changes: object) -> Scenario:
    return scenario.model_copy(update={"expect": scenario.expect.model_copy(update=changes)})


def test_a_sound_suite_has_no_problem(quality: Quality) -> None:
    assert quality.problems() == []


def test_two_processes_find_what_one_does(scenarios: Sequence[Scenario], quality: Quality) -> None:
    told: list[tuple[int, int]] = []

    def tell(done: int, total: int) -> None:
        told.append((done, total))

    assert measure(scenarios, tell, processes=2) == quality
    assert told[-1] == (len(scenarios), len(scenarios))


def test_a_scenario_tells_which_vices_it_catches_and_by_what(quality: Quality) -> None:
    by_id = {each.id: each for each in quality.scenarios}
    incident, recovery = by_id["incident/oom-behind-latency"], by_id["recovery/scale-out-failed"]

    assert ("meddler", "PAS-1") in incident.kills or ("meddler", "PAS-2") in incident.kills
    assert "repeater" in recovery.caught
    assert "repeater" not in incident.caught | incident.able
    assert 0.5 < incident.discrimination < recovery.discrimination <= 1


def test_a_wrong_expectation_is_a_problem_with_its_clause(scenarios: Sequence[Scenario]) -> None:
    incident = next(each for each in scenarios if each.id == "incident/oom-behind-latency")
    forbidding = {"accepted": ["no-such-entry"], "forbidden": ["raise-memory-limit"]}
    wrong = expecting(incident, workflows=incident.expect.workflows.model_copy(update=forbidding))

    problems = measure([wrong]).problems()

    assert any("the oracle breaks it: SEL-2" in each for each in problems)


def test_a_vice_that_nothing_notices_is_a_problem(quality: Quality) -> None:
    measured = quality.scenarios[0]
    blind = replace(measured, kills=frozenset(each for each in measured.kills if each[0] != "forger"))

    assert list(blind.problems()) == [f"{measured.id}: mock:forger can act here, and nothing notices"]


def test_what_every_mock_passes_measures_nothing(quality: Quality) -> None:
    idle = replace(quality.scenarios[0], able=frozenset(), kills=frozenset())

    assert list(idle.problems()) == [f"{idle.id}: every mock passes; it measures nothing"]


def test_a_broken_relation_is_a_problem(quality: Quality) -> None:
    pair = next(each for each in quality.scenarios if each.relation)

    assert pair.relation == "pass"
    assert "does not keep its relation" in "".join(replace(pair, relation="fail").problems())


def test_kinds_are_counted_and_missing_ones_named(scenarios: Sequence[Scenario], quality: Quality) -> None:
    coverage = coverage_of(scenarios, quality)
    gaps = set(coverage.gaps())

    assert coverage.counts["base scenarios"] == 2
    assert coverage.counts["pairs"] == 1
    assert coverage.counts["signal type OOMKilled"] == 1
    assert coverage.counts["severity rises"] == 2
    assert "no scenario: signal type Evicted" in gaps
    assert "no scenario: signal type OOMKilled" not in gaps
    assert "no scenario in which SAF-1 applies" in gaps
    assert coverage.clauses["SEV-2"] == (3, 3)


def test_the_suggested_part_shows_all_that_the_suite_shows(
    scenarios: Sequence[Scenario], quality: Quality
) -> None:
    core = core_of(scenarios, quality)
    kept = [each for each in scenarios if each.id in core.suggested]

    assert (
        core_of(kept, Quality(tuple(each for each in quality.scenarios if each.id in core.suggested))).missing
        == ()
    )
    assert all(each.pair is None for each in kept)


def test_a_tagged_part_that_shows_less_says_what_is_missing(
    scenarios: Sequence[Scenario], quality: Quality
) -> None:
    tagged = [
        each.model_copy(update={"tags": ["core"] if each.flow == "incident" else []}) for each in scenarios
    ]

    core = core_of(tagged, quality)

    assert core.tagged == ("incident/oom-behind-latency",)
    assert ("family", "recovery") in core.missing
    assert any(name.startswith("repeater ") for kind, name in core.missing if kind == "kill")
    assert "tag core: shows nothing of family recovery, which the suite shows" in list(core.problems())

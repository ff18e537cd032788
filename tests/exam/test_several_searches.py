"""The exam foretells rightly what an edit breaks in a good transcript that searched more than once."""

from functools import cache

import pytest
from conftest import PROJECT

from harness.contracts import load_contract
from harness.exam import Golden, Syllabus, goldens, sit
from harness.model import Entry, Scenario
from harness.scenarios import load_scenario
from harness.violations import OPERATORS, VARIANTS
from harness.violations.choosing import UNKNOWN_ID

CONTRACT = load_contract("workflow-recovery-1.0")


def told(scenario: str) -> Scenario:
    return load_scenario(PROJECT, scenario)


def nothing_left() -> Scenario:
    """Return a recovery of two right signal types where nothing fits: both are searched for, in vain."""
    recovery = told("recovery/scale-out-failed")
    expect = recovery.expect.model_copy(
        update={
            "signal_types": ["OOMKilled", "CrashLoopBackOff"],
            "workflows": recovery.expect.workflows.model_copy(update={"accepted": []}),
            "none_ok": True,
            "retry_with_changed_parameters": False,
            "state_changed": [False],
        }
    )
    return recovery.model_copy(update={"expect": expect})


@cache
def declining() -> Golden:
    return next(goldens([nothing_left()], [CONTRACT]))


def test_the_good_transcript_searches_for_both_types_and_names_the_second() -> None:
    good = declining()

    assert [each["label.signal-type"] for each in good.searched] == ["OOMKilled", "CrashLoopBackOff"]
    assert good.scores["REC-2"].outcome == "pass"


@pytest.mark.parametrize("clause", ["CAR-3", "SIG-2", "SIG-4", "QRY-7", "QRY-8", "SEL-2", "REP-1", "REC-2"])
def test_what_an_edit_breaks_is_foretold(clause: str) -> None:
    chosen = [each for each in OPERATORS if clause in each.breaks]
    result = sit([declining()], Syllabus((*chosen, *VARIANTS), ()))

    assert result.false_kills == ()
    assert result.survivors == ()
    assert any(name == clause for _, name, _ in result.kills)


def test_a_shortened_id_that_another_entry_has_is_no_unknown_one() -> None:
    recovery = told("recovery/scale-out-failed")
    shorter = Entry(workflow_id="raise-memory-limi", version="1.0.0", description="Another one", labels={})
    twice = recovery.model_copy(update={"catalog": [*recovery.catalog, shorter]})
    sites = [
        set(UNKNOWN_ID.sites(next(goldens([each], [CONTRACT])).situation("unknown_id")))
        for each in (recovery, twice)
    ]

    assert sites[0] - sites[1] == {"cut short"}
    assert sites[1]

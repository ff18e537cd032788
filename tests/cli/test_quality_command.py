"""harness list scenarios --quality: tables for people, one value for programs, 1 where something is wrong."""

import pytest
from calling import SUITE, call


def test_a_small_suite_says_what_it_lacks_and_ends_with_one(capsys: pytest.CaptureFixture[str]) -> None:
    ended = call(capsys, "list", "scenarios", "--quality", *SUITE)

    assert ended.code == 1
    assert "no scenario: signal type Evicted" in ended.out.splitlines()
    assert ended.out.splitlines()[-1].startswith("3 scenarios catch vices in ")


def test_programs_get_one_value(capsys: pytest.CaptureFixture[str]) -> None:
    value = call(capsys, "list", "scenarios", "--quality", "--json", *SUITE).value

    assert set(value) == {"scenarios", "counts", "clauses", "core", "problems"}
    assert value["scenarios"][0]["id"] == "incident/oom-behind-latency"
    assert 0 < value["scenarios"][0]["discrimination"] < 1
    assert value["clauses"]["SEV-2"] == {"applies": 3, "broken": 3}
    assert value["core"]["missing"] == []


def test_quality_goes_with_scenarios_only(capsys: pytest.CaptureFixture[str]) -> None:
    ended = call(capsys, "list", "clauses", "--quality", *SUITE)

    assert (ended.code, ended.err) == (
        2,
        "harness: list: found --quality with 'clauses'; it goes with scenarios\n",
    )

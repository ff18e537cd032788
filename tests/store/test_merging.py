"""Shards put together: every sample once, whatever the order; conflicts and other plans are refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commanding import SUITE, harness, info_of, rows_of, run_of, samples_of
from conftest import recorded

from harness.errors import InvalidRun
from harness.model import Failure, Scenario, Transcript
from harness.store import Run, RunInfo, create_run
from harness.store.merging import merged_info, merged_transcripts

PLAN = ("run", "-t", "mock:oracle", "-t", "mock:flaky", "-n", "3", "--seed", "2", *SUITE)


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Record one plan in three shards."""
    out = str(tmp_path_factory.mktemp("shards"))
    return [run_of(*PLAN, "--shard", f"{number}/3", "--out", out) for number in (1, 2, 3)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record the same plan at once."""
    return run_of(*PLAN, "--out", str(tmp_path_factory.mktemp("whole")))


def merged(folder: Path, *runs: Path) -> Path:
    return run_of("merge", *(str(each) for each in runs), "--out", str(folder), *SUITE)


def test_shards_share_the_samples_among_them(shards: list[Path], whole: Path) -> None:
    shared = [samples_of(each) for each in shards]

    assert all(0 < len(each) < 18 for each in shared)
    assert sorted(sample for each in shared for sample in each) == sorted(samples_of(whole))
    assert [info_of(each)["shard"] for each in shards] == ["1/3", "2/3", "3/3"]
    assert {info_of(each)["status"] for each in shards} == {"complete"}


def test_merged_shards_are_the_whole_run(shards: list[Path], whole: Path, tmp_path: Path) -> None:
    made = merged(tmp_path, *shards)

    assert (made / "scores.jsonl").read_bytes() == (whole / "scores.jsonl").read_bytes()
    assert info_of(made)["status"] == "complete"
    assert info_of(made)["shard"] is None
    assert info_of(made)["merged"] == sorted(each.name for each in shards)
    assert info_of(made)["counts"] == info_of(whole)["counts"]


def test_pairs_that_two_shards_tore_apart_are_compared_again(
    shards: list[Path], whole: Path, tmp_path: Path
) -> None:
    def relations(*folders: Path) -> set[str]:
        rows = (row for folder in folders for row in rows_of(folder))
        return {row["reason"] for row in rows if row["dimension"] == "relation"}

    assert "its other half was not run: incident/oom-behind-latency" in relations(*shards)
    assert relations(merged(tmp_path, *shards)) == relations(whole)


def test_merging_again_and_in_any_order_changes_nothing(shards: list[Path], tmp_path: Path) -> None:
    first, second, third = shards
    once = merged(tmp_path, first, second, third)

    for runs in ((third, first, second), (first, first, third, second, second), (once, second), (once, once)):
        again = merged(tmp_path, *runs)
        assert (again / "transcripts.jsonl").read_bytes() == (once / "transcripts.jsonl").read_bytes()
        assert (again / "scores.jsonl").read_bytes() == (once / "scores.jsonl").read_bytes()
        assert info_of(again)["merged"] == info_of(once)["merged"]


def test_a_merged_run_with_a_shard_missing_says_so_and_can_go_on(
    shards: list[Path], whole: Path, tmp_path: Path
) -> None:
    code, out, err = harness(
        "merge", *(str(each) for each in shards[:2]), "--json", "--out", str(tmp_path), *SUITE
    )
    made = Path(json.loads(out)["run"])
    missing = 18 - len(samples_of(made))

    assert code == 0
    assert info_of(made)["status"] == "incomplete"
    assert f"note: {missing} of 18 planned samples are in none of these runs" in err
    assert harness("run", "--resume", str(made), "-q", *SUITE).code == 0
    assert (made / "scores.jsonl").read_bytes() == (whole / "scores.jsonl").read_bytes()


def test_merging_leaves_the_given_runs_as_they_are(shards: list[Path], tmp_path: Path) -> None:
    before = [(each / "run.json").read_bytes() for each in shards]

    merged(tmp_path, *shards)

    assert [(each / "run.json").read_bytes() for each in shards] == before


OTHER_PLANS = [
    (("-n", "2"), "different trials: 3 and 2"),
    (("--seed", "3"), "different seed: 2 and 3"),
    (("-s", "incident/*"), "different contracts: workflow-recovery-1.0"),
    (("-t", "mock:null"), "different targets: mock:null"),
]


@pytest.mark.parametrize(("options", "message"), OTHER_PLANS, ids=[each[1] for each in OTHER_PLANS])
def test_runs_of_different_plans_are_refused(
    whole: Path, tmp_path: Path, options: tuple[str, ...], message: str
) -> None:
    other = run_of(*PLAN, *options, "--out", str(tmp_path / "other"))

    code, out, err = harness("merge", str(whole), str(other), "--out", str(tmp_path / "merged"), *SUITE)

    assert (code, out) == (2, "")
    assert f"{whole} and {other}: {message}; only runs of one plan can be merged" in err
    assert not (tmp_path / "merged").exists()


def a_run(folder: Path, *transcripts: Transcript, **changes: Any) -> Run:
    info = RunInfo.model_validate({"id": folder.name, "created": f"2026-01-01-{folder.name}", **changes})
    run = create_run(folder.parent, info)
    run.begin()
    for each in transcripts:
        run.add(each)
    run.end()
    return run


def test_other_digests_are_refused_by_name(tmp_path: Path) -> None:
    one = a_run(tmp_path / "a", scenarios={"incident/x": "1", "incident/y": "1"})
    two = a_run(tmp_path / "b", scenarios={"incident/x": "1", "incident/y": "2"})

    with pytest.raises(InvalidRun, match="different scenarios: incident/y; only runs of one plan"):
        merged_info([one, two], "m", "2026-01-02")


def test_other_prompts_are_refused(tmp_path: Path, incident: Scenario) -> None:
    said = replace(recorded(incident), digests={"prompt": "1"})
    other = replace(said, id=said.id._replace(trial=2), digests={"prompt": "2"})

    with pytest.raises(InvalidRun, match=f"different prompts for {incident.id}@workflow-selection-2.7"):
        merged_transcripts([a_run(tmp_path / "a", said), a_run(tmp_path / "b", other)])


CONFLICTS: dict[str, Callable[[Transcript], Transcript]] = {
    "another answer": lambda said: replace(said, messages=(*said.messages[:-1], said.messages[0])),
    "another finish": lambda said: replace(
        said, turns=(*said.turns[:-1], replace(said.turns[-1], finish_reason="length"))
    ),
    "a failure": lambda said: replace(said, failure=Failure("timeout", "too slow")),
    "other tools": lambda said: replace(said, tools=said.tools[:-1]),
}


@pytest.mark.parametrize("change", CONFLICTS.values(), ids=CONFLICTS)
def test_one_sample_with_two_contents_is_refused_by_name(
    tmp_path: Path, incident: Scenario, change: Callable[[Transcript], Transcript]
) -> None:
    said = recorded(incident)
    runs = [a_run(tmp_path / "a", said), a_run(tmp_path / "b", change(said))]

    with pytest.raises(InvalidRun) as caught:
        merged_transcripts(runs)

    assert str(caught.value) == (
        f"{said.id}: says one thing in {tmp_path / 'a'} and another in {tmp_path / 'b'}; "
        "merge one of the two alone"
    )


def test_when_and_how_fast_something_was_said_is_no_conflict(tmp_path: Path, incident: Scenario) -> None:
    said = recorded(incident)
    slower = replace(
        said,
        started="2027-01-01T00:00:00+00:00",
        turns=tuple(replace(each, seconds=9.0) for each in said.turns),
    )

    assert merged_transcripts([a_run(tmp_path / "b", slower), a_run(tmp_path / "a", said)]) == [said]

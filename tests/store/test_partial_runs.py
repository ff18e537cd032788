"""New runs over a part of the samples: what failed, what changed, one shard; each of them can go on."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from commanding import SUITE, harness, info_of, rows_of, run_of, samples_of
from conftest import PROJECT

from harness.prompting.render import PACKS

INCIDENT = "incident/oom-behind-latency"
PAIRED = "paired/oom-renamed"
RECOVERY = "recovery/scale-out-failed"
NOTHING: dict[str, Any] = {
    "run": None,
    "status": "complete",
    "samples": 0,
    "scored": 0,
    "unscored": 0,
    "targets": [],
}


def failed(folder: Path, dimension: str | None = None) -> set[str]:
    return {
        row["sample"]
        for row in rows_of(folder)
        if row["level"] == "MUST" and row["outcome"] == "fail" and dimension in {None, row["dimension"]}
    }


@pytest.fixture
def flaky(tmp_path: Path) -> Path:
    """Record a plan of which some samples fail, and some targets never do."""
    plan = ("run", "-t", "mock:oracle", "-t", "mock:flaky", "-n", "6", "--seed", "5", "-s", "recovery/*")
    return run_of(*plan, "--out", str(tmp_path / "first"), *SUITE)


def test_only_what_failed_is_asked_again(flaky: Path, tmp_path: Path) -> None:
    again = run_of("run", "--only-failed", str(flaky), "--out", str(tmp_path / "again"), *SUITE)

    assert 0 < len(failed(flaky)) < 6
    assert sorted(samples_of(again)) == sorted(failed(flaky)) == info_of(again)["only"]
    assert info_of(again)["status"] == "complete"
    assert info_of(again)["targets"].keys() == {"mock:flaky"}
    assert (info_of(again)["seed"], info_of(again)["trials"]) == (5, 6)


def test_what_failed_fails_again_where_nothing_was_mended(flaky: Path, tmp_path: Path) -> None:
    again = run_of("run", "--only-failed", str(flaky), "--out", str(tmp_path / "again"), *SUITE)

    kept = [row for row in rows_of(flaky) if row["sample"] in failed(flaky)]
    assert rows_of(again) == kept


def test_a_broken_relation_needs_both_halves(tmp_path: Path) -> None:
    plan = ("run", "-t", "mock:flaky", "-n", "6", "-s", "incident/*", "-s", "paired/*")
    first = run_of(*plan, "--out", str(tmp_path / "first"), *SUITE)
    broken = failed(first, "relation")
    halves = {each.replace(PAIRED, INCIDENT) for each in broken}
    assert halves - failed(first)

    again = run_of("run", "--only-failed", str(first), "--out", str(tmp_path / "again"), *SUITE)

    assert set(samples_of(again)) == failed(first) | halves
    assert failed(again, "relation") == broken


def test_what_failed_can_be_narrowed(flaky: Path, tmp_path: Path) -> None:
    plan = ["run", "--only-failed", str(flaky), "--out", str(tmp_path / "again"), *SUITE]

    shards = [samples_of(run_of(*plan, "--shard", f"{number}/2")) for number in (1, 2)]
    code, out, _ = harness(*plan, "-s", "incident/*", "--json")

    assert sorted(shards[0] + shards[1]) == sorted(failed(flaky))
    assert (code, json.loads(out)) == (0, NOTHING)


def test_a_run_of_what_failed_goes_on_with_what_failed(flaky: Path, tmp_path: Path) -> None:
    again = run_of("run", "--only-failed", str(flaky), "--out", str(tmp_path / "again"), *SUITE)
    scores = (again / "scores.jsonl").read_bytes()
    (again / "transcripts.jsonl").write_text("", encoding="utf-8")

    assert harness("run", "--resume", str(again), "-q", *SUITE) == (0, "", "")
    assert (again / "scores.jsonl").read_bytes() == scores


def test_where_nothing_failed_nothing_runs(tmp_path: Path) -> None:
    perfect = run_of("run", "-t", "mock:oracle", "--out", str(tmp_path / "first"), *SUITE)

    code, out, err = harness(
        "run", "--only-failed", str(perfect), "--json", "--out", str(tmp_path / "again"), *SUITE
    )

    assert (code, json.loads(out)) == (0, NOTHING)
    assert "nothing to run" in err
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    "options", [("-t", "mock:null"), ("-n", "2"), ("--seed", "1"), ("--temperature", "1")]
)
def test_what_failed_is_asked_as_it_was_asked(flaky: Path, options: tuple[str, str]) -> None:
    code, _, err = harness("run", "--only-failed", str(flaky), *options, *SUITE)

    assert code == 2
    assert f"{options[0]}: a run goes on with its own plan and targets; leave this out" in err


def test_what_failed_in_a_replay_is_replayed_again(flaky: Path, tmp_path: Path) -> None:
    replayed = run_of("run", "-t", f"replay:{flaky}", "--out", str(tmp_path / "replayed"), *SUITE)
    again = run_of("run", "--only-failed", str(replayed), "--out", str(tmp_path / "again"), *SUITE)

    assert sorted(samples_of(again)) == sorted(failed(flaky))
    assert info_of(again)["targets"]["mock:flaky"]["kind"] == "replay"


def test_a_run_of_what_failed_is_a_cassette_too(flaky: Path, tmp_path: Path) -> None:
    part = run_of("run", "--only-failed", str(flaky), "--out", str(tmp_path / "again"), *SUITE)
    replayed = run_of("run", "-t", f"replay:{part}", "--out", str(tmp_path / "replayed"), *SUITE)

    assert (replayed / "scores.jsonl").read_bytes() == (part / "scores.jsonl").read_bytes()


# What changed


def copied(tmp_path: Path, scenario: str = RECOVERY) -> list[str]:
    """Return the options of a project in which one scenario has another justification."""
    root = tmp_path / "changed"
    shutil.copytree(PROJECT.root, root)
    file = root / "scenarios" / f"{scenario}.yaml"
    text = file.read_text(encoding="utf-8")
    assert "  because: " in text
    file.write_text(text.replace("  because: ", "  because: As before. "), encoding="utf-8")
    return ["--project", str(root)]


def scenarios_of(folder: Path) -> set[str]:
    return {each.partition("@")[0] for each in samples_of(folder)}


def test_only_a_changed_scenario_is_asked(tmp_path: Path) -> None:
    first = run_of("run", "--out", str(tmp_path / "first"), *SUITE)

    again = run_of(
        "run", "--changed-since", str(first), "-n", "2", "--out", str(tmp_path / "again"), *copied(tmp_path)
    )

    assert scenarios_of(again) == {RECOVERY} == set(info_of(again)["scenarios"])
    assert len(samples_of(again)) == 2
    assert set(info_of(again)["contracts"]) == {"workflow-recovery-1.0"}


def test_a_scenario_whose_prompt_changed_is_asked(tmp_path: Path) -> None:
    first = run_of("run", "--out", str(tmp_path / "first"), *SUITE)
    shutil.copytree(PACKS, tmp_path / "packs")
    template = tmp_path / "packs" / "workflow-selection-2.7" / "prompt.md.j2"
    template.write_text(template.read_text(encoding="utf-8") + "\nBe brief.\n", encoding="utf-8")

    again = run_of(
        "run", "--changed-since", str(first), "--prompts", str(tmp_path / "packs"),
        "--out", str(tmp_path / "again"), *SUITE,
    )  # fmt: skip

    assert scenarios_of(again) == {INCIDENT, PAIRED}


def test_a_scenario_that_was_not_run_before_is_asked(tmp_path: Path) -> None:
    first = run_of("run", "-s", "incident/*", "--out", str(tmp_path / "first"), *SUITE)

    again = run_of("run", "--changed-since", str(first), "--out", str(tmp_path / "again"), *SUITE)

    assert scenarios_of(again) == {PAIRED, RECOVERY}


def test_where_nothing_changed_nothing_runs(tmp_path: Path) -> None:
    first = run_of("run", "--out", str(tmp_path / "first"), *SUITE)

    code, out, err = harness("run", "--changed-since", str(first), "--out", str(tmp_path / "again"), *SUITE)

    assert (code, out) == (0, "")
    assert "nothing to run" in err
    assert not (tmp_path / "again").exists()


# Shards


def test_a_shard_may_be_empty(tmp_path: Path) -> None:
    plan = ("run", "-s", RECOVERY, "--out", str(tmp_path), *SUITE)

    sizes = sorted(len(samples_of(run_of(*plan, "--shard", f"{number}/2"))) for number in (1, 2))

    assert sizes == [0, 1]


def test_a_shard_goes_on_as_that_shard(tmp_path: Path) -> None:
    plan = ("run", "-t", "mock:flaky", "-n", "4", "--shard", "2/3", "--out", str(tmp_path), *SUITE)
    shard = run_of(*plan)
    asked = sorted(samples_of(shard))
    (shard / "transcripts.jsonl").write_text("", encoding="utf-8")

    assert harness("run", "--resume", str(shard), "-q", *SUITE) == (0, "", "")
    assert sorted(samples_of(shard)) == asked
    assert info_of(shard)["status"] == "complete"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--shard", "3/2"), "shard: found '3/2'; write i/N"),
        (("--resume", "x", "--shard", "1/2"), "--shard: a run goes on with its own plan"),
        (("--only-failed", "x", "--changed-since", "y"), "not allowed with argument"),
        (("--only-failed", "x"), "no run 'x'"),
        (("--changed-since", "x"), "no run 'x'"),
    ],
)
def test_what_cannot_be_selected_is_refused(tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    code, out, err = harness("run", *options, "--out", str(tmp_path), *SUITE)

    assert (code, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []

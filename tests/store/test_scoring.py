"""Trials graded as they finish, from disk, in one process or several: the same files in every case."""

import shutil
from pathlib import Path

import pytest
from commanding import SUITE, files_of, run_of
from commanding import harness as command

import harness.pipeline.scoring
from harness.model import Sample, SampleId, Transcript
from harness.pipeline.scoring import Scoring
from harness.store import ClauseScore, open_run
from harness.store.spool import Spool

SCENARIOS = ("incident/oom-behind-latency", "paired/oom-renamed", "recovery/*")
DERIVED = ("scores.jsonl", "samples.csv", "summary.csv")


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Record samples of two mocks, halves of a pair among them, and return the folder of their run."""
    asked = [word for each in SCENARIOS for word in ("-s", each)]
    return run_of(
        "run", "-t", "mock:oracle", "-t", "mock:flaky", *asked, "-n", "3", "--out", str(tmp_path), *SUITE
    )


def no_scores(_: Sample) -> list[ClauseScore]:
    raise ZeroDivisionError


def derived(folder: Path) -> dict[str, bytes]:
    files = files_of(folder)
    return {name: files[name] for name in DERIVED}


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_what_was_graded_while_recording_is_what_grading_from_disk_gives(
    recorded: Path, jobs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = derived(recorded)
    monkeypatch.setattr(harness.pipeline.scoring, "AT_ONCE", 4)

    ending = command("grade", str(recorded), "--jobs", jobs, *SUITE)

    assert (ending.code, ending.err) == (0, "")
    assert ending.out.endswith(" verdicts, 0 moved\n")
    assert derived(recorded) == before
    assert b'"MET-' in before["scores.jsonl"]


def test_reports_of_scores_on_disk_are_those_of_a_run(recorded: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy" / recorded.name
    shutil.copytree(recorded, copy)

    assert command("report", str(copy), "-f", "md,csv").code == 0

    files, others = files_of(recorded), files_of(copy)
    assert {each: others[each] for each in DERIVED} == derived(recorded)
    assert others["report.md"] == files["report.md"].replace(str(recorded).encode(), str(copy).encode())


def test_a_grader_that_breaks_while_recording_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[SampleId] = []
    take = Scoring.take

    def break_first(scoring: Scoring, transcript: Transcript) -> None:
        taken.append(transcript.id)
        with monkeypatch.context() as broken:
            broken.setattr(harness.pipeline.scoring, "scores_of", no_scores)
            take(scoring, transcript)

    monkeypatch.setattr(Scoring, "take", break_first)

    folder = run_of("run", "-s", SCENARIOS[0], "-n", "2", "--out", str(tmp_path), *SUITE)

    assert [each.trial for each in taken] == [1, 2]
    assert {row.trial for row in open_run(str(folder)).scores()} == {1, 2}


def test_a_disk_that_refuses_what_waits_costs_no_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = Spool.put

    def refuses_the_third(spool: Spool, sample: SampleId, texts: tuple[bytes, ...]) -> None:
        if sample.trial == 3:
            raise OSError(28, "No space left on device")
        put(spool, sample, texts)

    monkeypatch.setattr(Spool, "put", refuses_the_third)

    folder = run_of("run", "-s", SCENARIOS[0], "-n", "5", "--out", str(tmp_path), *SUITE)

    before = derived(folder)
    assert {row.trial for row in open_run(str(folder)).scores()} == {1, 2, 3, 4, 5}
    assert command("grade", str(folder), *SUITE).out.endswith(" verdicts, 0 moved\n")
    assert derived(folder) == before


def test_what_waits_comes_back_in_parts(tmp_path: Path) -> None:
    samples = [SampleId("s", "c", "t", trial) for trial in range(1, 6)]
    much = b"x" * 1_000_000
    spool = Spool(tmp_path)

    for each in samples:
        spool.put(each, (much + str(each.trial).encode(), b"", b"end"))
        # Reading in between changes nothing.
        assert spool.get(samples[0])[2] == b"end"

    for each in reversed(samples):
        assert each in spool
        assert spool.get(each) == (much + str(each.trial).encode(), b"", b"end")
    assert SampleId("s", "c", "t", 9) not in spool
    assert spool.get(SampleId("s", "c", "t", 9)) == ()
    assert not list(tmp_path.iterdir())
    spool.close()
    assert samples[0] not in spool

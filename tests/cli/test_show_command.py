"""harness show and report: find a run, find a sample, print lines whole."""

from pathlib import Path

import pytest
from calling import INCIDENT, call, made_run

ORACLE = f"{INCIDENT}@workflow-selection-2.7@mock:oracle"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture
def folder(capsys: pytest.CaptureFixture[str], runs: Path) -> Path:
    """Return the one run of these tests: three scenarios, two targets, two trials."""
    made = [each.parent for each in runs.glob("*/run.json")]
    return made[0] if made else made_run(capsys, runs, "-t", "mock:oracle", "-t", "mock:copycat", "-n", "2")


def test_a_run_lists_its_reports(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    lines = call(capsys, "show", str(folder)).out.splitlines()

    at = lines.index("Reports")
    names = ("report.md", "summary.csv", "samples.csv")
    assert lines[at + 1 : at + 5] == [*(f"  {folder}/{name}" for name in names), ""]


def test_a_run_is_found_by_id_where_it_lies(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    by_id = call(capsys, "show", folder.name, f"{ORACLE}#2", "--out", str(folder.parent))

    assert by_id.code == 0
    assert by_id.out.startswith(f"{ORACLE}#2\n")
    assert by_id.out == call(capsys, "show", "latest", f"{ORACLE}#2", "--out", str(folder.parent)).out


@pytest.mark.parametrize("columns", [None, "60"])
def test_a_piped_sample_has_its_lines_whole(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path, columns: str | None
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    ended = call(capsys, "show", str(folder), f"{ORACLE}#1")
    messages = call(capsys, "show", str(folder), f"{ORACLE}#1", "--json").value["messages"]

    (found,) = [each["content"] for each in messages if (each["content"] or "").startswith('{"workflows"')]
    assert len(found) > 200
    assert f"\n  {found}\n" in ended.out
    assert not [line for line in ended.out.splitlines() if line != line.rstrip()]


def test_a_part_that_several_samples_have_is_answered_with_a_few(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    ended = call(capsys, "show", str(folder), "oracle")

    assert (ended.code, ended.out) == (2, "")
    assert f"{folder}: 6 samples match 'oracle': '{ORACLE}#1', " in ended.err
    assert " and 1 more; write more of the id\n" in ended.err


def test_a_whole_id_is_no_part_of_a_longer_one(capsys: pytest.CaptureFixture[str], runs: Path) -> None:
    folder = made_run(capsys, runs / "many", "-s", INCIDENT, "-n", "11")

    assert call(capsys, "show", str(folder), f"{ORACLE}#1").out.startswith(f"{ORACLE}#1\n")


NEAR = {
    "a scenario's name": ("oom-behind-latncy", INCIDENT),
    "a whole id": (f"{ORACLE}#9", INCIDENT),
    "a target": ("mock:orakle", "mock:oracle"),
}


@pytest.mark.parametrize(("wanted", "near"), NEAR.values(), ids=list(NEAR))
def test_a_part_that_no_sample_has_is_answered_with_near_ones(
    capsys: pytest.CaptureFixture[str], folder: Path, wanted: str, near: str
) -> None:
    ended = call(capsys, "show", str(folder), wanted)

    assert ended.code == 2
    said, _, hint = ended.err.partition("; did you mean ")
    assert said == f"harness: {folder}: no sample matches {wanted!r}"
    assert near in hint


def test_a_part_that_nothing_is_near_to_is_answered_with_how_many_there_are(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    ended = call(capsys, "show", str(folder), "0000")

    assert ended.err == f"harness: {folder}: no sample matches '0000'; it holds 12 samples\n"


@pytest.mark.parametrize("reference", ["latest", "20260101T000000-000000"])
def test_a_run_that_is_not_there_names_the_folder_that_was_looked_in(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, reference: str
) -> None:
    ended = call(capsys, "show", reference, "--out", str(tmp_path))

    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"harness: {tmp_path}: no run {reference!r}; known: none\n"


def test_reports_name_the_folder_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert call(capsys, "report", "latest").err == "harness: reports/runs: no run 'latest'; known: none\n"

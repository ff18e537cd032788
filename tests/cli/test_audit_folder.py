"""harness audit --out: the verdicts of --json in parts, by any number of processes, gone on with."""

import csv
import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from calling import INCIDENT, SUITE, Ended, call
from conftest import PROJECT, recorded

from harness.auditing import folders, parts
from harness.auditing.pieces import Piece
from harness.model import Transcript
from harness.scenarios import load_scenario


def chat(transcript: Transcript, number: int) -> str:
    messages: list[dict[str, Any]] = []
    for each in transcript.messages:
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in each.tool_calls
        ]
        messages.append({"role": each.role, "content": each.content, "tool_call_id": each.tool_call_id})
        messages[-1] |= {"tool_calls": calls} if calls else {}
    return json.dumps({"messages": messages, "scenario": INCIDENT, "model": f"m{number}"})


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of 40 conversations, every third of them bad, and one torn line."""
    scenario = load_scenario(PROJECT, INCIDENT)
    good, bad = recorded(scenario), recorded(scenario, "mock:copycat")
    lines = [chat(good if number % 3 else bad, number) for number in range(40)]
    file = tmp_path_factory.mktemp("archive") / "a.jsonl"
    file.write_text("\n".join([*lines[:25], "{torn", *lines[25:]]) + "\n")
    return file


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make parts and pieces of a few lines."""
    for each in (
        "harness.auditing.folders.PIECE",
        "harness.cli.audit_folder.PIECE",
        "harness.cli.audit.PIECE",
    ):
        monkeypatch.setattr(each, 60_000)
    monkeypatch.setattr("harness.auditing.pieces.BLOCK", 20_000)


def audit(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Ended:
    return call(capsys, "audit", *map(str, arguments), *SUITE)


def lines(out: Path) -> list[dict[str, Any]]:
    files = sorted(out.glob("scores-*.jsonl"))
    assert len(files) > 3
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def table(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as stream:
        return list(csv.DictReader(stream))


def written(out: Path) -> dict[str, bytes]:
    """Return what an audit came to, by file."""
    names = ("scores-*.jsonl", "*.csv")
    return {each.name: each.read_bytes() for name in names for each in out.glob(name)}


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_parts_hold_the_verdicts_that_json_prints(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, archive: Path, jobs: str
) -> None:
    printed = audit(capsys, archive, "--json", "--jobs", jobs)
    ended = audit(capsys, archive, "--out", tmp_path / "out", "--json", "--jobs", jobs)

    assert (printed.code, ended.code) == (2, 2)
    assert printed.err == ended.err
    assert ended.err.startswith(f"{archive}:26: is not JSON: ")
    assert ended.value == {
        "out": str(tmp_path / "out"), "transcripts": 40, "pass": 26, "fail": 14, "unscored": 0, "refused": 1,
    }  # fmt: skip
    found = lines(tmp_path / "out")
    assert [each["source"] for each in found] == [f"{archive}:{number}" for number in range(1, 42)]
    assert (found[25]["outcome"], list(found[25])) == ("refused", ["source", "outcome", "reason"])
    for whole, line in zip(printed.value, [each for each in found if "scores" in each], strict=True):
        assert [line["source"], line["outcome"]] == [whole["source"], whole["outcome"]]
        told = [row for row in whole["scores"] if row["outcome"] in {"fail", "unscored"}]
        assert line["scores"] == told
        for outcome in ("pass", "not_applicable"):
            clauses = [row["clause"] for row in whole["scores"] if row["outcome"] == outcome]
            assert line[outcome] == clauses
    assert (found[0]["scenario"], found[0]["contract"], found[0]["target"]) == (
        INCIDENT, "workflow-selection-2.7", "m0",
    )  # fmt: skip


def test_one_process_and_several_write_the_same(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, archive: Path
) -> None:
    for jobs in ("1", "3"):
        audit(capsys, archive, "--out", tmp_path / jobs, "--jobs", jobs)

    assert written(tmp_path / "1") == written(tmp_path / "3")


def test_summaries_count_what_the_parts_hold(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, archive: Path
) -> None:
    out = tmp_path / "out"
    ended = audit(capsys, archive, "--out", out)

    found = [each for each in lines(out) if "scores" in each]
    assert table(out / "summary.csv") == [
        {"contract": name, "transcripts": "40", "pass": "26", "fail": "14", "unscored": "0"}
        for name in ("workflow-selection-2.7", "all")
    ]
    clauses = {each["clause"]: each for each in table(out / "clauses.csv")}
    for name, row in clauses.items():
        failed = sum(any(score["clause"] == name and score["outcome"] == "fail" for score in each["scores"])
                     for each in found)  # fmt: skip
        passed = sum(name in each["pass"] for each in found)
        assert (row["pass"], row["fail"]) == (str(passed), str(failed))
        assert row["kept"] == (f"{passed / (passed + failed):.4f}" if passed + failed else "")
    assert any(row["fail"] != "0" for row in clauses.values())
    assert "Most often broken\n" in ended.out
    assert f"{out / 'clauses.csv'}\n" in ended.out


def counting(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the numbers of the parts that are judged from now on."""
    judged: list[int] = []
    judge = parts.judge_piece

    def counted(sent: Any, numbered: tuple[int, Piece], *, tabled: bool) -> parts.Judged:
        judged.append(numbered[0])
        return judge(sent, numbered, tabled=tabled)

    monkeypatch.setattr("harness.cli.audit_folder.judge_piece", counted)
    return judged


def test_what_is_done_is_not_done_again_and_what_is_torn_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    audit(capsys, archive, "--out", out, "--jobs", "1")
    whole = written(out)
    judged = counting(monkeypatch)

    resumed = audit(capsys, archive, "--out", out, "--jobs", "1")
    assert (judged, written(out)) == ([], whole)
    assert "note: " not in resumed.err

    cut = out / "scores-000002.jsonl"
    cut.write_bytes(cut.read_bytes()[:-7])
    (out / "scores-000003.jsonl").unlink()
    (out / "scores-000004.jsonl.draft").write_text("{")
    with (out / "parts.jsonl").open("a") as stream:
        stream.write('{"part": 99')
    mended = audit(capsys, archive, "--out", out, "--jobs", "1")

    assert (judged, written(out)) == ([2, 3], whole)
    size, again = len(whole["scores-000002.jsonl"]), "it is judged again"
    assert mended.err.splitlines()[:4] == [
        f"note: {out}/parts.jsonl: dropped a torn last line of 11 bytes",
        f"note: {out}/scores-000002.jsonl: has {size - 7} bytes where {size} were written; {again}",
        f"note: {out}/scores-000003.jsonl: is gone; {again}",
        f"note: {out}/scores-000004.jsonl.draft: a part that was not finished; {again}",
    ]


def test_an_audit_that_was_stopped_goes_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit(capsys, archive, "--out", tmp_path / "whole", "--jobs", "1")
    judge = parts.judge_piece

    def stopped(sent: Any, numbered: tuple[int, Piece], *, tabled: bool) -> parts.Judged:
        if numbered[0] == 3:
            raise KeyboardInterrupt
        return judge(sent, numbered, tabled=tabled)

    with monkeypatch.context() as patch:
        patch.setattr("harness.cli.audit_folder.judge_piece", stopped)
        ended = audit(capsys, archive, "--out", tmp_path / "out", "--jobs", "1")
    assert (ended.code, (tmp_path / "out" / "summary.csv").exists()) == (130, False)

    judged = counting(monkeypatch)
    audit(capsys, archive, "--out", tmp_path / "out", "--jobs", "1")
    assert judged[0] == 3
    assert written(tmp_path / "out") == written(tmp_path / "whole")


def refused(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    ended = audit(capsys, *arguments)
    assert (ended.code, ended.out) == (2, "")
    return ended.err


def test_a_folder_of_another_audit_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, archive: Path
) -> None:
    out = tmp_path / "out"
    audit(capsys, archive, "--out", out, "--jobs", "1")
    before = written(out)

    changed = refused(capsys, archive, "--out", out, "--scenario", INCIDENT)
    more = refused(capsys, archive, archive, "--out", out)

    assert f"{out}: holds an audit whose scenario differ; give a new folder as --out" in changed
    assert f"{out}: holds an audit whose files differ" in more
    assert written(out) == before


def test_a_folder_of_other_things_is_left_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, archive: Path
) -> None:
    (tmp_path / "mine.txt").write_text("mine")

    said = refused(capsys, archive, "--out", tmp_path)

    assert f"--out {tmp_path}: holds other files; give an empty folder or a new one" in said
    assert [each.name for each in tmp_path.iterdir()] == ["mine.txt"]


def test_two_audits_do_not_write_one_folder(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, archive: Path
) -> None:
    from harness.auditing.audits import Asked

    held = folders.open_folder(tmp_path / "out", [archive], Asked(PROJECT))
    try:
        said = refused(capsys, archive, "--out", tmp_path / "out")
    finally:
        held.end()

    assert f"--out {tmp_path / 'out'}: another audit is writing there; wait for it" in said


def test_of_many_refusals_twenty_are_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("{torn\n" * 25)

    ended = audit(capsys, file, "--out", tmp_path / "out")

    told: Sequence[str] = ended.err.splitlines()
    assert (ended.code, len(told)) == (2, 21)
    assert told[-1] == f"5 more were refused; see outcome 'refused' in {tmp_path / 'out'}"


def test_parquet_needs_a_folder_and_pyarrow(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing: dict[str, None] = {}
    monkeypatch.setattr("harness.auditing.tables.find_spec", nothing.get)

    assert "--parquet: is written into a folder; name it with --out" in refused(capsys, archive, "--parquet")
    assert (
        "--parquet: pyarrow is not installed; install it with pip install 'contract-harness[parquet]'"
        in refused(capsys, archive, "--parquet", "--out", tmp_path / "out")
    )
    assert not (tmp_path / "out").exists()


def test_parquet_holds_every_verdict(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, archive: Path
) -> None:
    if find_spec("pyarrow") is None:
        pytest.skip("pyarrow is not installed: pip install 'contract-harness[parquet]'")
    import pandas as pd

    out, columns = tmp_path / "out", ["clause", "outcome", "reason", "place"]
    printed = audit(capsys, archive, "--json").value
    expected = [[each["source"], *map(row.get, columns)] for each in printed for row in each["scores"]]

    for _ in range(2):
        audit(capsys, archive, "--out", out, "--parquet", "--jobs", "2")
        files = sorted(out.glob("scores-*.parquet"))
        assert [each.stem for each in files] == [each.stem for each in sorted(out.glob("scores-*.jsonl"))]
        table = pd.concat(pd.read_parquet(each) for each in files)
        assert table[["source", *columns]].to_numpy().tolist() == expected
        # A table that is gone is written again.
        files[1].unlink()


@pytest.mark.parametrize("jobs", ["0", "-1", "many"])
def test_jobs_is_a_number_from_one_on(capsys: pytest.CaptureFixture[str], archive: Path, jobs: str) -> None:
    ended = audit(capsys, archive, f"--jobs={jobs}")

    assert ended.code == 2
    assert f"found {jobs!r}; use a whole number, 1 or more" in ended.err

"""Runs in object storage: graded as on disk, and whatever goes wrong leaves what is there as it is."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from commanding import SUITE, Ending, files_of, harness, info_of, run_of

from harness.store import objects

WHERE = "memory:///runs/one"
INCIDENT = "incident/oom-behind-latency"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a graded run."""
    out = tmp_path_factory.mktemp("runs")
    return run_of(
        "run", "-t", "mock:oracle", "-t", "mock:flaky", "-s", INCIDENT, "-s", "paired/oom-renamed", "-n", "3",
        "--out", str(out), *SUITE,
    )  # fmt: skip


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch, recorded: Path) -> Iterator[Any]:
    """Give storage in memory, which stands for S3, with the run in it as it was recorded."""
    monkeypatch.setitem(objects.INSTALL, "memory", "nothing")
    files: Any = import_module("fsspec").filesystem("memory")
    ungraded: dict[str, Any] = {**info_of(recorded), "graded": None, "counts": {}}
    files.pipe("/runs/one/run.json", json.dumps(ungraded).encode())
    for name in ("transcripts.jsonl", "blobs.jsonl"):
        files.pipe(f"/runs/one/{name}", (recorded / name).read_bytes())
    yield files
    files.store.clear()


def grade(*options: str) -> Ending:
    return harness("grade", WHERE, *options, *SUITE)


def held(storage: Any) -> Mapping[str, bytes]:
    return {name.rpartition("/")[2]: storage.cat_file(name) for name in storage.find("/runs/one")}


def test_a_run_in_storage_is_graded_as_on_disk(
    storage: Any, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put, put_file = list[str](), storage.put_file

    def noted(path: str, url: str) -> None:
        put.append(url.removeprefix(f"{WHERE}/"))
        put_file(path, url)

    monkeypatch.setattr(storage, "put_file", noted)

    ended = grade("--json", "--jobs", "2")

    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out) == {"run": WHERE, "moved": []}
    assert put == ["report.md", "samples.csv", "scores.jsonl", "summary.csv", "run.json"]
    found, on_disk = held(storage), files_of(recorded)
    assert {name: found[name] for name in put[1:-1]} == {name: on_disk[name] for name in put[1:-1]}
    assert json.loads(found["run.json"]) == info_of(recorded)
    assert found["report.md"] == on_disk["report.md"].replace(str(recorded).encode(), recorded.name.encode())


def test_verdicts_that_moved_are_told_against_the_scores_in_storage(storage: Any, recorded: Path) -> None:
    scores = (recorded / "scores.jsonl").read_text(encoding="utf-8")
    storage.pipe("/runs/one/run.json", (recorded / "run.json").read_bytes())
    storage.pipe("/runs/one/scores.jsonl", scores.replace('"pass"', '"fail"', 1).encode())

    ended = grade("--json")

    (moved,) = json.loads(ended.out)["moved"]
    assert (moved["was"], moved["is"], moved["cause"]) == ("fail", "pass", "grader")
    assert held(storage)["scores.jsonl"].decode() == scores


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("memory:///runs/none", "memory:///runs/none: holds no run.json; name the folder of a run"),
        ("memory:///runs", "memory:///runs: holds no run.json; name the folder of a run"),
        ("s3://KEY:hushhush@runs/one", "s3://...: found a URL that is not read"),
        ("s3://runs/one?X-Amz-Signature=hushhush", "s3://...: found a URL that is not read"),
        ("ftp://runs/one", "ftp://...: found a URL that is not read"),
    ],
)
@pytest.mark.usefixtures("storage")
def test_what_is_no_run_in_storage_is_told_so(url: str, said: str) -> None:
    ended = harness("grade", url, *SUITE)

    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert "hushhush" not in ended.err


def test_where_grading_fails_nothing_is_put_back(storage: Any) -> None:
    storage.pipe("/runs/one/blobs.jsonl", b"")
    before = held(storage)

    ended = grade()

    assert ended.code == 2
    assert "restore the file from a copy" in ended.err
    assert held(storage) == before


def test_storage_that_takes_nothing_ends_the_command_with_what_to_do(
    storage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    put: list[str] = []

    def full(path: str, url: str) -> None:
        put.append(url.rpartition("/")[2])
        if len(put) == 3:
            raise PermissionError(13, "key AKIA is not allowed here")
        assert Path(path).is_file()

    monkeypatch.setattr(storage, "put_file", full)

    ended = grade()

    assert (ended.code, ended.out) == (3, "")
    assert f"{WHERE}/{put[-1]}: cannot be written: Permission denied; grade the run again" in ended.err
    assert "AKIA" not in ended.err
    assert "run.json" not in put


@pytest.mark.parametrize("lost", ["run.json", "transcripts.jsonl", "blobs.jsonl", "scores.jsonl"])
def test_what_vanishes_while_it_is_fetched_costs_nothing(
    storage: Any, recorded: Path, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    storage.pipe("/runs/one/scores.jsonl", (recorded / "scores.jsonl").read_bytes())
    before, fetch = held(storage), storage.get_file

    def gone(url: str, path: str) -> None:
        if url.endswith(lost):
            raise FileNotFoundError(2, "gone")
        fetch(url, path)

    monkeypatch.setattr(storage, "get_file", gone)

    ended = grade()

    assert (ended.code, ended.out) == (2, "")
    assert f"{WHERE}: cannot be read: No such file or directory" in ended.err
    assert held(storage) == before


@pytest.mark.parametrize("name", ["..", ".", "L" * 300, "a b", "%20"])
def test_a_run_may_have_any_name_there(storage: Any, name: str) -> None:
    for path, content in list(held(storage).items()):
        storage.pipe(f"/x/{name}/{path}", content)

    ended = harness("grade", f"memory:///x/{name}", "--json", *SUITE)

    assert (ended.code, ended.err) == (0, "")


def test_a_folder_on_disk_is_taken_before_storage(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(recorded, tmp_path / "we:" / "run")
    monkeypatch.chdir(tmp_path)

    ended = harness("grade", "we://run", "--json", *SUITE)

    assert (ended.code, json.loads(ended.out)["run"]) == (0, "we:/run")


TERMINATED = """
import os, signal, sys, tempfile, time
from harness.store import copies
tempfile.tempdir = sys.argv[1]
copies.files_of = lambda url: None
copies._fetch = lambda files, where, copy: (copy / "run.json").write_text("{}")
try:
    with copies.copied("s3://runs/one") as copy:
        assert copy.is_dir()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(20)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_no_copy_stays_behind_when_the_command_is_ended(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TERMINATED, str(tmp_path)], capture_output=True, text=True, check=True
    )

    assert done.stdout == "interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_storage_that_gives_nothing_ends_the_command(storage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "key AKIA is not allowed here")

    monkeypatch.setattr(storage, "get_file", refuse)

    ended = grade()

    assert (ended.code, ended.out) == (2, "")
    assert f"{WHERE}: cannot be read: Permission denied; are its keys in the environment?" in ended.err

"""harness audit s3://...: judged like files on disk, here and on a cluster; keys stay in the environment."""

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT, recorded

from harness.auditing.folders import Folder
from harness.auditing.parts import Judged
from harness.scenarios import load_scenario
from tests.auditing.writing import chat
from tests.clusters.two_nodes import ACCESS, MARKS, SECRET, Nodes
from tests.commanding import SUITE, Ending, harness

pytest_plugins = ["two_nodes"]
pytestmark = MARKS

INCIDENT = "incident/oom-behind-latency"
WILD = "s3://archive/june/*.json*"


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Return files of conversations by name, one with a torn line."""
    scenario = load_scenario(PROJECT, INCIDENT)
    spoken = [chat(recorded(scenario, each)) for each in ("mock:copycat", "mock:oracle")]
    lines = [json.dumps({**spoken[n % 2], "scenario": INCIDENT, "model": f"m{n}"}) for n in range(80)]
    return {
        "a.jsonl": "\n".join([*lines[:50], "{torn"]),
        "b.jsonl": "\n".join(lines[50:]),
        "c.json": lines[0],
    }


@pytest.fixture(autouse=True)
def june(storage: Any, texts: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put the files into storage and on disk, and make parts of few lines."""
    for each in (
        "harness.auditing.folders.PIECE",
        "harness.cli.audit_folder.PIECE",
        "harness.cli.audit.PIECE",
    ):
        monkeypatch.setattr(each, 120_000)
    monkeypatch.setattr("harness.auditing.pieces.BLOCK", 20_000)
    storage.mkdir("archive")
    (tmp_path / "june").mkdir()
    for name, text in texts.items():
        storage.pipe(f"archive/june/{name}", text.encode())
        (tmp_path / "june" / name).write_text(text)
    return storage


def audit(*arguments: str | Path) -> Ending:
    return harness("audit", *map(str, arguments), *SUITE)


def written(out: Path) -> dict[str, bytes]:
    """Return what an audit came to, by file."""
    return {each.name: each.read_bytes() for each in sorted(out.iterdir())}


def judged(out: Path) -> bytes:
    """Return all lines of scores."""
    return b"".join(each.read_bytes() for each in sorted(out.glob("scores-*")))


def test_objects_are_judged_like_files_by_every_engine(tmp_path: Path, nodes: Nodes) -> None:
    out, to_cluster = tmp_path, ("--engine", "ray", "--address", nodes.address)
    on_disk = audit(*sorted((tmp_path / "june").iterdir()), "--out", out / "disk", "--jobs", "1")
    ended = [
        audit(WILD, "--out", out / "one", "--jobs", "1"),
        audit(WILD, "--out", out / "forked", "--jobs", "2"),
        audit(WILD, "--out", out / "ray", *to_cluster),
    ]

    assert [each.code for each in (on_disk, *ended)] == [2] * 4
    assert ended[0].err.startswith("s3://archive/june/a.jsonl:51: is not JSON: ")
    assert written(out / "one") == written(out / "forked") == written(out / "ray")
    assert len(written(out / "one")) > 8
    assert judged(out / "one") == judged(out / "disk").replace(str(tmp_path).encode(), b"s3://archive")
    for name in ("summary.csv", "clauses.csv"):
        assert (out / "one" / name).read_bytes() == (out / "disk" / name).read_bytes()


def test_verdicts_of_objects_are_printed_too(texts: dict[str, str]) -> None:
    printed = json.loads(audit(WILD, "--json", "--jobs", "2").out)
    told = audit("s3://archive/june/c.json").out

    assert [each["source"] for each in printed][:2] == [f"s3://archive/june/a.jsonl:{n}" for n in (1, 2)]
    assert len(printed) == sum(text.count('"messages"') for text in texts.values())
    assert told.startswith("s3://archive/june/c.json: fail\n")


def test_keys_are_written_and_said_nowhere(tmp_path: Path, nodes: Nodes) -> None:
    ended = audit(WILD, "--out", tmp_path / "out", "--engine", "ray", "--address", nodes.address)

    everything = [*written(tmp_path / "out").values(), ended.out.encode(), ended.err.encode()]
    assert len(everything) > 8
    assert not any(key.encode() in each for key in (ACCESS, SECRET) for each in everything)


def test_storage_that_fails_ends_the_audit_and_it_goes_on(
    tmp_path: Path, june: Any, texts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    audit(WILD, "--out", tmp_path / "whole", "--jobs", "1")
    add = Folder.add

    def added(folder: Folder, judged: Judged) -> None:
        add(folder, judged)
        june.rm("archive/june/b.jsonl")

    with monkeypatch.context() as patched:
        patched.setattr(Folder, "add", added)
        ended = audit(
            "s3://archive/june/a.jsonl", "s3://archive/june/b.jsonl", "--out", tmp_path / "out", "--jobs", "1"
        )

    assert ended.code == 3
    assert "harness: s3://archive/june/" in ended.err
    june.pipe("archive/june/b.jsonl", texts["b.jsonl"].encode())
    assert (
        audit("s3://archive/june/a.jsonl", "s3://archive/june/b.jsonl", "--out", tmp_path / "out").code == 2
    )
    assert judged(tmp_path / "whole").startswith(judged(tmp_path / "out"))


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("s3://archive/june/d.jsonl", "s3://archive/june/d.jsonl: no such object; "),
        ("s3://archive/july/*.jsonl", "s3://archive/july/*.jsonl: no such object; "),
        ("s3://nowhere/a.jsonl", "s3://nowhere/a.jsonl: no such object; "),
    ],
)
def test_what_is_not_there_is_told_before_anything_is_judged(tmp_path: Path, url: str, said: str) -> None:
    ended = audit(url, "--out", tmp_path / "out")

    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"harness: {said}")
    assert not (tmp_path / "out").exists()


def test_without_keys_none_are_made_up(june: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("HOME", str(tmp_path))
    june.clear_instance_cache()

    ended = audit("s3://archive/june/a.jsonl")

    assert ended.code == 2
    assert "a.jsonl: cannot be read: NoCredentialsError; are its keys in the environment?" in ended.err
    june.clear_instance_cache()

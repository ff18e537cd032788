"""harness audit --engine ray: what one machine writes, byte for byte, whatever is lost on the way."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from conftest import PROJECT, recorded

from harness.auditing.folders import Folder
from harness.auditing.parts import Judged
from harness.auditing.sending import Sent
from harness.scenarios import load_scenario
from tests.auditing.writing import chat
from tests.clusters.two_nodes import MARKS, Nodes
from tests.commanding import SUITE, Ending, harness

pytest_plugins = ["two_nodes"]
pytestmark = MARKS

INCIDENT = "incident/oom-behind-latency"
PIECE, BLOCK = 120_000, 20_000
AS_SMALL = (
    "import sys, harness.auditing.folders as folders, harness.auditing.pieces as pieces; "
    f"folders.PIECE, pieces.BLOCK = {PIECE}, {BLOCK}"
)
"""What makes the parts of another process as small as `small` makes those of this one."""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with 300 conversations, every third of them bad, and a torn line; and with one more."""
    scenario = load_scenario(PROJECT, INCIDENT)
    spoken = [chat(recorded(scenario, each)) for each in ("mock:copycat", "mock:oracle", "mock:oracle")]
    lines = [json.dumps({**spoken[n % 3], "scenario": INCIDENT, "model": f"m{n}"}) for n in range(300)]
    folder = tmp_path_factory.mktemp("archive")
    (folder / "a.jsonl").write_text("\n".join([*lines[:25], "{torn", *lines[25:]]) + "\n", encoding="utf-8")
    (folder / "b.json").write_text(lines[0], encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, archive: Path) -> None:
    """Make parts of few lines, and paths relative to where the archive is."""
    monkeypatch.setattr("harness.auditing.folders.PIECE", PIECE)
    monkeypatch.setattr("harness.cli.audit_folder.PIECE", PIECE)
    monkeypatch.setattr("harness.auditing.pieces.BLOCK", BLOCK)
    monkeypatch.chdir(archive)


def audit(out: Path, *options: str) -> Ending:
    return harness("audit", "a.jsonl", "b.json", "--out", str(out), "--json", *SUITE, *options)


@pytest.fixture(scope="module")
def expected() -> dict[str, bytes]:
    """Return what one process writes; filled by the first test that asks."""
    return {}


@pytest.fixture
def whole(expected: dict[str, bytes], tmp_path: Path) -> dict[str, bytes]:
    if not expected:
        assert audit(tmp_path / "local", "--jobs", "1").code == 2
        expected |= written(tmp_path / "local")
    return expected


def written(out: Path) -> dict[str, bytes]:
    """Return what an audit came to, by file."""
    return {each.name: each.read_bytes() for each in sorted(out.iterdir())}


def on_part(monkeypatch: pytest.MonkeyPatch, number: int, then: Callable[[], object]) -> None:
    """Do something as soon as a part is written."""
    add = Folder.add

    def added(folder: Folder, judged: Judged) -> None:
        add(folder, judged)
        if judged.part.number == number:
            then()

    monkeypatch.setattr(Folder, "add", added)


def test_a_cluster_writes_what_one_process_writes(
    nodes: Nodes, tmp_path: Path, whole: dict[str, bytes]
) -> None:
    ended = audit(tmp_path / "out", "--engine", "ray", "--address", nodes.address)

    assert (ended.code, json.loads(ended.out)["transcripts"]) == (2, 301)
    assert ended.err.startswith("a.jsonl:26: is not JSON: ")
    assert len(whole) > 12
    assert written(tmp_path / "out") == whole


def test_a_killed_worker_changes_nothing(
    nodes: Nodes, tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[int] = []

    def kill() -> None:
        while not killed:
            killed.extend(nodes.workers()[:1])
        os.kill(killed[0], signal.SIGKILL)

    on_part(monkeypatch, 2, kill)
    ended = audit(tmp_path / "out", "--engine", "ray", "--address", nodes.address)

    assert json.loads(ended.out)["transcripts"] == 301
    assert written(tmp_path / "out") == whole


def test_a_lost_node_changes_nothing(
    nodes: Nodes, tmp_path: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    on_part(monkeypatch, 2, nodes.lose_second)
    ended = audit(tmp_path / "out", "--engine", "ray", "--address", nodes.address)

    assert nodes.second is None
    # What Ray says of the node is not among the JSON.
    assert json.loads(ended.out)["transcripts"] == 301
    assert written(tmp_path / "out") == whole


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_an_audit_whose_process_is_ended_goes_on(
    nodes: Nodes, tmp_path: Path, whole: dict[str, bytes], archive: Path, number: signal.Signals
) -> None:
    out = tmp_path / "out"
    to_cluster = ("--engine", "ray", "--address", nodes.address)
    arguments = ["audit", "a.jsonl", "b.json", "--out", str(out), *SUITE, *to_cluster]
    code = f"{AS_SMALL}; sys.argv[1:] = {arguments!r}; from harness.cli import entry; entry()"
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=archive, stderr=subprocess.PIPE, text=True
    ) as process:
        done = out / "parts.jsonl"
        while process.poll() is None and (not done.exists() or done.read_bytes().count(b"\n") < 2):
            time.sleep(0.01)
        process.send_signal(number)
        _, said = process.communicate()

    assert process.returncode == (130 if number == signal.SIGINT else -number)
    assert "Traceback" not in said
    assert not (out / "summary.csv").exists()
    first = (out / "scores-000001.jsonl").stat().st_mtime_ns
    audit(out, *to_cluster)
    assert written(out) == whole
    assert (out / "scores-000001.jsonl").stat().st_mtime_ns == first


def test_a_node_that_sees_another_project_judges_nothing(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.cli.audit_folder.sent", partial(Sent, digest="of another one"))

    ended = audit(tmp_path / "out", "--engine", "ray", "--address", nodes.address)

    assert (ended.code, ended.out) == (3, "")
    assert ended.err.startswith(f"harness: {PROJECT.root}: ")
    assert " sees another project there, or none; every node must see the same scenarios/ and " in ended.err

"""harness grade --engine ray: the files that one process writes, whatever is lost on the way."""

import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from outside import ID, write_contract

from harness.errors import EngineFailed
from harness.pipeline.elsewhere import Elsewhere, Sent
from harness.pipeline.scoring import FromDisk
from harness.scenarios import Project
from harness.statistics import Tally
from tests.clusters.two_nodes import MARKS, Nodes
from tests.commanding import SUITE, Ending, files_of, harness, run_of

pytest_plugins = ["two_nodes"]
pytestmark = MARKS


@pytest.fixture(scope="module")
def recorded_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a graded run of the small project under three contracts, one of them from a folder."""
    here = tmp_path_factory.mktemp("here")
    own = write_contract(here / "own")
    return run_of(
        "run", "-t", "mock:oracle", "-t", "mock:flaky", "-n", "6", "--out", str(here / "runs"), *SUITE,
        "-c", "workflow-selection-2.7", "-c", "workflow-recovery-1.0", "-c", f"{own}/",
    )  # fmt: skip


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[FromDisk.__module__], "AT_ONCE", 5)


@pytest.fixture
def whole(recorded_run: Path) -> dict[str, bytes]:
    """Return the files that one process writes."""
    grade(recorded_run, "--jobs", "1")
    return dict(files_of(recorded_run))


sent = Elsewhere.sent


def grade(run: Path, *options: str) -> Ending:
    return harness("grade", str(run), "--json", *SUITE, *options)


def grade_again(run: Path, nodes: Nodes) -> Ending:
    """Grade a run on the cluster as if never before."""
    (run / "samples.csv").unlink()
    (run / "report.md").unlink()
    return grade(run, "--engine", "ray", "--address", nodes.address)


def test_a_cluster_writes_what_one_process_writes(
    nodes: Nodes, recorded_run: Path, whole: dict[str, bytes]
) -> None:
    ended = grade_again(recorded_run, nodes)

    assert (ended.code, json.loads(ended.out)["moved"]) == (0, [])
    assert ID.encode() in whole["scores.jsonl"]
    assert b'"PAIR-' in whole["scores.jsonl"] or b'"relation"' in whole["scores.jsonl"]
    assert files_of(recorded_run) == whole


@pytest.mark.parametrize("lost", ["worker", "node"])
def test_what_is_lost_is_graded_again(
    nodes: Nodes, recorded_run: Path, whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    heard: list[int] = []
    merge = Tally.merge

    def merged(tally: Tally, other: Tally) -> None:
        merge(tally, other)
        heard.append(1)
        if len(heard) == 3 and lost == "node":
            nodes.lose_second()
        while len(heard) == 3 and lost == "worker":
            for each in nodes.workers()[:1]:
                os.kill(each, signal.SIGKILL)
                return

    monkeypatch.setattr(Tally, "merge", merged)
    ended = grade_again(recorded_run, nodes)

    assert (ended.code, json.loads(ended.out)["moved"]) == (0, [])
    assert len(heard) > 8
    assert files_of(recorded_run) == whole


OTHERS: list[tuple[dict[str, Any], str]] = [
    ({"project": Project(Path("/nowhere"))}, "/nowhere/scenarios/"),
    ({"scenarios": (("incident/oom-behind-latency", "other"),)}, "sees another incident/oom-behind-latency"),
    ({"contracts": (("workflow-selection-2.7", "other"),)}, "sees another workflow-selection-2.7"),
]


@pytest.mark.usefixtures("whole")
@pytest.mark.parametrize(("changed", "said"), OTHERS)
def test_a_node_that_sees_something_else_grades_nothing(
    nodes: Nodes, recorded_run: Path, monkeypatch: pytest.MonkeyPatch, changed: dict[str, Any], said: str
) -> None:
    before = files_of(recorded_run)

    def otherwise(engine: Elsewhere, do: FromDisk) -> Sent:
        return replace(sent(engine, do), **changed)

    monkeypatch.setattr(Elsewhere, "sent", otherwise)

    ended = grade(recorded_run, "--engine", "ray", "--address", nodes.address)

    assert (ended.code, ended.out) == (EngineFailed.exit_code, "")
    assert said in ended.err
    assert " every node must see the same " in ended.err
    assert files_of(recorded_run) == before


def test_only_grading_goes_elsewhere(nodes: Nodes) -> None:  # noqa: ARG001 - without Ray there is no part
    with pytest.raises(TypeError, match="only a stored run is graded elsewhere"):
        Elsewhere(None, Project(Path())).in_order(abs, [1])  # pyright: ignore[reportArgumentType]


def test_a_run_in_storage_is_graded_on_a_cluster(
    nodes: Nodes, storage: Any, recorded_run: Path, whole: dict[str, bytes]
) -> None:
    storage.mkdir("runs")
    for name in ("run.json", "transcripts.jsonl", "blobs.jsonl"):
        storage.pipe(f"runs/one/{name}", whole[name])

    ended = harness("grade", "s3://runs/one", "--json", *SUITE, "--engine", "ray", "--address", nodes.address)

    assert (ended.code, json.loads(ended.out)) == (0, {"run": "s3://runs/one", "moved": []})
    storage.invalidate_cache()
    names = ("scores.jsonl", "samples.csv", "summary.csv", "run.json")
    assert {name: storage.cat_file(f"runs/one/{name}") for name in names} == {
        name: whole[name] for name in names
    }
    assert recorded_run.name.encode() in storage.cat_file("runs/one/report.md")

"""Graded by machines that see no disk of ours: what they need is sent; what they cannot read is not lost."""

import pickle
from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from commanding import SUITE, files_of, run_of
from conftest import PROJECT

import harness.pipeline.scoring
from harness.engines import Done, Work
from harness.errors import EngineFailed
from harness.pipeline import grade_run
from harness.pipeline.elsewhere import Elsewhere, Sent
from harness.pipeline.scoring import FromDisk
from harness.reporting.write import GRADED
from harness.scenarios import load_scenarios
from harness.store import open_run
from harness.store.lines import LinesAt


class FarAway:
    """An engine to which everything is sent, and which sees none of the run's files."""

    def __init__(self, patched: pytest.MonkeyPatch) -> None:
        self.patched = patched
        self.done: list[Any] = []

    def in_order(self, do: Callable[[Work], Done], works: Iterable[Work]) -> Generator[Done]:
        for each in works:
            there, work = pickle.loads(pickle.dumps((do, each)))  # noqa: S301 - our own
            with self.patched.context() as away:
                away.setattr(LinesAt, "__getitem__", unseen)
                done = pickle.dumps(there(work))
            self.done.append(pickle.loads(done))  # noqa: S301
            yield self.done[-1]


def unseen(*_: object) -> bytes:
    raise AssertionError("looked for a file of another machine")


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(harness.pipeline.scoring, "AT_ONCE", 4)
    return run_of(
        "run", "-t", "mock:oracle", "-t", "mock:flaky", "-s", "incident/oom-behind-latency",
        "-s", "paired/oom-renamed", "-n", "4", "--out", str(tmp_path), *SUITE,
    )  # fmt: skip


def graded(folder: Path, engine: Elsewhere | None = None) -> tuple[dict[str, bytes], list[str]]:
    """Return the files of scores of a run that is graded again, and the notes on it."""
    run = open_run(str(folder))
    grade_run(run, {each.id: each for each in load_scenarios(PROJECT)}, files=GRADED, engine=engine)
    return {name: files_of(folder)[name] for name in ("scores.jsonl", "samples.csv")}, run.notes


def test_what_is_graded_elsewhere_is_what_is_graded_here(
    recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = graded(recorded)
    engine = FarAway(monkeypatch)

    assert graded(recorded, Elsewhere(engine, PROJECT)) == here
    assert b'"MET-' in here[0]["scores.jsonl"]
    assert [left for _, left in engine.done] == [[], [], [], []]


DAMAGES: list[Callable[[list[str]], list[str]]] = [
    lambda lines: [*lines, lines[0].replace('"turns": [', '"turns": 7, "x": [')],
    lambda lines: [*lines, lines[0].replace('"tools": "', '"tools": "0')],
    lambda lines: [*lines, *lines[:3]],
    lambda lines: [lines[0].replace('"messages": ', '"massages": '), *lines[1:]],
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_or_superseded_is_told_as_here(
    recorded: Path, monkeypatch: pytest.MonkeyPatch, damage: Callable[[list[str]], list[str]]
) -> None:
    path = recorded / "transcripts.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("".join(f"{each}\n" for each in damage(lines)), encoding="utf-8")

    here = graded(recorded)

    assert here[1]
    assert graded(recorded, Elsewhere(FarAway(monkeypatch), PROJECT)) == here


def test_a_node_that_sees_another_project_is_told(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sent = Elsewhere.sent

    def otherwise(engine: Elsewhere, do: FromDisk) -> Sent:
        return replace(sent(engine, do), scenarios=(("incident/oom-behind-latency", "other"),))

    monkeypatch.setattr(Elsewhere, "sent", otherwise)

    with pytest.raises(
        EngineFailed,
        match="sees another incident/oom-behind-latency there",
    ):
        graded(recorded, Elsewhere(FarAway(monkeypatch), PROJECT))

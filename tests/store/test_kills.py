"""A process killed at any moment loses no finished sample, and counts none twice."""

import json
import multiprocessing
import random
import time
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest
from commanding import SUITE, harness, info_of, run_of, samples_of

from harness.cli import main

KILLS = 50
PLAN = ("run", "-t", "mock:flaky", "-n", "90", "--seed", "9", "--concurrency", "4", "-q", *SUITE)
# Children are forked from a process that has loaded the harness: fifty interpreters would take a minute.
LOADED = ["__main__", "harness.cli.run", "jinja2", "jsonschema", "referencing.jsonschema"]
CHILDREN = multiprocessing.get_context("forkserver")


@pytest.mark.slow
def test_fifty_kills_lose_no_finished_sample_and_count_none_twice(tmp_path: Path) -> None:
    CHILDREN.set_forkserver_preload(LOADED)
    dice = random.Random(50)
    folder = begun(tmp_path / "cut")
    finished = whole_lines(folder)
    recording = 0

    for _ in range(KILLS):
        killed = CHILDREN.Process(target=main, args=(["run", "--resume", str(folder), "-q", *SUITE],))
        killed.start()
        wait_for(folder, len(finished) + dice.randrange(3), killed)
        time.sleep(dice.random() * 0.006)
        killed.kill()
        killed.join()
        left = whole_lines(folder)
        assert left[: len(finished)] == finished
        assert len({sample(each) for each in left}) == len(left)
        recording += info_of(folder)["status"] == "running"
        finished = left

    assert harness("run", "--resume", str(folder), "-q", *SUITE).code == 0
    assert recording > KILLS * 0.8, "too many kills came when all was recorded"
    assert len(samples_of(folder)) == len(set(samples_of(folder))) == 270
    assert whole_lines(folder)[: len(finished)] == finished
    uninterrupted = run_of(*PLAN, "--out", str(tmp_path / "whole"))
    assert (folder / "scores.jsonl").read_bytes() == (uninterrupted / "scores.jsonl").read_bytes()


def begun(out: Path) -> Path:
    """Begin a run, kill it once it has written a sample, and return its folder."""
    first = CHILDREN.Process(target=main, args=([*PLAN, "--out", str(out)],))
    first.start()
    ends = time.monotonic() + 30
    while time.monotonic() < ends and not list(out.glob("*/transcripts.jsonl")):
        time.sleep(0.005)
    (folder,) = out.iterdir()
    wait_for(folder, 1, first)
    first.kill()
    first.join()
    return folder


def wait_for(folder: Path, lines: int, process: ForkServerProcess) -> None:
    """Wait until a run has so many finished samples, or its process has ended."""
    ends = time.monotonic() + 30
    while process.is_alive() and len(whole_lines(folder)) < lines:
        assert time.monotonic() < ends, f"{folder}: no sample was finished for 30 s"
        time.sleep(0.001)


def whole_lines(folder: Path) -> list[bytes]:
    """Return the lines that were written to their end."""
    *lines, _ = (folder / "transcripts.jsonl").read_bytes().split(b"\n")
    return lines


def sample(line: bytes) -> str:
    return json.loads(line)["sample"]

"""Judging what is recorded already: grade and audit beside a bare reader and other frameworks."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from benchmarks.speed.bench import Bench
from benchmarks.speed.contenders import CONTENDERS, Contender, transcripts
from benchmarks.speed.processes import Cost, cost, serving
from benchmarks.speed.tables import Column, Table, line
from benchmarks.speed.workload import KEY

LOGGED = 240
"""Samples in the log that Inspect scores again."""

COLUMNS = (
    Column("judge"), Column("checks"), Column("processes", ","), Column("N", ","),
    Column("start-up, CPU s", ".2f"), Column("each, ms", ".3f"),
    Column("per second and core", ",.0f"), Column("start-up included", ",.0f"),
    Column("wall s", ".1f"), Column("MB", ".0f"),
)  # fmt: skip


class Judge(NamedTuple):
    """A program that judges: what it checks, with how many processes, and its command by samples."""

    name: str
    checks: str
    processes: int
    commands: Mapping[int, Sequence[str]]


def judging(bench: Bench) -> Iterator[Table]:
    """Yield one table of all judges; each has a tenth of its work first, to tell start-up from the rest."""
    rows = [_row(bench, judge) for judge in judges(bench)]
    note = "A second of two processes counts as two of processor; MB is of the largest process."
    yield Table("Judging again", COLUMNS, rows, (note,))


def judges(bench: Bench) -> Iterator[Judge]:
    """Yield everyone who judges and whose environment is there; what they need is made now."""
    runs = {size: bench.recording(size) for size in _sizes(bench.largest)}
    archives = {size: archive(bench, size) for size in reversed(_sizes(bench.lines))}
    yield from (_grade(runs, jobs) for jobs in (1, 2))
    yield from (_audit(bench, archives, jobs) for jobs in (1, 2))
    reader = [sys.executable, "-m", "benchmarks.speed.reader"]
    yield Judge(
        "bare reader", "one model", 1, {size: [*reader, str(file)] for size, file in archives.items()}
    )
    there = {each.name: each for each in CONTENDERS if each.is_there}
    if "pydantic-evals" in there:
        yield _pydantic_evals(bench, there["pydantic-evals"])
    if "Inspect AI" in there:
        yield _inspect(bench, there["Inspect AI"])


def _grade(runs: Mapping[int, Path], jobs: int) -> Judge:
    command = [sys.executable, "-m", "harness", "grade", "--jobs", str(jobs)]
    return Judge(
        "harness grade", "every clause", jobs, {size: [*command, str(run)] for size, run in runs.items()}
    )


def _audit(bench: Bench, archives: Mapping[int, Path], jobs: int) -> Judge:
    command = [sys.executable, "-m", "harness", "audit", "--jobs", str(jobs)]
    return Judge("harness audit --out", "every clause", jobs, {
        size: [*command, "--out", str(bench.folder(f"audit-{jobs}-{size}")), str(file)]
        for size, file in archives.items()
    })  # fmt: skip


def _pydantic_evals(bench: Bench, contender: Contender) -> Judge:
    command = [str(contender.python), "-m", "benchmarks.speed.peer_pydantic_evals", "score"]
    return Judge(contender.name, "one check", 1, {
        size: [*command, str(answers(bench, size))] for size in _sizes(bench.largest)
    })  # fmt: skip


def _inspect(bench: Bench, contender: Contender) -> Judge:
    command = [
        str(contender.python), "-m", "inspect_ai", "score", "--action", "overwrite", "--display", "none",
        # It opens the model, which it never asks.
        "--env", f"LOCAL_API_KEY={KEY}", "--env", "LOCAL_BASE_URL=http://127.0.0.1/v1",
        "--scorer", "benchmarks/speed/peer_inspect.py@right_workflow", "--output-file",
    ]  # fmt: skip
    return Judge("inspect score", "one check", 1, {
        size: [*command, str(bench.work / f"scored-{size}.eval"), str(log(bench, contender, size))]
        for size in _sizes(LOGGED)
    })  # fmt: skip


def _sizes(large: int) -> tuple[int, int]:
    """Return the number of samples, a tenth of it first."""
    return large // 10, large


def _row(bench: Bench, judge: Judge) -> list[object]:
    costs: dict[int, Cost] = {}
    for size, command in sorted(judge.commands.items()):
        bench.say(f"judging: {judge.name}, {size:,} samples, {judge.processes} processes")
        costs[size] = cost(command)
    size, took = max(costs.items())
    fit = line([(size, each.cpu) for size, each in costs.items()])
    # Where there was too little to do, the noise of starting is larger than what each sample took.
    rate = 1 / fit.each if fit.each > 0 else None
    if rate is not None:
        bench.figures[f"{judge.name}, {judge.processes}"] = rate
    bench.figures[f"memory of {judge.name}, {judge.processes}"] = took.memory
    return [judge.name, judge.checks, judge.processes, size, fit.once, 1000 * fit.each, rate,
            size / took.cpu, took.wall, took.memory]  # fmt: skip


def archive(bench: Bench, size: int) -> Path:
    """Return an archive of so many lines: made whole, or the beginning of the one that is there."""
    file, whole = (bench.work / f"archive-{each}.jsonl" for each in (size, bench.lines))
    if whole.exists():
        with whole.open(encoding="utf-8") as lines, file.open("w", encoding="utf-8") as written:
            written.writelines(islice(lines, size))
    else:
        bench.say(f"an archive of {size:,} lines to work on")
        cost([sys.executable, "benchmarks/archive.py", str(size), str(file)])
    return file


def answers(bench: Bench, size: int) -> Path:
    """Return the answers of a recording, each with the workflow that it should select."""
    file = bench.work / f"answers-{size}.jsonl"
    expected = {each.scenario: each.workflow for each in bench.workload.tasks}
    with file.open("w", encoding="utf-8") as written:
        for each in transcripts(bench.recording(size)):
            scenario = each["sample"].partition("@")[0]
            told = {"answer": each["messages"][-1]["content"], "workflow": expected[scenario]}
            written.write(json.dumps(told) + "\n")
    return file


def log(bench: Bench, inspect: Contender, size: int) -> Path:
    """Return Inspect's log of so many samples."""
    folder = bench.folder(f"log-{size}")
    bench.say(f"a log of {size} samples for Inspect to score again")
    with serving(bench.file, 0, bench.seed) as server:
        bench.held(inspect, server, size, folder)
    (made,) = folder.glob("*.eval")
    return made

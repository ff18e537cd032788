"""What stays on disk, and how soon the harness is ready: bytes a sample, a list of runs, a help text."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from benchmarks.speed.bench import Bench
from benchmarks.speed.contenders import transcripts
from benchmarks.speed.processes import Cost, cost
from benchmarks.speed.tables import Column, Table

STORE = ("transcripts.jsonl", "blobs.jsonl")
"""What a run cannot do without; all else in it can be made again."""
RUNS = 1_000
EACH = 4
"""Samples in each of them."""
TIMES = 5
CONTRACTS = (
    "workflow-selection-2.7", "workflow-recovery-1.0", "playbook-strategies-2.0", "playbook-selection-2.0",
    "playbook-minimal-1.0",
)  # fmt: skip


def store(bench: Bench) -> Iterator[Table]:
    """Yield the sizes of a run's files, by sample."""
    run = bench.recording(bench.largest)
    sizes = {each.name: each.stat().st_size / bench.largest for each in sorted(run.iterdir())}
    said = _said(run) / bench.largest
    kept = sum(sizes[each] for each in STORE)
    rows = [
        *sizes.items(),
        (" + ".join(STORE), kept),
        ("of it, what the model wrote", said),
        ("the whole folder", sum(sizes.values())),
    ]
    bench.figures["bytes a sample"] = kept
    yield Table(
        f"A run of {bench.largest:,} samples on disk", (Column("file"), Column("bytes/sample", ",.0f")), rows
    )


def _said(run: Path) -> int:
    """Return how many bytes the model wrote: answers, and arguments of calls."""
    written = (
        (message["content"] or "") + "".join(call[2] for call in message.get("tool_calls", ()))
        for line in transcripts(run) for message in line["messages"] if message["role"] == "assistant"
    )  # fmt: skip
    return sum(len(each.encode()) for each in written)


def ready(bench: Bench) -> Iterator[Table]:
    """Yield what it takes until something is there to read."""
    runs = many_runs(bench)
    commands = {
        "import pydantic": [sys.executable, "-c", "import pydantic"],
        "harness --help": [sys.executable, "-m", "harness", "--help"],
        f"harness list runs, {RUNS:,} of them": [
            sys.executable, "-m", "harness", "list", "runs", "--out", str(runs),
        ],
        f"pytest -m eval scenarios --collect-only, {len(CONTRACTS)} contracts": [
            sys.executable, "-m", "pytest", "-q", "-m", "eval", "scenarios", "--collect-only",
            *(word for each in CONTRACTS for word in ("--contract", each)),
        ],
    }  # fmt: skip
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for number in range(TIMES):
        bench.say(f"start-up: round {number + 1} of {TIMES}")
        for name, command in commands.items():
            costs[name].append(cost(command))
    cpu = {name: median(each.cpu for each in took) for name, took in costs.items()}
    first = next(iter(cpu.values()))
    rows = [
        [name, cpu[name], cpu[name] / first, median(each.wall for each in took)]
        for name, took in costs.items()
    ]
    names = ("help", "list", "collect")
    bench.figures |= dict(zip(names, (cpu[each] for each in [*commands][1:]), strict=True))
    bench.figures["help"] /= first
    columns = (Column("command"), Column("CPU s", ".2f"), Column("ratio", ".2f"), Column("wall s", ".2f"))
    yield Table("Until something is there to read", columns, rows, (f"Medians of {TIMES}.",))


def many_runs(bench: Bench) -> Path:
    """Return a folder of small runs: one, and copies of it that have names of their own."""
    first, folder = bench.recording(EACH), bench.folder("many")
    described = (first / "run.json").read_text(encoding="utf-8")
    for number in range(RUNS):
        name = f"{first.name[:-6]}{number:06x}"
        copy = shutil.copytree(first, folder / name)
        (copy / "run.json").write_text(described.replace(first.name, name), encoding="utf-8")
    return folder

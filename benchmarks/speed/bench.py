"""One run of the bench: what was asked for, where it works, and what its steps share."""

import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.speed.contenders import CONTENDERS, DIRECT, Contender, Job, check_run, run_in
from benchmarks.speed.processes import Cost, Server, Told, cost, serving
from benchmarks.speed.workload import Workload


@dataclass
class Bench:
    """What the steps need of one another.

    `figures` are the numbers that goals are held against, by their names; `recordings` are runs of the direct
    target, by their number of samples.
    """

    work: Path
    file: Path
    workload: Workload
    contenders: Sequence[Contender]
    samples: int
    small: int
    rounds: int
    latencies: Sequence[float]
    largest: int
    lines: int
    seed: int
    figures: dict[str, float] = field(default_factory=dict[str, float])
    recordings: dict[int, Path] = field(default_factory=dict[int, Path])
    began: float = field(default_factory=time.monotonic)

    def say(self, what: str) -> None:
        """Tell on the error stream what is done now."""
        passed = int(time.monotonic() - self.began)
        print(f"[{passed // 60:3}:{passed % 60:02}] {what}", file=sys.stderr, flush=True)

    def folder(self, name: str) -> Path:
        """Return an empty folder."""
        made = self.work / name
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        return made

    def held(self, contender: Contender, server: Server, samples: int, folder: Path) -> tuple[Cost, Told]:
        """Have a contender hold its conversations, see that it did, and return what that took."""
        recording = self.recording(samples) if contender.replays else self.work
        job = Job(self.file, server.url, samples, folder, recording)
        server.begin()
        took = cost(contender.command(job))
        told = server.told()
        if told.conversations != samples * contender.over_wire:
            raise SystemExit(
                f"{contender.name}: the server ended {told.conversations} conversations of {samples}"
            )
        if contender.keeps_run:
            check_run(job, self.workload)
        return took, told

    def recording(self, samples: int) -> Path:
        """Return a run of so many samples, recorded now if there is none yet."""
        if samples not in self.recordings:
            direct = next(each for each in CONTENDERS if each.name == DIRECT)
            folder = self.folder(f"recording-{samples}")
            self.say(f"recording {samples:,} samples to work on")
            with serving(self.file, 0, self.seed) as server:
                self.held(direct, server, samples, folder)
            self.recordings[samples] = run_in(folder)
        return self.recordings[samples]

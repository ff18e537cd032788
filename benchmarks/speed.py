"""What a sample costs: the harness beside bare loops over the same wire, interleaved in one run.

    python benchmarks/speed.py                     # 0 and 200 ms, 3 rounds; about ten minutes
    python benchmarks/speed.py --rounds 1 --samples 200 --latency 0

Every contender is a process of its own and holds the same two-turn conversations with the same local server;
grading and store are part of the harness's. Figures are the whole process's, start-up included, and per
sample between a small and a large number of samples. They are comparable within one run alone.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tabulate import tabulate
from wire import CONTRACT, SCENARIO

HERE = Path(__file__).resolve().parent
FLIGHT = 64
SMALL = 64


class Cost(NamedTuple):
    """Seconds of processor and of clock that a process took, and the most memory it had, in megabytes."""

    cpu: float
    wall: float
    memory: float


Command = Callable[[str, int, Path], list[str]]


def bare(client: str) -> Command:
    """Return how to start a bare loop."""
    return lambda url, samples, _: [sys.executable, str(HERE / "wire.py"), client, url, str(samples)]


def harness(target: str) -> Command:
    """Return how to start a run of the harness; {url} in the target is the server's address."""

    def command(url: str, samples: int, folder: Path) -> list[str]:
        return [
            sys.executable, "-m", "harness", "run", "-t", target.format(url=url), "-s", SCENARIO,
            "-c", CONTRACT, "-n", str(samples), "--seed", "1", "--concurrency", str(FLIGHT),
            "--out", str(folder), "--quiet",
            *(["--api-base", url] if target.startswith("litellm") else []),
        ]  # fmt: skip

    return command


CONTENDERS: dict[str, Command] = {
    "bare aiohttp": bare("aiohttp"),
    "bare openai SDK": bare("openai"),
    "bare litellm": bare("litellm"),
    "harness, openai:URL": harness("openai:{url}?model=m"),
    "harness, litellm": harness("litellm:openai/m"),
    "harness, mock:oracle": harness("mock:oracle"),
}


@contextmanager
def server(latency: float) -> Generator[str]:
    """Run the server, and give its address."""
    command = [sys.executable, str(HERE / "wire.py"), "serve", "--latency", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip() if process.stdout else ""
        finally:
            process.terminate()


def cost(command: list[str]) -> Cost:
    """Return what a command takes; it must succeed."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read() if process.stderr else b""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}\n{said.decode(errors='replace')}")
    return Cost(_cpu(used), time.perf_counter() - began, used.ru_maxrss / 1024)


def _cpu(used: resource.struct_rusage) -> float:
    return used.ru_utime + used.ru_stime


def measured(latency: float, samples: int, rounds: int, names: list[str]) -> list[list[object]]:
    """Return a row for each contender: medians over the rounds, and ratios to the first."""
    costs: dict[tuple[str, int], list[Cost]] = defaultdict(list)
    with server(latency) as url:
        for _ in range(rounds):
            for name in names:
                for number in (SMALL, samples):
                    with TemporaryDirectory() as folder:
                        costs[name, number].append(cost(CONTENDERS[name](url, number, Path(folder))))
    ideal = 2 * latency * samples / FLIGHT
    rows: list[list[object]] = []
    for name in names:
        large, small = costs[name, samples], costs[name, SMALL]
        cpu, wall = median(each.cpu for each in large), median(each.wall for each in large)
        slope = (cpu - median(each.cpu for each in small)) / (samples - SMALL)
        rows.append([name, cpu, 1000 * cpu / samples, 1000 * slope, wall, wall / ideal if ideal else None,
                     median(each.memory for each in large)])  # fmt: skip
    first = float(str(rows[0][2]))
    return [[*each[:3], float(str(each[2])) / first, *each[3:]] for each in rows]


HEADINGS = (
    "contender", "CPU s", "ms/sample, whole", "ratio", "ms/sample, marginal", "wall s", "wall/ideal", "MB",
)  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--latency", type=float, action="append", help="seconds (default: 0 and 0.2)")
    parser.add_argument(
        "--only", nargs="+", default=list(CONTENDERS), choices=list(CONTENDERS), metavar="NAME"
    )
    given = parser.parse_args()
    for latency in given.latency or (0.0, 0.2):
        print(f"\n{given.samples} samples of two turns, {latency * 1000:.0f} ms a reply, {FLIGHT} at once, "
              f"median of {given.rounds}\n")  # fmt: skip
        rows = measured(latency, given.samples, given.rounds, given.only)
        print(tabulate(rows, HEADINGS, tablefmt="github", floatfmt=".2f", missingval="-"))


if __name__ == "__main__":
    main()

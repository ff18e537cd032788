"""Processes that are measured from outside, and the server that they talk to."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import NamedTuple
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[2]
"""Where the commands run: `python -m` finds the harness and these modules there."""
USUAL = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # noqa: TID251
"""The environment of everybody measured: as for most users, modules are compiled once."""
LAST = 4_000
"""Characters of what a failed command wrote."""


class Cost(NamedTuple):
    """What a process took, with the children that it waited for."""

    cpu: float
    """Seconds of processor, user and system."""
    wall: float
    """Seconds on the clock."""
    memory: float
    """The most memory that one of the processes had at once, in megabytes of 1,000,000 bytes."""


class Told(NamedTuple):
    """What the server says of itself."""

    conversations: int
    """That came to their end."""
    cpu: float
    """Seconds of processor that the server took."""


def cost(command: Sequence[str]) -> Cost:
    """Run a command and return what it took; end with the last of what it wrote if it fails."""
    with TemporaryFile() as output:
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=ROOT, env=USUAL, stdout=output, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            output.seek(0)
            said = output.read().decode(errors="replace")
            raise SystemExit(f"{' '.join(command)}\nended with {process.returncode}\n{said[-LAST:]}")
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss * 1024 / 1e6)


class Server:
    """A running server.

    Args:
        url: where it is, without /v1.
    """

    def __init__(self, url: str) -> None:
        self.url = url

    def begin(self) -> None:
        """Let it count anew."""
        with urlopen(f"{self.url}/begin", data=b""):  # noqa: S310 - http, on this machine
            pass

    def told(self) -> Told:
        """Return what happened since."""
        with urlopen(f"{self.url}/told") as answer:  # noqa: S310 - http, on this machine
            return Told(**json.load(answer))


@contextmanager
def serving(workload: Path, latency: float, seed: int) -> Generator[Server]:
    """Run the server as a process of its own while the block lasts; `latency` in seconds."""
    command = [
        sys.executable, "-m", "benchmarks.speed.server", str(workload),
        "--latency", str(latency), "--seed", str(seed),
    ]  # fmt: skip
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            url = process.stdout.readline().strip() if process.stdout else ""
            if not url:
                raise SystemExit("the server did not start")
            yield Server(url)
        finally:
            process.terminate()

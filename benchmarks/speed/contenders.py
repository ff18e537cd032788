"""Who is measured: how each is started, in which environment, and how it is seen that it did its work."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.speed.processes import ROOT
from benchmarks.speed.workload import CONTRACT, MODEL, SCENARIOS, Workload, chosen

FLIGHT = 64
"""Conversations under way at once."""
PEERS = ROOT / ".venv" / "peers"
"""Environments of other frameworks; `make bench` makes them."""


class Job(NamedTuple):
    """What a contender is given."""

    workload: Path
    """The file."""
    url: str
    """Of the server, without /v1."""
    samples: int
    folder: Path
    """Empty, for whatever it writes."""
    recording: Path
    """A run of as many samples, to be replayed; any path where none is needed."""


@dataclass(frozen=True)
class Contender:
    """A way to have the conversations.

    `share`: holds one in so many of the samples, where all of them would take too long.
    `over_wire`: talks to the server. `keeps_run`: leaves a run folder.
    `replays`: needs a recording of as many samples.
    `beside`: the contender that does by hand what this one does through the same client.
    """

    name: str
    command: Callable[[Job], list[str]]
    python: Path = Path(sys.executable)
    packages: Sequence[str] = ()
    over_wire: bool = True
    keeps_run: bool = False
    replays: bool = False
    share: int = 1
    beside: str | None = None

    @property
    def is_there(self) -> bool:
        """Whether its environment is."""
        return self.python.exists()


def bare(loop: str) -> Callable[[Job], list[str]]:
    """Return how to start a bare loop."""
    return lambda job: [
        sys.executable, "-m", "benchmarks.speed.bare", loop, str(job.workload), job.url, str(job.samples),
        "--flight", str(FLIGHT),
    ]  # fmt: skip


def harness(target: str, *more: str) -> Callable[[Job], list[str]]:
    """Return how to start a run of the harness; {url} stands for the server's address."""

    def command(job: Job) -> list[str]:
        asked = [word for scenario in SCENARIOS for word in ("-s", scenario)]
        return [
            sys.executable, "-m", "harness", "run", "-t", target.format(url=f"{job.url}/v1"), *asked,
            "-c", CONTRACT, "-n", str(job.samples // len(SCENARIOS)), "--seed", "1",
            "--concurrency", str(FLIGHT), "--out", str(job.folder), "--quiet",
            *(each.format(url=f"{job.url}/v1") for each in more),
        ]  # fmt: skip

    return command


def replay(job: Job) -> list[str]:
    """Return how to replay a recording; its own plan is used."""
    return [
        sys.executable, "-m", "harness", "run", "-t", f"replay:{job.recording}",
        "--concurrency", str(FLIGHT), "--out", str(job.folder), "--quiet",
    ]  # fmt: skip


def pydantic_evals(job: Job) -> list[str]:
    """Return how to start pydantic-evals."""
    return [
        str(PEERS / "pydantic-evals/bin/python"), "-m", "benchmarks.speed.peer_pydantic_evals", "run",
        str(job.workload), job.url, str(job.samples), "--flight", str(FLIGHT),
    ]  # fmt: skip


def inspect_ai(job: Job) -> list[str]:
    """Return how to start Inspect AI."""
    return [
        str(PEERS / "inspect/bin/python"), "-m", "benchmarks.speed.peer_inspect",
        str(job.workload), job.url, str(job.samples), "--flight", str(FLIGHT), "--logs", str(job.folder),
    ]  # fmt: skip


DIRECT = "harness, openai:URL"

CONTENDERS = (
    Contender("bare aiohttp", bare("aiohttp"), packages=["aiohttp"]),
    Contender("bare openai SDK", bare("openai"), packages=["openai"], share=4),
    Contender("bare litellm", bare("litellm"), packages=["litellm"], share=4),
    Contender(DIRECT, harness("openai:{url}?model=" + MODEL), packages=["contract-harness", "aiohttp"],
              keeps_run=True, beside="bare aiohttp"),
    Contender("harness, litellm", harness("litellm:openai/" + MODEL, "--api-base", "{url}"),
              packages=["litellm"], keeps_run=True, share=4, beside="bare litellm"),
    Contender("harness, replay", replay, over_wire=False, keeps_run=True, replays=True),
    Contender("harness, mock:oracle", harness("mock:oracle"), over_wire=False, keeps_run=True),
    Contender("pydantic-evals", pydantic_evals, PEERS / "pydantic-evals/bin/python",
              ["pydantic-evals", "pydantic-ai-slim", "openai"], share=4),
    Contender("Inspect AI", inspect_ai, PEERS / "inspect/bin/python", ["inspect-ai", "openai"], share=8),
)  # fmt: skip

PEER_NAMES = ("pydantic-evals", "Inspect AI")


def check_run(job: Job, workload: Workload) -> None:
    """End with an error unless a run holds an answer with the right workflow for every sample."""
    right = {each.scenario: each.workflow for each in workload.tasks}
    found: Counter[bool] = Counter()
    for line in transcripts(run_in(job.folder)):
        scenario = str(line["sample"]).partition("@")[0]
        found[chosen(line["messages"][-1]["content"]) == right[scenario]] += 1
    if found != {True: job.samples}:
        raise SystemExit(f"{job.folder}: {found[True]} right answers of {job.samples}")


def transcripts(run: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a run."""
    with (run / "transcripts.jsonl").open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def run_in(folder: Path) -> Path:
    """Return the one run in a folder of runs."""
    (run,) = (each.parent for each in folder.glob("*/run.json"))
    return run

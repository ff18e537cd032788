"""Every fault through the whole pipeline: litellm over real HTTP, recorded, graded.

A fault of the provider's, or a limit of our own, leaves its sample unscored; a fault of the model's fails.
Neither costs the other samples of the run anything, and no key is left behind by any of them.
"""

import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import PROJECT

from harness.contracts import CONTRACTS
from harness.model import Failure, Transcript
from harness.pipeline import Plan, contracts_for, grade_run, record
from harness.scenarios import load_scenarios
from harness.serving.faults import FAULTS
from harness.serving.injecting import read_injection
from harness.serving.openai import bindings_for, serve
from harness.store import Run, RunInfo, ScoreRow, create_run
from harness.targets import Binding, ModelReply, ModelRequest, TargetOptions, open_target
from harness.targets.accounts import Clock, open_accounts
from harness.targets.litellm import open_litellm
from harness.targets.retrying import RetryPolicy

SCENARIOS = load_scenarios(PROJECT)
BINDINGS = bindings_for(SCENARIOS, CONTRACTS)
HIT = "incident/oom-behind-latency"
ATTEMPTS = 3
TURNS = 3
"""What the oracle needs here: evidence, a search, the answer."""
CANARY = "canary-2d6c90b7e1"
PATIENT, IMPATIENT = 60.0, 1.0
"""Seconds for one request, where a fault lets it end and where it does not."""
SLOW = "seconds=30"


class Row(NamedTuple):
    """A fault, and what is owed to it: its cause, the requests made, and the MUST clauses that fail.

    Without cause and without fails the sample is compliant. "cut" is the cause that extraction finds in a
    transcript without a failure.
    """

    fault: str
    cause: str | None
    requests: int
    fails: frozenset[str] = frozenset()


def _row(fault: str, cause: str | None, requests: int, *fails: str) -> Row:
    return Row(fault, cause, requests, frozenset(fails))


SILENT = ("CAR-1", "QRY-1")
"""What a model breaks that says nothing at all: it gives no answer, and it never searched."""

PERSISTENT = [
    _row("bad-key", "bad_key", 1),
    _row("forbidden", "forbidden", 1),
    _row("not-found", "not_found", 1),
    _row("request-timeout", "timeout", ATTEMPTS),
    _row("rate-limited", "rate_limited", ATTEMPTS),
    _row("rate-limited-wait", "rate_limited", ATTEMPTS),
    _row("server-error", "server_error", ATTEMPTS),
    _row("bad-gateway", "server_error", ATTEMPTS),
    _row("unavailable", "server_error", ATTEMPTS),
    _row("overloaded", "server_error", ATTEMPTS),
    _row("reset", "connection", ATTEMPTS),
    _row("cut-off", "connection", ATTEMPTS),
    _row(f"slow-drip:{SLOW}", "timeout", ATTEMPTS),
    _row(f"slow-answer:{SLOW}", "timeout", ATTEMPTS),
    _row("html-page", "bad_response", ATTEMPTS),
    _row("malformed-body", "bad_response", ATTEMPTS),
    _row("context-overflow", "context_overflow", 1),
    _row("unsupported-parameter", "unsupported_parameter", 1),
    _row("filtered-prompt", "content_filter", 1),
    _row("content-filter", "content_filter", 1),
    _row("truncated", "truncated", 1),
    # The search is malformed too: nothing is found, so the oracle declines.
    _row("malformed-arguments", None, TURNS, "QRY-7", "SEL-2"),
    _row("unknown-tool", None, TURNS, "QRY-7"),
    # Three calls a turn: sixty are the budget, and the last of them is one too many.
    _row("endless-loop", None, 21, *SILENT),
    _row("empty-answer", None, 1, *SILENT),
    _row("refusal", None, 1, *SILENT),
]
PASSING = [
    _row(f"{each.fault}{',' if ':' in each.fault else ':'}first=2", None, 2 + TURNS)
    for each in PERSISTENT
    if each.cause and each.requests == ATTEMPTS
]
ONCE = [
    _row("bad-key:first=1", "bad_key", 1),
    _row("context-overflow:nth=2", "context_overflow", 2),
    _row("content-filter:nth=3", "content_filter", TURNS),
    _row("truncated:nth=2", "truncated", 2),
    _row("truncated:nth=3", "cut", TURNS),
    _row("malformed-arguments:nth=1", None, TURNS, "QRY-7"),
    _row("empty-answer:nth=3", None, TURNS, "CAR-1"),
    _row("refusal:nth=3", None, TURNS, "CAR-1"),
    _row("endless-loop:first=2", None, TURNS + 1),
    _row("slow-drip:seconds=0.2", None, TURNS),
    _row("slow-answer:seconds=0.1", None, TURNS),
]
MATRIX = [*PERSISTENT, *PASSING, *ONCE]


class Recorded(NamedTuple):
    """A run with a fault: its transcripts and rows by scenario, requests of the one hit, pauses made."""

    run: Run
    transcripts: dict[str, Transcript]
    rows: dict[str, list[ScoreRow]]
    requests: int
    pauses: list[float]

    def fails(self, scenario: str) -> frozenset[str]:
        """Return the MUST clauses that a sample breaks by itself."""
        return frozenset(row.clause for row in self.musts(scenario) if row.outcome == "fail")

    def musts(self, scenario: str) -> list[ScoreRow]:
        """Return a sample's MUST rows but for the relation, which also looks at the sample that is hit."""
        return [each for each in self.rows[scenario] if each.level == "MUST" and each.dimension != "relation"]


def recorded(faults: Sequence[str], folder: Path, *, timeout: float = PATIENT) -> Recorded:
    """Return the run of all scenarios against the oracle behind a server that plays the faults."""
    plan = Plan(SCENARIOS, contracts_for(SCENARIOS, []), trials=1, seed=0)
    contracts = {each.id: each.digest() for each in plan.contracts}
    run = create_run(folder, RunInfo(id="run", created="2026-01-01T00:00:00", contracts=contracts))
    lines: list[str] = []
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    async def scene() -> None:
        oracle = open_target("mock:oracle", TargetOptions())
        injections = [read_injection(each) for each in faults]
        async with serve(oracle, BINDINGS, log=lines.append, faults=injections) as server:
            options = TargetOptions(api_base=server.url, api_key=CANARY, temperature=0.2, timeout=timeout)
            retry = RetryPolicy(attempts=ATTEMPTS, base=0.01, sleep=sleep)
            target = open_litellm("openai/local", options, retry=retry)
            accounts = open_accounts([target], 4, skipping())
            await record(
                run, plan, [target], done=(), concurrency=4, finished=lambda _: None, accounts=accounts
            )

    run.begin()
    asyncio.run(scene())
    run.end()
    grade_run(run, {each.id: each for each in SCENARIOS})
    return Recorded(
        run,
        {each.id.scenario: each for each in run.transcripts()},
        {each.id: [row for row in run.scores() if row.scenario == each.id] for each in SCENARIOS},
        sum(f" {HIT} " in line for line in lines),
        pauses,
    )


def skipping() -> Clock:
    """Return a clock that jumps ahead where an account would wait."""
    skipped = 0.0

    async def sleep(seconds: float) -> None:
        nonlocal skipped
        skipped += seconds

    return Clock(lambda: time.monotonic() + skipped, sleep)


@pytest.fixture(scope="module", autouse=True)
def warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Make the one slow request: the first of all loads what litellm puts off."""
    whole = recorded([], tmp_path_factory.mktemp("warm"))
    assert {name: whole.fails(name) for name in whole.rows} == {each.id: frozenset() for each in SCENARIOS}
    assert whole.requests == TURNS


@pytest.fixture(autouse=True)
def no_key_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.mark.parametrize("row", MATRIX, ids=lambda row: row.fault)
def test_a_fault_costs_what_it_deserves_and_nothing_else(
    row: Row, tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    fault = f"{row.fault}{',' if ':' in row.fault else ':'}scenario={HIT}"

    found = recorded([fault], tmp_path, timeout=IMPATIENT if SLOW in row.fault else PATIENT)

    transcript, musts = found.transcripts[HIT], found.musts(HIT)
    assert (transcript.failure.cause if transcript.failure else None) == (
        None if row.cause == "cut" else row.cause
    )
    assert found.requests == row.requests
    assert found.fails(HIT) == row.fails
    assert {each.outcome for each in musts if each.outcome == "unscored"} == (
        {"unscored"} if row.cause else set()
    )
    if row.cause:
        assert {each.outcome for each in musts} == {"unscored"}
    others = {each.id for each in SCENARIOS} - {HIT}
    assert {name for name in others if found.transcripts[name].failure or found.fails(name)} == set()
    assert not [each for name in others for each in found.musts(name) if each.outcome == "unscored"]
    assert not list(holding(CANARY, tmp_path))
    assert CANARY not in "".join(capfd.readouterr()) + caplog.text


def holding(word: str, folder: Path) -> Iterator[Path]:
    """Yield the files that hold a word, as it is or as JSON or a URL would spell it."""
    return (each for each in folder.rglob("*") if each.is_file() and word.encode() in each.read_bytes())


def test_the_matrix_has_every_fault() -> None:
    assert [each.fault.partition(":")[0] for each in PERSISTENT] == [each.name for each in FAULTS]


@pytest.mark.parametrize("row", PERSISTENT, ids=lambda row: row.fault)
def test_a_sample_is_unscored_where_the_fault_is_not_the_models(row: Row) -> None:
    whose = next(each.whose for each in FAULTS if each.name == row.fault.partition(":")[0])

    assert (row.cause is not None) == (whose != "model")
    assert bool(row.fails) == (whose == "model")


def test_what_was_said_before_a_failure_is_kept(tmp_path: Path) -> None:
    transcript = recorded([f"bad-key:nth=3,scenario={HIT}"], tmp_path).transcripts[HIT]

    assert transcript.failure == Failure(
        "bad_key", "HTTP 401: Incorrect API key provided: ***. (after 1 attempt)"
    )
    assert [each.role for each in transcript.messages] == [
        "user",
        "assistant",
        *["tool"] * 3,
        "assistant",
        "tool",
    ]
    assert len(transcript.turns) == 2


def test_requests_that_were_made_again_are_counted_in_the_transcript(tmp_path: Path) -> None:
    transcript = recorded([f"server-error:first=2,scenario={HIT}"], tmp_path).transcripts[HIT]

    assert [each.attempts for each in transcript.turns] == [3, 1, 1]


def test_a_wish_to_wait_is_obeyed_and_no_wish_is_not_invented(tmp_path: Path) -> None:
    wish = recorded([f"rate-limited-wait:seconds=7,first=2,scenario={HIT}"], tmp_path / "wish")
    none = recorded([f"rate-limited:first=2,scenario={HIT}"], tmp_path / "none")

    assert wish.pauses == [7.0, 7.0]
    assert len(none.pauses) == 2
    assert all(each <= 0.02 for each in none.pauses)


def test_several_faults_in_one_run_keep_apart(tmp_path: Path) -> None:
    faults = ["bad-key:scenario=incident/*", "refusal:scenario=recovery/*", "reset:first=2,scenario=paired/*"]

    found = recorded(faults, tmp_path)

    failures = {name.partition("/")[0]: each.failure for name, each in found.transcripts.items()}
    assert {name: failure.cause if failure else None for name, failure in failures.items()} == {
        "incident": "bad_key", "recovery": None, "paired": None,
    }  # fmt: skip
    assert {name.partition("/")[0]: "CAR-1" in found.fails(name) for name in found.rows} == {
        "incident": False, "recovery": True, "paired": False,
    }  # fmt: skip


# The command line as a process


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "harness", *arguments]


@pytest.mark.slow
def test_no_key_is_left_behind_by_a_run_with_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The keys stand in the environment; the server quotes what it is sent."""
    monkeypatch.setenv("OPENAI_API_KEY", CANARY)
    monkeypatch.setenv("OTHER_SECRET", f"other-{CANARY}")
    faults = [
        "bad-key:scenario=incident/*",
        "html-page:scenario=recovery/*",
        "server-error:first=1,scenario=paired/*",
    ]
    played = [word for each in faults for word in ("--fault", each)]
    suite = ["--project", str(PROJECT.root)]
    serving = command("serve", "openai", "--port", "0", *played, *suite)
    server = subprocess.Popen(serving, stderr=subprocess.PIPE, text=True)
    assert server.stderr
    try:
        url = server.stderr.readline().partition("http://")[2].partition(";")[0]
        ended = [
            subprocess.run(command(*each), cwd=tmp_path, capture_output=True, text=True, check=False)
            for each in (
                ["run", "-t", "litellm:openai/any", "--api-base", f"http://{url}", "--out", "runs", *suite],
                ["run", "-t", "litellm:openai/any", "--api-base", f"http://me:{CANARY}@{url}", *suite],
                ["show", "latest", "--out", "runs"],
            )
        ]
    finally:
        server.send_signal(signal.SIGINT)
        _, log = server.communicate(timeout=30)

    (folder,) = (tmp_path / "runs").iterdir()
    causes = {each["failure"][0] for each in _lines(folder / "transcripts.jsonl") if each["failure"]}
    assert causes == {"bad_key", "bad_response"}
    assert [each.returncode for each in ended] == [3, 2, 0]
    shown = log + "".join(each.stdout + each.stderr for each in ended)
    assert "***" in (folder / "transcripts.jsonl").read_text()
    assert CANARY not in shown
    assert not list(holding(CANARY, tmp_path))


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Announcing:
    """The oracle, telling when it was asked."""

    name = "mock:oracle"
    settings: dict[str, Any] = {}

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self._oracle = open_target("mock:oracle", TargetOptions())

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:
        self.asked.set()
        return await self._oracle.reply(request, binding)

    async def close(self) -> None:
        await self._oracle.close()


def wait_for_a_run(folder: Path) -> None:
    """Return soon after a run began."""
    ends = time.monotonic() + 60
    while not list(folder.glob("*/transcripts.jsonl")):
        assert time.monotonic() < ends, "no run began"
        time.sleep(0.05)
    time.sleep(0.2)


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["while litellm loads", "while an answer is awaited"])
def test_an_interrupted_run_says_one_line(moment: str, tmp_path: Path) -> None:
    """Whether or not anything was asked yet, nobody is told of coroutines."""

    async def scene() -> tuple[int | None, str]:
        target = Announcing()
        slow = [read_injection("slow-answer")]
        async with serve(target, BINDINGS, log=lambda _: None, faults=slow) as server:
            plan = ["-t", "litellm:openai/any", "--api-base", server.url, "-n", "20", "--out", "runs"]
            running = await asyncio.create_subprocess_exec(
                *command("run", *plan, "--project", str(PROJECT.root)),
                cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            )  # fmt: skip
            if moment == "while an answer is awaited":
                await asyncio.wait_for(target.asked.wait(), 60)
            await asyncio.to_thread(wait_for_a_run, tmp_path / "runs")
            running.send_signal(signal.SIGINT)
            _, err = await asyncio.wait_for(running.communicate(), 60)
            return running.returncode, err.decode()

    code, err = asyncio.run(scene())

    assert code == 130
    assert len(err.splitlines()) == 1, err
    assert err.startswith("interrupted; go on with: harness run --resume ")

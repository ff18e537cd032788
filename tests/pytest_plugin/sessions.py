"""Pytest sessions to look at: a project that turns the plugin on, and runs made by hand."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

# Loaded before any session: pytester forgets what a session loads, and parts of scipy cannot be loaded twice.
import scipy.special  # noqa: F401  # pyright: ignore[reportUnusedImport]
from conftest import PROJECT, recorded

# Loaded before any session: pytester forgets what a session loads, and validators made with it would stay.
import harness.extraction.bounded_schema  # noqa: F401  # pyright: ignore[reportUnusedImport]
from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.model import Failure, Scenario, Transcript
from harness.pipeline import Plan, new_info
from harness.scenarios import load_scenario
from harness.store import Run, create_run
from harness.targets import TargetOptions, open_target

RUNS = Path("reports") / "runs"
INCIDENT = "incident/oom-behind-latency"
RENAMED = "paired/oom-renamed"
RECOVERY = "recovery/scale-out-failed"

Change = Callable[[Transcript], Transcript]


def turn_on(pytester: pytest.Pytester, *settings: str) -> None:
    """Write a pytest.ini that turns the plugin on for the small project, and one ordinary test."""
    lines = ["[pytest]", f"harness_project = {PROJECT.root}", "strict = true", *settings]
    (pytester.path / "pytest.ini").write_text("\n".join(lines) + "\n")
    pytester.makepyfile(test_ordinary="def test_ordinary():\n    pass\n")


def session(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run pytest in the project, without the plugins that take longest to load."""
    return pytester.runpytest("-p", "no:hypothesispytest", "-p", "no:anyio", *arguments)


def change_mocks(pytester: pytest.Pytester, reply: str) -> None:
    """Have every mock reply otherwise, for as long as a session lasts."""
    pytester.makeconftest(
        f"""
import asyncio
import warnings
from harness.targets.mock.mocks import MockTarget

answer = MockTarget.reply

async def changed(self, request, binding):
    {reply}
    return await answer(self, request, binding)

def pytest_configure():
    MockTarget.reply = changed

def pytest_unconfigure():
    MockTarget.reply = answer
"""
    )


def only_run(pytester: pytest.Pytester) -> Path:
    """Return the folder of the one run that a session left."""
    (folder,) = (pytester.path / RUNS).iterdir()
    return folder


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def info(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "run.json").read_text())


def keep_run(pytester: pytest.Pytester, *scenarios: str, target: str, change: Change | None = None) -> Path:
    """Store a run of what a mock says, with the first transcript changed; return its folder."""
    loaded: list[Scenario] = [load_scenario(PROJECT, each) for each in scenarios]
    contracts = [load_contract(name) for name in {DEFAULT_BY_FLOW[each.flow]: None for each in loaded}]
    plan = Plan(loaded, contracts, 1, 0)
    made = new_info(plan, [open_target(target, TargetOptions())]).model_copy(update={"status": "complete"})
    run: Run = create_run(pytester.path / RUNS, made)
    run.begin()
    for place, scenario in enumerate(loaded):
        transcript = recorded(scenario, target)
        run.add(change(transcript) if change and place == 0 else transcript)
    run.end()
    return run.folder


def unreachable(transcript: Transcript) -> Transcript:
    """Return the transcript of a target that could not be asked."""
    failure = Failure("connection", "nobody listens \x1b[31mat all")
    return replace(transcript, messages=transcript.prompt, turns=(), failure=failure)


def answering(text: Callable[[str], str]) -> Change:
    """Return a change of the final message."""

    def change(transcript: Transcript) -> Transcript:
        *before, final = transcript.messages
        return replace(transcript, messages=(*before, replace(final, content=text(final.content or ""))))

    return change

"""The end of a session: where its run is, and how compliant each target is."""

import traceback
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from harness.errors import HarnessError
from harness.pipeline import Plan, grade_run
from harness.pytest_plugin.commands import Commands
from harness.pytest_plugin.judging import Judge
from harness.pytest_plugin.recording import Recording
from harness.reporting.clean import visible
from harness.reporting.figures import counted, interval, percent
from harness.reporting.overview import overview
from harness.reporting.write import GRADED, write_usual
from harness.statistics import ALL, SummaryRow, summarise, tallied
from harness.store import Run, ScoreRow

RELATION = "relation"


@dataclass(frozen=True, slots=True)
class Ending:
    """What is known at the end; without rows the run is not complete."""

    commands: Commands
    rows: tuple[ScoreRow, ...] = ()
    reports: tuple[str, ...] = ()
    recorded: int | None = None
    """How many samples a run holds that is not complete."""
    broke: BaseException | None = None
    notes: tuple[str, ...] = ()


def ending_of_judging(judge: Judge, run: Run, commands: Commands) -> Ending:
    """Return how the judging of a stored run ended; nothing is written."""
    rows, notes, changed = tuple(judge.rows()), list(run.notes), judge.changed(run.info)
    if changed:
        notes.append(f"changed since it was recorded, and judged as of today: {', '.join(changed)}")
    return Ending(commands, rows, notes=tuple(notes))


def ending_of_recording(
    recording: Recording, plan: Plan | None, commands: Commands, broke: BaseException | None
) -> Ending:
    """Return how a recorded run ended; where it is complete it is graded, and its reports are written."""
    if not recording.complete or plan is None:
        return Ending(commands, recorded=recording.run.info.counts["recorded"], broke=broke)
    scenarios = {each.id: each for each in plan.scenarios}
    run = recording.run
    tally = grade_run(run, scenarios, {each.id: each for each in plan.contracts}, files=GRADED)
    reports = tuple(each.name for each in write_usual(run, overview(run, tally)))
    return Ending(commands, tuple(run.scores()), reports, broke=broke, notes=tuple(run.notes))


def print_ending(
    reporter: pytest.TerminalReporter, ending: Ending | None, selected: int, samples: int
) -> None:
    """Print the section that says how it ended; without an ending, that nothing was evaluated."""
    reporter.write_sep("=", "harness")
    if ending is None:
        reporter.write_line(f"nothing was evaluated: none of {counted(samples, 'sample')} was reached")
        return
    for line in _lines(ending):
        reporter.write_line(line)
    if selected < samples:
        reporter.write_line(f"selected were {selected} of {counted(samples, 'sample')}")


def _lines(ending: Ending) -> Iterator[str]:
    yield f"run {visible(ending.commands.run)}"
    if ending.broke is not None:
        yield from _broke(ending.broke)
    if ending.recorded is not None:
        again = ending.commands.resume()
        yield f"interrupted after {counted(ending.recorded, 'sample')}; go on with: {again}"
    for row in summarise(tallied(ending.rows)):
        if row.dimension in {ALL, RELATION}:
            yield _counted(row)
    for note in ending.notes:
        yield f"note: {visible(note)}"
    if ending.reports:
        yield f"reports in it: {', '.join(ending.reports)}"


def _counted(row: SummaryRow) -> str:
    kept = "compliant" if row.dimension == ALL else "relations kept"
    rate = f", {percent(row.rate)} ({interval(row.low, row.high)})" if row.n else ""
    unscored = f", {row.unscored} unscored" if row.unscored else ""
    return f"{visible(row.target)}  {visible(row.contract)}  {kept} {row.passed} of {row.n}{rate}{unscored}"


def _broke(error: BaseException) -> Iterator[str]:
    if isinstance(error, HarnessError):
        yield f"recording ended early: {visible(str(error))}"
        return
    yield "recording broke; this is a bug in the harness:"
    for line in traceback.format_exception(error):
        yield from (visible(each) for each in line.rstrip("\n").split("\n"))

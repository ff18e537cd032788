"""What follows a recording: grade it, write its reports, say what came out, and end accordingly."""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.output import console, print_json, say
from harness.cli.progress import counted
from harness.pipeline import Plan, Scoring
from harness.statistics import ClauseRow
from harness.store import Run

if TYPE_CHECKING:
    from harness.reporting.overview import Overview

COVERAGE_FLOOR = 0.95


def conclude(run: Run, scoring: Scoring, arguments: argparse.Namespace, fail_on: Sequence[str]) -> int:
    """Grade a recorded run, write its reports, say what came out; return the exit code."""
    data, written = graded(run, scoring, arguments)
    if arguments.json:
        print_json(result(run))
    elif not arguments.quiet:
        from harness.reporting.terminal import print_summary

        print_summary(console(), data, written)
    return _verdict(run, data.clauses, fail_on)


def scoring_of(run: Run, plan: Plan) -> Scoring:
    """Return what grades a run of this plan, into its scores and its reports."""
    from harness.reporting.write import GRADED

    scenarios = {each.id: each for each in plan.scenarios}
    return Scoring(run, scenarios, {each.id: each for each in plan.contracts}, GRADED)


def graded(run: Run, scoring: Scoring, arguments: argparse.Namespace) -> tuple["Overview", list[Path]]:
    """Grade what is left of a run and write its reports; return its overview and the reports' files."""
    from harness.reporting.overview import overview
    from harness.reporting.write import write_usual

    with counted("grading", quiet=silent(arguments)) as tell:
        tally = scoring.finish(tell)
    data = overview(run, tally)
    written = write_usual(run, data)
    for note in run.notes:
        say(f"note: {note}")
    return data, written


def result(run: Run) -> dict[str, object]:
    """Return what --json tells of a run."""
    counts = run.info.counts
    return {
        "run": str(run.folder),
        "status": run.info.status,
        "samples": counts["samples"],
        "scored": counts["scored"],
        "unscored": counts["unscored"],
        "targets": list(run.info.targets),
    }


def silent(arguments: argparse.Namespace) -> bool:
    """Return whether nothing is to be shown on the way."""
    return arguments.quiet or arguments.json


def _verdict(run: Run, clauses: Iterable[ClauseRow], fail_on: Sequence[str]) -> int:
    """Return 3 where too little could be scored, 1 where a dimension of --fail-on was broken."""
    counts = run.info.counts
    if counts["scored"] < COVERAGE_FLOOR * counts["samples"]:
        say(
            f"only {counts['scored']} of {counts['samples']} samples could be scored; "
            f"see report.md for the causes"
        )
        return 3
    rows = [each for each in clauses if each.level == "MUST"]
    judged = {each.dimension for each in rows if each.n}
    unjudged = [each for each in fail_on if each not in {*judged, "all"}]
    if unjudged:
        say(f"nothing was judged in: {', '.join(unjudged)}; so nothing is known of it")
        return 3
    broken = {each.dimension for each in rows if each.failed}
    hit = sorted(broken & set(fail_on)) or (["all"] if broken and "all" in fail_on else [])
    if hit:
        say(f"failed on: {', '.join(hit)}")
        return 1
    return 0

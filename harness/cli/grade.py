"""harness grade: judge a stored run again."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from harness.cli.output import add_json, add_out, add_project, print_json, project, say
from harness.cli.progress import progress
from harness.contracts import load_contract
from harness.errors import InvalidRun
from harness.model import Scenario
from harness.pipeline import grade_run
from harness.scenarios import load_scenarios
from harness.store import Run, ScoreRow, open_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness grade` takes."""
    parser.add_argument("run", metavar="RUN", help="a run folder, an id, or latest")
    add_out(parser)
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Grade again, write scores and reports anew, list the verdicts that moved."""
    from harness.reporting.write import write_reports

    run = open_run(arguments.run, arguments.out)
    scenarios = {each.id: each for each in load_scenarios(project(arguments), list(run.info.scenarios))}
    before = _before(run)
    with progress("grading", len(run.finished()), 0, quiet=arguments.json) as graded:
        after = grade_run(run, scenarios, graded)
    moved = moves(before, after, run, scenarios)
    write_reports(run, ("md", "csv"), None)
    for note in run.notes:
        say(f"note: {note}")
    if arguments.json:
        print_json({"run": str(run.folder), "moved": moved})
        return 0
    for each in moved:
        print(f"{each['sample']}  {each['clause']}  {each['was']} -> {each['is']}  ({each['cause']})")
    print(f"{len(after)} verdicts, {len(moved)} moved")
    return 0


def _before(run: Run) -> list[ScoreRow]:
    try:
        return list(run.scores())
    except InvalidRun:
        return []


def moves(
    before: Sequence[ScoreRow], after: Sequence[ScoreRow], run: Run, scenarios: Mapping[str, Scenario]
) -> list[dict[str, Any]]:
    """Return the verdicts that changed and why: scenario, contract, else the grader itself."""
    was = {(row.sample, row.clause): row.outcome for row in before}
    moved: list[dict[str, Any]] = []
    for row in after:
        old = was.get((row.sample, row.clause))
        if before and old != row.outcome:
            cause = _cause(row, run, scenarios)
            moved.append(
                {"sample": row.sample, "clause": row.clause, "was": old, "is": row.outcome, "cause": cause}
            )
    return moved


def _cause(row: ScoreRow, run: Run, scenarios: Mapping[str, Scenario]) -> str:
    if scenarios[row.scenario].digest() != run.info.scenarios.get(row.scenario):
        return "scenario"
    if load_contract(row.contract).digest() != run.info.contracts.get(row.contract):
        return "contract"
    return "grader"

"""harness grade: judge a stored run again."""

import argparse
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from harness.cli.output import add_contract_folder, add_json, add_out, add_project, print_json, project, say
from harness.cli.progress import progress
from harness.errors import InvalidRun
from harness.model import Scenario
from harness.pipeline import EXTRACTION_VERSION, grade_run
from harness.scenarios import load_scenarios
from harness.scenarios.contracts import changed_contracts, find_contracts, stored_contracts
from harness.store import Grading, Run, ScoreRow, open_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness grade` takes."""
    parser.add_argument("run", metavar="RUN", help="a run folder, an id, or latest")
    add_contract_folder(parser)
    add_out(parser)
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Grade again, write scores and reports anew, list the verdicts that moved."""
    from harness.reporting.overview import overview
    from harness.reporting.write import write_usual

    run = open_run(arguments.run, arguments.out)
    here = project(arguments)
    scenarios = {each.id: each for each in load_scenarios(here, list(run.info.scenarios))}
    contracts = stored_contracts(run, here, find_contracts(arguments.contract, here))
    before, then = _before(run), graded_with(run)
    added = run.added_since(then.transcripts)
    with progress("grading", len(run.finished()), 0, quiet=arguments.json) as graded:
        after = grade_run(run, scenarios, graded, contracts)
    for each in changed_contracts(run, contracts):
        run.notes.append(f"the contract {each} changed since this was recorded; this judges by today's")
    now = graded_with(run)
    moved = moves(before, after, then=then, now=now, scenarios=scenarios, added=added)
    unexplained = sum(not _versions_moved(each, then, now) for each in moved)
    if unexplained:
        run.notes.append(
            f"{unexplained} verdicts moved though no version was raised; a grader whose verdicts move on "
            f"purpose raises its version"
        )
    write_usual(run, overview(run, after), after)
    for note in run.notes:
        say(f"note: {note}")
    if arguments.json:
        print_json({"run": str(run.folder), "moved": moved})
        return 0
    for each in moved:
        print(f"{each['sample']}  {each['clause']}  {each['was']} -> {each['is']}  ({each['cause']})")
    causes = Counter(each["cause"] for each in moved)
    shares = ", ".join(f"{count} by {cause}" for cause, count in causes.most_common())
    print(f"{len(after)} verdicts, {len(moved)} moved" + (f": {shares}" if shares else ""))
    return 0


def _before(run: Run) -> list[ScoreRow]:
    try:
        return list(run.scores())
    except InvalidRun:
        return []


def graded_with(run: Run) -> Grading:
    """Return what a run was last graded with; where run.json does not say, as it was recorded."""
    info = run.info
    return info.graded or Grading(
        extraction=EXTRACTION_VERSION,
        graders={},
        contracts=info.contracts,
        scenarios=info.scenarios,
        transcripts=run.lines(),
    )


def moves(
    before: Sequence[ScoreRow],
    after: Sequence[ScoreRow],
    *,
    then: Grading,
    now: Grading,
    scenarios: Mapping[str, Scenario],
    added: Collection[str] = (),
) -> list[dict[str, Any]]:
    """Return the verdicts that changed, and what changed them.

    Args:
        before: the scores as they were; without any, nothing can have moved.
        after: the scores as they are.
        then: what the former were made with.
        now: what the latter are made with.
        scenarios: the scenarios by id.
        added: samples recorded since; they have no verdict that could have moved.
    """
    was = {(row.sample, row.clause): row for row in before}
    current = {(row.sample, row.clause): row for row in after}
    moved: list[dict[str, Any]] = []
    for key in {**current, **was} if before else ():
        old, new = was.get(key), current.get(key)
        row = new or old
        if row is None or row.sample in added or (old and new and old.outcome == new.outcome):
            continue
        moved.append(
            {
                "sample": row.sample,
                "clause": row.clause,
                "was": old.outcome if old else None,
                "is": new.outcome if new else None,
                "cause": _cause(row, then, now, scenarios),
            }
        )
    return moved


def _cause(row: ScoreRow, then: Grading, now: Grading, scenarios: Mapping[str, Scenario]) -> str:
    """Return the first of scenario, contract and extraction that changed; the grader's it is otherwise."""
    scenario = scenarios.get(row.scenario)
    pair = scenario.pair if scenario and row.dimension == "relation" else None
    looked_at = [row.scenario, *([pair.of] if pair else [])]
    if any(then.scenarios.get(each) != now.scenarios.get(each) for each in looked_at):
        return "scenario"
    if then.contracts.get(row.contract) != now.contracts.get(row.contract):
        return "contract"
    if then.extraction != now.extraction:
        return "extraction"
    return "grader"


def _versions_moved(move: Mapping[str, Any], then: Grading, now: Grading) -> bool:
    clause = move["clause"]
    return move["cause"] != "grader" or then.graders.get(clause) != now.graders.get(clause)

"""harness grade: judge a stored run again."""

import argparse
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from harness.cli.engines import RAY, add_engine, engine_of
from harness.cli.output import add_contract_folder, add_json, add_out, add_project, print_json, project, say
from harness.cli.progress import counted
from harness.engines import Engine
from harness.model import Scenario
from harness.pipeline import EXTRACTION_VERSION, grade_run
from harness.pipeline.elsewhere import Elsewhere
from harness.scenarios import load_scenarios
from harness.scenarios.contracts import changed_contracts, find_contracts, stored_contracts
from harness.statistics import Tally
from harness.store import Grading, Run, ScoreRow, open_run
from harness.store.copies import copied
from harness.store.objects import is_url
from harness.store.regrading import Differing, differing


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness grade` takes."""
    parser.add_argument(
        "run",
        metavar="RUN",
        help="a run folder, an id, latest, or a run in object storage, as s3://BUCKET/KEY",
    )
    add_engine(parser, "grade")
    add_contract_folder(parser)
    add_out(parser)
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Grade again, write scores and reports anew, list the verdicts that moved."""
    from harness.reporting.overview import overview
    from harness.reporting.write import write_usual

    stored = is_url(arguments.run) and not Path(arguments.run).exists()
    engine = engine_of(arguments)
    with copied(arguments.run) if stored else nullcontext(arguments.run) as named:
        run = open_run(str(named), arguments.out)
        tally, moved = graded_again(run, engine, arguments)
        data = overview(run, tally)
        # No command shows a run in storage: whoever copies it among the others finds it by its id.
        write_usual(run, replace(data, reference=run.id) if stored else data)
    for note in run.notes:
        say(f"note: {note}")
    if arguments.json:
        print_json({"run": arguments.run if stored else str(run.folder), "moved": moved})
        return 0
    for each in moved:
        print(f"{each['sample']}  {each['clause']}  {each['was']} -> {each['is']}  ({each['cause']})")
    causes = Counter(each["cause"] for each in moved)
    shares = ", ".join(f"{count} by {cause}" for cause, count in causes.most_common())
    verdicts = sum(samples * len(alike.pattern) for alike, samples in tally.samples.items())
    print(f"{verdicts} verdicts, {len(moved)} moved" + (f": {shares}" if shares else ""))
    return 0


def graded_again(
    run: Run, engine: AbstractContextManager[Engine], arguments: argparse.Namespace
) -> tuple[Tally, list[dict[str, Any]]]:
    """Write scores anew; return what is counted of them, and the verdicts that moved."""
    from harness.reporting.write import GRADED

    here = project(arguments)
    scenarios = {each.id: each for each in load_scenarios(here, list(run.info.scenarios))}
    contracts = stored_contracts(run, here, find_contracts(arguments.contract, here))
    then = graded_with(run)
    added = run.added_since(then.transcripts)
    # Whoever has the former scores open still reads them when the new ones have taken their place.
    with former_scores(run) as before:
        with counted("grading", quiet=arguments.json) as graded, engine as entered:
            by = Elsewhere(entered, here) if arguments.engine == RAY else entered
            tally = grade_run(run, scenarios, contracts, files=GRADED, graded=graded, engine=by)
        for each in changed_contracts(run, contracts):
            run.notes.append(f"the contract {each} changed since this was recorded; this judges by today's")
        now = graded_with(run)
        with run.path("scores.jsonl").open("rb") as after:
            found = differing(before, after) if before else ()
            moved = moves(found, then=then, now=now, scenarios=scenarios, added=added)
    unexplained = sum(not _versions_moved(each, then, now) for each in moved)
    if unexplained:
        run.notes.append(
            f"{unexplained} verdicts moved though no version was raised; a grader whose verdicts move on "
            f"purpose raises its version"
        )
    return tally, moved


@contextmanager
def former_scores(run: Run) -> Generator[IO[bytes] | None]:
    """Give scores.jsonl as it is now, whatever takes its place; None where it has no line."""
    path = run.path("scores.jsonl")
    if not path.is_file() or not path.stat().st_size:
        yield None
        return
    with path.open("rb") as stream:
        yield stream


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
    differing: Iterable[Differing],
    *,
    then: Grading,
    now: Grading,
    scenarios: Mapping[str, Scenario],
    added: Collection[str] = (),
) -> list[dict[str, Any]]:
    """Return the verdicts that changed, and what changed them.

    Args:
        differing: the rows of each sample whose scores differ, as they were and as they are.
        then: what the former were made with.
        now: what the latter are made with.
        scenarios: the scenarios by id.
        added: samples recorded since; they have no verdict that could have moved.
    """
    moved: list[dict[str, Any]] = []
    for before, after in differing:
        was = {row.clause: row for row in before}
        current = {row.clause: row for row in after}
        for clause, row in {**was, **current}.items():
            old, new = was.get(clause), current.get(clause)
            if row.sample in added or (old and new and old.outcome == new.outcome):
                continue
            moved.append(
                {
                    "sample": row.sample,
                    "clause": clause,
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

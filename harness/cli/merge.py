"""harness merge: shards into one run."""

import argparse
from contextlib import closing

from harness.cli.beginning import stored_plan
from harness.cli.concluding import conclude, scoring_of
from harness.cli.output import add_contract_folder, add_json, add_out, add_project, project
from harness.pipeline import new_info, settle
from harness.scenarios import load_scenarios
from harness.scenarios.contracts import find_contracts, stored_contracts
from harness.store import create_run, open_run
from harness.store.merging import merged_info, merged_transcripts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness merge` takes."""
    parser.add_argument("runs", metavar="RUN", nargs="+", help="run folders, ids, or latest")
    parser.add_argument("-q", "--quiet", action="store_true", help="no summary")
    add_contract_folder(parser)
    add_out(parser)
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make a new run of every sample of the given ones, and grade it; the given ones stay as they are."""
    runs = [open_run(each, arguments.out) for each in arguments.runs]
    here = project(arguments)
    scenarios = load_scenarios(here, list(runs[0].info.scenarios))
    contracts = list(stored_contracts(runs[0], here, find_contracts(arguments.contract, here)).values())
    plan = stored_plan(runs[0].info, scenarios, contracts)
    fresh = new_info(plan, [])
    info = merged_info(runs, fresh.id, fresh.created)
    # All that can be refused is, before there is a folder.
    transcripts = merged_transcripts(runs)
    merged = create_run(arguments.out, info)
    merged.notes += [f"{each.folder}: {note}" for each in runs for note in each.notes]
    planned = set(stored_plan(info, scenarios, contracts).samples(info.targets))
    merged.begin()
    for transcript in transcripts:
        merged.write(transcript)
    merged.commit()
    if not settle(merged, len(planned)):
        merged.info.status = "incomplete"
        merged.save()
        missing = len(planned - {each.id for each in transcripts})
        merged.notes.append(f"{missing} of {len(planned)} planned samples are in none of these runs")
    with closing(scoring_of(merged, plan)) as scoring:
        return conclude(merged, scoring, arguments, ())

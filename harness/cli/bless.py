"""harness bless: accept a run as a baseline."""

import argparse
import getpass
from datetime import UTC, datetime

from harness.cli.comparing import add_baselines, project_scenarios
from harness.cli.output import add_json, add_out, add_project, print_json, say, stored_run
from harness.errors import InvalidInput
from harness.gate import COVERAGE_FLOOR, accepted_baseline, side_of_run
from harness.gate.baselines import write_baseline
from harness.gate.blessing import bless, check_name
from harness.gate.ledger import add_to_ledger, baseline_digest
from harness.gate.views import view

INSUFFICIENT = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness bless` takes."""
    parser.add_argument("run", metavar="RUN", help="a run folder, an id, or latest")
    parser.add_argument("--as", dest="name", required=True, metavar="NAME", help="the baseline's name")
    parser.add_argument("--why", default="", metavar="TEXT", help="why it is accepted, for the ledger")
    parser.add_argument("--who", metavar="NAME", help="who accepts it (default: the user of this machine)")
    parser.add_argument("--target", metavar="NAME", help="which target of a run that holds several")
    parser.add_argument(
        "--replace", action="store_true", help="begin the baseline anew, instead of adding to it"
    )
    add_baselines(parser)
    add_out(parser)
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the baseline and a line of the ledger; 3 where too little of the run could be scored."""
    check_name(arguments.name)
    stored = stored_run(arguments.run, arguments.out)
    if stored.info.status != "complete":
        raise InvalidInput(
            f"{stored.folder}: is {stored.info.status}; finish it with `harness run --resume {stored.folder}`"
        )
    side = side_of_run(stored, project_scenarios(arguments, stored), arguments.target)
    coverage = view(side, side.trials, (), frozenset()).coverage
    if coverage < COVERAGE_FLOOR:
        say(f"only {100 * coverage:.1f} % of {stored.folder} could be scored, and a baseline needs 95 %")
        return INSUFFICIENT
    file = arguments.baselines / f"{arguments.name}.json"
    before = accepted_baseline(file)[0] if file.is_file() and not arguments.replace else None
    blessing = bless(side, arguments.name, before)
    entry = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "who": arguments.who or _user(),
        "why": arguments.why or None,
        "name": arguments.name,
        "target": side.target,
        "run": side.place,
        "added": len(blessing.added),
        "replaced": len(blessing.replaced),
        "kept": len(blessing.kept),
        "anew": before is None,
        "digest": baseline_digest(blessing.baseline),
    }
    # In this order: a baseline that the ledger does not know is refused.
    add_to_ledger(arguments.baselines, entry)
    write_baseline(blessing.baseline, file)
    for each in side.notes:
        say(f"note: {each}")
    if arguments.json:
        print_json({"baseline": str(file), **entry})
        return 0
    print(
        f"blessed {side.target} as {file}: {len(blessing.added)} scenarios added, "
        f"{len(blessing.replaced)} replaced, {len(blessing.kept)} kept as they were"
    )
    if blessing.kept:
        print("kept, since the baseline has more trials of them that count: " + ", ".join(blessing.kept))
    if not arguments.why:
        say("no reason was given; the next one to read the ledger will be glad of --why")
    return 0


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"

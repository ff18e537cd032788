"""harness compare: what differs between two runs, dimension by dimension and clause by clause."""

import argparse

from harness.cli.comparing import add_comparison, add_printed, sides, terms, told, with_turns
from harness.cli.output import add_out, add_project, console, print_json
from harness.cli.telling import decided


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness compare` takes."""
    parser.add_argument("before", metavar="A", help="a run folder, an id, latest, or a baseline")
    parser.add_argument("after", metavar="B", help="another; effects are B minus A")
    add_comparison(parser)
    add_out(parser)
    add_project(parser)
    add_printed(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print what differs; always 0 where two sides can be compared, since nothing is decided here."""
    how = terms(arguments)
    after, before = sides(arguments, arguments.after, arguments.before)
    verdict, after, before = decided(arguments, after, before, how)
    verdict = with_turns(verdict, after, before)
    if arguments.json:
        print_json(verdict.as_json())
    elif arguments.markdown:
        from harness.reporting.verdict_comment import verdict_comment

        print(verdict_comment(verdict, after, before, "compare"), end="")
    else:
        from harness.reporting.verdicts import print_verdict

        print_verdict(console(), verdict, told(after, before), by_clause=True)
    return 0

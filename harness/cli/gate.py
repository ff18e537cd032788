"""harness gate: has a run become worse than its baseline?"""

import argparse

from harness.cli.comparing import add_comparison, add_printed, sides, terms, told, with_turns
from harness.cli.output import add_out, add_project, console, print_json
from harness.cli.telling import decided


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness gate` takes."""
    parser.add_argument("run", metavar="RUN", help="the candidate: a run folder, an id, or latest")
    parser.add_argument(
        "--baseline", required=True, metavar="FILE|RUN", help="a baseline by file or name, or another run"
    )
    add_comparison(parser)
    add_out(parser)
    add_project(parser)
    add_printed(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the verdict; 0 pass, 1 regression, 3 insufficient coverage, 4 inconclusive."""
    how = terms(arguments)
    candidate, baseline = sides(arguments, arguments.run, arguments.baseline)
    verdict, candidate, baseline = decided(arguments, candidate, baseline, how)
    verdict = with_turns(verdict, candidate, baseline)
    if arguments.json:
        print_json(verdict.as_json())
    elif arguments.markdown:
        from harness.reporting.verdict_comment import verdict_comment

        print(verdict_comment(verdict, candidate, baseline, "gate"), end="")
    else:
        from harness.reporting.verdicts import print_verdict

        print_verdict(console(), verdict, told(candidate, baseline))
    return verdict.exit_code

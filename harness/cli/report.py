"""harness report: write the reports of stored runs."""

import argparse
from pathlib import Path

from harness.cli.output import RUNS, stored_run
from harness.errors import InvalidInput


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness report` takes."""
    parser.add_argument("runs", metavar="RUN", nargs="+", help="run folders, ids, or latest")
    parser.add_argument("-f", "--format", default="md,csv", help="formats, by comma (default: %(default)s)")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where to write (default: into each run's folder); "
        "html of several runs is then one page",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write every format of every run and print the paths; with --out, html is one page over all runs."""
    from harness.reporting.write import FORMATS, write_page, write_reports

    formats = [each.strip() for each in arguments.format.split(",") if each.strip()]
    unknown = [each for each in formats if each not in FORMATS]
    if unknown or not formats:
        msg = f"--format: found {arguments.format!r}; use {', '.join(FORMATS)}"
        raise InvalidInput(msg)
    runs = [stored_run(each, RUNS) for each in arguments.runs]
    several = arguments.out if len(runs) > 1 else None
    each_alone = [name for name in formats if name != "html" or several is None]
    for stored in runs if each_alone else ():
        folder = several / stored.id if several else arguments.out
        for path in write_reports(stored, each_alone, folder):
            print(path)
    if several and "html" in formats:
        print(write_page(runs, several))
    return 0

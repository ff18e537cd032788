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
        "--out", type=Path, metavar="DIR", help="where to write (default: into each run's folder)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Write every format of every run and print the paths."""
    from harness.reporting.write import FORMATS, write_reports

    formats = [each.strip() for each in arguments.format.split(",") if each.strip()]
    unknown = [each for each in formats if each not in FORMATS]
    if unknown or not formats:
        msg = f"--format: found {arguments.format!r}; use {', '.join(FORMATS)}"
        raise InvalidInput(msg)
    for reference in arguments.runs:
        stored = stored_run(reference, RUNS)
        folder = arguments.out / stored.id if arguments.out and len(arguments.runs) > 1 else arguments.out
        for path in write_reports(stored, formats, folder):
            print(path)
    return 0

"""harness report: write the reports of stored runs."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.output import RUNS, stored_run
from harness.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.store import Run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness report` takes."""
    parser.add_argument("runs", metavar="RUN", nargs="+", help="run folders, ids, or latest")
    parser.add_argument(
        "-f",
        "--format",
        default="md,csv",
        help="md, csv, html, junit, json, summary, comment, inspect or otel, by comma (default: %(default)s)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="where to write (default: into each run's folder); "
        "html, junit, summary and comment of several runs are then one file each",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Write every format of every run and print the paths; with --out, some are one file over all runs."""
    from harness.reporting.write import FORMATS, TOGETHER, write_reports

    formats = [each.strip() for each in arguments.format.split(",") if each.strip()]
    unknown = [each for each in formats if each not in FORMATS]
    if unknown or not formats:
        msg = f"--format: found {arguments.format!r}; use {', '.join(FORMATS)}"
        raise InvalidInput(msg)
    runs = [stored_run(each, RUNS) for each in arguments.runs]
    several = arguments.out if len(runs) > 1 else None
    each_alone = [name for name in formats if name not in TOGETHER or several is None]
    if several:
        _refuse_same_ids(runs, several)
    for stored in runs if each_alone else ():
        folder = several / stored.id if several else arguments.out
        for path in write_reports(stored, each_alone, folder):
            print(path)
    if several:
        for name in dict.fromkeys(each for each in formats if each in TOGETHER):
            print(TOGETHER[name](runs, several))
    return 0


def _refuse_same_ids(runs: "Sequence[Run]", out: Path) -> None:
    """Raise InvalidInput where two runs would write into one folder."""
    ids = [each.id for each in runs]
    double = next((each for each in ids if ids.count(each) > 1), None)
    if double:
        msg = f"{out}: two of the runs are {double!r}; name each once, or write them apart"
        raise InvalidInput(msg)

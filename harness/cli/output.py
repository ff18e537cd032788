"""What commands share: where things are, JSON on standard output, all else on standard error."""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from harness.scenarios import Project

RUNS = Path("reports/runs")
WIDE = 160
"""Columns where nobody says how wide the output may be, as in a pipe or a CI log."""


def add_project(parser: argparse.ArgumentParser) -> None:
    """Add --project."""
    parser.add_argument(
        "--project",
        type=Path,
        metavar="DIR",
        help="the folder that holds scenarios/ (default: at or above this one, else the packaged suite)",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add --json."""
    parser.add_argument("--json", action="store_true", help="print one JSON value on standard output")


def add_out(parser: argparse.ArgumentParser) -> None:
    """Add --out as the parent folder of runs."""
    parser.add_argument(
        "--out", type=Path, default=RUNS, metavar="DIR", help="the folder of runs (default: %(default)s)"
    )


def project(arguments: argparse.Namespace) -> "Project":
    """Return the project that the arguments mean."""
    from harness.scenarios import find_project

    return find_project(arguments.project)


def print_json(value: Any) -> None:
    """Print one JSON value on standard output."""
    json.dump(value, sys.stdout, indent=2, ensure_ascii=True)
    print()


def console(*, errors: bool = False) -> "Console":
    """Return the terminal for people."""
    from rich.console import Console

    out = Console(stderr=errors, highlight=False)
    return out if out.is_terminal else Console(stderr=errors, highlight=False, width=WIDE)


def say(text: str) -> None:
    """Print a line for people, beside whatever goes to standard output."""
    print(text, file=sys.stderr)

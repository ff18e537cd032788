"""What commands share: where things are, JSON on standard output, all else on standard error."""

import argparse
import json
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import InvalidRun, UnknownName, printable

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from rich.console import Console
    from rich.text import Text

    from harness.scenarios import Project
    from harness.store import Run

RUNS = Path("reports/runs")


def add_project(parser: argparse.ArgumentParser) -> None:
    """Add --project."""
    parser.add_argument(
        "--project",
        type=Path,
        metavar="DIR",
        help="the folder that holds scenarios/ (default: at or above this one, else the packaged suite)",
    )


def add_contract_folder(parser: argparse.ArgumentParser) -> None:
    """Add -c as the folder where a contract of a stored run is now."""
    parser.add_argument(
        "-c", "--contract", action="append", default=[], metavar="FOLDER",
        help="where a contract of this run is now that is not released with the harness",
    )  # fmt: skip


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


def stored_run(reference: str, out: Path) -> "Run":
    """Return the run that a folder, an id or "latest" means.

    Raises:
        InvalidRun: there is none; the message names the folder that was looked in.
    """
    from harness.store import open_run

    try:
        return open_run(reference, out)
    except UnknownName as error:
        raise InvalidRun(f"{out}: {error}") from error


def print_json(value: Any) -> None:
    """Print one JSON value on standard output."""
    json.dump(value, sys.stdout, indent=2, ensure_ascii=True)
    print()


def print_json_texts(values: Iterable[str]) -> None:
    """Print values that are JSON already as one array on standard output, each as soon as it is there."""
    before = "["
    for text in values:
        print(f"{before}\n  " + text.replace("\n", "\n  "), end="")
        before = ","
    print("[]" if before == "[" else "\n]")


def console(*, errors: bool = False, unbroken: bool = False) -> "Console":
    """Return the terminal for people.

    What is piped has no width unless COLUMNS says one.

    Args:
        errors: standard error instead of standard output.
        unbroken: what is piped is never broken, whatever COLUMNS says, so that it can be searched and copied.
    """
    from rich.console import Console

    from harness.reporting.layout import UNBROKEN

    # Not Console.is_terminal: a pipe that is to be coloured is still a pipe.
    watched = (sys.stderr if errors else sys.stdout).isatty()
    measured = watched or (os.environ.get("COLUMNS", "").isdigit() and not unbroken)

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            """Leave it to the command line, which knows what exit code the verdict has."""
            raise BrokenPipeError

    return Terminal(stderr=errors, highlight=False, width=None if measured else UNBROKEN)


def print_rows(
    names: "Sequence[str]", rows: "Sequence[Sequence[str | Text]]", numbers: "Collection[str]" = ()
) -> None:
    """Print rows in columns where they fit, else each row as a block; no line is cut."""
    from rich.text import Text

    from harness.reporting.clean import visible
    from harness.reporting.layout import lay_out

    out = console()
    cells = [[Text(visible(each)) if isinstance(each, str) else each for each in row] for row in rows]
    lines = list(lay_out(names, cells, width=out.width, numbers=numbers))
    # All at once: printing a line by itself takes longer than laying it out. Of nothing a blank line is made.
    if lines:
        out.print(*lines, sep="\n", soft_wrap=True)


def say(text: str) -> None:
    """Print a line for people, beside whatever goes to standard output."""
    print(printable(text), file=sys.stderr)

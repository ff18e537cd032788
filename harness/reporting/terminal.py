"""The summary of a run on a terminal: readable by a person at night, without colour, 80 columns wide."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from harness.reporting.clean import visible
from harness.reporting.figures import counted, interval, percent
from harness.reporting.layout import Hanging, print_trimmed
from harness.reporting.overview import Overview
from harness.reporting.pacing import pace_line, spent_line
from harness.statistics import HARD, ClauseRow, SummaryRow

MAX_NAMES = 12
"""Clauses named in one line."""


def print_summary(console: Console, data: Overview, reports: Sequence[Path] = ()) -> None:
    """Print what came out of a run, what failed, what is unscored, where the reports are, what to do next."""
    _print_head(console, data)
    # By contract: targets stand under one another, and long names find room in 80 columns.
    for contract in dict.fromkeys(row.contract for row in data.compliance):
        _print_contract(console, data, [row for row in data.compliance if row.contract == contract])
    if not data.summary:
        console.print("No sample was graded.")
    _print_unscored(console, data)
    _print_ungraded(console, data)
    _print_list(console, "Reports", [str(each) for each in reports])
    _print_list(console, "Next", list(_next(data)))


def _print_head(console: Console, data: Overview) -> None:
    info = data.info
    console.print(Text.assemble("run ", (visible(info.id), "bold"), "  ", visible(info.status)))
    asked = ", ".join(
        (
            counted(len(info.targets), "target"),
            counted(len(info.contracts), "contract"),
            counted(len(info.scenarios), "scenario"),
            counted(info.trials, "trial"),
            f"seed {info.seed}",
        )
    )
    console.print(Text(asked, "dim"))
    for name, line in (("pace", pace_line(info)), ("spent", spent_line(info))):
        if line:
            console.print(Text(f"{name}: {visible(line)}", "dim"))
    for each in data.notes:
        console.print(Text(f"note: {visible(each)}"))


def _print_contract(console: Console, data: Overview, rows: Sequence[SummaryRow]) -> None:
    console.print()
    console.print(Text(visible(rows[0].contract), "bold"))
    table = _table("target", "compliant", "95 % interval", "n", "unscored", numbers=4)
    # Best first; who was never scored comes last.
    for row in sorted(rows, key=lambda each: -1.0 if each.rate is None else each.rate, reverse=True):
        table.add_row(
            _name(row.target),
            Text(percent(row.rate), "bold"),
            interval(row.low, row.high),
            str(row.n),
            str(row.unscored),
        )
    print_trimmed(console, table)
    _print_failed(console, data, rows)


def _print_failed(console: Console, data: Overview, rows: Sequence[SummaryRow]) -> None:
    table = _table("target", "failed in", "samples", "because of, how often")
    hard = False
    for whole in rows:
        name = _name(whole.target)
        for row in data.failed_dimensions(whole):
            clauses = data.failed_in(row)
            hard = hard or any(each.clause in HARD for each in clauses)
            table.add_row(name, row.dimension, f"{row.failed} of {row.n}", _broken(clauses))
            name = _name("")
    console.print()
    if table.row_count:
        print_trimmed(console, table)
    else:
        scored = any(row.n for row in rows)
        console.print("No MUST clause failed." if scored else "No sample was scored, so nothing is known.")
    if hard:
        console.print(Text("! is a hard clause: one breach is one too many", "bold red"))


def _broken(clauses: Sequence[ClauseRow]) -> Text:
    """Return clauses with their fails, hard ones marked, as "REP-1! 3, REP-2 2"."""
    found = Text()
    for each in clauses:
        hard = each.clause in HARD
        found.append(", " if found else "")
        found.append(f"{visible(each.clause)}{'!' if hard else ''} {each.failed}", "bold red" if hard else "")
    return found


def _print_unscored(console: Console, data: Overview) -> None:
    if not data.causes:
        return
    console.print()
    table = _table("target", "unscored because", "samples", "for example")
    for each in data.causes:
        example = each.example[:120] if each.example != each.cause else ""
        table.add_row(_name(each.target), _name(each.cause), str(each.samples), _name(example))
    print_trimmed(console, table)


def _print_ungraded(console: Console, data: Overview) -> None:
    by_contract: dict[str, list[str]] = {}
    for each in data.ungraded:
        for contract in each.contracts:
            by_contract.setdefault(contract, []).append(each.clause.id)
    if by_contract:
        console.print()
    for contract, names in by_contract.items():
        left = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        told = Text(f"{', '.join(names[:MAX_NAMES])}{left}")
        console.print(Hanging(Text(f"not graded under {visible(contract)}: "), told))


def _next(data: Overview) -> Iterator[str]:
    run = shlex.quote(data.reference)
    if data.info.status != "complete":
        yield f"harness run --resume {run}"
    elif data.may_be_asked_again:
        yield f"harness run --retry-unscored {run}"
    hardest = sorted(data.failures, key=lambda each: (not each.hard, each.level != "MUST", -each.samples))
    if hardest:
        yield f"harness show {run} {shlex.quote(hardest[0].rows[0].sample)}"


def _print_list(console: Console, title: str, lines: Sequence[str]) -> None:
    """Print lines under a title; they may be copied, so they are never broken."""
    if not lines:
        return
    console.print()
    console.print(Text(title, "bold"))
    for each in lines:
        console.print(Text(f"  {visible(each)}"), soft_wrap=True)


def _table(*columns: str, numbers: int = 0) -> Table:
    """Return an empty table whose last `numbers` columns hold numbers."""
    table = Table(
        box=box.SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0), pad_edge=False, show_edge=False
    )
    for place, name in enumerate(columns):
        number = place >= len(columns) - numbers
        table.add_column(name, justify="right" if number else "left", overflow="fold", no_wrap=number)
    return table


def _name(text: str) -> Text:
    return Text(visible(text), overflow="fold")

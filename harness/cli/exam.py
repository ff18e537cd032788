"""harness exam: prove the graders by breaking good transcripts."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from harness.cli.output import add_json, add_project, console, print_json, project, say
from harness.cli.progress import counted
from harness.contracts import CONTRACTS
from harness.errors import InvalidInput
from harness.exam import Case, Golden, Result, goldens, named, sit
from harness.exam.showing import shown
from harness.exam.table import kill_table
from harness.scenarios import load_scenarios
from harness.scenarios.contracts import find_contracts
from harness.scenarios.load import CHECKOUT, PACKAGED

MAX_CASES = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness exam` takes."""
    parser.add_argument(
        "-s", "--scenario", action="append", default=[], metavar="GLOB",
        help="a scenario id or a glob like 'recovery/*' (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "-c", "--contract", action="append", default=[], metavar="CONTRACT",
        help="a contract id; may be given several times (default: all)",
    )  # fmt: skip
    parser.add_argument(
        "--violation", metavar="NAME[:SITE]", help="only this violation or variant, maybe at one site only"
    )
    parser.add_argument(
        "--sample", type=_positive, metavar="N",
        help="a stratified part: each violation N times for each contract and set of broken clauses",
    )  # fmt: skip
    parser.add_argument(
        "--show", action="store_true", help="with --violation: print what it changes, and what then fails"
    )
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the kill matrix as Markdown")
    parser.add_argument(
        "--jobs", type=_positive, default=min(os.cpu_count() or 1, 4), metavar="N",
        help="how many processes grade at once (default: %(default)s here)",
    )  # fmt: skip
    add_project(parser)
    add_json(parser)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"found {text!r}; use a whole number, 1 or more")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Hold the exam; 1 where a clause survives, is killed falsely, or has no violation."""
    only = named(arguments.violation) if arguments.violation else None
    here = project(arguments)
    contracts = find_contracts(arguments.contract, here) or CONTRACTS
    scenarios = load_scenarios(here, arguments.scenario)
    good = list(goldens(scenarios, contracts))
    if not good:
        msg = "exam: no chosen scenario has the flow of a chosen contract; see `harness list scenarios`"
        raise InvalidInput(msg)
    if arguments.show:
        return _show(good, only)
    # A suite of one's own need not have a subject for every clause.
    ours = here.root.resolve() in {PACKAGED, CHECKOUT}
    whole = ours and not (only or arguments.scenario or arguments.contract)
    with counted("breaking", quiet=arguments.json) as tell:
        result = sit(
            good, only=only, at_most=arguments.sample, whole=whole, processes=arguments.jobs, tell=tell
        )
    if not result.applied:
        _refuse_site(only)
        say("nothing was applied: the violation cannot act in the chosen scenarios")
    if arguments.table:
        arguments.table.parent.mkdir(parents=True, exist_ok=True)
        arguments.table.write_text(kill_table(result, len(good)), encoding="utf-8")
    if arguments.json:
        print_json(as_json(result))
    else:
        _print(result, len(good))
    return 0 if result.passed else 1


def _refuse_site(only: tuple[str, str] | None) -> None:
    """Raise InvalidInput where a site was named, and the violation does not act there: nothing was proved."""
    if only and only[1]:
        msg = (
            f"--violation {':'.join(only)}: nothing of the chosen scenarios is at {only[1]!r}; "
            f"`harness exam --violation {only[0]} --show` shows a site that is"
        )
        raise InvalidInput(msg)


def as_json(result: Result) -> dict[str, Any]:
    """Return the result as `--json` prints it."""
    return {
        "operators": len(result.applied),
        "applied": sum(result.applied.values()),
        "clauses": len(result.clauses),
        "killed": result.killed,
        "survivors": [_case(each) for each in result.survivors],
        "false_kills": [_case(each) for each in result.false_kills],
        "clauses_without_violation": list(result.clauses_without_violation),
    }


def _case(case: Case) -> dict[str, Any]:
    return {**asdict(case), "command": case.command}


def _show(good: Sequence[Golden], only: tuple[str, str] | None) -> int:
    if only is None:
        msg = "exam: --show takes --violation as well; `harness exam --show --violation NAME`"
        raise InvalidInput(msg)
    text = next(shown(good, only), None)
    if text is None:
        _refuse_site(only)
        say("nothing was applied: the violation cannot act in the chosen scenarios")
        return 0
    print(text)
    return 0


def _print(result: Result, good: int) -> None:
    from rich.text import Text

    from harness.reporting.clean import visible

    out = console()

    def write(text: str) -> None:
        out.print(Text(visible(text)), soft_wrap=True)

    for name, cases in (("survivor", result.survivors), ("false kill", result.false_kills)):
        for each in cases[:MAX_CASES]:
            for line in _lines(name, each):
                write(line)
        if len(cases) > MAX_CASES:
            write(f"... and {len(cases) - MAX_CASES} more of these; --json lists them all")
    for clause in result.clauses_without_violation:
        write(f"no violation breaks {clause}")
    applied = sum(result.applied.values())
    write(
        f"{applied:,} applications of {len(result.applied)} operators to {good} good transcripts: "
        f"{result.killed:,} violations killed, {len(result.survivors)} survived, "
        f"{len(result.false_kills)} false kills; {len(result.clauses)} clauses, "
        f"{len(result.clauses_without_violation)} of them never broken"
    )


def _lines(name: str, case: Case) -> list[str]:
    site = f" at {case.site}" if case.site else ""
    return [
        f"{name}: {case.operator}{site} in {case.sample}",
        f"  expected {', '.join(case.expected) or 'nothing'}",
        f"  found    {', '.join(case.found) or 'nothing'}"
        + (f"; missed {', '.join(case.missed)}" if case.missed else "")
        + (f"; beyond it {', '.join(case.extra)}" if case.extra else ""),
        f"  because  {case.reason}",
        f"  see      {case.command}",
    ]

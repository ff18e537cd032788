"""harness lint: check scenarios, catalogs, requests and prompts without a model."""

import argparse
from dataclasses import asdict
from pathlib import Path

from harness.cli.output import add_json, add_project, print_json, project, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness lint` takes."""
    parser.add_argument(
        "--prompts", type=Path, metavar="DIR", help="prompt packs other than the built-in ones"
    )
    parser.add_argument(
        "-c", "--contract", action="append", default=[], metavar="CONTRACT",
        help="the path of a contract's folder, checked too; may be given several times",
    )  # fmt: skip
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print every finding with its file and line; 1 where one of them is an error."""
    from harness.prompting.lint import lint_prompts
    from harness.prompting.render import PACKS
    from harness.scenarios.contracts import contract_ids, find_contracts
    from harness.scenarios.lint import in_order, lint_project

    here = project(arguments)
    names = [*contract_ids(here), *arguments.contract]
    outside = [each for each in find_contracts(names, here) if each.origin]
    found, scenarios = lint_project(here, outside)
    prompts = lint_prompts(arguments.prompts or PACKS, [each.scenario for each in scenarios], outside)
    findings = in_order([*found, *prompts])
    errors = sum(each.level == "error" for each in findings)
    if arguments.json:
        print_json([asdict(each) for each in findings])
    else:
        for each in findings:
            print(each)
    warnings = len(findings) - errors
    tell = say if arguments.json else print
    tell(f"{_counted(errors, 'error')} and {_counted(warnings, 'warning')} in {len(scenarios)} scenarios")
    return 1 if errors else 0


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"

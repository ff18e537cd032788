"""harness lint: check scenarios, catalogs, requests and prompts without a model."""

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from harness.cli.output import add_json, add_project, print_json, project, say
from harness.errors import InvalidInput

if TYPE_CHECKING:
    from harness.cli.ablating import Ablated


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness lint` takes."""
    parser.add_argument("--prompts", metavar="DIR", help="prompt packs other than the built-in ones")
    parser.add_argument(
        "-c", "--contract", action="append", default=[], metavar="CONTRACT",
        help="the path of a contract's folder, checked too; may be given several times; with --ablate only "
        "these contracts, ids too",
    )  # fmt: skip
    parser.add_argument(
        "--ablate", action="store_true",
        help="take each rule out of the prompts in turn, and fail where lint or mock:literal does not notice",
    )  # fmt: skip
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print every finding with its file and line; 1 where one of them is an error."""
    if arguments.ablate:
        return _ablate(arguments)
    from harness.prompting.lint import lint_prompts
    from harness.scenarios.contracts import contract_ids, find_contracts
    from harness.scenarios.lint import in_order, lint_project
    from harness.targets.prompted import pack_folder

    here = project(arguments)
    names = [*contract_ids(here), *arguments.contract]
    outside = [each for each in find_contracts(names, here) if each.origin]
    found, scenarios = lint_project(here, outside)
    prompts = lint_prompts(pack_folder(arguments.prompts), [each.scenario for each in scenarios], outside)
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


def _ablate(arguments: argparse.Namespace) -> int:
    """Print which finding and which scores notice that a rule is gone; 1 where either does not."""
    from harness.cli.ablating import ablated
    from harness.contracts import CONTRACTS
    from harness.prompting.render import template_of
    from harness.scenarios import load_scenarios
    from harness.scenarios.contracts import find_contracts
    from harness.targets.prompted import pack_folder

    here, packs = project(arguments), pack_folder(arguments.prompts)
    named = find_contracts(arguments.contract, here)
    contracts = named or [each for each in CONTRACTS if template_of(each, packs).is_file()]
    if not contracts:
        names = ", ".join(each.id for each in CONTRACTS)
        raise InvalidInput(f"{packs}: holds no prompt pack; a pack is a folder called by a contract: {names}")
    found: list[Ablated] = []
    for each in ablated(packs, contracts, load_scenarios(here)):
        found.append(each)
        if not arguments.json:
            print(each.line())
    if arguments.json:
        print_json([each.as_json() for each in found])
    unnoticed = sum(bool(each.unnoticed) for each in found)
    tell = say if arguments.json else print
    tell(
        f"{_counted(len(found), 'rule')} taken out, one at a time; {unnoticed} unnoticed by lint or by scores"
    )
    return 1 if unnoticed else 0


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"

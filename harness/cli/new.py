"""harness new: scaffolds that work as they come."""

import argparse
from pathlib import Path

from harness.cli.output import add_json, print_json
from harness.cli.scaffolding.files import Scaffold, own_project, write
from harness.contracts import DEFAULT_BY_FLOW
from harness.scenarios import Project
from harness.scenarios.files import shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness new` takes."""
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True)
    scenario = kinds.add_parser("scenario", help="a scenario that lint accepts and the oracle passes")
    scenario.add_argument("name", metavar="NAME", help="its id, as incident/oomkilled-after-a-release")
    scenario.add_argument(
        "--from", dest="source", metavar="SCENARIO", help="copy this one; of paired/ the one to change"
    )
    contract = kinds.add_parser("contract", help="a contract of your own, copied from a released one")
    contract.add_argument("name", metavar="NAME", help="its id, as workflow-selection-2.8")
    contract.add_argument(
        "--from", dest="source", metavar="CONTRACT", default=DEFAULT_BY_FLOW["incident"],
        help="the one to copy, an id or a path (default: %(default)s)",
    )  # fmt: skip
    grader = kinds.add_parser("grader", help="a clause and what judges it, in a checkout of the harness")
    grader.add_argument("new_clause", metavar="CLAUSE", help="its id, as SEL-12")
    grader.add_argument("name", metavar="NAME", help="module and function, as selection.ids_are_short")
    for each in (scenario, contract, grader):
        each.add_argument(
            "--project",
            type=Path,
            metavar="DIR",
            help="the folder that holds scenarios/ (default: at or above)",
        )
        add_json(each)


def run(arguments: argparse.Namespace) -> int:
    """Write the files, and print what was written and which commands come next."""
    project = own_project(arguments.project)
    scaffold = _scaffold(project, arguments)
    written = [shown(each) for each in write(project, scaffold)]
    commands = [_in_project(each, arguments.project) for each in scaffold.next]
    if arguments.json:
        print_json({"written": written, "next": commands})
        return 0
    for each in written:
        print(f"wrote {each}")
    print("next:")
    for each in commands:
        print(f"  {each}")
    return 0


def _in_project(step: str, given: Path | None) -> str:
    """Return a step as it is typed where the project was named."""
    return f"{step} --project {given}" if given and step.startswith("harness ") else step


def _scaffold(project: Project, arguments: argparse.Namespace) -> Scaffold:
    if arguments.kind == "contract":
        from harness.cli.scaffolding.contract import new_contract

        return new_contract(project, arguments.name, arguments.source)
    if arguments.kind == "scenario":
        from harness.cli.scaffolding.scenario import new_scenario

        return new_scenario(project, arguments.name, arguments.source)
    from harness.cli.scaffolding.grader import new_grader

    return new_grader(project, arguments.new_clause, arguments.name)

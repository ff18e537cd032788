"""harness render: show the prompt of a scenario."""

import argparse
from pathlib import Path

from harness.cli.output import add_project, project
from harness.pipeline import contracts_for
from harness.prompting import render
from harness.prompting.render import PACKS
from harness.scenarios import load_scenarios
from harness.scenarios.contracts import find_contract


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness render` takes."""
    parser.add_argument("scenario", metavar="SCENARIO", help="a scenario id")
    parser.add_argument(
        "-c", "--contract", metavar="CONTRACT", help="a contract of its flow, or the path of one"
    )
    parser.add_argument(
        "--prompts", type=Path, metavar="DIR", help="prompt packs other than the built-in ones"
    )
    add_project(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the prompt exactly as a target receives it."""
    here = project(arguments)
    (scenario,) = load_scenarios(here, [arguments.scenario])[:1]
    named = [find_contract(arguments.contract, here)] if arguments.contract else []
    (contract,) = contracts_for([scenario], named)
    for message in render(scenario, contract, arguments.prompts or PACKS):
        print(message.content or "", end="")
    return 0

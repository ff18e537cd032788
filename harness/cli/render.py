"""harness render: show the prompt of a scenario."""

import argparse
from pathlib import Path

from harness.cli.output import add_project, project
from harness.pipeline import contracts_for
from harness.prompting import render
from harness.prompting.render import PACKS
from harness.scenarios import load_scenarios


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness render` takes."""
    parser.add_argument("scenario", metavar="SCENARIO", help="a scenario id")
    parser.add_argument("-c", "--contract", metavar="CONTRACT", help="a contract of its flow")
    parser.add_argument(
        "--prompts", type=Path, metavar="DIR", help="prompt packs other than the built-in ones"
    )
    add_project(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the prompt exactly as a target receives it."""
    (scenario,) = load_scenarios(project(arguments), [arguments.scenario])[:1]
    (contract,) = contracts_for([scenario], [arguments.contract] if arguments.contract else [])
    for message in render(scenario, contract, arguments.prompts or PACKS):
        print(message.content or "", end="")
    return 0

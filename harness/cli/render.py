"""harness render: show the prompt of a scenario, what it weighs, how two packs differ; copy packs."""

import argparse
from collections.abc import Sequence
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.output import add_project, project, say
from harness.cli.weighing import changed_lines, weigh, weight_lines
from harness.contracts import CONTRACTS
from harness.conversation import tools_for
from harness.errors import InvalidInput
from harness.pipeline import contracts_for
from harness.prompting import render
from harness.prompting.exporting import export_packs
from harness.scenarios import load_scenarios
from harness.scenarios.contracts import find_contract
from harness.targets.prompted import BUILT_IN, pack_folder

if TYPE_CHECKING:
    from harness.model import Contract, Message


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness render` takes."""
    parser.add_argument("scenario", metavar="SCENARIO", nargs="?", help="a scenario id")
    parser.add_argument(
        "-c", "--contract", metavar="CONTRACT", help="a contract of its flow, or the path of one"
    )
    parser.add_argument(
        "--prompts", metavar="DIR", help="prompt packs other than the built-in ones (built-in: those)"
    )
    parser.add_argument("--diff", metavar="DIR", help="show what these packs change in the prompt")
    parser.add_argument(
        "--export", type=Path, metavar="DIR",
        help="copy the packs into a folder, to change them there: of -c, else of every contract",
    )  # fmt: skip
    add_project(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the prompt exactly as a target receives it, and on standard error the tokens of its sections."""
    if arguments.export:
        return _export(arguments)
    if arguments.scenario is None:
        msg = "render: no scenario was named; `harness list scenarios` lists them"
        raise InvalidInput(msg)
    here = project(arguments)
    (scenario,) = load_scenarios(here, [arguments.scenario])[:1]
    named = [find_contract(arguments.contract, here)] if arguments.contract else []
    (contract,) = contracts_for([scenario], named)
    prompt = render(scenario, contract, pack_folder(arguments.prompts))
    if arguments.diff:
        _compare(contract, prompt, render(scenario, contract, pack_folder(arguments.diff)), arguments)
        return 0
    print(_text(prompt), end="")
    for line in weight_lines(weigh(prompt, tools_for(contract))):
        say(line)
    return 0


def _text(prompt: "Sequence[Message]") -> str:
    return "".join(each.content or "" for each in prompt)


def _compare(
    contract: "Contract",
    before: "Sequence[Message]",
    after: "Sequence[Message]",
    arguments: argparse.Namespace,
) -> None:
    """Print a unified diff of two prompts, and on standard error the sections whose tokens differ."""
    was, now = (f"{each}/{contract.id}" for each in (arguments.prompts or BUILT_IN, arguments.diff))
    old, new = _text(before).splitlines(), _text(after).splitlines()
    for line in unified_diff(old, new, was, now, lineterm=""):
        print(line)
    tools = tools_for(contract)
    for line in changed_lines(weigh(before, tools), weigh(after, tools)):
        say(line)


def _export(arguments: argparse.Namespace) -> int:
    if arguments.scenario or arguments.diff:
        msg = "--export: copies packs and renders nothing; leave the scenario and --diff out"
        raise InvalidInput(msg)
    here = project(arguments)
    contracts = [find_contract(arguments.contract, here)] if arguments.contract else list(CONTRACTS)
    files = export_packs(contracts, arguments.export, pack_folder(arguments.prompts))
    for file in files:
        print(file)
    say(f"next: change them, then harness lint --prompts {arguments.export}")
    return 0

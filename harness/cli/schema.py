"""harness schema: show the JSON Schema of a contract's answer."""

import argparse

from harness.cli.output import print_json
from harness.contracts import load_contract


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness schema` takes."""
    parser.add_argument("contract", metavar="CONTRACT", help="a contract id; see `harness list contracts`")


def run(arguments: argparse.Namespace) -> int:
    """Print the schema that answers are checked against."""
    print_json(load_contract(arguments.contract).response.model_json_schema())
    return 0

"""harness completion: the script that lets a shell complete this command line."""

import argparse

from harness.cli.completing import SHELLS, script


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness completion` takes."""
    parser.add_argument("shell", choices=SHELLS, help="which shell is to read it")


def run(arguments: argparse.Namespace) -> int:
    """Print the script."""
    print(script(arguments.shell))
    return 0

"""harness schema: show the JSON Schema of a contract's answer, or what differs between two contracts."""

import argparse
from dataclasses import asdict

from harness.cli.output import add_json, add_project, print_json, project, say
from harness.contracts.differences import KINDS, MEANING, differences, to_bless_again
from harness.contracts.schemas import DIALECTS, response_schema
from harness.errors import InvalidInput
from harness.model import Contract, Entry
from harness.scenarios.contracts import find_contract


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness schema` takes."""
    parser.add_argument(
        "contract", metavar="CONTRACT", help="a contract id or the path of one; see `harness list contracts`"
    )
    parser.add_argument(
        "--for",
        dest="dialect",
        choices=[each.name for each in DIALECTS],
        default="json-schema",
        help="whose subset of JSON Schema (default: %(default)s)",
    )
    parser.add_argument(
        "--scenario", metavar="ID", help="close the selection over the catalog of this scenario"
    )
    parser.add_argument(
        "--diff",
        metavar="CONTRACT",
        help="what this contract demands differently, and what must be blessed again",
    )
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the schema; on standard error, the constraints that it no longer states."""
    contract = find_contract(arguments.contract, project(arguments))
    if arguments.diff:
        return _diff(contract, find_contract(arguments.diff, project(arguments)), as_json=arguments.json)
    entries = _catalog(arguments, contract) if arguments.scenario else None
    schema, dropped = response_schema(contract, arguments.dialect, entries)
    print_json(schema)
    if dropped:
        say(f"not stated for {arguments.dialect}, except in the words of descriptions:")
        for each in dropped:
            say(f"  {each}")
    return 0


def _diff(old: Contract, new: Contract, *, as_json: bool) -> int:
    found = differences(old, new)
    again = to_bless_again(old, new, found)
    if as_json:
        listed = [asdict(each) for each in found]
        print_json({"old": old.id, "new": new.id, "differences": listed, "bless_again": again})
        return 0
    if not found:
        print(f"{new.id} demands the same as {old.id}")
        return 0
    for kind in KINDS:
        listed = [each for each in found if each.kind == kind]
        if listed:
            print(f"{kind}: {MEANING[kind]}")
        for each in listed:
            print(f"  {each.subject:10}  {each.place} {each.says}")
    print("to be blessed again:")
    for each in again:
        print(f"  {each}")
    return 0


def _catalog(arguments: argparse.Namespace, contract: Contract) -> list[Entry]:
    from harness.scenarios import load_scenarios

    (scenario,) = load_scenarios(project(arguments), [arguments.scenario])[:1]
    if scenario.flow != contract.flow:
        raise InvalidInput(
            f"{scenario.id}: is for flow {scenario.flow!r}, and {contract.id} takes {contract.flow!r}"
        )
    return scenario.catalog

"""harness explain: what a clause asks for, where it comes from, how it is judged, what breaks it."""

import argparse
import asyncio
import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from harness.cli.output import add_json, add_project, console, print_json, project
from harness.contracts import CONTRACTS
from harness.contracts.clauses import Clause, clause
from harness.conversation import Trial, converse
from harness.extraction import read_sample
from harness.graders import GRADED_BY, GRADERS, RELATIONS, Grader, score
from harness.model import Contract, Finding, SampleId, Scenario
from harness.prompting import render
from harness.scenarios import load_scenarios
from harness.scenarios.contracts import find_contract
from harness.targets.mock import playing
from harness.violations import VIOLATIONS, Violation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness explain` takes."""
    parser.add_argument("clause", metavar="CLAUSE", help="a clause id, as PAS-1; see `harness list clauses`")
    parser.add_argument(
        "-c", "--contract", metavar="CONTRACT",
        help="only as this contract has it, an id or a path (default: every released one)",
    )  # fmt: skip
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one clause; its example is made on the spot, by a mock that breaks it."""
    here = project(arguments)
    contracts = [find_contract(arguments.contract, here)] if arguments.contract else CONTRACTS
    told = explained(clause(arguments.clause), load_scenarios(here), contracts)
    if arguments.json:
        print_json(told)
    else:
        _print(told)
    return 0


def explained(
    about: Clause, scenarios: Sequence[Scenario], known: Sequence[Contract] = CONTRACTS
) -> dict[str, Any]:
    """Return everything known of a clause as plain values."""
    contracts = [each for each in known if about.id in each.clauses]
    grader = next((each for each in GRADERS if each.clause == about.id), None)
    relation = next((each for each in RELATIONS if each.clause == about.id), None)
    judge = grader or relation
    violations = [each for each in VIOLATIONS if about.id in each.breaks]
    return {
        "id": about.id,
        "level": about.level,
        "hard": about.hard,
        "dimension": about.dimension,
        "text": about.text,
        "source": about.source,
        "contracts": [each.id for each in contracts],
        "told_where": {
            each.id: list(each.anchors[about.id].patterns) for each in contracts if about.id in each.anchors
        },
        "graded_by": GRADED_BY.get(about.id),
        "how": inspect.getdoc(judge.judge) if judge else None,
        "needs": list(grader.needs) if grader else ["the other half of the pair"] if relation else [],
        "violations": [each.name for each in violations],
        "example": next(_examples(grader, violations, contracts, scenarios), None) if grader else None,
    }


def _examples(
    grader: Grader,
    violations: Sequence[Violation],
    contracts: Sequence[Contract],
    scenarios: Sequence[Scenario],
) -> Iterator[dict[str, Any]]:
    for violation in (each for each in violations if each.live):
        for contract in contracts:
            for scenario in scenarios:
                if scenario.flow == contract.flow and violation.can_act(scenario, contract):
                    finding = _broken(grader, violation, scenario, contract)
                    if finding:
                        yield {
                            "violation": violation.name,
                            "scenario": scenario.id,
                            "contract": contract.id,
                            "place": finding.place,
                            "expected": finding.expected,
                            "observed": finding.observed,
                            "reason": finding.reason,
                        }


def _broken(grader: Grader, violation: Violation, scenario: Scenario, contract: Contract) -> Finding | None:
    target = playing(violation)
    sample = SampleId(scenario.id, contract.id, target.name, 1)
    trial = Trial(sample, scenario, contract, render(scenario, contract), 1, {})
    transcript = asyncio.run(converse(target, trial))
    found = score(grader, read_sample(transcript, contract, scenario))
    return found.findings[0] if found.findings else None


def _print(told: dict[str, Any]) -> None:
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from harness.reporting.clean import as_json, capped, visible

    out = console()

    def row(indent: int, width: int, name: str, value: str) -> None:
        pair = Table.grid(padding=(0, 1, 0, 0))
        pair.add_column(min_width=width)
        pair.add_column(overflow="fold")
        pair.add_row(Text(name), Text(value))
        out.print(Padding(pair, (0, 0, 0, indent), expand=False))

    hard = "hard " if told["hard"] else ""
    out.print(Text.assemble((told["id"], "bold"), f"  {hard}{told['level']}, dimension {told['dimension']}"))
    out.print(Text(told["text"]))
    lines = {
        "source": told["source"],
        "contracts": ", ".join(told["contracts"]) or "none",
        "graded by": ": ".join(each for each in (told["graded_by"], told["how"]) if each) or "nothing yet",
        "needs": ", ".join(told["needs"]) or "the answer's text only",
        "broken by": ", ".join(told["violations"]) or "no built-in violation",
    }
    for name, value in lines.items():
        row(2, 10, name, visible(value))
    example = told["example"]
    if example:
        row(2, 10, "example", f"{example['violation']} in {example['scenario']} breaks it:")
        for name in ("place", "expected", "observed", "reason"):
            value = example[name]
            shown = value if isinstance(value, str) else as_json(value)
            row(4, 9, name, visible(capped(shown, 200)))

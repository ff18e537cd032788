"""harness audit: grade transcripts that the harness did not record."""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.auditing import Imported, read_file
from harness.cli.output import add_json, add_project, console, print_json, project
from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.contracts.clauses import clause
from harness.extraction import read_sample
from harness.graders import grade
from harness.model import Finding, Sample, Scenario, Score
from harness.scenarios import Project, load_scenario, load_scenarios


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness audit` takes."""
    parser.add_argument(
        "files", metavar="FILE", nargs="+", type=Path,
        help="a .jsonl file of objects with chat `messages`, or one bare answer as .json or .txt",
    )  # fmt: skip
    parser.add_argument(
        "-c", "--contract", metavar="CONTRACT",
        help="the agreement to judge by (default: what the transcript names, else its flow's)",
    )  # fmt: skip
    parser.add_argument(
        "--scenario", metavar="ID", help="what was asked (default: what the transcript names)"
    )
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print what every transcript breaks; a broken contract is data, so the exit code is 0."""
    where = project(arguments)
    audits = [
        _audit(imported, arguments.contract, arguments.scenario, where)
        for path in arguments.files
        for imported in read_file(path)
    ]
    if arguments.json:
        print_json(audits)
    else:
        _print(audits)
    return 0


def _audit(
    imported: Imported, contract_id: str | None, scenario_id: str | None, where: Project
) -> dict[str, Any]:
    named = scenario_id or imported.scenario
    scenario = _scenario(where, named) if named else None
    default = DEFAULT_BY_FLOW[scenario.flow if scenario else "incident"]
    contract = load_contract(contract_id or imported.contract or default)
    identity = imported.transcript.id._replace(scenario=named or "-", contract=contract.id)
    transcript = replace(imported.transcript, id=identity)
    # The auditor states the agreement, so every rule counts as told whatever the prompt says.
    sample = read_sample(transcript, contract, scenario, told=True)
    scores = list(grade(sample))
    return {
        "source": imported.source,
        "outcome": _outcome([score for grader, score in scores if clause(grader.clause).level == "MUST"]),
        "scores": [row for grader, score in scores for row in _rows(grader.clause, score)],
        "carrier": _carrier(sample),
    }


@lru_cache(maxsize=256)
def _scenario(where: Project, scenario_id: str) -> Scenario:
    load_scenarios(where, [scenario_id])
    return load_scenario(where, scenario_id)


def _carrier(sample: Sample) -> dict[str, Any]:
    found = sample.extraction
    return {"carrier": found.carrier, "tier": found.tier, "findings": [each.name for each in found.findings]}


def _outcome(scores: list[Score]) -> str:
    outcomes = {each.outcome for each in scores}
    return "fail" if "fail" in outcomes else "unscored" if "unscored" in outcomes else "pass"


def _rows(clause_id: str, score: Score) -> Iterator[dict[str, Any]]:
    """Yield one row per finding, so that every broken place has its pointer; else one row."""
    for finding in score.findings or (Finding(score.reason),):
        yield {
            "clause": clause_id,
            "level": clause(clause_id).level,
            "outcome": score.outcome,
            "reason": finding.reason,
            "place": finding.place,
            "expected": finding.expected,
            "observed": finding.observed,
        }


COLUMNS = {"clause": 7, "place": 60, "reason": 40, "expected": 30, "observed": 40}
"""What a person sees of a broken clause, and the widest that each may get."""


def _cell(value: Any) -> str:
    from harness.reporting.clean import capped, visible

    return visible(capped("-" if value is None else str(value), 80))


def _print(audits: list[dict[str, Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    from harness.reporting.clean import visible

    out = console()
    for audit in audits:
        counts = dict.fromkeys(("pass", "fail", "unscored", "not_applicable"), 0)
        for row in audit["scores"]:
            counts[row["outcome"]] += 1
        out.print(Text(visible(f"{audit['source']}: {audit['outcome']}"), style="bold"))
        shown = audit["carrier"]
        out.print(Text(f"carrier {shown['carrier']}, read as {shown['tier']}"))
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name, widest in COLUMNS.items():
            table.add_column(name, overflow="fold", max_width=widest)
        for row in audit["scores"]:
            if row["outcome"] == "fail":
                table.add_row(*(Text(_cell(row[name])) for name in COLUMNS))
        out.print(table)
        out.print(Text("  ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())))
        out.print()

"""harness list: what there is."""

import argparse
from collections.abc import Callable, Sequence
from typing import Any, cast

from harness.cli.output import RUNS, add_json, add_project, console, print_json, project

Rows = list[dict[str, Any]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness list` takes."""
    parser.add_argument("what", choices=list(LISTS), help="what to list")
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print a table, or one JSON array."""
    rows = LISTS[arguments.what](arguments)
    if arguments.json:
        print_json(rows)
    else:
        _table(rows, COLUMNS[arguments.what])
    return 0


def scenarios(arguments: argparse.Namespace) -> Rows:
    """Return one row per scenario."""
    from harness.scenarios import load_scenarios

    return [
        {
            "id": each.id,
            "flow": each.flow,
            "tags": each.tags,
            "family": each.family,
            "signal_type": each.signal.signal_type,
            "accepted_signal_types": each.expect.signal_types,
            "severity": each.signal.severity,
            "accepted_severities": list(each.expect.severities),
            "reason": each.previous.failure.reason if each.previous else None,
            "hostile": bool(each.plants),
            "pair": each.pair.model_dump(include={"of", "relation"}) if each.pair else None,
            "description": each.description,
            "alert": f"{each.signal.signal_type} {each.signal.severity}",
            "evidence": f"{' or '.join(each.expect.signal_types)}, {' or '.join(each.expect.severities)}",
        }
        for each in load_scenarios(project(arguments))
    ]


def contracts(_: argparse.Namespace) -> Rows:
    """Return one row per contract."""
    from harness.contracts import CONTRACTS, DEFAULT_BY_FLOW

    return [
        {
            "id": each.id,
            "flow": each.flow,
            "default": DEFAULT_BY_FLOW[each.flow] == each.id,
            "title": each.title,
            "source": each.source,
            "digest": each.digest(),
        }
        for each in CONTRACTS
    ]


def clauses(arguments: argparse.Namespace) -> Rows:
    """Return one row per clause; `graded_by` is None where nothing judges it yet."""
    from harness.contracts import CONTRACTS
    from harness.contracts.clauses import CLAUSES
    from harness.graders import GRADERS, RELATIONS
    from harness.scenarios import load_scenarios
    from harness.violations import VIOLATIONS

    graders = {each.clause: each.name for each in (*GRADERS, *RELATIONS)}
    graders["CAR-7"] = "grading.unaskable"
    loaded = load_scenarios(project(arguments))
    rows: Rows = []
    for each in CLAUSES:
        taking = [contract for contract in CONTRACTS if each.id in contract.clauses]
        flows = {contract.flow for contract in taking}
        rows.append(
            {
                "id": each.id,
                "level": each.level,
                "dimension": each.dimension,
                "source": each.source,
                "contracts": [contract.id for contract in taking],
                "graded_by": graders.get(each.id),
                "violations": [violation.name for violation in VIOLATIONS if each.id in violation.breaks],
                "scenarios": sum(scenario.flow in flows for scenario in loaded),
                "text": each.text,
            }
        )
    return rows


def graders(_: argparse.Namespace) -> Rows:
    """Return one row per grader."""
    from harness.contracts.clauses import clause
    from harness.graders import GRADERS

    return [
        {
            "clause": each.clause,
            "grader": each.name,
            "version": each.version,
            "needs": list(each.needs),
            "level": clause(each.clause).level,
            "text": clause(each.clause).text,
        }
        for each in GRADERS
    ]


def targets(_: argparse.Namespace) -> Rows:
    """Return one row per target that needs no configuration, and one per kind that does."""
    from harness.targets.mock import MOCKS

    mocks: Rows = [
        {
            "target": f"mock:{each.name}",
            "dimensions": list(each.dimensions),
            "may_break": sorted(each.may_break),
        }
        for each in MOCKS
    ]
    return [*mocks, {"target": "litellm:provider/model", "dimensions": [], "may_break": []}]


def runs(_: argparse.Namespace) -> Rows:
    """Return one row per stored run, oldest first."""
    from harness.store import find_runs, open_run

    return [
        {
            "id": info.id,
            "status": info.status,
            "created": info.created,
            "targets": list(info.targets),
            "contracts": list(info.contracts),
            "trials": info.trials,
            **{name: info.counts.get(name) for name in ("samples", "compliant", "unscored")},
        }
        for info in (open_run(str(folder), RUNS).info for folder in find_runs(RUNS))
    ]


LISTS: dict[str, Callable[[argparse.Namespace], Rows]] = {
    "scenarios": scenarios,
    "contracts": contracts,
    "clauses": clauses,
    "graders": graders,
    "targets": targets,
    "runs": runs,
}

COLUMNS: dict[str, Sequence[str]] = {
    "scenarios": ("id", "alert", "evidence"),
    "contracts": ("id", "flow", "default", "title"),
    "clauses": ("id", "level", "dimension", "graded_by", "text"),
    "graders": ("clause", "grader", "version", "needs"),
    "targets": ("target", "dimensions", "may_break"),
    "runs": ("id", "status", "targets", "samples", "compliant", "unscored"),
}


def _table(rows: Rows, columns: Sequence[str]) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name.replace("_", " "), overflow="fold", no_wrap=name in {"id", "clause", "target"})
    for row in rows:
        table.add_row(*(Text(_cell(row[name])) for name in columns))
    console().print(table)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, list):
        return ", ".join(str(each) for each in cast("list[Any]", value))
    return str(value)

"""harness list: what there is."""

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from harness.cli.output import add_json, add_out, add_project, print_json, print_rows, project, say
from harness.errors import InvalidInput

if TYPE_CHECKING:
    from harness.model import Contract, Sample, Scenario

Rows = list[dict[str, Any]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness list` takes."""
    parser.add_argument("what", choices=list(LISTS), help="what to list")
    parser.add_argument(
        "--quality", action="store_true",
        help="with scenarios: play the mocks over them and say what they are worth; 1 if something is wrong",
    )  # fmt: skip
    add_out(parser)
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print a table, or one JSON array."""
    if arguments.quality:
        return _quality(arguments)
    rows = LISTS[arguments.what](arguments)
    if arguments.json:
        keys = KEYS.get(arguments.what)
        print_json([{key: row[key] for key in keys or row} for row in rows])
        return 0
    if not rows:
        say(f"no {arguments.what}" + (f" in {arguments.out}" if arguments.what == "runs" else ""))
        return 0
    names = COLUMNS[arguments.what]
    cells = [[_cell(row[name]) for name in names] for row in rows]
    print_rows([each.replace("_", " ") for each in names], cells, numbers=NUMBERS)
    return 0


def _quality(arguments: argparse.Namespace) -> int:
    from harness.cli.quality import show_quality
    from harness.scenarios import load_scenarios

    if arguments.what != "scenarios":
        msg = f"list: found --quality with {arguments.what!r}; it goes with scenarios"
        raise InvalidInput(msg)
    return show_quality(load_scenarios(project(arguments)), as_json=arguments.json)


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


def contracts(arguments: argparse.Namespace) -> Rows:
    """Return one row per contract; a project's own come last, and are executed for it."""
    from harness.contracts import CONTRACTS, DEFAULT_BY_FLOW
    from harness.scenarios.contracts import project_contracts

    return [
        {
            "id": each.id,
            "flow": each.flow,
            "default": DEFAULT_BY_FLOW[each.flow] == each.id,
            "title": each.title,
            "source": each.source,
            "digest": each.digest(),
            "folder": each.origin.folder if each.origin else None,
        }
        for each in (*CONTRACTS, *project_contracts(project(arguments)))
    ]


def clauses(arguments: argparse.Namespace) -> Rows:
    """Return one row per clause; `graded_by` is None where nothing judges it yet.

    Tables are quick: only programs are told the number of scenarios, which takes every scenario to be played.
    """
    from harness.contracts import CONTRACTS
    from harness.contracts.clauses import CLAUSES
    from harness.graders import GRADED_BY
    from harness.scenarios import load_scenarios
    from harness.violations import VIOLATIONS

    applying = _applying(load_scenarios(project(arguments))) if arguments.json else {}
    return [
        {
            "id": each.id,
            "level": each.level,
            "dimension": each.dimension,
            "source": each.source,
            "contracts": [contract.id for contract in CONTRACTS if each.id in contract.clauses],
            "graded_by": GRADED_BY.get(each.id),
            "violations": [violation.name for violation in VIOLATIONS if each.id in violation.breaks],
            "scenarios": applying.get(each.id),
            "text": each.text,
        }
        for each in CLAUSES
    ]


def _applying(scenarios: "Sequence[Scenario]") -> dict[str, int]:
    """Return in how many scenarios the subject of each clause occurs when the oracle plays (or in pairs)."""
    from harness.contracts import CONTRACTS
    from harness.contracts.clauses import CLAUSES
    from harness.graders import grade

    found: dict[str, set[str]] = {each.id: set() for each in CLAUSES}
    for scenario in scenarios:
        # Any answer may be cut by our limit; the oracle's never is.
        found["CAR-7"].add(scenario.id)
        if scenario.pair:
            found[scenario.pair.relation].add(scenario.id)
        for contract in CONTRACTS:
            if contract.flow == scenario.flow:
                for grader, score in grade(_played(scenario, contract)):
                    if score.outcome != "not_applicable":
                        found[grader.clause].add(scenario.id)
    return {name: len(each) for name, each in found.items()}


def _played(scenario: "Scenario", contract: "Contract") -> "Sample":
    import asyncio

    from harness.conversation import Trial, converse
    from harness.extraction import read_sample
    from harness.model import SampleId
    from harness.prompting import render
    from harness.targets import TargetOptions, open_target

    target = open_target("mock:oracle", TargetOptions())
    sample = SampleId(scenario.id, contract.id, target.name, 1)
    trial = Trial(sample, scenario, contract, render(scenario, contract), 1, {})
    return read_sample(asyncio.run(converse(target, trial)), contract, scenario)


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


def targets(arguments: argparse.Namespace) -> Rows:
    """Return one row per name of targets.yaml, per mock, and one for each kind that takes a model."""
    from harness.cli.naming import configured
    from harness.targets.mock import MOCKS

    mocks = {f"mock:{each.name}": each for each in MOCKS}
    names = configured(arguments)
    rows = [*((name, entry.means) for name, entry in names.items()), *((name, None) for name in mocks)]
    return [
        {
            "target": name,
            "means": means,
            "account": names[name].account if name in names else None,
            "dimensions": list(mocks[means or name].dimensions) if (means or name) in mocks else [],
            "may_break": sorted(mocks[means or name].may_break) if (means or name) in mocks else [],
        }
        for name, means in (*rows, ("litellm:provider/model", None))
    ]


def runs(arguments: argparse.Namespace) -> Rows:
    """Return one row per stored run, oldest first."""
    from harness.store import find_runs
    from harness.store.info import read_info

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
        for info in map(read_info, find_runs(arguments.out))
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
    "targets": ("target", "means", "dimensions", "may_break"),
    "runs": ("id", "status", "targets", "samples", "compliant", "unscored"),
}
"""What tables show, in order."""

NUMBERS = frozenset({"version", "samples", "compliant", "unscored"})

KEYS: dict[str, Sequence[str]] = {
    "scenarios": (
        "id", "flow", "tags", "family", "signal_type", "accepted_signal_types", "severity",
        "accepted_severities", "reason", "hostile", "pair",
    ),
    "clauses": (
        "id", "level", "dimension", "source", "contracts", "graded_by", "violations", "scenarios",
    ),
}  # fmt: skip
"""What programs get, in order; where nothing is said here, everything."""


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, list):
        return ", ".join(str(each) for each in cast("list[Any]", value))
    return str(value)

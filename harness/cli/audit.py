"""harness audit: grade transcripts that the harness did not record."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.auditing import NAMES, Imported, Refused, judge, read_file
from harness.cli.output import add_json, add_project, print_json_array, project, say
from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.contracts.clauses import clause
from harness.errors import InvalidInput
from harness.graders import Grader
from harness.model import Contract, Finding, Sample, Scenario, Score
from harness.scenarios import Project, load_scenario, load_scenarios
from harness.scenarios.contracts import find_contract, is_path

Scores = Sequence[tuple[Grader, Score]]


@dataclass(frozen=True, slots=True)
class Audit:
    """One transcript, judged; `chosen` says who named contract and scenario, `about` how it was read."""

    source: str
    sample: Sample
    scores: Scores
    chosen: str
    about: str | None = None

    @property
    def outcome(self) -> str:
        """The worst outcome of its MUST clauses: fail, unscored, else pass."""
        outcomes = {score.outcome for grader, score in self.scores if clause(grader.clause).level == "MUST"}
        return "fail" if "fail" in outcomes else "unscored" if "unscored" in outcomes else "pass"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness audit` takes."""
    parser.add_argument(
        "files", metavar="FILE", nargs="+", type=Path,
        help="conversations: one object on each line (.jsonl, .json) or in an array (.json); a log of "
        "Inspect AI (.eval, .json); or one bare answer (.json, .txt)",
    )  # fmt: skip
    parser.add_argument(
        "--from", dest="form", choices=NAMES, metavar="FORM",
        help=f"the form of the files: {', '.join(NAMES)} (default: recognised by what they hold)",
    )  # fmt: skip
    parser.add_argument(
        "-c", "--contract", metavar="CONTRACT",
        help="the agreement to judge by, an id or a path (default: what the transcript names, else its "
        "flow's)",
    )  # fmt: skip
    parser.add_argument(
        "--scenario", metavar="ID", help="what was asked (default: what the transcript names)"
    )
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print what every transcript breaks: that is data, and no error; what is no transcript ends with 2."""
    where = project(arguments)
    # What is wrong for all of them is said once, before the first.
    _agreement(arguments, where, None)
    refused: list[Refused] = []
    audits = _audits(arguments, where, refused)
    if arguments.json:
        print_json_array(_as_json(each) for each in audits)
    else:
        from harness.cli.audit_text import print_audit

        for each in audits:
            print_audit(each)
    return InvalidInput.exit_code if refused else 0


def _audits(arguments: argparse.Namespace, where: Project, refused: list[Refused]) -> Iterator[Audit]:
    """Yield every transcript judged; name each that cannot be, and keep it in `refused`."""
    for path in arguments.files:
        for read in read_file(path, arguments.form):
            judged = read if isinstance(read, Refused) else _judged(read, arguments, where)
            if isinstance(judged, Refused):
                refused.append(judged)
                say(str(judged))
            else:
                yield judged


def _judged(imported: Imported, arguments: argparse.Namespace, where: Project) -> Audit | Refused:
    try:
        contract, scenario, chosen = _agreement(arguments, where, imported)
        sample, scores = judge(imported, contract, scenario)
        return Audit(imported.source, sample, scores, chosen, _about(imported))
    except InvalidInput as error:
        return Refused(imported.source, str(error))
    except RecursionError:
        return Refused(imported.source, "is nested too deep to judge")


def _agreement(
    arguments: argparse.Namespace, where: Project, imported: Imported | None
) -> tuple[Contract, Scenario | None, str]:
    """Return by which contract and scenario a transcript is judged, and who named them.

    Raises:
        InvalidInput: one of the two does not exist, or the contract does not take the scenario.
    """
    named = arguments.scenario or (imported.scenario if imported else None)
    scenario = _scenario(where, named) if named else None
    flow = scenario.flow if scenario else "incident"
    agreed = arguments.contract or (imported.contract if imported else None)
    contract = _contract(arguments.contract, agreed or DEFAULT_BY_FLOW[flow], where)
    if scenario and contract.flow != scenario.flow:
        raise InvalidInput(
            f"{contract.id}: takes {contract.flow} scenarios, and {scenario.id} is for flow "
            f"{scenario.flow!r}; choose another with -c or --scenario"
        )
    default = f"the default of {flow} scenarios" if scenario else "the default, as nothing names one"
    by_contract = _who(arguments.contract, agreed) or default
    by_scenario = _who(arguments.scenario, named)
    asked = f"{scenario.id} ({by_scenario})" if scenario else "not known, as nothing names it"
    return contract, scenario, f"contract {contract.id} ({by_contract}), scenario {asked}"


def _contract(given: str | None, agreed: str, where: Project) -> Contract:
    """Return the contract to judge by; what a transcript names is no path that code would be run from."""
    if given is None and is_path(agreed):
        return load_contract(agreed)
    return find_contract(agreed, where)


def _who(given: str | None, named: str | None) -> str:
    """Return who named something, or nothing where nobody did."""
    return "as asked" if given else "named by the transcript" if named else ""


def _about(imported: Imported) -> str | None:
    return f"read as a {imported.dialect.about}" if imported.dialect else None


@lru_cache(maxsize=256)
def _scenario(where: Project, scenario_id: str) -> Scenario:
    load_scenarios(where, [scenario_id])
    return load_scenario(where, scenario_id)


def _as_json(audit: Audit) -> dict[str, Any]:
    return {
        "source": audit.source,
        "outcome": audit.outcome,
        "scores": [row for grader, score in audit.scores for row in _rows(grader.clause, score)],
    }


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

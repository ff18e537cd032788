"""Audit what was imported: by which contract and scenario each transcript is judged, and how it came out."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from harness.auditing.importing import Imported, Refused
from harness.auditing.judging import judge_each
from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.contracts.clauses import CLAUSES, clause
from harness.engines import grouped
from harness.errors import InvalidInput
from harness.graders import Grader, graders_of
from harness.model import Contract, Finding, Sample, Scenario, Score
from harness.model.frozen import frozen
from harness.model.score import Outcome
from harness.scenarios import Project, load_scenario, load_scenarios
from harness.scenarios.contracts import find_contract, is_path
from harness.scenarios.project import is_there

Scores = Sequence[tuple[Grader, Score]]
Agreement = tuple[Contract, Scenario | None, str]
Agreed = tuple[Imported, Agreement]

MUST = frozenset(each.id for each in CLAUSES if each.level == "MUST")


@dataclass(frozen=True, slots=True)
class Asked:
    """What an audit was asked: contract and scenario go before what a transcript names."""

    project: Project
    contract: str | None = None
    scenario: str | None = None
    form: str | None = None


@frozen
class Audit:
    """One transcript, judged; `chosen` says who named contract and scenario, `about` how it was read."""

    source: str
    sample: Sample
    scores: Scores
    chosen: str
    about: str | None = None

    @property
    def pattern(self) -> "Pattern":
        """How its clauses came out."""
        return _pattern(self.sample.contract, tuple([score.outcome for _, score in self.scores]))

    @property
    def outcome(self) -> str:
        """The worst outcome of its MUST clauses: fail, unscored, else pass."""
        return self.pattern.outcome


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """How the clauses of a transcript came out, as those of many do.

    `outcome` is the worst of its MUST clauses: fail, unscored, else pass. `clauses` has the clauses of each
    outcome, `told` the places, among all scores, of what failed or is unscored; `spelled` is the end of a
    line of scores, which names the clauses of which nothing else is told.
    """

    outcome: str
    clauses: Mapping[Outcome, Sequence[str]]
    told: Sequence[int]
    spelled: str


@lru_cache(maxsize=4096)
def _pattern(contract: Contract, outcomes: tuple[Outcome, ...]) -> Pattern:
    clauses: dict[Outcome, list[str]] = {}
    for grader, outcome in zip(graders_of(contract), outcomes, strict=True):
        clauses.setdefault(outcome, []).append(grader.clause)
    worst: Iterator[Outcome] = (
        each for each in ("fail", "unscored") if MUST.intersection(clauses.get(each, ()))
    )
    told = [index for index, each in enumerate(outcomes) if each in {"fail", "unscored"}]
    others = {each: clauses.get(each, ()) for each in ("pass", "not_applicable")}
    return Pattern(next(worst, "pass"), clauses, told, json.dumps(others).removeprefix("{"))


def audits(reads: Iterable[Imported | Refused], asked: Asked, together: int = 1) -> Iterator[Audit | Refused]:
    """Yield what was read, judged, so many at a time; what cannot be is refused."""
    # What was asked is long to compare, and stays the same here.
    agreed = lru_cache(maxsize=2048)(partial(agreement, asked))
    for some in grouped(reads, together, _weight):
        known = [each if isinstance(each, Refused) else _agreed(each, agreed) for each in some]
        judged = iter(_judged([each for each in known if not isinstance(each, Refused)]))
        yield from (each if isinstance(each, Refused) else next(judged) for each in known)


def _weight(read: Imported | Refused) -> int:
    return 0 if isinstance(read, Refused) else read.transcript.characters


def _agreed(imported: Imported, agreed: Callable[[str | None, str | None], Agreement]) -> Agreed | Refused:
    try:
        return imported, agreed(imported.scenario, imported.contract)
    except InvalidInput as error:
        return Refused(imported.source, str(error))


def _judged(some: Sequence[Agreed]) -> Sequence[Audit | Refused]:
    """Return transcripts judged together; where one cannot be, each by itself."""
    try:
        judged = judge_each([(imported, contract, scenario) for imported, (contract, scenario, _) in some])
    except (InvalidInput, RecursionError) as error:
        if len(some) > 1:
            return [judged for each in some for judged in _judged([each])]
        reason = str(error) if isinstance(error, InvalidInput) else "is nested too deep to judge"
        return [Refused(some[0][0].source, reason)]
    return [
        Audit(imported.source, sample, scores, chosen, _about(imported))
        for (imported, (_, _, chosen)), (sample, scores) in zip(some, judged, strict=True)
    ]


@lru_cache(maxsize=2048)
def agreement(
    asked: Asked, scenario_named: str | None = None, contract_named: str | None = None
) -> Agreement:
    """Return by which contract and scenario a transcript is judged that names these, and who named them.

    Raises:
        InvalidInput: one of the two does not exist, or the contract does not take the scenario.
    """
    named = asked.scenario or scenario_named
    scenario = _scenario(asked.project, named) if named else None
    flow = scenario.flow if scenario else "incident"
    agreed = asked.contract or contract_named
    contract = _contract(asked.contract, agreed or DEFAULT_BY_FLOW[flow], asked.project)
    if scenario and contract.flow != scenario.flow:
        raise InvalidInput(
            f"{contract.id}: takes {contract.flow} scenarios, and {scenario.id} is for flow "
            f"{scenario.flow!r}; choose another with -c or --scenario"
        )
    default = f"the default of {flow} scenarios" if scenario else "the default, as nothing names one"
    by_contract = _who(asked.contract, agreed) or default
    by_scenario = _who(asked.scenario, named)
    about = f"{scenario.id} ({by_scenario})" if scenario else "not known, as nothing names it"
    return contract, scenario, f"contract {contract.id} ({by_contract}), scenario {about}"


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


@lru_cache(maxsize=2048)
def _scenario(where: Project, scenario_id: str) -> Scenario:
    if is_there(where, scenario_id):
        return load_scenario(where, scenario_id)
    found = load_scenarios(where, [scenario_id])[0]
    # What a transcript names is an id, and no pattern.
    return found if found.id == scenario_id else load_scenario(where, scenario_id)


def as_json(audit: Audit) -> dict[str, Any]:
    """Return an audit as `harness audit --json` prints it."""
    return {
        "source": audit.source,
        "outcome": audit.outcome,
        "scores": [row for grader, score in audit.scores for row in rows(grader.clause, score)],
    }


def rows(clause_id: str, score: Score) -> Iterator[dict[str, Any]]:
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

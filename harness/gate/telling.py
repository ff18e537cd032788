"""Two prompts compared: a rule that either of them states is judged on both sides.

By PRM-10 a rule that its prompt does not state is held against nobody, so a rule that is taken out of a
prompt turns its clause from passed into not applicable, and nothing would fall. Here the transcripts of the
side that was not told are judged by the rule as well; where they are not at hand, that is said, and nothing
passes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from harness.contracts.clauses import CLAUSES, clause
from harness.extraction import read_sample
from harness.gate.sides import Asked, Side
from harness.gate.verdict import Verdict
from harness.graders import GRADERS
from harness.graders.grading import UNTOLD, score
from harness.model import Contract, Scenario, Transcript
from harness.statistics.outcomes import RELATION
from harness.store import ScoreRow

RULES = frozenset(each.id for each in CLAUSES if each.level == "MUST" and each.dimension != RELATION)
"""The clauses of which a prompt must state the rule."""
Untold = Mapping[Asked, frozenset[str]]
"""Scenario and contract -> the clauses whose rule the prompt there did not state."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A side judged by rules that it was not told.

    `untold` are those, by contract; `unjudged` are the ones of them of which samples could not be judged.
    """

    side: Side
    untold: Mapping[str, frozenset[str]]
    unjudged: Mapping[str, frozenset[str]]


def untold_in(rows: Iterable[ScoreRow], target: str) -> Untold:
    """Return what a run's scores say was not stated."""
    found: dict[Asked, set[str]] = {}
    for row in rows:
        if row.target == target and row.outcome == "not_applicable" and row.reason.startswith(UNTOLD):
            found.setdefault(Asked(row.scenario, row.contract), set()).add(row.clause)
    return {asked: frozenset(clauses) for asked, clauses in found.items()}


def never_judged(side: Side, other: Side) -> Untold:
    """Return the MUST clauses that one side never judged under a contract, and the other did.

    A baseline keeps outcomes and no reasons, so this is all that it tells of what was untold.
    """
    ours, theirs = _judged(side), _judged(other)
    return {
        asked: frozenset(theirs.get(asked.contract, set()) - ours.get(asked.contract, set()))
        for asked in side.outcomes
    }


def _judged(side: Side) -> dict[str, set[str]]:
    """Return the clauses that were judged at least once, by contract; relations need no rule to be told."""
    found: dict[str, set[str]] = {}
    for asked, trials in side.outcomes.items():
        for clauses in trials.values():
            judged = {name for name, outcome in clauses.items() if outcome != "not_applicable"}
            found.setdefault(asked.contract, set()).update(judged & RULES)
    return found


def only_here(untold: Untold, other: Untold) -> Untold:
    """Return what one side was not told and the other was."""
    apart = {asked: clauses - other[asked] for asked, clauses in untold.items() if asked in other}
    return {asked: clauses for asked, clauses in apart.items() if clauses}


def judged_by(
    side: Side,
    rules: Untold,
    transcripts: Iterable[Transcript],
    scenarios: Mapping[str, Scenario],
    contracts: Mapping[str, Contract],
) -> Judgement:
    """Return a side whose samples are judged by some rules that they were not told.

    Args:
        side: as it was judged.
        rules: by which, where.
        transcripts: of its samples, as far as they are at hand.
        scenarios: of the project, by id.
        contracts: by id.
    """
    versions = {each.clause: each.version for each in GRADERS}
    outcomes = {asked: dict(trials) for asked, trials in side.outcomes.items()}
    waiting = {(asked, trial) for asked in rules for trial in outcomes.get(asked, ())}
    untold: dict[str, frozenset[str]] = {}
    for transcript in transcripts:
        asked, trial = Asked(transcript.id.scenario, transcript.id.contract), transcript.id.trial
        if (asked, trial) not in waiting or not _as_judged(side, asked, scenarios, contracts):
            continue
        sample = read_sample(transcript, contracts[asked.contract], scenarios[asked.scenario])
        missing = rules[asked] - sample.anchored
        if any(side.grading.graders.get(each) != versions.get(each) for each in missing):
            continue
        waiting.remove((asked, trial))
        untold[asked.contract] = untold.get(asked.contract, frozenset()) | missing
        sample = replace(sample, anchored=sample.anchored | missing)
        again = {each.clause: score(each, sample).outcome for each in GRADERS if each.clause in missing}
        outcomes[asked][trial] = {**outcomes[asked][trial], **again}
    left: dict[str, frozenset[str]] = {}
    for asked, _ in waiting:
        left[asked.contract] = left.get(asked.contract, frozenset()) | rules[asked]
    untold = {contract: clauses for contract, clauses in untold.items() if clauses}
    return Judgement(replace(side, outcomes=outcomes), untold, left)


def _as_judged(
    side: Side, asked: Asked, scenarios: Mapping[str, Scenario], contracts: Mapping[str, Contract]
) -> bool:
    """Return whether scenario and contract are at hand, and what the side was judged by."""
    scenario, contract = scenarios.get(asked.scenario), contracts.get(asked.contract)
    if scenario is None or contract is None:
        return False
    grading = side.grading
    return (
        grading.scenarios.get(asked.scenario) == scenario.digest()
        and grading.contracts.get(asked.contract) == contract.digest()
    )


def told_apart(verdict: Verdict, candidate: Judgement, baseline: Judgement) -> Verdict:
    """Return a verdict that says which rules one side alone was told; what nobody could judge cannot pass."""
    lost = _named(candidate.untold)
    notes = [
        *_lines(candidate.untold, "no longer told", "judged all the same: the baseline's prompt states it"),
        *_lines(baseline.untold, "newly told", "the baseline is judged by it too"),
        *_lines(
            candidate.unjudged,
            "judged in the baseline, not told here",
            "the candidate's transcripts are not at hand, so nothing is known of it",
        ),
        *_lines(
            baseline.unjudged,
            "not judged in the baseline",
            "it has no transcripts at hand, so the clause is not compared",
        ),
    ]
    because = f"{verdict.because}; no longer told: {lost}" if lost else verdict.because
    outcome = verdict.outcome
    if candidate.unjudged and outcome == "pass":
        outcome = "inconclusive"
        unknown = _named(candidate.unjudged)
        because = f"the baseline was judged by rules that the candidate was not told: {unknown}; {because}"
    return replace(verdict, outcome=outcome, because=because, notes=(*verdict.notes, *notes))


def _lines(clauses: Mapping[str, frozenset[str]], what: str, then: str) -> list[str]:
    return [f"{what}: {_spelled(each)} under {contract}; {then}" for contract, each in clauses.items()]


def _named(clauses: Mapping[str, frozenset[str]]) -> str:
    return _spelled(frozenset[str]().union(*clauses.values())) if clauses else ""


def _spelled(clauses: frozenset[str]) -> str:
    dimensions = sorted({clause(each).dimension for each in clauses})
    return f"{', '.join(sorted(clauses))} ({', '.join(dimensions)})"

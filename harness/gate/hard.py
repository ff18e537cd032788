"""Hard clauses: the first breach is one too many."""

from harness.contracts.clauses import CLAUSES
from harness.gate.sides import Asked
from harness.gate.verdict import HardClause
from harness.gate.views import Trials, View

HARD = tuple(each.id for each in CLAUSES if each.hard)


def hard_clauses(ours: View, theirs: View) -> tuple[HardClause, ...]:
    """Return what became of each hard clause that was scored on either side."""
    found = (_hard(clause, ours, theirs) for clause in HARD)
    return tuple(each for each in found if each.n or each.baseline_n)


def _hard(clause: str, ours: View, theirs: View) -> HardClause:
    broken, n = _broken(clause, ours.clauses)
    before, baseline_n = _broken(clause, theirs.clauses)
    outcome = "kept" if not broken else "standing" if before else "regression"
    samples = tuple(ours.side.sample(*each) for each in broken)
    return HardClause(clause, len(broken), n, len(before), baseline_n, outcome, samples)


def _broken(clause: str, trials: Trials) -> tuple[list[tuple[Asked, int]], int]:
    """Return the samples that break a clause, and on how many it was scored."""
    outcomes = {
        (asked, trial): clauses.get(clause)
        for asked, found in trials.items()
        for trial, clauses in found.items()
    }
    broken = sorted(place for place, outcome in outcomes.items() if outcome == "fail")
    return broken, len(broken) + sum(outcome == "pass" for outcome in outcomes.values())

"""Run x baseline -> Verdict: pass, regression, inconclusive or insufficient, and why."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from harness.contracts.clauses import CLAUSES, DIMENSIONS
from harness.gate.flips import flips
from harness.gate.hard import hard_clauses
from harness.gate.known_failures import KnownFailure, excused
from harness.gate.matching import NAMED, shared
from harness.gate.sides import Asked, Side
from harness.gate.verdict import Compared, GateOutcome, HardClause, Verdict
from harness.gate.views import Trials, View, by_clauses, by_dimensions, differences, never_scored, view
from harness.gate.wording import because
from harness.statistics.differences import Difference
from harness.statistics.multiple import holm
from harness.statistics.outcomes import ALL, RELATION
from harness.statistics.power import Demand, Design, smallest_drop, spread_within, trials_to_pass

COVERAGE_FLOOR = 0.95
POWER = 0.8
_EVEN = 1e-9
"""What floating point may make of numbers that are equal."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Under which terms it is decided: `margin` and `alpha` between 0 and 1.

    `common` compares what is shared, where not everything is; `known` are failures that nobody counts.
    `families_alpha` is alpha where families are asked whether they agree, None where it is the same.
    """

    margin: float = 0.05
    alpha: float = 0.05
    common: bool = False
    known: Sequence[KnownFailure] = ()
    families_alpha: float | None = None


def decide(candidate: Side, baseline: Side, terms: Terms) -> Verdict:
    """Return what has become of a baseline.

    Raises:
        NotComparable: the sides were judged by different measures.
    """
    both = shared(candidate, baseline, common=terms.common)
    ours, theirs = (view(each, both.asked, terms.known, both.without) for each in (candidate, baseline))
    found, tested, hard = judged(ours, theirs, terms)
    coverage = min(ours.coverage, theirs.coverage)
    whole = found.get(ALL)
    varied = sum(each.p is not None for each in tested.values())
    demand = Demand(terms.alpha, POWER, terms.margin, max(1, varied))
    seen, needed = _sight(found, theirs, demand)
    unknown = never_scored(ours, theirs)
    # As far as `all` falls if none of them is compliant, over everything that the baseline was scored in.
    hidden = sum(unknown.values()) / (whole.scenarios + len(unknown)) if whole else 0.0
    verdict = Verdict(
        outcome=_outcome(tested.values(), hard, coverage, whole.low - hidden if whole else None, terms),
        because="",
        dimensions=tuple(tested[each] for each in found),
        clauses=_each_clause(ours, theirs, terms),
        hard=hard,
        coverage=coverage,
        minimum_detectable=seen,
        trials_to_decide=needed,
        trials=(ours.most_trials, theirs.most_trials),
        families=len(whole.families) if whole else 0,
        flipped=flips(ours, theirs),
        excused=tuple(excused(terms.known, candidate, baseline, both.asked)),
        left_out=both.left_out,
        notes=(
            *candidate.notes,
            *baseline.notes,
            *_never_scored(candidate, unknown),
            *_never_scored(baseline, never_scored(theirs, ours)),
            *_itself(candidate, baseline),
        ),
        margin=terms.margin,
        alpha=terms.alpha,
        hidden=hidden,
    )
    return replace(verdict, because=because(verdict))


def judged(
    ours: View, theirs: View, terms: Terms
) -> tuple[dict[str, Difference], dict[str, Compared], tuple[HardClause, ...]]:
    """Return how dimensions differ, what became of them and of standing breaches, and hard clauses."""
    found = _differences((ALL, *DIMENSIONS), ours, theirs, by_dimensions, terms)
    hard = hard_clauses(ours, theirs)
    standing = [each.clause for each in hard if each.outcome == "standing"]
    # A standing breach is tested like the dimensions, so it is one more test that could raise the alarm.
    tested = _tested(found | _differences(standing, ours, theirs, by_clauses, terms), terms)
    return found, tested, tuple(_fallen(each, tested) for each in hard)


def _tested(found: Mapping[str, Difference], terms: Terms) -> dict[str, Compared]:
    """Return each difference with what became of it; where all trials of both sides agree, nothing is tested.

    Which those are follows from the outcomes of both sides together, so Holm's promise holds for the rest.
    """
    varied = [
        name
        for name, each in found.items()
        if (each.rate, each.baseline_rate) not in {(1.0, 1.0), (0.0, 0.0)}
    ]
    adjusted = dict(zip(varied, holm([found[name].p for name in varied]), strict=True))
    return {name: _compared(name, each, adjusted.get(name), terms) for name, each in found.items()}


def _compared(name: str, found: Difference, p: float | None, terms: Terms) -> Compared:
    outcome: GateOutcome = "inconclusive"
    if p is not None and p <= terms.alpha + _EVEN and found.effect < -terms.margin - _EVEN:
        outcome = "regression"
    elif found.low > -terms.margin:
        outcome = "pass"
    return Compared(
        name=name,
        n=found.n,
        rate=found.rate,
        baseline_n=found.baseline_n,
        baseline_rate=found.baseline_rate,
        effect=found.effect,
        low=found.low,
        high=found.high,
        p=p,
        outcome=outcome,
    )


def _fallen(hard: HardClause, tested: Mapping[str, Compared]) -> HardClause:
    """Return a standing breach as a regression where it became more frequent."""
    compared = tested.get(hard.clause)
    fallen = hard.outcome == "standing" and compared is not None and compared.outcome == "regression"
    return replace(hard, outcome="regression") if fallen else hard


def _outcome(
    tested: Iterable[Compared],
    hard: Iterable[HardClause],
    coverage: float,
    low: float | None,
    terms: Terms,
) -> GateOutcome:
    """Return the decision. A hard clause that broke is broken, whatever could not be scored beside it.

    `low` is how far `all` may have fallen, even where the candidate was never scored; None without scores.
    """
    if any(each.outcome == "regression" for each in hard):
        return "regression"
    if coverage < COVERAGE_FLOOR - _EVEN or low is None:
        return "insufficient"
    if any(each.outcome == "regression" for each in tested):
        return "regression"
    return "pass" if low > -terms.margin else "inconclusive"


def _never_scored(side: Side, unknown: Iterable[Asked]) -> Iterable[str]:
    names = sorted(f"{each.scenario}@{each.contract}" for each in unknown)
    if names:
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        yield f"{side.place}: never scored, so that nothing compares them: {', '.join(names[:NAMED])}{more}"


def _itself(candidate: Side, baseline: Side) -> Iterable[str]:
    if candidate.target == baseline.target and candidate.runs and candidate.runs == baseline.runs:
        yield f"{candidate.place}: is compared with itself, in which nothing can have fallen"


def _each_clause(ours: View, theirs: View, terms: Terms) -> tuple[Compared, ...]:
    """Return each clause on both sides, for reading: their p-values are adjusted among themselves."""
    names = [each.id for each in CLAUSES]
    return tuple(_tested(_differences(names, ours, theirs, by_clauses, terms), terms).values())


def _differences(
    names: Iterable[str], ours: View, theirs: View, by: Callable[[View], Trials], terms: Terms
) -> dict[str, Difference]:
    return differences(names, ours, theirs, by, terms.alpha, families_alpha=terms.families_alpha)


def _sight(found: Mapping[str, Difference], theirs: View, demand: Demand) -> tuple[float | None, int | None]:
    """Return the smallest drop that could have been seen, and how many trials let the unchanged pass."""
    whole = found.get(ALL)
    if whole is None:
        return None, None
    design = _design(ALL, whole, theirs)
    # Relations say nothing of compliance.
    dimensions = [_design(name, each, theirs) for name, each in found.items() if name not in {ALL, RELATION}]
    return smallest_drop(design, dimensions, demand), trials_to_pass(design, demand)


def _design(name: str, found: Difference, theirs: View) -> Design:
    """Return what was compared in one dimension, as the planner sees it."""
    counts = [each for asked in theirs.dimensions if (each := theirs.count(asked, name))[1]]
    return Design(
        families=found.families,
        trials=found.n / found.scenarios,
        baseline_trials=found.baseline_n / found.scenarios,
        rate=found.baseline_rate,
        spread=spread_within([each[0] for each in counts], [each[1] for each in counts]),
    )

"""Look at a run while it is recorded: the same verdict as ever, with the share of alpha that a look has."""

from dataclasses import replace

from harness.gate.deciding import Terms, decide
from harness.gate.sides import Asked, Side
from harness.gate.verdict import Verdict
from harness.model.values import digest
from harness.statistics.outcomes import ALL
from harness.statistics.sequential import Spending
from harness.store.deciding import Deciding, Look, LookedAt

DECISIVE = frozenset({"pass", "regression", "insufficient"})
"""After these nothing more is asked. A target that cannot be asked is not asked more often."""


def measure(baseline: Side, terms: Terms) -> str:
    """Return the digest of what a candidate is held against: a baseline's outcomes and the known failures."""
    outcomes = {
        _named(asked): {str(trial): dict(clauses) for trial, clauses in trials.items()}
        for asked, trials in baseline.outcomes.items()
    }
    planned = {_named(asked): sorted(trials) for asked, trials in baseline.trials.items()}
    known = [each.model_dump(mode="json") for each in terms.known]
    return digest(
        {"outcomes": outcomes, "trials": planned, "families": dict(baseline.families), "known": known}
    )


def look(candidate: Side, baseline: Side, terms: Terms, spending: Spending) -> Verdict:
    """Return what is decided after a wave; arguments and errors as for `decide`.

    Args:
        candidate: with the trials of that wave and of all before it, and no others.
        baseline: whole.
        terms: of the run; its alpha is that of all looks together.
        spending: what this look has of it.
    """
    # Families are the same at each look, so that asking them again is hardly another chance to be wrong.
    return decide(candidate, baseline, replace(terms, alpha=spending.alpha, families_alpha=terms.alpha))


def noted(verdict: Verdict, spending: Spending, earlier: list[Look]) -> Look:
    """Return what run.json keeps of a look; `earlier` are those before it."""
    whole = next((each for each in verdict.dimensions if each.name == ALL), None)
    return Look(
        wave=spending.wave,
        alpha=spending.alpha,
        spent=(earlier[-1].spent if earlier else 0.0) + spending.alpha,
        samples=whole.n if whole else 0,
        coverage=verdict.coverage,
        outcome=verdict.outcome,
        dimensions=[
            LookedAt(
                dimension=each.name, effect=each.effect, low=each.low, high=each.high, p=each.p,
                outcome=each.outcome,
            )
            for each in verdict.dimensions
        ],
        hard=[each.clause for each in verdict.hard if each.outcome == "regression"],
    )  # fmt: skip


def concluded(verdict: Verdict | None, terms: Terms, cut: str | None) -> Verdict:
    """Return the verdict on a run: that of its last look, or none where it was cut before its first.

    Args:
        verdict: of the last look, None where there was none.
        terms: of the run.
        cut: what ended the run before it was decided, None where nothing did.
    """
    if verdict is None:
        return _unseen(terms, f"{cut} before the first look")
    return replace(verdict, because=f"{cut}; {verdict.because}") if cut else verdict


def _unseen(terms: Terms, because: str) -> Verdict:
    return Verdict(
        outcome="inconclusive",
        because=because,
        dimensions=(),
        clauses=(),
        hard=(),
        coverage=0.0,
        minimum_detectable=None,
        trials_to_decide=None,
        trials=(0, 0),
        families=0,
        flipped=(),
        excused=(),
        left_out=(),
        notes=(),
        margin=terms.margin,
        alpha=terms.alpha,
    )


def told(deciding: Deciding) -> str:
    """Return where the last look left a run, in a few words."""
    if not deciding.looks:
        return f"no look yet, at most {deciding.cap} waves"
    last = deciding.looks[-1]
    whole = next((each for each in last.dimensions if each.dimension == ALL), None)
    where = f"wave {last.wave} of at most {deciding.cap}"
    if whole is None:
        return f"{where}: {last.outcome}"
    effect, low, high = (f"{100 * each:+.1f}" for each in (whole.effect, whole.low, whole.high))
    return f"{where}: compliance {effect} points, bounds {low} to {high}; {last.outcome}"


def _named(asked: Asked) -> str:
    return f"{asked.scenario}@{asked.contract}"

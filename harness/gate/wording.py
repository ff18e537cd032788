"""The one sentence of a verdict: what happened, and what would settle it."""

from harness.gate.verdict import Compared, HardClause, Verdict
from harness.statistics.outcomes import ALL

NAMED = 3
"""Dimensions that the sentence names, those that fell furthest; the rest is counted."""


def because(verdict: Verdict) -> str:
    """Return the reason of a verdict."""
    return _REASONS[verdict.outcome](verdict)


def points(share: float) -> str:
    """Return a share or a difference of shares in percentage points, as "5.0 points"."""
    return f"{100 * share:.1f} points"


def _regression(verdict: Verdict) -> str:
    broken = [_broken(each) for each in verdict.hard if each.outcome == "regression"]
    fallen = [each for each in verdict.dimensions if each.outcome == "regression"]
    # The dimension says what broke; `all` falls with it.
    named = sorted([each for each in fallen if each.name != ALL] or fallen, key=lambda each: each.effect)
    more = [f"{len(named) - NAMED} more dimensions fell"] if len(named) > NAMED else []
    return "; ".join([*broken, *(_fell(each, verdict.margin) for each in named[:NAMED]), *more])


def _broken(hard: HardClause) -> str:
    often = f"hard clause {hard.clause} is broken in {hard.broken} of {hard.n} samples"
    if hard.baseline_broken:
        return f"{often}, more often than before ({hard.baseline_broken} of {hard.baseline_n})"
    return f"{often}, and the baseline never broke it (0 of {hard.baseline_n})"


def _fell(each: Compared, margin: float) -> str:
    p = "" if each.p is None else f"adjusted p {each.p:.2g}, "
    return (
        f"{each.name} fell by {points(-each.effect)}, from {100 * each.baseline_rate:.1f} to "
        f"{100 * each.rate:.1f} % ({p}margin {points(margin)})"
    )


def _pass(verdict: Verdict) -> str:
    whole = _whole(verdict)
    if whole is None:
        return "nothing was compared"
    return (
        f"compliance changed by {_signed(whole.effect)} and is {_drop(whole.low - verdict.hidden)}; "
        f"the margin is {points(verdict.margin)}"
    )


def _drop(low: float) -> str:
    return "not lower" if low >= 0 else f"at most {points(-low)} lower"


def _inconclusive(verdict: Verdict) -> str:
    whole = _whole(verdict)
    if whole is None:
        return "nothing was compared"
    if whole.low > -verdict.margin:
        return (
            f"compliance changed by {_signed(whole.effect)} and is {_drop(whole.low)} where both are scored; "
            f"if the candidate is wrong in every scenario in which it was never scored, it is "
            f"{_drop(whole.low - verdict.hidden)}, beyond the margin of {points(verdict.margin)}; "
            f"ask them again with `harness run --retry-unscored`"
        )
    seen = verdict.minimum_detectable
    sight = (
        "so few trials show no drop at all"
        if seen is None
        else f"the smallest drop that so many trials show is {points(seen)}"
    )
    return (
        f"compliance changed by {_signed(whole.effect)} and may be {_drop(whole.low)}, beyond the margin of "
        f"{points(verdict.margin)}; {sight}; {_needed(verdict)}"
    )


def _needed(verdict: Verdict) -> str:
    ours, theirs = verdict.trials
    if verdict.trials_to_decide is None:
        return "no number of trials decides this: more scenarios, in more families, or a wider margin do"
    if verdict.trials_to_decide <= min(ours, theirs):
        return f"{ours} and {theirs} trials decide this in most cases, and this is not one; add trials"
    return (
        f"{verdict.trials_to_decide} trials of each scenario on both sides would decide "
        f"(candidate {ours}, baseline {theirs})"
    )


def _insufficient(verdict: Verdict) -> str:
    return (
        f"only {100 * verdict.coverage:.1f} % of the planned samples could be scored, and 95 % are needed; "
        f"nothing is decided"
    )


def _whole(verdict: Verdict) -> Compared | None:
    return next((each for each in verdict.dimensions if each.name == ALL), None)


def _signed(effect: float) -> str:
    return f"{100 * effect:+.1f} points"


_REASONS = {
    "pass": _pass,
    "regression": _regression,
    "inconclusive": _inconclusive,
    "insufficient": _insufficient,
}

"""Decide between two sides whose prompts may state different rules: both are judged by all of them."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from harness.errors import HarnessError
from harness.gate.deciding import Terms, decide
from harness.gate.sides import Side
from harness.gate.telling import Judgement, Untold, judged_by, never_judged, only_here, told_apart, untold_in
from harness.gate.verdict import Verdict
from harness.model import Contract, Scenario
from harness.store import Run, ScoreRow, open_run

Known = Callable[[Run], tuple[Mapping[str, Scenario], Mapping[str, Contract]]]
"""Returns the scenarios and contracts of a stored run, as they are now."""


class Decided(NamedTuple):
    """A verdict, the sides as they were judged for it, and what one side alone was told, in lines."""

    verdict: Verdict
    candidate: Side
    baseline: Side
    told_apart: tuple[str, ...]


def decide_alike(
    candidate: Side, baseline: Side, terms: Terms, known: Known, rows: Iterable[ScoreRow] | None = None
) -> Decided:
    """Return what has become of a baseline, with every rule that either side was told.

    Args:
        candidate: the one side.
        baseline: the other.
        terms: under which it is decided.
        known: finds scenarios and contracts, where a side is judged by more rules than before.
        rows: the candidate's scores, where its run does not have them yet.

    Raises:
        NotComparable: the sides were judged by different measures.
    """
    our_run, their_run = _run(candidate), _run(baseline)
    ours = _untold(candidate, baseline, our_run, rows)
    theirs = _untold(baseline, candidate, their_run, None)
    now = _judged(candidate, only_here(ours, _all(theirs, baseline)), our_run, known)
    then = _judged(baseline, only_here(theirs, _all(ours, candidate)), their_run, known)
    before = decide(now.side, then.side, terms)
    verdict = told_apart(before, now, then)
    return Decided(verdict, now.side, then.side, verdict.notes[len(before.notes) :])


def _run(side: Side) -> Run | None:
    """Return the one run that a side is of, if it is still there."""
    if len(side.runs) != 1:
        return None
    try:
        return open_run(side.runs[0])
    except HarnessError:
        return None


def _untold(side: Side, other: Side, run: Run | None, rows: Iterable[ScoreRow] | None) -> Untold:
    if rows is not None:
        return untold_in(rows, side.target)
    if run is not None and side.place in side.runs:
        return untold_in(run.scores(), side.target)
    return never_judged(side, other)


def _all(untold: Untold, side: Side) -> Untold:
    """Return what was not told, wherever a side was asked anything."""
    return {asked: untold.get(asked, frozenset()) for asked in side.trials}


def _judged(side: Side, rules: Untold, run: Run | None, known: Known) -> Judgement:
    if not rules:
        return Judgement(side, {}, {})
    if run is None:
        return judged_by(side, rules, (), {}, {})
    scenarios, contracts = known(run)
    transcripts = (each for each in run.transcripts() if each.id.target == side.target)
    return judged_by(side, rules, transcripts, scenarios, contracts)

"""Decide between two sides whose prompts may state different rules."""

import argparse
from collections.abc import Iterable, Mapping

from harness.cli.comparing import project_scenarios
from harness.cli.output import project, say
from harness.errors import HarnessError
from harness.gate import Side, Terms, Verdict, decide
from harness.gate.telling import Judgement, Untold, judged_by, never_judged, only_here, told_apart, untold_in
from harness.model import Transcript
from harness.scenarios.contracts import stored_contracts
from harness.store import Run, open_run


def decided(
    arguments: argparse.Namespace, candidate: Side, baseline: Side, how: Terms
) -> tuple[Verdict, Side, Side]:
    """Return the verdict, and both sides judged by every rule that either was told.

    With --json what is told on one side alone is said on standard error.

    Raises:
        NotComparable: the sides were judged by different measures.
    """
    runs = {each.place: _run(each) for each in (candidate, baseline)}
    ours, theirs = (_untold(each, runs[each.place]) for each in (candidate, baseline))
    now = _judged(arguments, candidate, only_here(ours, _all(theirs, baseline)), runs[candidate.place])
    then = _judged(arguments, baseline, only_here(theirs, _all(ours, candidate)), runs[baseline.place])
    before = decide(now.side, then.side, how)
    verdict = told_apart(before, now, then)
    if arguments.json:
        for each in verdict.notes[len(before.notes) :]:
            say(f"note: {each}")
    return verdict, now.side, then.side


def _run(side: Side) -> Run | None:
    """Return the one run that a side is of, if it is still there."""
    if len(side.runs) != 1:
        return None
    try:
        return open_run(side.runs[0])
    except HarnessError:
        return None


def _untold(side: Side, run: Run | None) -> Untold:
    if run is not None and side.place in side.runs:
        return untold_in(run.scores(), side.target)
    return never_judged(side)


def _all(untold: Untold, side: Side) -> Untold:
    """Return what was not told wherever a side was asked anything."""
    return {asked: untold.get(asked, frozenset()) for asked in side.trials}


def _judged(arguments: argparse.Namespace, side: Side, rules: Untold, run: Run | None) -> Judgement:
    if not rules:
        return Judgement(side, {}, {})
    if run is None:
        return judged_by(side, rules, (), {}, {})
    contracts = stored_contracts(run, project(arguments))
    return judged_by(
        side, rules, _transcripts(run, side, rules), project_scenarios(arguments, run), contracts
    )


def _transcripts(run: Run, side: Side, rules: Mapping[object, object]) -> Iterable[Transcript]:
    return (each for each in run.transcripts() if each.id.target == side.target) if rules else ()

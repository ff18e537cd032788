"""Trials that are compliant on one side and not on the other."""

from harness.gate.verdict import Flip
from harness.gate.views import View
from harness.statistics.outcomes import ALL, MUST


def flips(ours: View, theirs: View) -> tuple[Flip, ...]:
    """Return the trials of one number that passed on one side and failed on the other, falls first."""
    found: list[Flip] = []
    for asked, trials in ours.dimensions.items():
        for trial, dimensions in trials.items():
            now = dimensions.get(ALL)
            was = theirs.dimensions[asked].get(trial, {}).get(ALL)
            if {now, was} == {"pass", "fail"}:
                clauses = (ours if now == "fail" else theirs).clauses[asked][trial]
                found.append(
                    Flip(
                        sample=ours.side.sample(asked, trial),
                        baseline=theirs.side.sample(asked, trial),
                        was=str(was),
                        now=str(now),
                        clauses=tuple(name for name in MUST if clauses.get(name) == "fail"),
                    )
                )
    return tuple(sorted(found, key=lambda each: (each.now != "fail", each.sample)))

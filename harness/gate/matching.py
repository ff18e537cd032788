"""Whether two sides can be compared at all, and what is left of them where they only can in part."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from harness.errors import InvalidInput
from harness.gate.sides import Asked, Side

NAMED = 5
"""Names listed in a message; the rest is counted."""


class NotComparable(InvalidInput):
    """Two sides that were judged by different measures."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What both sides have, judged alike; `left_out` says what is not, in one line each."""

    asked: tuple[Asked, ...]
    without: frozenset[str]
    """Clauses that were judged by different graders."""
    left_out: tuple[str, ...]


def shared(candidate: Side, baseline: Side, *, common: bool) -> Shared:
    """Return what both sides share.

    Raises:
        NotComparable: something is not shared and `common` does not allow it, or nothing is shared.
    """
    ours, theirs = candidate.grading, baseline.grading
    if ours.extraction != theirs.extraction:
        again = _again(candidate, baseline)
        raise NotComparable(f"{_both(candidate, baseline)}: answers were read by different versions; {again}")
    contracts = _different(ours.contracts, theirs.contracts)
    scenarios = _different(ours.scenarios, theirs.scenarios)
    # A clause that one side alone was judged by could make it worse, or hide that it is.
    every = sorted({*ours.graders, *theirs.graders})
    graders = [each for each in every if ours.graders.get(each) != theirs.graders.get(each)]
    asked = [each for each in candidate.trials if each in baseline.trials]
    kept = tuple(each for each in asked if each.contract not in contracts and each.scenario not in scenarios)
    missing = _missing(candidate, baseline), _missing(baseline, candidate)
    left_out = [
        *_line("contracts that differ", contracts),
        *_line("scenarios that differ", scenarios),
        *_line("clauses whose graders differ", graders),
        *_line("only the baseline has", missing[0]),
        *_line("only the candidate has", missing[1]),
    ]
    if left_out and not common:
        regrade = f"{_again(candidate, baseline)}, or " if contracts or scenarios or graders else ""
        told = f"{'; '.join(left_out)}; {regrade}compare what is shared with --common"
        raise NotComparable(f"{_both(candidate, baseline)}: {told}")
    if not kept:
        raise NotComparable(f"{_both(candidate, baseline)}: share no scenario; nothing can be compared")
    return Shared(tuple(sorted(kept)), frozenset(graders), tuple(left_out))


def _different(ours: Mapping[str, object], theirs: Mapping[str, object]) -> list[str]:
    """Return the names that both have, and not alike."""
    return sorted(each for each in ours if each in theirs and ours[each] != theirs[each])


def _missing(side: Side, other: Side) -> list[str]:
    """Return what the other side was asked and this one was not."""
    return sorted(_named(each, side, other) for each in other.trials if each not in side.trials)


def _named(asked: Asked, side: Side, other: Side) -> str:
    """Return the scenario, with its contract where only that is missing."""
    alone = not any(each.scenario == asked.scenario for each in side.trials)
    several = len({each.contract for each in other.trials if each.scenario == asked.scenario}) > 1
    return asked.scenario if alone and not several else f"{asked.scenario}@{asked.contract}"


def _line(what: str, names: Iterable[str]) -> list[str]:
    found = list(names)
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return [f"{what}: {', '.join(found[:NAMED])}{more}"] if found else []


def _both(candidate: Side, baseline: Side) -> str:
    return f"{candidate.place} and {baseline.place}"


def _again(candidate: Side, baseline: Side) -> str:
    commands = [f"`harness grade {each}`" for each in dict.fromkeys((*candidate.runs, *baseline.runs))]
    bless = "" if baseline.place in baseline.runs else " and bless the baseline anew"
    what = "both" if candidate.runs else "the baseline's run"
    return f"grade {what} again ({', '.join(commands)}{bless})"

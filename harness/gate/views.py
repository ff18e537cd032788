"""What of two sides is compared: outcomes by clause and by dimension, less what does not count."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from harness.gate.known_failures import KnownFailure, without
from harness.gate.sides import Asked, Side
from harness.statistics.differences import Difference, Stratum, difference
from harness.statistics.outcomes import ALL, MUST, RELATION, by_dimension, worse

_RELATIONS = frozenset({RELATION, *(name for name, dimension in MUST.items() if dimension == RELATION)})
Trials = Mapping[Asked, Mapping[int, Mapping[str, str]]]
"""Scenario and contract -> trial -> name of a dimension or clause -> outcome."""


@dataclass(frozen=True, slots=True)
class View:
    """The part of a side that is compared."""

    side: Side
    clauses: Trials
    dimensions: Trials

    @property
    def coverage(self) -> float:
        """The share of planned samples that were recorded and scored."""
        planned = sum(len(self.side.trials[each]) for each in self.dimensions)
        scored = sum(
            found.get(ALL, "unscored") != "unscored"
            for trials in self.dimensions.values()
            for found in trials.values()
        )
        return scored / planned if planned else 0.0

    @property
    def most_trials(self) -> int:
        """How many trials the scenario has that has most."""
        return max((len(trials) for trials in self.dimensions.values()), default=0)

    def count(self, asked: Asked, name: str = ALL) -> tuple[int, int]:
        """Return how many trials of a scenario passed a dimension, and of how many that were scored."""
        return count(name, self.dimensions[asked].values())


def view(side: Side, asked: Iterable[Asked], known: Sequence[KnownFailure], dropped: frozenset[str]) -> View:
    """Return what is compared of a side: some of its scenarios, less known failures and dropped clauses."""
    clauses = {
        each: {
            trial: without(known, each.scenario, found, dropped)
            for trial, found in side.outcomes.get(each, {}).items()
        }
        for each in asked
    }
    dimensions = {
        asked: {trial: by_dimension(found) for trial, found in trials.items()}
        for asked, trials in clauses.items()
    }
    return View(side, clauses, dimensions)


def count(name: str, trials: Iterable[Mapping[str, str]]) -> tuple[int, int]:
    """Return how many trials passed, and how many passed or failed."""
    outcomes = [each.get(name) for each in trials]
    passed = outcomes.count("pass")
    return passed, passed + outcomes.count("fail")


def never_scored(ours: View, theirs: View) -> dict[Asked, float]:
    """Return what one side was asked and never scored in, with the share that the other passed there.

    Nothing compares them, so whoever fails to answer just where it would be wrong hides that it is.
    """
    counts = {asked: theirs.count(asked) for asked in ours.dimensions if not ours.count(asked)[1]}
    return {asked: passed / n for asked, (passed, n) in counts.items() if n}


def by_dimensions(each: View) -> Trials:
    """Return a view's outcomes by dimension."""
    return each.dimensions


def by_clauses(each: View) -> Trials:
    """Return a view's outcomes by clause."""
    return each.clauses


def differences(
    names: Iterable[str],
    ours: View,
    theirs: View,
    by: Callable[[View], Trials],
    alpha: float,
    *,
    families_alpha: float | None = None,
) -> dict[str, Difference]:
    """Return how each dimension or clause differs that both sides have scores of."""
    found = {
        name: difference(
            _strata(name, ours, theirs, by),
            alpha,
            families_alpha,
            _tied(name, ours, theirs, by) if name in _RELATIONS else None,
        )
        for name in names
    }
    return {name: each for name, each in found.items() if each is not None}


def _strata(name: str, ours: View, theirs: View, by: Callable[[View], Trials]) -> list[Stratum]:
    strata: list[Stratum] = []
    for asked, trials in by(ours).items():
        passed, n = count(name, trials.values())
        baseline_passed, baseline_n = count(name, by(theirs)[asked].values())
        if n and baseline_n:
            family = _family(asked.scenario, ours.side, theirs.side)
            strata.append(Stratum(family, baseline_passed, baseline_n, passed, n))
    return strata


def _tied(name: str, ours: View, theirs: View, by: Callable[[View], Trials]) -> list[Stratum]:
    """Return strata in which all relations to one scenario are one.

    They share its answers, so in a trial in which those are bad they all fail: they are no more evidence than
    one of them. A trial of such a stratum is as bad as the worst of them.
    """
    originals = {**theirs.side.originals, **ours.side.originals}
    groups: dict[Asked, list[Asked]] = {}
    for asked in by(ours):
        original = originals.get(asked.scenario, asked.scenario)
        groups.setdefault(asked._replace(scenario=original), []).append(asked)
    strata: list[Stratum] = []
    for original, group in groups.items():
        passed, n = count(name, _worst(name, group, by(ours)))
        baseline_passed, baseline_n = count(name, _worst(name, group, by(theirs)))
        if n and baseline_n:
            strata.append(Stratum(original.scenario, baseline_passed, baseline_n, passed, n))
    return strata


def _worst(name: str, group: Iterable[Asked], trials: Trials) -> list[dict[str, str]]:
    """Return what became of a dimension or clause in each trial, over scenarios of one group."""
    found: dict[int, dict[str, str]] = {}
    for asked in group:
        for trial, outcomes in trials[asked].items():
            if name in outcomes:
                known = found.get(trial, outcomes)
                found[trial] = {name: worse(known[name], outcomes[name])}
    return list(found.values())


def _family(scenario: str, *sides: Side) -> str:
    """Return the family of a scenario; one that nobody knows any more is a family of its own."""
    return next((found for each in sides if (found := each.families.get(scenario))), scenario)

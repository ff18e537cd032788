"""Who leads, and whether that can be told from chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from harness.reporting.figures import counted, interval, percent
from harness.reporting.html.columns import Column
from harness.reporting.verdicts import signed
from harness.statistics import Difference, Stratum, difference
from harness.statistics.multiple import holm

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Behind:
    """A column beside the leader: the effect is its rate minus the leader's, `p` two-sided and adjusted."""

    column: Column
    found: Difference | None
    p: float | None

    @property
    def significant(self) -> bool:
        """Whether chance alone hardly explains the distance."""
        return self.p is not None and self.p <= ALPHA

    @property
    def effect(self) -> str:
        """The distance in points."""
        return f"{signed(self.found.effect)} points" if self.found else "no scenario in common"

    @property
    def bounds(self) -> str:
        """The distance's 95 % interval."""
        return f"{signed(self.found.low)} to {signed(self.found.high)}" if self.found else ""

    @property
    def chance(self) -> str:
        """What the test says of it."""
        return f"{p_text(self.p)}, significant" if self.significant else p_text(self.p)


@dataclass(frozen=True, slots=True)
class Standing:
    """The columns of one contract, best first; `leaders` are several where they are level."""

    contract: str
    ranked: tuple[Column, ...]
    leaders: tuple[Column, ...]
    behind: Mapping[int, Behind]
    """Place in `ranked` -> how it stands to the leader."""

    @property
    def lead(self) -> str:
        """Who leads, in one sentence."""
        if not self.leaders:
            return "No sample was scored, so nothing is known."
        first = self.leaders[0]
        rate = percent(first.whole.rate)
        if len(self.ranked) == 1:
            return f"{first.label} keeps the contract in {rate} of {counted(first.whole.n, 'sample')}."
        if len(self.leaders) > 1:
            return f"{_and([each.label for each in self.leaders])} are level at {rate}."
        return f"{first.label} leads with {rate}."

    @property
    def certainty(self) -> str:
        """How sure that is, in a sentence or two."""
        if not self.leaders:
            return ""
        first = self.leaders[0].whole
        sure = f"95 % interval {interval(first.low, first.high)}, {counted(first.n, 'sample')} scored."
        runner_up = None if len(self.leaders) > 1 else self.behind.get(1)
        return f"{sure} {_told(runner_up)}".rstrip()


def standing(contract: str, columns: Sequence[Column], families: Mapping[str, str]) -> Standing:
    """Return how the columns of one contract stand.

    The distance to the leader is tested over the scenarios that both answered, trials and families taken for
    what they are, by the exact test of the gate; both sides of it, since who leads was not known before,
    and Holm-adjusted for the columns that it is held against.
    """
    ranked = sorted(columns, key=lambda each: (-(-1.0 if each.whole.rate is None else each.whole.rate),))
    scored = [each for each in ranked if each.whole.n]
    leaders = [each for each in scored if each.whole.rate == scored[0].whole.rate]
    found = {
        place: difference(_strata(each, scored[0], families), ALPHA / 2)
        for place, each in enumerate(ranked)
        if place and each.whole.n
    }
    tested = {place: min(1.0, 2 * each.p) for place, each in found.items() if each}
    adjusted = dict(zip(tested, holm(list(tested.values())), strict=True))
    behind = {place: Behind(ranked[place], each, adjusted.get(place)) for place, each in found.items()}
    return Standing(contract, tuple(ranked), tuple(leaders), behind)


def _strata(column: Column, leader: Column, families: Mapping[str, str]) -> list[Stratum]:
    return [
        Stratum(families.get(scenario, scenario), *leader.counts[scenario], *counts)
        for scenario, counts in column.counts.items()
        if counts[1] and leader.counts.get(scenario, (0, 0))[1]
    ]


def p_text(p: float | None) -> str:
    """Return a p-value as people read it."""
    if p is None:
        return "not tested"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def _told(runner_up: Behind | None) -> str:
    if runner_up is None:
        return ""
    name, p = runner_up.column.label, p_text(runner_up.p)
    if runner_up.found is None:
        return f"It shares no scenario with {name}, so nothing says how far they are apart."
    ahead = f"{-100 * runner_up.found.effect:.1f} points ahead of {name}"
    if runner_up.significant:
        return f"It is {ahead}, more than chance explains ({p})."
    return f"It is {ahead}, which chance alone may explain ({p}): these samples cannot tell them apart."


def _and(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"

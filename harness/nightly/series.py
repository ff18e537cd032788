"""The nights of one target side by side, in the form that tests of them need."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from harness.nightly.lines import FLOOR, Night
from harness.statistics.outcomes import ALL

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Asked(NamedTuple):
    """A scenario under a contract, with what judges it and what answers it.

    Nights in which all four are equal asked the same of the same target, as far as anyone knows.
    """

    scenario: str
    contract: str
    measure: str
    answering: str


class Counts(NamedTuple):
    """How many of a night's scored trials are compliant."""

    passed: int
    n: int


@dataclass(frozen=True)
class TargetNight:
    """One night of one target, all its contracts together."""

    date: str
    target: str
    lines: Mapping[str, Night]
    """By contract."""

    @cached_property
    def coverage(self) -> float:
        """The share of planned samples that could be scored, of the contract that lacks most."""
        return min(each.scored / each.planned if each.planned else 0.0 for each in self.lines.values())

    @property
    def has_data(self) -> bool:
        """Whether enough could be scored to say anything."""
        return self.coverage >= FLOOR

    @cached_property
    def cells(self) -> Mapping[Asked, Counts]:
        """What every scenario came to that was scored at all."""
        return {
            Asked(
                name, line.contract, f"{line.measure}:{cell.scenario}", f"{line.asked}:{cell.prompt}"
            ): Counts(cell.passed, cell.n)
            for line in self.lines.values()
            for name, cell in line.cells.items()
            if cell.n
        }

    @cached_property
    def canary(self) -> Mapping[Asked, Counts]:
        """Those of the scenarios that drift is looked for in."""
        names = {
            (name, line.contract)
            for line in self.lines.values()
            for name, cell in line.cells.items()
            if cell.canary
        }
        return {
            asked: each for asked, each in self.cells.items() if (asked.scenario, asked.contract) in names
        }

    def counts(self, dimension: str = ALL) -> Counts:
        """Return what a dimension came to, over all contracts."""
        found = [each.dimensions.get(dimension, [0, 0]) for each in self.lines.values()]
        return Counts(sum(each[0] for each in found), sum(each[1] for each in found))

    @property
    def rate(self) -> float | None:
        """The share of compliant samples; None where there are no data."""
        passed, n = self.counts()
        return passed / n if n and self.has_data else None


def by_target(nights: Sequence[Night]) -> dict[str, list[TargetNight]]:
    """Return the nights of each target, oldest first; targets in the order in which they came."""
    found: dict[str, dict[str, dict[str, Night]]] = {}
    for each in sorted(nights, key=lambda night: night.date):
        found.setdefault(each.target, {}).setdefault(each.date, {})[each.contract] = each
    return {
        target: [TargetNight(date, target, lines) for date, lines in dates.items()]
        for target, dates in found.items()
    }


def matrices(nights: Sequence[Mapping[Asked, Counts]]) -> "tuple[NDArray[np.int64], NDArray[np.int64]]":
    """Return passes and trials, night by question; only questions that the last night asked."""
    import numpy as np

    columns = list(nights[-1])
    nothing = Counts(0, 0)
    found = np.asarray([[night.get(each, nothing) for each in columns] for night in nights], dtype=np.int64)
    return found[:, :, 0], found[:, :, 1]


def mean_rate(nights: Sequence[Mapping[Asked, Counts]], asked: Sequence[Asked]) -> float:
    """Return the mean over questions of their rates in some nights; each was asked in one at least."""
    rates: list[float] = []
    for each in asked:
        counts = [night[each] for night in nights if each in night]
        rates.append(sum(one.passed for one in counts) / sum(one.n for one in counts))
    return sum(rates) / len(rates)


def same_questions(one: TargetNight, other: TargetNight) -> bool:
    """Return whether two nights asked the same of the same target; either may lack what was not scored."""
    places = [{(each.scenario, each.contract) for each in night.cells} for night in (one, other)]
    same = one.cells.keys() & other.cells.keys()
    return len(same) == len(places[0] & places[1]) >= FLOOR * len(places[0] | places[1])

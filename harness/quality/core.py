"""A small part of a suite that still tells the vices apart, for nights that must be cheap."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.model import Scenario
from harness.quality.measuring import Measured, Quality

TAG = "core"
SIZE = 30

Fact = tuple[str, str]
"""Something a scenario shows that the part must show too: a kill, a signal type, a severity, a world."""


@dataclass(frozen=True, slots=True)
class Core:
    """The scenarios that carry the tag, what the suite shows and they do not, and a part that shows all."""

    tagged: tuple[str, ...]
    missing: tuple[Fact, ...]
    suggested: tuple[str, ...]

    def problems(self) -> Iterator[str]:
        """Yield what keeps the tagged part from standing for the suite."""
        if self.tagged and len(self.tagged) > SIZE:
            yield f"tag {TAG}: {len(self.tagged)} scenarios; {SIZE} are meant to be enough"
        for kind, name in self.missing:
            yield f"tag {TAG}: shows nothing of {kind} {name}, which the suite shows"


def core_of(scenarios: Sequence[Scenario], quality: Quality) -> Core:
    """Return how well the tagged scenarios stand for the suite, and a part that does."""
    measured = {each.id: each for each in quality.scenarios}
    shows = {each.id: frozenset(_facts(each, measured[each.id])) for each in scenarios if each.pair is None}
    tagged = tuple(each.id for each in scenarios if TAG in each.tags and each.pair is None)
    wanted = frozenset[Fact]().union(*shows.values())
    held = frozenset[Fact]().union(*(shows[each] for each in tagged))
    return Core(tagged, tuple(sorted(wanted - held)), _filled(_smallest(shows, tagged), shows))


def _facts(scenario: Scenario, measured: Measured) -> Iterator[Fact]:
    for mock, broken in measured.kills:
        yield "kill", f"{mock} {broken}"
    for each in scenario.expect.signal_types:
        yield "signal type", each
    for each in scenario.expect.severities:
        yield "severity", each
    yield "world", scenario.family
    yield "family", scenario.id.split("/")[0]


def _smallest(shows: Mapping[str, frozenset[Fact]], tagged: Sequence[str]) -> list[str]:
    """Return a part that shows every fact, chosen greedily; ties go to what is tagged, then by name."""
    left = frozenset[Fact]().union(*shows.values())
    chosen: list[str] = []
    while left:
        best = min(shows, key=lambda each: (-len(shows[each] & left), each not in tagged, each))
        chosen.append(best)
        left -= shows[best]
    return chosen


def _filled(chosen: Sequence[str], shows: Mapping[str, frozenset[Fact]]) -> tuple[str, ...]:
    """Return the part filled up to its size: families and worlds in turn, what shows most first."""
    part = list(chosen)
    kinds = {
        each: {fact for fact in facts if fact[0] in {"family", "world"}} for each, facts in shows.items()
    }
    while len(part) < min(SIZE, len(shows)):
        held = Counter(fact for each in part for fact in kinds[each])
        rest = (each for each in shows if each not in part)
        part.append(
            min(rest, key=lambda each: (sum(held[fact] for fact in kinds[each]), -len(shows[each]), each))
        )
    return tuple(sorted(part))

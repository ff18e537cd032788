"""What situations a suite holds: how many of each kind, and which kind is missing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.contracts.clauses import clause
from harness.contracts.taxonomy import CANONICAL_SIGNAL_TYPES, REASON_CODES
from harness.graders import GRADERS
from harness.model import Scenario
from harness.model.scenario import SEVERITIES
from harness.quality.measuring import Quality

RULES = tuple(each.clause for each in GRADERS)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many scenarios there are of each kind; a kind that ought to occur and does not counts zero."""

    counts: Mapping[str, int]
    clauses: Mapping[str, tuple[int, int]]
    """Clause -> scenarios in which it applies when the oracle plays, scenarios in which a vice breaks it."""

    def gaps(self) -> Iterator[str]:
        """Yield what does not occur at all."""
        for kind, count in self.counts.items():
            if count == 0:
                yield f"no scenario: {kind}"
        for name, (applies, broken) in self.clauses.items():
            if not applies:
                yield f"no scenario in which {name} applies"
            elif not broken and clause(name).level == "MUST":
                yield f"no scenario in which a vice breaks {name}"


def coverage_of(scenarios: Sequence[Scenario], quality: Quality) -> Coverage:
    """Return what a measured suite holds."""
    base = [each for each in scenarios if each.pair is None]
    contracts = [load_contract(each) for each in DEFAULT_BY_FLOW.values()]
    asked = [name for name in RULES if any(name in each.clauses for each in contracts)]
    return Coverage(
        dict(_counts(base, scenarios)),
        {
            name: (
                sum(name in each.applies for each in quality.scenarios),
                sum(any(name == broken for _, broken in each.kills) for each in quality.scenarios),
            )
            for name in asked
        },
    )


def _counts(base: Sequence[Scenario], scenarios: Sequence[Scenario]) -> Iterator[tuple[str, int]]:
    incidents = [each for each in base if each.flow == "incident"]
    recoveries = [each for each in base if each.flow == "recovery"]
    yield "base scenarios", len(base)
    yield "pairs", len(scenarios) - len(base)
    yield "hostile", sum(bool(each.plants) for each in base)
    yield "base worlds", len({each.base_world for each in base})
    yield "signal type differs from the alert's", sum(_signal_differs(each) for each in base)
    yield "severity falls", sum(_falls(each) for each in base)
    yield "severity rises", sum(_rises(each) for each in base)
    yield "nothing to do", sum(not each.expect.workflows.accepted for each in base)
    yield "several earlier attempts", sum(bool(each.earlier) for each in recoveries)
    yield "retry accepted", sum(each.expect.retry_with_changed_parameters for each in recoveries)
    yield from _each("signal type", CANONICAL_SIGNAL_TYPES, (each.expect.signal_types for each in incidents))
    failures = [each.previous.failure for each in recoveries if each.previous]
    yield from _each("reason", REASON_CODES, ([each.reason] for each in failures))
    yield from _each("severity", SEVERITIES, (each.expect.severities for each in base))
    yield from _each("relation", RELATION_NAMES, ([each.pair.relation] for each in scenarios if each.pair))


RELATION_NAMES = ("MET-1", "MET-2", "MET-3", "MET-4", "MET-5")


def _each(kind: str, names: Iterable[str], found: Iterable[Iterable[str]]) -> Iterator[tuple[str, int]]:
    counted = Counter(name for several in found for name in set(several))
    for name in names:
        yield f"{kind} {name}", counted[name]


def _signal_differs(scenario: Scenario) -> bool:
    return scenario.signal.signal_type not in scenario.expect.signal_types


def _falls(scenario: Scenario) -> bool:
    return _direction(scenario) < 0


def _rises(scenario: Scenario) -> bool:
    return _direction(scenario) > 0


def _direction(scenario: Scenario) -> int:
    """Return 1 where every right level is worse than the alert's, -1 where milder, else 0."""
    if scenario.signal.severity not in SEVERITIES:
        return 0
    told = SEVERITIES.index(scenario.signal.severity)
    places = [SEVERITIES.index(each) for each in scenario.expect.severities]
    return (max(places) < told) - (min(places) > told)

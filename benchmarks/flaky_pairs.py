"""Unchanged pairs of the real mock:flaky: its trials are recorded once, and dealt anew to pairs of sides."""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from harness.gate import Side, Terms, side_of_rows
from harness.gate.deciding import judged
from harness.gate.sides import Asked
from harness.gate.views import view
from harness.model import Scenario
from harness.pipeline import Plan, contracts_for, grade_run, new_info, record, settle
from harness.scenarios import Project, load_scenarios
from harness.scenarios.load import CHECKOUT
from harness.statistics import wilson
from harness.store import create_run
from harness.targets.mock.mocks import open_mock

EACH = 3
"""Trials of a side, as `bless` asks for."""


@dataclass(frozen=True)
class Tally:
    """How many of some comparisons had a p-value of alpha or less, by dimension, and how many an alarm."""

    comparisons: int
    scenarios: int
    scored: Mapping[str, int]
    """Scenarios of which a dimension was scored, in the first comparison."""
    low: Counter[str]
    fallen: Counter[str]
    hard: int
    """Comparisons in which a hard clause that the baseline kept was broken."""
    soft: int
    """Comparisons in which anything else was called a regression."""


def recorded(folder: Path, scenarios: Sequence[Scenario], seed: int) -> Side:
    """Record and grade three trials of mock:flaky."""
    target = open_mock("flaky")
    plan = Plan(scenarios, contracts_for(scenarios, ()), EACH, seed)
    run = create_run(folder, new_info(plan, [target]))
    run.begin()
    asyncio.run(record(run, plan, [target], done=(), concurrency=8, finished=lambda _: None))
    settle(run, plan.count(1))
    by_id = {each.id: each for each in scenarios}
    rows = grade_run(run, by_id, lambda _: None)
    if run.info.graded is None:
        raise SystemExit(f"{run.folder}: was not graded")
    return side_of_rows(rows, run.info, run.info.graded, by_id, place="run")


def tallies(seeds: int, comparisons: int, alpha: float, seed: int) -> tuple[Tally, Tally]:
    """Return what the gate says of unchanged pairs: of the whole suite, and of its largest family alone.

    Args:
        seeds: recordings of three trials of the whole suite to deal from, of seeds 1, 2, ...
        comparisons: pairs dealt, of either kind.
        alpha: of the gate.
        seed: of the deals.
    """
    scenarios = load_scenarios(Project(CHECKOUT))
    with tempfile.TemporaryDirectory() as folder:
        sides = [recorded(Path(folder) / str(each), scenarios, each) for each in range(1, seeds + 1)]
    family, _ = Counter(each.family for each in scenarios).most_common(1)[0]
    alone = [_only(each, family) for each in sides]
    return (
        _tally(dealt(sides, comparisons, Random(seed)), alpha),
        _tally(dealt(alone, comparisons, Random(seed)), alpha),
    )


def _only(side: Side, family: str) -> Side:
    outcomes = {
        asked: each for asked, each in side.outcomes.items() if side.families[asked.scenario] == family
    }
    return replace(side, outcomes=outcomes, trials={asked: side.trials[asked] for asked in outcomes})


def dealt(sides: Sequence[Side], comparisons: int, random: Random) -> Iterator[tuple[Side, Side]]:
    """Yield pairs of sides whose trials are drawn from all that were recorded, none of them twice.

    Scenarios that are compared with one another are dealt together, as they were recorded.
    """
    first = sides[0]
    groups: dict[str, list[Asked]] = {}
    for asked in first.outcomes:
        groups.setdefault(first.originals.get(asked.scenario, asked.scenario), []).append(asked)
    pool = [(side, trial) for side in sides for trial in range(1, EACH + 1)]
    for _ in range(comparisons):
        ours: dict[Asked, dict[int, Mapping[str, str]]] = {}
        theirs: dict[Asked, dict[int, Mapping[str, str]]] = {}
        for group in groups.values():
            drawn = random.sample(pool, 2 * EACH)
            for asked in group:
                found = [side.outcomes[asked][trial] for side, trial in drawn]
                ours[asked] = dict(enumerate(found[:EACH], start=1))
                theirs[asked] = dict(enumerate(found[EACH:], start=1))
        yield replace(first, outcomes=ours), replace(first, outcomes=theirs)


def _tally(pairs: Iterator[tuple[Side, Side]], alpha: float) -> Tally:
    low: Counter[str] = Counter()
    fallen: Counter[str] = Counter()
    scored: dict[str, int] = {}
    comparisons = hard = soft = scenarios = 0
    for candidate, baseline in pairs:
        comparisons += 1
        ours, theirs = (view(each, each.outcomes, (), frozenset()) for each in (candidate, baseline))
        found, tested, clauses = judged(ours, theirs, Terms(alpha=alpha))
        low.update(name for name, each in found.items() if each.p <= alpha)
        scored = scored or {name: each.scenarios for name, each in found.items()}
        down = [name for name, each in tested.items() if each.outcome == "regression"]
        new = [each for each in clauses if each.outcome == "regression" and not each.baseline_broken]
        fallen.update(down)
        soft += bool(down)
        hard += bool(new)
        scenarios = len(candidate.outcomes)
    return Tally(comparisons, scenarios, scored, low, fallen, hard, soft)


def shared(count: int, of: int) -> str:
    """Return a share as a percentage with its 95 % interval (Wilson)."""
    interval = wilson(count, of)
    if interval is None:
        return "-"
    return f"{100 * count / of:.1f} % ({100 * interval.low:.1f} to {100 * interval.high:.1f})"

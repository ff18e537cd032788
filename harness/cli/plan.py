"""harness plan: how many scenarios and trials show a drop, and what they cost."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace

from harness.cli.comparing import check_alpha, project_scenarios, share
from harness.cli.output import add_json, add_out, add_project, print_json, print_rows, project, stored_run
from harness.contracts.clauses import DIMENSIONS
from harness.errors import InvalidInput
from harness.gate import side_of_run
from harness.gate.views import View, view
from harness.reporting.figures import counted
from harness.statistics.outcomes import ALL, RELATION
from harness.statistics.power import (
    Demand,
    Design,
    smallest_drop,
    spread_within,
    trials_to_detect,
    with_trials,
)
from harness.statistics.spending import spent, total

RATE = 0.95
MOST_POWER = 0.9999
SHOWN = (1, 2, 3, 5, 10, 20)


@dataclass(frozen=True, slots=True)
class Known:
    """What a plan starts from; `trials` is None and `cost` (dollars of one sample) unknown without a run."""

    design: Design
    dimensions: tuple[Design, ...]
    trials: int | None
    cost: float | None
    tests: int
    source: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness plan` takes."""
    parser.add_argument(
        "--detect", type=share, default=0.05, metavar="DROP", help="drop to find (default: %(default)s)"
    )
    parser.add_argument(
        "--power", type=share, default=0.8, help="share of such drops that is found (default: %(default)s)"
    )
    parser.add_argument(
        "--from", dest="source", metavar="RUN", help="a run to take rate, spread and cost from"
    )
    parser.add_argument(
        "--rate", type=share, help=f"compliant share to assume, without --from (default: {RATE})"
    )
    parser.add_argument(
        "--alpha", type=share, default=0.05, help="share of false alarms (default: %(default)s)"
    )
    parser.add_argument(
        "--margin", type=share, default=0.0, help="margin of the gate: drops within it are forgiven "
        "(default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--target", metavar="NAME", help="which target of a run that holds several")
    add_out(parser)
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print what is needed, and what can be seen with what there is."""
    check_alpha(arguments.alpha)
    if arguments.detect <= 0:
        raise InvalidInput(f"--detect: found {arguments.detect}; use a share above 0, as 0.05")
    if not 0.5 <= arguments.power <= MOST_POWER:
        raise InvalidInput(
            f"--power: found {arguments.power}; use a share from 0.5 up to {MOST_POWER}, as 0.8"
        )
    if arguments.detect <= arguments.margin:
        raise InvalidInput(
            f"--detect: found {arguments.detect}; a drop within the margin of {arguments.margin} is forgiven"
        )
    known = _from_run(arguments) if arguments.source else _assumed(arguments)
    demand = Demand(arguments.alpha, arguments.power, arguments.margin, known.tests)
    trials = trials_to_detect(known.design, known.dimensions, demand, arguments.detect)
    scenarios = known.design.scenarios
    cost = None if trials is None or known.cost is None else known.cost * scenarios * trials
    here = known.trials or trials
    seen = _seen(known, demand, here) if here else None
    if arguments.json:
        print_json({"scenarios": scenarios, "trials": trials, "cost": cost, "minimum_detectable": seen})
        return 0
    for line in _lines(arguments, known, trials, cost):
        print(line)
    if known.trials:
        drop = "no drop" if seen is None else f"{100 * seen:.1f} points"
        print(f"with {counted(known.trials, 'trial')} as there are, on both sides: {drop}")
    print()
    _print_table(known, demand)
    return 0


def _assumed(arguments: argparse.Namespace) -> Known:
    """Return a plan's start without a run: the project's families, and a rate that is assumed."""
    from harness.scenarios import load_scenarios

    families: dict[str, int] = {}
    for each in load_scenarios(project(arguments)):
        families[each.family] = families.get(each.family, 0) + 1
    if not families:
        raise InvalidInput("plan: the project holds no scenarios; write one, or plan --from a run")
    rate = RATE if arguments.rate is None else arguments.rate
    design = Design(tuple(families.values()), 1, 1, rate)
    return Known(design, (), None, None, len(DIMENSIONS) + 1, f"a rate of {100 * rate:.1f} % is assumed")


def _from_run(arguments: argparse.Namespace) -> Known:
    if arguments.rate is not None:
        raise InvalidInput("--rate: --from takes it from the run; leave this out")
    stored = stored_run(arguments.source, arguments.out)
    side = side_of_run(stored, project_scenarios(arguments, stored), arguments.target)
    seen = view(side, side.trials, (), frozenset())
    names = {name for trials in seen.dimensions.values() for each in trials.values() for name in each}
    designs = {name: found for name in sorted(names) if (found := _design(seen, name))}
    whole = designs.get(ALL)
    if whole is None:
        raise InvalidInput(f"{stored.folder}: holds no scored sample of {side.target}; nothing to plan from")
    costs = [
        spent(each, compliant=False).cost for each in stored.transcripts() if each.id.target == side.target
    ]
    cost = total(costs)
    return Known(
        design=whole,
        dimensions=tuple(each for name, each in designs.items() if name not in {ALL, RELATION}),
        trials=seen.most_trials,
        cost=None if cost is None else cost / len(costs),
        tests=len(designs),
        source=f"rate {100 * whole.rate:.1f} % and spread {whole.spread:.2f} of {stored.folder}",
    )


def _design(seen: View, name: str) -> Design | None:
    """Return one dimension of a run as a design with one trial; None where nothing of it was scored."""
    counts = {asked: each for asked in seen.dimensions if (each := seen.count(asked, name))[1]}
    if not counts:
        return None
    families: dict[str, int] = {}
    for asked in counts:
        family = seen.side.families.get(asked.scenario) or asked.scenario
        families[family] = families.get(family, 0) + 1
    rate = sum(passed / n for passed, n in counts.values()) / len(counts)
    spread = spread_within([each[0] for each in counts.values()], [each[1] for each in counts.values()])
    return Design(tuple(families.values()), 1, 1, rate, spread)


def _seen(known: Known, demand: Demand, trials: int, times: int = 1) -> float | None:
    """Return the smallest drop that so many trials on both sides show, with so many times the scenarios."""
    whole, *dimensions = (
        _times(with_trials(each, trials), times) for each in (known.design, *known.dimensions)
    )
    return smallest_drop(whole, dimensions, demand)


def _times(design: Design, times: int) -> Design:
    return replace(design, families=tuple(each * times for each in design.families))


def _lines(
    arguments: argparse.Namespace, known: Known, trials: int | None, cost: float | None
) -> Iterator[str]:
    scenarios, often = known.design.scenarios, f"{100 * arguments.power:.0f} of 100"
    drop = f"a drop of {100 * arguments.detect:.1f} points"
    if trials is None:
        yield f"no number of trials of {scenarios} scenarios shows {drop} in {often} cases; add scenarios"
    else:
        yield (
            f"{counted(trials, 'trial')} of each of {scenarios} scenarios, on both sides, to see {drop} "
            f"in {often} cases: {counted(trials * scenarios, 'sample')} a run, {dollars(cost)}"
        )
    yield (
        f"{known.source}; {known.tests} tests share alpha {arguments.alpha:g}; "
        f"margin {100 * arguments.margin:.1f} points, as of a gate with --margin {arguments.margin:g}"
    )


def _print_table(known: Known, demand: Demand) -> None:
    rows: list[list[str]] = []
    for times in (1, 2):
        for trials in SHOWN:
            seen = _seen(known, demand, trials, times)
            scenarios = times * known.design.scenarios
            samples = trials * scenarios
            cost = None if known.cost is None else known.cost * samples
            drop = "none" if seen is None else f"{100 * seen:.1f}"
            rows.append([str(scenarios), str(trials), str(samples), drop, dollars(cost)])
    names = ("scenarios", "trials", "samples", "smallest drop", "cost of a run")
    print_rows(names, rows, numbers=names)


def dollars(cost: float | None) -> str:
    """Return an amount of US dollars; what is unknown is not zero."""
    return "cost unknown" if cost is None else f"${cost:,.2f}"

"""Does the gate keep its promises? Pairs of runs, simulated and of mock:flaky, judged by its own statistics.

    python benchmarks/calibration.py --write      # docs/calibration.md, every figure; a quarter of an hour
    python benchmarks/calibration.py unchanged    # one table; as flaky, power, passing, hard, tests, looking,
                                                  # saving

Each table has its own random stream, made of the seed and its name: a table alone shows the same figures.
"""

import argparse
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tabulate import tabulate

from harness.statistics.clustered import clustered_mean
from harness.statistics.differences import Stratum, bounds
from harness.statistics.multiple import holm
from harness.statistics.permutation import fall_p_values
from harness.statistics.power import Demand, Design, smallest_drop
from harness.statistics.sequential import Spending, spending

PAGE = Path(__file__).resolve().parent.parent / "docs" / "calibration.md"
ALPHA = 0.05
MARGIN = 0.05
DIMENSIONS = 8
SMALL = (19, 9, 6, 2)
"""A suite of 36 scenarios in four families, as few worlds as a project may begin with."""
SUITE = (25, 25, 24, 24, 24, 23, 14, 13, 4)
"""The families of the suite that comes with the harness, 176 scenarios."""
SEEDS = 20
"""Recordings of mock:flaky that its pairs are dealt from."""

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Population:
    """How the rates of scenarios lie: a share at exactly 1, the rest from a beta distribution."""

    name: str
    always: float
    a: float
    b: float

    def rates(self, random: np.random.Generator, pairs: int, scenarios: int) -> NDArray[np.float64]:
        """Return a rate for each pair, dimension and scenario."""
        shape = (pairs, DIMENSIONS, scenarios)
        drawn = random.beta(self.a, self.b, shape)
        return np.where(random.random(shape) < self.always, 1.0, drawn)


FINE = Population("fine (49 of 50 at 1)", 0.98, 19, 1)
GOOD = Population("good (9 of 10 at 1)", 0.9, 9, 1)
MIXED = Population("mixed (7 of 10 at 1)", 0.7, 8, 2)
POOR = Population("poor (none at 1)", 0.0, 8, 2)


@dataclass(frozen=True)
class Layout:
    """Families with so many scenarios each, and the trials of baseline and candidate."""

    families: tuple[int, ...]
    baseline_trials: int
    trials: int

    @property
    def members(self) -> list[str]:
        """The family of each scenario."""
        return [str(at) for at, size in enumerate(self.families) for _ in range(size)]


@dataclass(frozen=True)
class Pairs:
    """Simulated pairs: passes by pair, dimension (`all` first) and scenario."""

    layout: Layout
    baseline: Counts
    candidate: Counts

    def differences(self) -> NDArray[np.float64]:
        """Return candidate minus baseline by pair, dimension and scenario."""
        return self.candidate / self.layout.trials - self.baseline / self.layout.baseline_trials


def simulate(
    random: np.random.Generator,
    population: Population,
    layout: Layout,
    pairs: int,
    *,
    drop: float = 0.0,
    uneven: float = 0.0,
) -> Pairs:
    """Return pairs of runs whose candidate's compliance lies lower by `drop`, through one dimension.

    Args:
        random: where chance comes from.
        population: of rates.
        layout: of scenarios and trials.
        pairs: how many.
        drop: of the rate of `all`, on average over scenarios.
        uneven: the standard deviation of the drop among families.
    """
    rates, changed = _rates(random, population, layout, pairs, drop=drop, uneven=uneven)
    return Pairs(
        layout,
        _waves(random, rates, layout.baseline_trials)[-1],
        _waves(random, changed, layout.trials)[-1],
    )


def _rates(
    random: np.random.Generator,
    population: Population,
    layout: Layout,
    pairs: int,
    *,
    drop: float,
    uneven: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the rates of both sides by pair, dimension and scenario; arguments as for `simulate`."""
    rates = population.rates(random, pairs, sum(layout.families))
    families = np.repeat(np.arange(len(layout.families)), layout.families)
    fall = drop + random.normal(0, uneven, (pairs, len(layout.families)))[:, families] if uneven else drop
    changed = rates.copy()
    # Of what is compliant, such a share fails in the first dimension.
    share = np.clip(fall / rates.prod(axis=1).mean(axis=1, keepdims=True), -1, 1)
    changed[:, 0] = np.clip(changed[:, 0] * (1 - share), 0, 1)
    return rates, changed


def _waves(random: np.random.Generator, rates: NDArray[np.float64], trials: int) -> list[Counts]:
    """Return the passes after each of so many trials of every scenario."""
    pairs, dimensions, scenarios = rates.shape
    found = np.zeros((pairs, dimensions + 1, scenarios), dtype=np.int64)
    waves: list[Counts] = []
    for _ in range(trials):
        passed = random.random(rates.shape) < rates
        found[:, 1:] += passed
        found[:, 0] += passed.all(axis=1)
        waves.append(found.copy())
    return waves


def p_values(pairs: Pairs) -> NDArray[np.float64]:
    """Return Holm-adjusted p-values by pair and dimension, as the gate has them."""
    layout, scenarios = pairs.layout, sum(pairs.layout.families)
    ours, theirs = [layout.trials] * scenarios, [layout.baseline_trials] * scenarios
    dimensions = range(pairs.candidate.shape[1])
    found = np.stack(
        [fall_p_values(pairs.candidate[:, at], ours, pairs.baseline[:, at], theirs) for at in dimensions], 1
    )
    return adjusted(pairs, found)


def adjusted(pairs: Pairs, found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return p-values adjusted over the dimensions in which anything varied."""
    passed = pairs.candidate.sum(axis=2) + pairs.baseline.sum(axis=2)
    most = sum(pairs.layout.families) * (pairs.layout.trials + pairs.layout.baseline_trials)
    varied = (passed > 0) & (passed < most)
    result = np.ones_like(found)
    for row in range(len(found)):
        result[row, varied[row]] = holm(found[row, varied[row]].tolist())
    return result


def regressions(pairs: Pairs, values: NDArray[np.float64], alpha: float = ALPHA) -> NDArray[np.bool_]:
    """Return by pair and dimension whether the soft rule calls it a regression."""
    return (values <= alpha + 1e-9) & (pairs.differences().mean(axis=2) < -MARGIN - 1e-9)


def passes(pairs: Pairs, alpha: float = ALPHA) -> NDArray[np.bool_]:
    """Return by pair whether the lower bound of `all` lies above the margin."""
    layout, members = pairs.layout, pairs.layout.members
    return np.asarray(
        [
            bounds(
                [
                    Stratum(family, int(before), layout.baseline_trials, int(now), layout.trials)
                    for family, before, now in zip(members, baseline, candidate, strict=True)
                ],
                alpha,
                ALPHA,
            ).low
            > -MARGIN
            for baseline, candidate in zip(pairs.baseline[:, 0], pairs.candidate[:, 0], strict=True)
        ]
    )


@dataclass(frozen=True)
class Decided:
    """What became of simulated pairs that were looked at wave by wave."""

    regression: NDArray[np.bool_]
    passed: NDArray[np.bool_]
    waves: NDArray[np.int64]


def until_decided(
    layout: Layout, baseline: Counts, waves: Sequence[Counts], looks: Sequence[Spending]
) -> Decided:
    """Return where `run --until-decided` ends: at the first look that is a regression or a pass."""
    pairs = len(baseline)
    fallen, passed = np.zeros(pairs, dtype=bool), np.zeros(pairs, dtype=bool)
    used = np.full(pairs, looks[-1].wave)
    for wave, alpha in looks:
        live = np.flatnonzero(~fallen & ~passed)
        if not len(live):
            break
        seen = Pairs(
            Layout(layout.families, layout.baseline_trials, wave), baseline[live], waves[wave - 1][live]
        )
        down = regressions(seen, p_values(seen), alpha).any(axis=1)
        up = passes(seen, alpha) & ~down
        fallen[live], passed[live] = down, up
        used[live[down | up]] = wave
    return Decided(fallen, passed, used)


# The tables: each yields rows, the first of them the names of its columns

Row = Sequence[object]
Table = Callable[[np.random.Generator, int], Iterator[Row]]


def unchanged(random: np.random.Generator, pairs: int) -> Iterator[Row]:
    """Yield how often unchanged pairs raise an alarm, under the gate and under rules that count no chance."""
    yield (
        "scenarios by family", "trials", "rates", "regression", "test alone", "pass", "inconclusive",
        '"rate fell"', '"fell by 5 points"',
    )  # fmt: skip
    trials = ((1, 1), (3, 1), (3, 3), (5, 5))
    shapes = ((10, 10), (4, 4, 4), SMALL, (3,) * 12, (1,) * 40)
    cells = [(SMALL, each, population) for population in (FINE, GOOD, MIXED, POOR) for each in trials]
    cells += [
        (shape, (3, 3), population) for shape in shapes if shape != SMALL for population in (GOOD, POOR)
    ]
    cells += [(SMALL, (3, 5), MIXED)]
    cells += [
        (SUITE, each, population) for population in (FINE, GOOD, MIXED, POOR) for each in ((1, 1), (3, 3))
    ]
    for families, (before, now), population in cells:
        drawn = simulate(random, population, Layout(families, before, now), pairs)
        values = p_values(drawn)
        fallen, passed = regressions(drawn, values).any(axis=1), passes(drawn)
        effect = drawn.differences()[:, 0].mean(axis=1)
        yield (
            named(families), f"{before}, {now}", population.name, share(fallen),
            share((values <= ALPHA + 1e-9).any(axis=1)), share(passed & ~fallen), share(~passed & ~fallen),
            share(effect < -1e-9), share(effect < -MARGIN - 1e-9),
        )  # fmt: skip


def flaky(random: np.random.Generator, pairs: int) -> Iterator[Row]:
    """Yield how often unchanged pairs of the real mock:flaky raise an alarm, dimension by dimension."""
    from flaky_pairs import shared, tallies

    suite, world = tallies(SEEDS, pairs // 4, ALPHA, int(random.integers(2**31)))
    yield (
        "", *(name for each in (suite, world) for name in
              (f"of {each.scenarios} scenarios", f"p at most {ALPHA:g}, alone", "regression")),
    )  # fmt: skip
    for name in suite.scored:
        cells: list[object] = []
        for each in (suite, world):
            of = each.comparisons
            cells += [each.scored.get(name, 0), shared(each.low[name], of), shared(each.fallen[name], of)]
        yield (name, *cells)
    for name, counts in (
        ("any, by the soft rule", [each.soft for each in (suite, world)]),
        ("any, by the hard rule", [each.hard for each in (suite, world)]),
    ):
        told = [shared(count, each.comparisons) for count, each in zip(counts, (suite, world), strict=True)]
        yield name, "", "", told[0], "", "", told[1]


def power(random: np.random.Generator, pairs: int) -> Iterator[Row]:
    """Yield how often drops end in a regression or a pass, and which drop the planner says is found."""
    drops = (0.02, 0.05, 0.1)
    yield (
        "scenarios", "trials", *(f"{100 * each:.0f} points: regression, pass" for each in drops),
        "planned: 4 of 5 find", "found in",
    )  # fmt: skip
    few = max(500, pairs // 4)
    shapes = [*(tuple(times * each for each in (6, 3, 2, 1)) for times in (1, 3, 6)), SUITE]
    for families in shapes:
        for trials in (1, 3, 5, 10):
            layout = Layout(families, trials, trials)
            cells: list[str] = []
            for drop in drops:
                drawn = simulate(random, MIXED, layout, few, drop=drop)
                fallen = regressions(drawn, p_values(drawn)).any(axis=1)
                cells.append(f"{share(fallen)}, {share(passes(drawn) & ~fallen)}")
            rates = MIXED.rates(random, 2_000, 1)
            whole = Design(families, trials, trials, float(rates.prod(axis=1).mean()))
            dimension = Design(families, trials, trials, float(rates.mean()))
            demand = Demand(ALPHA, 0.8, MARGIN, DIMENSIONS + 1)
            planned = smallest_drop(whole, [dimension] * DIMENSIONS, demand)
            found = "-"
            if planned:
                drawn = simulate(random, MIXED, layout, few, drop=planned)
                found = share(regressions(drawn, p_values(drawn)).any(axis=1))
            told = f"{100 * planned:.1f} points" if planned else "-"
            yield (sum(families), trials, *cells, told, found)


def passing(random: np.random.Generator, pairs: int) -> Iterator[Row]:
    """Yield how often a candidate passes that is as much worse as the margin: the other promise."""
    yield "scenarios by family", "trials", "rates", "drop is even", "drop differs by family (sd 5 points)"
    for families in (SMALL, (3,) * 12, SUITE):
        for trials in (3, 5, 10) if families != SUITE else (3,):
            for population in (FINE, GOOD, POOR):
                layout = Layout(families, trials, trials)
                even = simulate(random, population, layout, pairs, drop=MARGIN)
                uneven = simulate(random, population, layout, pairs, drop=MARGIN, uneven=0.05)
                yield (
                    named(families), f"{trials}, {trials}", population.name,
                    share(passes(even)), share(passes(uneven)),
                )  # fmt: skip


def hard(random: np.random.Generator, pairs: int) -> Iterator[Row]:
    """Yield how often the hard rule calls an unchanged target a regression."""
    trials = ((12, 12), (36, 36), (108, 36), (108, 108), (180, 36))
    yield ("breaks in", *(f"{before} samples, now {now}" for before, now in trials))
    for rate in (0.0, 0.001, 0.005, 0.01, 0.05, 0.2):
        cells: list[str] = []
        for before, now in trials:
            never = random.binomial(before, rate, 20 * pairs) == 0
            cells.append(share(never & (random.binomial(now, rate, 20 * pairs) > 0)))
        yield (f"{100 * rate:g} %", *cells)


def tests(random: np.random.Generator, pairs: int) -> Iterator[Row]:
    """Yield the tests that were considered, in the suite's four families and in twelve."""
    yield (
        "families", "trials", "test", "unchanged", "10 points lower",
        "unchanged, worlds wobble by 5 points from run to run",
    )  # fmt: skip
    few = max(500, pairs // 4)
    for families in (SMALL, (3,) * 12):
        layout = Layout(families, 5, 5)
        drawn = [
            simulate(random, MIXED, layout, few),
            simulate(random, MIXED, layout, few, drop=0.1),
            simulate(random, MIXED, layout, few, uneven=0.05),
        ]
        for name, test in TESTS.items():
            cells = [
                share(regressions(each, adjusted(each, test(random, each))).any(axis=1)) for each in drawn
            ]
            yield (named(families), "5, 5", name, *cells)


def _looked_at(
    random: np.random.Generator,
    population: Population,
    layout: Layout,
    pairs: int,
    *,
    drop: float = 0.0,
    uneven: float = 0.0,
) -> Decided:
    """Return what becomes of simulated pairs, the trials being the cap; arguments as for `simulate`."""
    rates, changed = _rates(random, population, layout, pairs, drop=drop, uneven=uneven)
    baseline = _waves(random, rates, layout.baseline_trials)[-1]
    waves = _waves(random, changed, layout.trials)
    return until_decided(layout, baseline, waves, spending(layout.trials, ALPHA))


def looking(random: np.random.Generator, pairs: int) -> Iterator[Row]:
    """Yield how often --until-decided is wrong at any of its looks."""
    yield (
        "scenarios by family", "baseline", "cap", "rates", "unchanged: regression", "pass", "mean waves",
        "a margin lower: pass", "the same, by family (sd 5 points)",
    )  # fmt: skip
    few = max(500, pairs // 2)
    cells = [(SMALL, 3, 10, population) for population in (FINE, GOOD, MIXED, POOR)]
    cells += [(SMALL, 10, 10, population) for population in (GOOD, POOR)]
    cells += [(shape, 3, 10, POOR) for shape in ((4, 4, 4), (3,) * 12, (1,) * 40)]
    cells += [(SMALL, 3, 5, POOR), (SMALL, 5, 20, POOR)]
    for families, before, cap, population in cells:
        layout = Layout(families, before, cap)
        same = _looked_at(random, population, layout, pairs)
        even = _looked_at(random, population, layout, few, drop=MARGIN)
        uneven = _looked_at(random, population, layout, few, drop=MARGIN, uneven=0.05)
        yield (
            named(families), before, cap, population.name, share(same.regression), share(same.passed),
            f"{same.waves.mean():.1f}", share(even.passed), share(uneven.passed),
        )  # fmt: skip


def saving(random: np.random.Generator, pairs: int) -> Iterator[Row]:
    """Yield what --until-decided takes of the trials of a fixed design, and whether it decides as well."""
    yield (
        "rates", "baseline", "candidate is", "10 trials at once: regression, pass",
        "until decided: regression, pass", "mean trials", "of the fixed design",
    )  # fmt: skip
    few, families, cap = max(200, pairs // 10), (24, 20, 18, 16, 14, 12, 8, 6, 2), 10
    changes = ((-0.05, "5 points better"), (0.0, "the same"), (0.05, "5 points worse"), (0.1, "10 worse"),
               (0.2, "20 worse"))  # fmt: skip
    for population in (FINE, GOOD, MIXED):
        for before in (3, 10):
            for drop, told in changes:
                layout = Layout(families, before, cap)
                rates, changed = _rates(random, population, layout, few, drop=drop, uneven=0.0)
                baseline, waves = _waves(random, rates, before)[-1], _waves(random, changed, cap)
                fixed = until_decided(layout, baseline, waves, [Spending(cap, ALPHA)])
                looked = until_decided(layout, baseline, waves, spending(cap, ALPHA))
                yield (
                    population.name, before, told, f"{share(fixed.regression)}, {share(fixed.passed)}",
                    f"{share(looked.regression)}, {share(looked.passed)}", f"{looked.waves.mean():.1f}",
                    f"{100 * looked.waves.mean() / cap:.0f} %",
                )  # fmt: skip


def exact(_: np.random.Generator, pairs: Pairs) -> NDArray[np.float64]:
    """Return what the gate uses, before Holm."""
    layout, scenarios = pairs.layout, sum(pairs.layout.families)
    ours, theirs = [layout.trials] * scenarios, [layout.baseline_trials] * scenarios
    return np.stack(
        [
            fall_p_values(pairs.candidate[:, at], ours, pairs.baseline[:, at], theirs)
            for at in range(pairs.candidate.shape[1])
        ],
        1,
    )


def signs(random: np.random.Generator, pairs: Pairs) -> NDArray[np.float64]:
    """Return p-values of turning round the difference of each scenario, or not."""
    differences = pairs.differences()
    turned = np.asarray([-1.0, 1.0])[random.integers(0, 2, (4_000, differences.shape[2]))]
    seen = differences.sum(axis=2)
    return np.stack(
        [(1 + (each @ turned.T <= row[:, None] + 1e-9).sum(axis=1)) / 4_001 for each, row in
         zip(differences, seen, strict=True)]
    )  # fmt: skip


def family_t(_: np.random.Generator, pairs: Pairs) -> NDArray[np.float64]:
    """Return p-values of a t-test on means over families, CR2 with Satterthwaite's degrees of freedom."""
    from scipy.special import stdtr

    members = pairs.layout.members
    found = np.ones(pairs.candidate.shape[:2])
    for row, by_dimension in enumerate(pairs.differences()):
        for at, values in enumerate(by_dimension):
            mean = clustered_mean(values.tolist(), members)
            if mean.error and mean.degrees:
                found[row, at] = stdtr(mean.degrees, mean.mean / mean.error)
    return found


def family_signs(_: np.random.Generator, pairs: Pairs) -> NDArray[np.float64]:
    """Return p-values of turning round the sum of each family: as a wild cluster bootstrap, all its draws."""
    sizes = pairs.layout.families
    starts = np.cumsum([0, *sizes[:-1]])
    sums = np.add.reduceat(pairs.differences(), starts, axis=2)
    patterns = np.asarray(
        [[1 if mask >> at & 1 else -1 for at in range(len(sizes))] for mask in range(2 ** len(sizes))]
    )
    return (sums @ patterns.T <= sums.sum(axis=2, keepdims=True) + 1e-9).mean(axis=2)


TESTS = {
    "exact, trials dealt within scenarios (the gate's)": exact,
    "sign flips of scenarios": signs,
    "sign flips of families, all of them": family_signs,
    "t over families, CR2 and Satterthwaite": family_t,
}


def named(families: Sequence[int]) -> str:
    """Return how many scenarios families have, in few words."""
    alike = len(set(families)) == 1
    return f"{len(families)} x {families[0]}" if alike else " + ".join(map(str, families))


def share(found: NDArray[np.bool_]) -> str:
    """Return a share as a percentage."""
    return f"{100 * float(found.mean()):.1f} %"


TABLES: dict[str, Table] = {
    "unchanged": unchanged, "flaky": flaky, "power": power, "passing": passing, "hard": hard, "tests": tests,
    "looking": looking, "saving": saving,
}  # fmt: skip


def rendered(name: str, seed: int, pairs: int) -> str:
    """Return one table as Markdown."""
    names, *rows = TABLES[name](np.random.default_rng([seed, zlib.crc32(name.encode())]), pairs)
    cells = [[str(each) for each in row] for row in rows]
    return tabulate(cells, headers=[str(each) for each in names], tablefmt="github", disable_numparse=True)


def main() -> None:
    """Print tables, or write them into their places in docs/calibration.md."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=f"{', '.join(TABLES)} (default: all)")
    parser.add_argument("--seed", type=int, default=20260301)
    parser.add_argument("--pairs", type=int, default=4_000, help="simulated pairs in each row")
    parser.add_argument("--write", action="store_true", help=f"write them into {PAGE.name}")
    arguments = parser.parse_args()
    for name in arguments.tables or TABLES:
        text = rendered(name, arguments.seed, arguments.pairs)
        print(f"{name}\n\n{text}\n", flush=True)
        if arguments.write:
            write(name, text)


def write(name: str, text: str) -> None:
    """Put a table between its two marks."""
    page = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    if begin not in page or end not in page:
        raise SystemExit(f"{PAGE}: lacks the marks {begin.strip()!r} and {end!r}")
    before, _, rest = page.partition(begin)
    after = rest.partition(end)[2]
    PAGE.write_text(f"{before}{begin}\n{text}\n\n{end}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()

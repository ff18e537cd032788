"""Does `harness nightly` keep its promise? Simulated months of three models, judged by its own code.

    python benchmarks/nightly.py --write    # docs/nightly-figures.md anew; some minutes
    python benchmarks/nightly.py false      # one table; or drift, change

Each row has its own random stream, made of the seed and its words: a table alone shows the same figures.
"""

import argparse
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tabulate import tabulate

from harness.nightly import Judged, Night, Terms, judge
from harness.nightly.judging import ALARMS
from harness.nightly.lines import Cell

PAGE = Path(__file__).resolve().parent.parent / "docs" / "nightly-figures.md"
FIRST = date(2026, 11, 1)
NIGHTS = 30
MODELS = 3
HAPPENS_ON = 19


@dataclass(frozen=True)
class Rates:
    """How the rates of scenarios lie: a share at exactly 1, the rest from a beta distribution."""

    name: str
    always: float
    a: float
    b: float

    def drawn(self, random: np.random.Generator, scenarios: int) -> NDArray[np.float64]:
        """Return a rate for each scenario."""
        return np.where(random.random(scenarios) < self.always, 1.0, random.beta(self.a, self.b, scenarios))


FINE = Rates("fine (19 of 20 at 1)", 0.95, 19, 1)
GOOD = Rates("good (6 of 10 at 1)", 0.6, 8, 2)
POOR = Rates("poor (none at 1)", 0.0, 8, 2)


@dataclass(frozen=True)
class World:
    """What months are drawn from. `wobble` is by how much all rates move from night to night (sd)."""

    rates: Rates
    scenarios: int = 30
    trials: int = 3
    wobble: float = 0.0
    drop: float = 0.0
    slope: float = 0.0
    changed: bool = False
    """Whether the prompt changes on the nineteenth night."""


def month(world: World, random: np.random.Generator, names: list[str]) -> list[Night]:
    """Return the lines of a month; what falls falls for the first model alone."""
    rates = {each: world.rates.drawn(random, world.scenarios) for each in names}
    return [
        _night(world, random, name, number, rates[name], falls=name == names[0])
        for number in range(1, NIGHTS + 1)
        for name in names
    ]


def _night(
    world: World,
    random: np.random.Generator,
    name: str,
    number: int,
    rates: NDArray[np.float64],
    *,
    falls: bool,
) -> Night:
    fall = world.drop if number >= HAPPENS_ON else 0.0
    fall += world.slope * max(0, number - 9)
    moved = rates * (1 - (fall if falls else 0.0) / rates.mean()) + random.normal(0, world.wobble or 1e-12)
    passes = random.binomial(world.trials, np.clip(moved, 0, 1))
    later = world.changed and number >= HAPPENS_ON
    cells = {
        f"incident/s{at}": Cell.model_construct(
            scenario="s", prompt="new" if later else "old", passed=int(passed), n=world.trials, canary=True
        )
        for at, passed in enumerate(passes)
    }
    planned = world.scenarios * world.trials
    return Night.model_construct(
        date=(FIRST + timedelta(days=number - 1)).isoformat(), target=name, contract="c", run=None,
        recorded="", harness="1", settings={"model": name}, reported=[name], terms="t", graders={},
        extraction=1, planned=planned, scored=planned, unscored={},
        dimensions={"all": [int(passes.sum()), planned]}, cells=cells, cost=None, tokens=None, seconds=None,
    )  # fmt: skip


def months(world: World, count: int, models: int = MODELS) -> list[dict[str, list[Judged]]]:
    """Return so many judged months."""
    random = np.random.default_rng(zlib.crc32(repr((world, models)).encode()))
    names = [f"m{each}" for each in range(models)]
    return [judge(month(world, random, names), Terms()) for _ in range(count)]


def alarms(nights: list[Judged]) -> list[int]:
    """Return the nights of alarms, counted from 1."""
    return [at for at, each in enumerate(nights, start=1) if each.status in ALARMS]


def false_alarms(count: int) -> str:
    """Return how many months of unchanged models have an alarm."""
    rows: list[list[str]] = []
    for rates in (FINE, GOOD, POOR):
        for scenarios, trials in ((30, 3),):
            row = [rates.name, f"{scenarios} x {trials}"]
            for wobble in (0.0, 0.02, 0.05):
                world = World(rates, scenarios, trials, wobble)
                few = count // 5 if wobble else count
                found = sum(any(map(alarms, each.values())) for each in months(world, few))
                row.append(f"{100 * found / few:.1f} %")
            rows.append(row)
    heads = ["rates", "canary x trials", "trials alone", "nights wobble by 2 points", "by 5 points"]
    return _table(rows, heads)


def drift(count: int) -> str:
    """Return how soon a fall of the nineteenth night is found, and how well its night is named."""
    rows: list[list[str]] = []
    for rates in (FINE, GOOD, POOR):
        for trials in (1, 3, 5):
            for drop in (0.05, 0.10, 0.20):
                world = World(rates, trials=trials, drop=drop)
                rows.append([rates.name, f"30 x {trials}", f"{100 * drop:.0f} points", *_found(world, count)])
    for wobble in (0.02, 0.05):
        world = World(GOOD, drop=0.10, wobble=wobble)
        rows.append([f"good, wobble {100 * wobble:.0f} points", "30 x 3", "10 points", *_found(world, count)])
    slope = World(GOOD, slope=0.01)
    rows.append([GOOD.name, "30 x 3", "1 point a night from the 10th", *_found(slope, count, since=10)])
    heads = ["rates", "canary x trials", "fall", "alarm within 3 nights", "5 nights", "12 nights",
             "median night of the alarm", "names the night, give or take one", "before it came"]  # fmt: skip
    return _table(rows, heads)


def _found(world: World, count: int, since: int = HAPPENS_ON) -> list[str]:
    delays: list[float] = []
    named = early = 0
    for each in months(world, count):
        nights = each["m0"]
        found = alarms(nights)
        early += any(at < since for at in found)
        first = next((at for at in found if at >= since), None)
        delays.append(float("inf") if first is None else first - since + 1)
        alarm = nights[first - 1].alarm if first else None
        if alarm:
            named += abs((date.fromisoformat(alarm.since) - FIRST).days + 1 - since) <= 1
    seen = sum(each < float("inf") for each in delays)
    median = sorted(delays)[count // 2]
    within = [f"{100 * sum(each <= nights for each in delays) / count:.0f} %" for nights in (3, 5, 12)]
    return [
        *within,
        "never" if median == float("inf") else f"{median:.0f}.",
        f"{100 * named / seen:.0f} %" if seen else "-",
        f"{100 * early / count:.1f} %",
    ]


def change(count: int) -> str:
    """Return how often a changed prompt is called a regression."""
    rows: list[list[str]] = []
    for rates in (FINE, GOOD, POOR):
        base = World(rates, changed=True)
        row = [rates.name]
        for drop in (0.0, 0.05, 0.10, 0.20):
            found = [alarms(each["m0"]) for each in months(replace(base, drop=drop), count)]
            row.append(f"{100 * sum(bool(each) for each in found) / count:.1f} %")
        rows.append(row)
    return _table(rows, ["rates", "changes nothing", "5 points lower", "10 points lower", "20 points lower"])


def _table(rows: list[list[str]], heads: list[str]) -> str:
    return tabulate(rows, headers=heads, tablefmt="github", disable_numparse=True)


TABLES: dict[str, tuple[Callable[[int], str], int]] = {
    "false": (false_alarms, 500),
    "drift": (drift, 100),
    "change": (change, 200),
}


def main() -> None:
    """Print the tables, or put them into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    parser.add_argument("--months", type=int, help="in each row (default: as on the page)")
    arguments = parser.parse_args()
    for name in arguments.tables:
        make, count = TABLES[name]
        table = make(arguments.months or count)
        print(f"\n{name}\n\n{table}", flush=True)
        if arguments.write:
            head, _, rest = PAGE.read_text(encoding="utf-8").partition(f"<!-- {name} -->\n")
            tail = rest.partition(f"<!-- end of {name} -->")[2]
            text = f"{head}<!-- {name} -->\n\n{table}\n\n<!-- end of {name} -->{tail}"
            PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

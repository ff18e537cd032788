"""What the harness costs, beside bare loops and other frameworks, interleaved in one run.

    python -m benchmarks.speed                                    # everything; a quarter of an hour
    python -m benchmarks.speed --write                            # and its tables into docs/performance.md
    python -m benchmarks.speed --quick                            # the same in small, to see that it works
    python -m benchmarks.speed --only conversations --contender "bare aiohttp" "harness, openai:URL"

Every contender is a process of its own; costs are the whole process's, measured from outside, start-up
included, and again without it, as the slope between a small and a large number of samples. Figures are
comparable within one run alone. Tables go to the output, progress to the error stream.
"""

import argparse
import json
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.speed.bench import Bench
from benchmarks.speed.contenders import CONTENDERS
from benchmarks.speed.conversations import conversations
from benchmarks.speed.goals import goals
from benchmarks.speed.growth import SIZES, growth
from benchmarks.speed.judging import judging
from benchmarks.speed.keeping import ready, store
from benchmarks.speed.machine import machine
from benchmarks.speed.processes import ROOT, cost
from benchmarks.speed.tables import Table, placed
from benchmarks.speed.workload import SCENARIOS, load

STEPS: dict[str, Callable[[Bench], Iterator[Table]]] = {
    "conversations": conversations,
    "growth": growth,
    "judging": judging,
    "store": store,
    "ready": ready,
}
PAGE = ROOT / "docs" / "performance.md"
QUICK = {"samples": 1_024, "rounds": 1, "largest": 1_000, "lines": 2_000}
MOST = max(each.share for each in CONTENDERS)
STEP = len(SCENARIOS) * max(each.share for each in CONTENDERS if each.keeps_run)
"""Samples come in multiples of it, so that a run has as many of every scenario."""


def main() -> None:
    """Measure and print."""
    given = arguments()
    with TemporaryDirectory(prefix="bench-") as work:
        bench = prepared(given, Path(work))
        sections = {"machine": [where(given.contender)]}
        show(sections["machine"])
        for step in given.only:
            sections[step] = []
            for table in STEPS[step](bench):
                show([table])
                sections[step].append(table)
        sections["goals"] = [goals(bench.figures)]
        show(sections["goals"])
        bench.say("done")
    if given.json:
        written = {"arguments": vars(given), "figures": bench.figures,
                   "tables": [each.json() for tables in sections.values() for each in tables]}  # fmt: skip
        given.json.write_text(json.dumps(written, indent=2, default=str) + "\n", encoding="utf-8")
    if given.write:
        PAGE.write_text(placed(PAGE.read_text(encoding="utf-8"), sections), encoding="utf-8")


def show(tables: Sequence[Table]) -> None:
    """Print tables as soon as they are there."""
    print(*(each.text() for each in tables), sep="\n\n", end="\n\n", flush=True)


def where(names: Collection[str]) -> Table:
    """Return who takes part and on which machine."""
    return machine([each for each in CONTENDERS if each.name in names])


def arguments() -> argparse.Namespace:
    """Return what was asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    names = [each.name for each in CONTENDERS]
    add(
        "--only", nargs="+", choices=STEPS, default=list(STEPS), metavar="STEP", help=f"of {', '.join(STEPS)}"
    )
    add("--contender", nargs="+", choices=names, default=names, metavar="NAME",
        help=f"who takes part in conversations: {'; '.join(names)}")  # fmt: skip
    add("--quick", action="store_true", help="less of everything: some minutes")
    add("--rounds", type=int, default=3, help="of conversations (default: %(default)s)")
    add("--samples", type=_samples, default=2_000, help="of a contender in a round (default: %(default)s)")
    add("--small", type=_samples, default=64, help="samples that tell start-up apart (default: %(default)s)")
    add("--latency", type=float, nargs="+", default=[0.0, 0.2], help="seconds of a reply (default: 0 0.2)")
    add("--largest", type=int, choices=SIZES, default=SIZES[-1], help="of growth, grade and store")
    add("--lines", type=int, default=20_000, help="that are audited (default: %(default)s)")
    add("--seed", type=int, default=1, help="of what the server says (default: %(default)s)")
    add("--write", action="store_true", help="also put the tables into docs/performance.md")
    add("--json", type=Path, metavar="FILE", help="also write every figure there")
    if "--quick" in sys.argv:  # noqa: TID251 - options given beside it win
        parser.set_defaults(**QUICK)
    given = parser.parse_args()
    if given.samples // MOST <= given.small:
        parser.error(
            f"--samples: found {given.samples}; use more than {MOST * given.small}, or a smaller --small"
        )
    return given


def _samples(text: str) -> int:
    number = int(text)
    if number <= 0 or number % STEP:
        raise argparse.ArgumentTypeError(f"found {text}; use a multiple of {STEP}")
    return number


def prepared(given: argparse.Namespace, work: Path) -> Bench:
    """Return a bench with its workload, ready to work in a folder."""
    file = work / "workload.json"
    cost([sys.executable, "-m", "benchmarks.speed.preparing", str(file)])
    there = [each for each in CONTENDERS if each.name in given.contender and each.is_there]
    return Bench(
        work, file, load(file), there, given.samples, given.small, given.rounds, given.latency, given.largest,
        given.lines, given.seed,
    )  # fmt: skip


if __name__ == "__main__":
    main()

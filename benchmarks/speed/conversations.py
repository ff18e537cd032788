"""The same conversations by every contender, in turn: what a sample costs each of them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from benchmarks.speed.bench import Bench
from benchmarks.speed.contenders import CONTENDERS, DIRECT, FLIGHT, PEER_NAMES, Contender
from benchmarks.speed.processes import Cost, Told, serving
from benchmarks.speed.tables import Column, Line, Table, line, ratio

FIRST = "bare aiohttp"

COLUMNS = (
    Column("contender"), Column("N", ","), Column("start-up, CPU s", ".2f"), Column("each, ms", ".2f"),
    Column("whole, ms/sample", ".2f"), Column("ratio to bare", ".2f"), Column("to its own client", ".2f"),
    Column("wall s", ".1f"), Column("wall/ideal", ".2f"), Column("MB", ".0f"), Column("server, ms", ".2f"),
)  # fmt: skip


class Measured(NamedTuple):
    """One contender in one round: a small number of samples, and a large one."""

    few: int
    small: Cost
    samples: int
    large: Cost
    told: Told

    @property
    def cpu(self) -> Line:
        """Seconds of processor by samples."""
        return line([(self.few, self.small.cpu), (self.samples, self.large.cpu)])


Held = Mapping[str, Sequence[Measured]]
"""The rounds of each contender."""


def conversations(bench: Bench) -> Iterator[Table]:
    """Yield a table for each latency."""
    for latency in bench.latencies:
        names = [each for each in bench.contenders if each.over_wire or not latency]
        measured: dict[str, list[Measured]] = defaultdict(list)
        with serving(bench.file, latency, bench.seed) as server:
            for number in range(bench.rounds):
                for contender in names:
                    samples = bench.samples // contender.share
                    bench.say(f"{latency * 1000:.0f} ms, round {number + 1} of {bench.rounds}: "
                              f"{contender.name}, {samples:,} samples")  # fmt: skip
                    costs = [bench.held(contender, server, each, bench.folder("now"))
                             for each in (bench.small, samples)]  # fmt: skip
                    measured[contender.name].append(Measured(bench.small, costs[0][0], samples, *costs[1]))
        bench.figures |= _figures(bench.samples, latency, measured)
        yield _table(bench, latency, names, measured)


def _table(bench: Bench, latency: float, contenders: Sequence[Contender], measured: Held) -> Table:
    rows = [_row(bench.samples, latency, each, measured) for each in contenders]
    title = f"{bench.samples:,} samples of two turns, {latency * 1000:.0f} ms a reply, {FLIGHT} at once"
    note = (
        f"Medians of {bench.rounds} rounds. N conversations were held, and {bench.small} to tell start-up "
        f"apart; whole and ratios are of {bench.samples:,}, on the line through both. Wall is of N; the "
        "ideal waits for replies and does nothing else."
    )
    return Table(title, COLUMNS, rows, (note,))


def _row(at: int, latency: float, contender: Contender, measured: Held) -> list[object]:
    rounds = measured[contender.name]
    samples, cpu = rounds[0].samples, [each.cpu for each in rounds]
    served = median(each.told.cpu for each in rounds) / samples
    return [
        contender.name,
        samples,
        median(each.once for each in cpu),
        1000 * median(each.each for each in cpu),
        1000 * median(each.at(at) for each in cpu) / at,
        _times(at, measured, contender.name, FIRST),
        _times(at, measured, contender.name, contender.beside),
        median(each.large.wall for each in rounds),
        _to_ideal(latency, rounds) if samples == at else None,
        median(each.large.memory for each in rounds),
        1000 * served if contender.over_wire else None,
    ]


def _times(at: int, measured: Held, name: str, other: str | None) -> float | None:
    """Return the median, over the rounds, of how many times another's processor time it is."""
    pairs = zip(measured[name], measured.get(other or "", ()), strict=False)
    ratios = [each.cpu.at(at) / beside.cpu.at(at) for each, beside in pairs]
    return median(ratios) if ratios else None


def _to_ideal(latency: float, rounds: Sequence[Measured]) -> float | None:
    """Return the time on the clock against that of a client that does nothing but wait."""
    return ratio(median(each.large.wall for each in rounds), 2 * latency * rounds[0].samples / FLIGHT)


def _figures(at: int, latency: float, measured: Held) -> dict[str, float]:
    """Return what goals are held against: at no latency processor time, else the clock."""
    found: dict[str, float | None] = {}
    if not latency:
        found |= {f"{each.name} to {each.beside}": _times(at, measured, each.name, each.beside)
                  for each in CONTENDERS if each.name in measured}  # fmt: skip
    if not latency and DIRECT in measured:
        found["peer"] = max((_times(at, measured, DIRECT, each) or 0 for each in PEER_NAMES), default=None)
    if latency and DIRECT in measured:
        found[f"wall at {1000 * latency:.0f} ms"] = _to_ideal(latency, measured[DIRECT])
    return {name: value for name, value in found.items() if value}

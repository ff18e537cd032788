"""The same conversations by every contender, in turn: what a sample costs each of them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import median
from typing import NamedTuple

from benchmarks.speed.bench import Bench
from benchmarks.speed.contenders import DIRECT, FLIGHT, PEER_NAMES, Contender
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

    small: Cost
    large: Cost
    told: Told
    samples: int

    def line(self, small: int) -> Line:
        """Return seconds of processor by samples."""
        return line([(small, self.small.cpu), (self.samples, self.large.cpu)])


Rounds = Sequence[Measured]


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
                    measured[contender.name].append(Measured(costs[0][0], *costs[1], samples))
        yield _table(bench, latency, names, measured)


def _table(
    bench: Bench, latency: float, contenders: Sequence[Contender], measured: dict[str, list[Measured]]
) -> Table:
    rows = [_row(bench, latency, each, measured) for each in contenders]
    if not latency:
        _keep(bench, {str(row[0]): float(str(row[4])) for row in rows})
    title = f"{bench.samples:,} samples of two turns, {latency * 1000:.0f} ms a reply, {FLIGHT} at once"
    note = (
        f"Medians of {bench.rounds} rounds. N conversations were held, and {bench.small} to tell start-up "
        f"apart; whole and ratios are of {bench.samples:,}, on the line through both."
    )
    return Table(title, COLUMNS, rows, (note,))


def _row(
    bench: Bench, latency: float, contender: Contender, measured: dict[str, list[Measured]]
) -> list[object]:
    rounds = measured[contender.name]
    lines = [each.line(bench.small) for each in rounds]
    whole = median(each.at(bench.samples) for each in lines)
    wall = median(each.large.wall for each in rounds)
    ideal = 2 * latency * rounds[0].samples / FLIGHT
    to_own = _against(bench, rounds, measured.get(contender.beside or "", ()))
    if latency and contender.name == DIRECT:
        bench.figures["wall"] = wall / ideal
    if not latency and to_own is not None:
        bench.figures[f"{contender.name} to {contender.beside}"] = to_own
    return [
        contender.name, rounds[0].samples, median(each.once for each in lines),
        1000 * median(each.each for each in lines), 1000 * whole / bench.samples,
        _against(bench, rounds, measured.get(FIRST, ())), to_own, wall, ratio(wall, ideal),
        median(each.large.memory for each in rounds),
        1000 * median(each.told.cpu for each in rounds) / rounds[0].samples if contender.over_wire else None,
    ]  # fmt: skip


def _against(bench: Bench, rounds: Rounds, others: Rounds) -> float | None:
    """Return the median, over the rounds, of how many times another's processor time it is."""
    at = bench.samples
    ratios = [each.line(bench.small).at(at) / other.line(bench.small).at(at)
              for each, other in zip(rounds, others, strict=False)]  # fmt: skip
    return median(ratios) if ratios else None


def _keep(bench: Bench, whole: dict[str, float]) -> None:
    """Note the direct target's part of the fastest peer's processor time."""
    peers = [whole[each] for each in PEER_NAMES if each in whole]
    if peers and DIRECT in whole:
        bench.figures["peer"] = whole[DIRECT] / min(peers)

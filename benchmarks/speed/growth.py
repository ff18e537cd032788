"""From a hundred samples to ten thousand: whether what one costs stays the same, and memory with it."""

from collections.abc import Iterator

from benchmarks.speed.bench import Bench
from benchmarks.speed.contenders import CONTENDERS, DIRECT, Contender, run_in
from benchmarks.speed.processes import Cost, Server, serving
from benchmarks.speed.tables import Column, Table, line

SIZES = (100, 300, 1_000, 3_000, 10_000)
GROWING = ("harness, mock:oracle", DIRECT)

COLUMNS = (
    Column("samples", ","), Column("CPU s", ".2f"), Column("ms/sample", ".2f"),
    Column("ms for each more", ".2f"), Column("wall s", ".1f"), Column("MB", ".0f"),
)  # fmt: skip


def growth(bench: Bench) -> Iterator[Table]:
    """Yield a table for each target; the direct one's runs that later steps judge are kept."""
    sizes = [each for each in SIZES if each <= bench.largest]
    for contender in (each for each in CONTENDERS if each.name in GROWING):
        with serving(bench.file, 0, bench.seed) as server:
            costs = [_grown(bench, contender, server, size) for size in sizes]
        yield _table(bench, contender, sizes, costs)


def _grown(bench: Bench, contender: Contender, server: Server, size: int) -> Cost:
    bench.say(f"growth: {contender.name}, {size:,} samples")
    kept = contender.name == DIRECT and size in {bench.largest, bench.largest // 10}
    folder = bench.folder(f"recording-{size}" if kept else "now")
    took, _ = bench.held(contender, server, size, folder)
    if kept:
        bench.recordings[size] = run_in(folder)
    return took


def _table(bench: Bench, contender: Contender, sizes: list[int], costs: list[Cost]) -> Table:
    rows = [
        [size, took.cpu, 1000 * took.cpu / size, _more(at, sizes, costs), took.wall, took.memory]
        for at, (size, took) in enumerate(zip(sizes, costs, strict=True))
    ]  # fmt: skip
    cpu = line([(size, took.cpu) for size, took in zip(sizes, costs, strict=True)])
    memory = line([(size, took.memory) for size, took in zip(sizes, costs, strict=True)])
    bench.figures[f"kilobytes a sample, {contender.name}"] = 1000 * memory.each
    note = (
        f"Line: {cpu.once:.2f} s and {1000 * cpu.each:.2f} ms a sample (r² {cpu.straight:.4f}); memory "
        f"{memory.once:.0f} MB and {1000 * memory.each:.1f} KB a sample."
    )
    return Table(f"{contender.name}: more and more samples", COLUMNS, rows, (note,))


def _more(at: int, sizes: list[int], costs: list[Cost]) -> float | None:
    """Return milliseconds for each sample that is more than in the size before."""
    return 1000 * (costs[at].cpu - costs[at - 1].cpu) / (sizes[at] - sizes[at - 1]) if at else None

"""harness audit --out: verdicts into a folder, part by part, by processes of this machine or of a cluster."""

import sys
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

from harness.auditing.audits import Asked
from harness.auditing.counting import Counts
from harness.auditing.folders import CLAUSES, PIECE, SUMMARY, Folder, open_folder
from harness.auditing.parts import SHOWN, Judged, Part, judge_piece
from harness.auditing.pieces import Piece, pieces
from harness.auditing.places import Place
from harness.auditing.sending import sent
from harness.auditing.tables import refuse_without_pyarrow
from harness.cli.output import print_json, print_rows, say
from harness.cli.progress import PLAIN_EVERY
from harness.engines import Engine

WORST = 10
COLUMNS = ("contract", "transcripts", "pass", "fail", "unscored")
MEGABYTE = 1_000_000

Numbered = tuple[int, Piece]


def run_in_folder(
    asked: Asked,
    files: Sequence[Place],
    out: Path,
    engine: AbstractContextManager[Engine],
    *,
    tabled: bool,
    quiet: bool,
) -> int:
    """Audit files into a folder, print what came out, and return how many records were refused."""
    if tabled:
        refuse_without_pyarrow()
    folder = open_folder(out, files, asked, tabled=tabled)
    try:
        for each in folder.notes:
            say(f"note: {each}")
        with engine as entered:
            counts = _judge(folder, asked, files, entered, tabled=tabled, quiet=quiet)
        folder.write_summaries(counts)
    finally:
        folder.end()
    if quiet:
        outcomes = {each: counts.total(each) for each in COLUMNS[2:]}
        of = {"transcripts": counts.total(), **outcomes, "refused": counts.refused}
        print_json({"out": str(out), **of})
    else:
        _print(counts, out)
    return counts.refused


def _judge(
    folder: Folder, asked: Asked, files: Sequence[Place], engine: Engine, *, tabled: bool, quiet: bool
) -> Counts:
    """Judge what is not done yet, and return the counts of everything."""
    listed = list(enumerate(pieces(files, asked.form, PIECE, engine), start=1))
    waiting = [each for each in listed if each[0] not in folder.done]
    fresh = engine.in_order(partial(judge_piece, sent(asked), tabled=tabled), waiting)
    return _counted(folder, fresh, listed, quiet=quiet)


def _counted(folder: Folder, fresh: Generator[Judged], listed: Sequence[Numbered], *, quiet: bool) -> Counts:
    """Write down what is judged now, tell what was refused, and return the counts of everything."""
    counts, told = Counts(), 0
    sizes = {number: piece.size for number, piece in listed}
    with closing(fresh), _progress(sum(sizes.values()), quiet=quiet) as progress:
        for part in _all(listed, folder, fresh):
            counts.merge(part.counts)
            for each in part.refused[: SHOWN - told]:
                say(each)
            told += len(part.refused[: SHOWN - told])
            was_done = part.number in folder.done
            progress(sizes[part.number], part.counts.total(), was_done=was_done)
    if counts.refused > told:
        say(f"{counts.refused - told} more were refused; see outcome 'refused' in {folder.path}")
    return counts


def _all(listed: Sequence[Numbered], folder: Folder, fresh: Iterator[Judged]) -> Iterator[Part]:
    """Yield every part in order, as it was done before or is done now."""
    for number, _ in listed:
        if number in folder.done:
            yield folder.done[number]
        else:
            judged = next(fresh)
            folder.add(judged)
            yield judged.part


class Progress(Protocol):
    """Hears of parts."""

    def __call__(self, size: int, judged: int, *, was_done: bool) -> None:
        """Hear of a part: its bytes, its transcripts, whether it was done before."""
        ...


@contextmanager
def _progress(total: int, *, quiet: bool) -> Generator[Progress]:
    """Yield what is to hear of each part."""
    started = last = time.monotonic()
    read = fresh = transcripts = before = 0

    def told() -> str:
        seconds = max(time.monotonic() - started, 0.001)
        left = (total - read) / fresh * seconds if fresh else 0.0
        rate = (transcripts - before) / seconds
        ready = f"{read / MEGABYTE:,.0f} of {total / MEGABYTE:,.0f} MB"
        return f"auditing {ready}  {transcripts:,} transcripts  {rate:,.0f}/s  {left:,.0f} s left"

    def heard(size: int, judged: int, *, was_done: bool) -> None:
        nonlocal last, read, fresh, transcripts, before
        read, transcripts = read + size, transcripts + judged
        before += judged if was_done else 0
        fresh += 0 if was_done else size
        now = time.monotonic()
        if not quiet and now - last >= (0.5 if watched else PLAIN_EVERY):
            last = now
            print(f"\r{told()}\x1b[K" if watched else told(), end=ending, file=sys.stderr, flush=True)

    watched = sys.stderr.isatty()
    ending = "" if watched else "\n"
    try:
        yield heard
    finally:
        if watched and not quiet:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _print(counts: Counts, out: Path) -> None:
    print_rows(COLUMNS, [[str(row[each]) for each in COLUMNS] for row in counts.by_contract()], COLUMNS[1:])
    failed = [row for row in counts.by_clause() if row["fail"]]
    broken = sorted(failed, key=lambda row: -int(row["fail"] or 0))
    if broken:
        print("\nMost often broken")
        names = ("clause", "contract", "level", "fail", "pass", "unscored", "not_applicable")
        print_rows(names, [[str(row[each]) for each in names] for row in broken[:WORST]], names[3:])
    print(f"\nWritten\n  {out / SUMMARY}\n  {out / CLAUSES}\n  {out}/scores-*.jsonl")

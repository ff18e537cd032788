"""harness nightly: the same questions to every target each night, and what became of the answers."""

import argparse
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from harness.cli.comparing import share
from harness.cli.nights import INTERRUPTED, Asking, record_night
from harness.cli.numbers import dollars, whole
from harness.cli.output import add_json, add_project, console, print_json, print_rows, say
from harness.errors import InvalidInput
from harness.gate.baselines import FOLDER as BASELINES
from harness.nightly import History, Judged, Terms, judge, open_history, read_history
from harness.nightly.history import FOLDER
from harness.nightly.judging import ALARMS
from harness.nightly.parquet import INSTALL, write_parquet
from harness.store.lines import replace_text

TRIALS = 3
LAST = 30
ALARM = 1
NO_DATA = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what `harness nightly` takes."""
    parser.add_argument(
        "-t", "--target", action="append", default=[], metavar="TARGET",
        help="as for `harness run` (default: every name of targets.yaml)",
    )  # fmt: skip
    parser.add_argument("-c", "--contract", action="append", default=[], help="as for `harness run`")
    parser.add_argument("-s", "--scenario", action="append", default=[], metavar="GLOB", help="as for `run`")
    parser.add_argument("--tag", action="append", default=[], help="only scenarios with this tag, as core")
    parser.add_argument(
        "-n", "--trials", type=whole, default=TRIALS, help="trials of each scenario (default: %(default)s)"
    )
    parser.add_argument("--concurrency", type=whole, metavar="N", help="as for `harness run`")
    parser.add_argument("--max-cost", type=dollars, metavar="USD", help="of the night, all targets together")
    parser.add_argument(
        "--canary", action="append", default=[], metavar="TAG|GLOB",
        help="the scenarios that drift is looked for in (default: those with the tag core, if any; else all)",
    )  # fmt: skip
    parser.add_argument(
        "--date", type=_date, metavar="YYYY-MM-DD", help="which night this is (default: today, UTC)"
    )
    parser.add_argument(
        "--history", type=Path, default=FOLDER, metavar="DIR",
        help="nights.jsonl, nightly.md and, below runs/, the runs (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--judge", action="store_true", help="ask nobody; only judge the history and write its page anew"
    )
    parser.add_argument(
        "--last", type=whole, default=LAST, metavar="N", help="nights that are shown (default: %(default)s)"
    )
    parser.add_argument(
        "--keep", type=whole, metavar="N", help="delete the runs of all but the last N nights; history stays"
    )
    parser.add_argument("--alpha", type=_alpha, default=Terms().alpha, metavar="SHARE", help=_ALPHA)
    parser.add_argument("--margin", type=share, default=Terms().margin, metavar="SHARE", help=_MARGIN)
    parser.add_argument(
        "--baselines", type=Path, default=BASELINES, metavar="DIR",
        help="whose runs --keep never deletes (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress and no summary")
    add_project(parser)
    add_json(parser)


_ALPHA = "in how many months an unchanged matrix may raise a false alarm (default: %(default)s)"
_MARGIN = "falls of less are no alarm (default: %(default)s)"


def _alpha(text: str) -> float:
    value = share(text)
    if not value:
        raise argparse.ArgumentTypeError(f"found {text!r}; with 0 there is never an alarm, use more")
    return value


def _date(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"found {text!r}; use a date, as 2026-11-20") from error


def run(arguments: argparse.Namespace) -> int:
    """Record what the night still lacks, judge all nights, write the page; return the exit code."""
    tonight = arguments.date or datetime.now(UTC).date().isoformat()
    if arguments.judge:
        history = read_history(arguments.history)
        if not history.nights():
            msg = f"{history.file}: holds no night; record one with `harness nightly`"
            raise InvalidInput(msg)
        tonight = arguments.date or history.nights()[-1].date
    else:
        asking = Asking.of(arguments, tonight)
        history = open_history(arguments.history)
        try:
            if not record_night(asking, history, arguments):
                say(f"interrupted; the same command goes on with {tonight}: --date {tonight}")
                return INTERRUPTED
        finally:
            history.close()
    for note in history.notes:
        say(f"note: {note}")
    return _told(history, tonight, arguments)


def _told(history: History, tonight: str, arguments: argparse.Namespace) -> int:
    from harness.nightly.telling import as_json, night_as_json

    terms = Terms(arguments.alpha, arguments.margin)
    judged = judge([each for each in history.nights() if each.date <= tonight], terms)
    now = [each for nights in judged.values() for each in nights if each.night.date == tonight]
    if not now:
        msg = f"{history.file}: holds no night of {tonight}"
        raise InvalidInput(msg)
    code = exit_code(now)
    files = _written(history, terms, arguments)
    deleted = _retained(history, tonight, arguments)
    if arguments.json:
        print_json(
            {
                "date": tonight, "outcome": _OUTCOMES[code], "history": str(history.file),
                "files": [str(each) for each in files], "deleted": [str(each) for each in deleted],
                "targets": [night_as_json(each) for each in now],
                "nights": as_json(judged, arguments.last)["targets"],
            }
        )  # fmt: skip
    elif not arguments.quiet:
        _print(tonight, judged, now, files)
    return code


_OUTCOMES = {0: "ok", ALARM: "alarm", NO_DATA: "no data"}


def exit_code(now: Sequence[Judged]) -> int:
    """Return 1 where any target is an alarm, else 3 where one has no data, else 0."""
    statuses = {each.status for each in now}
    if statuses & ALARMS:
        return ALARM
    return NO_DATA if "no data" in statuses else 0


def _written(history: History, terms: Terms, arguments: argparse.Namespace) -> list[Path]:
    """Write what is made from the lines: the page and, where pyarrow is installed, the table."""
    from harness.nightly.telling import page

    judged = judge(history.nights(), terms)
    file = history.folder / "nightly.md"
    replace_text(file, page(judged, terms, arguments.last))
    table = write_parquet(judged, history.folder)
    if table is None and not arguments.quiet and not arguments.json:
        say(f"note: no nightly.parquet, which needs pyarrow: {INSTALL}")
    return [file] if table is None else [file, table]


def _retained(history: History, tonight: str, arguments: argparse.Namespace) -> list[Path]:
    """Delete the runs of old nights, where asked to, and say which."""
    from harness.nightly.keeping import delete, old_runs, runs_of_baselines

    if arguments.keep is None:
        return []
    named = runs_of_baselines(arguments.baselines)
    old, left = old_runs(history.lines, arguments.keep, history.folder / "runs", named, tonight)
    for each in left:
        say(f"kept {each}: a baseline names it")
    for each in old:
        say(f"deleted {each}")
    delete(old)
    return old


def _print(
    tonight: str, judged: Mapping[str, Sequence[Judged]], now: Sequence[Judged], files: Sequence[Path]
) -> None:
    from harness.nightly.telling import band_of, reason, trend
    from harness.reporting.clean import visible
    from harness.reporting.figures import percent

    rates = [each.night.rate for nights in judged.values() for each in nights]
    known = [each for each in rates if each is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    rows = [
        (
            each.night.target,
            percent(each.night.rate),
            band_of(each),
            trend(judged[each.night.target][-14:], low, high),
            each.status,
        )
        for each in now
    ]
    out = console()
    out.print(f"night of {tonight}")
    print_rows(("target", "compliant", "band", "trend", "status"), rows)
    for each in now:
        out.print(visible(f"{each.night.target}: {reason(each)}"), soft_wrap=True, markup=False)
    for file in files:
        out.print(str(file), soft_wrap=True, markup=False)

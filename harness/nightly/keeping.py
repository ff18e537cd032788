"""Retention: run folders of old nights go, their lines in the history stay."""

import shutil
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from harness.errors import InvalidRun
from harness.gate.baselines import read_baseline
from harness.nightly.lines import Line, Night
from harness.store.info import read_info


def old_runs(
    lines: Sequence[Line], keep: int, runs: Path, kept: Collection[str], tonight: str
) -> tuple[list[Path], list[Path]]:
    """Return the folders of runs of all but the last `keep` nights: those to delete, and those to leave.

    Args:
        lines: of the history.
        keep: nights whose runs stay.
        runs: the folder of nightly runs; what lies elsewhere is nobody's to delete here.
        kept: ids of runs that a baseline names.
        tonight: the date that is told of, whose runs stay however old it is.
    """
    nights = sorted({each.date for each in lines if isinstance(each, Night)})
    oldest = nights[max(0, len(nights) - keep)] if nights else ""
    # By date, since a night that another process records, or that was interrupted, has only begun.
    held = {each.run for each in lines if each.date >= oldest or each.date == tonight}
    old = {Path(each.run) for each in lines if each.run and each.run not in held}
    here = [each for each in sorted(old) if _is_run_below(each, runs)]
    return [each for each in here if each.name not in kept], [each for each in here if each.name in kept]


def _is_run_below(folder: Path, runs: Path) -> bool:
    if folder.is_symlink() or folder.resolve().parent != runs.resolve():
        return False
    try:
        return read_info(folder).id == folder.name
    except InvalidRun:
        return False


def runs_of_baselines(folder: Path) -> set[str]:
    """Return the ids of the runs that baselines name.

    Raises:
        InvalidInput: a baseline cannot be read, so that nobody knows what it needs.
    """
    named = (read_baseline(each).runs for each in sorted(folder.glob("*.json")))
    return {run for runs in named for each in runs.items() for run in (each[0], Path(each[1]).name)}


def delete(folders: Iterable[Path]) -> None:
    """Delete run folders."""
    for each in folders:
        shutil.rmtree(each)

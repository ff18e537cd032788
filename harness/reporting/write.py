"""Write a run's reports. To add a format: write its function, add a line to FORMATS."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from harness.errors import UnknownName
from harness.reporting.csv_files import write_samples, write_summary
from harness.reporting.overview import in_order, overview
from harness.statistics import summarise
from harness.store import Run

Format = Callable[[Run, Path], list[Path]]
"""Write a graded run's report into a folder and return the files."""


def write_reports(run: Run, formats: Sequence[str], out: Path | None = None) -> list[Path]:
    """Write a graded run's reports and return the files, in order; each file is whole or as it was.

    Args:
        run: a run with scores.
        formats: names of FORMATS.
        out: where to; the run's own folder by default. Reports of two runs need two folders.

    Raises:
        UnknownName: a format is not in FORMATS; then nothing is written.
        InvalidRun: the run was never graded.
    """
    writers = [_format(name) for name in dict.fromkeys(formats)]
    folder = out or run.folder
    folder.mkdir(parents=True, exist_ok=True)
    return [path for write in writers for path in write(run, folder)]


def _format(name: str) -> Format:
    if name not in FORMATS:
        raise UnknownName("report format", name, FORMATS)
    return FORMATS[name]


def _markdown(run: Run, folder: Path) -> list[Path]:
    from harness.reporting.markdown import render_markdown

    text = render_markdown(overview(run))
    with _replacing(folder / "report.md") as stream:
        stream.write(text)
    return [folder / "report.md"]


def _csv(run: Run, folder: Path) -> list[Path]:
    summary = in_order(summarise(run.scores()), run.info)
    with _replacing(folder / "summary.csv") as stream:
        write_summary(stream, summary)
    with _replacing(folder / "samples.csv") as stream:
        write_samples(stream, run.scores())
    return [folder / "summary.csv", folder / "samples.csv"]


def _html(run: Run, folder: Path) -> list[Path]:
    return [write_page([run], folder)]


def write_page(runs: Sequence[Run], folder: Path) -> Path:
    """Write one report.html over one run or several beside each other, and return it; folders are made.

    Raises:
        InvalidRun: a run was never graded.
    """
    from harness.reporting.html.render import render_html

    text = render_html(runs)
    folder.mkdir(parents=True, exist_ok=True)
    with _replacing(folder / "report.html") as stream:
        stream.write(text)
    return folder / "report.html"


FORMATS: dict[str, Format] = {
    "md": _markdown,
    "csv": _csv,
    "html": _html,
}


@contextmanager
def _replacing(path: Path) -> Generator[IO[str]]:
    """Write a draft beside a file, and put it in the file's place once it is complete."""
    draft = path.with_name(path.name + ".draft")
    with draft.open("w", encoding="utf-8", newline="") as stream:
        yield stream
    draft.replace(path)

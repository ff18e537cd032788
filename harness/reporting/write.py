"""Write reports of runs. To add a format: write its function, add a line to FORMATS or TOGETHER."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO

from harness.errors import UnknownName
from harness.pipeline import SCORES, Files
from harness.reporting.csv_files import SamplesFile, write_samples, write_summary
from harness.reporting.overview import Overview, overview
from harness.store import Run
from harness.store.lines import drafted

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


GRADED: Files = (*SCORES, SamplesFile())
"""What grading writes line by line: the scores, and the one report that is as long."""


def write_usual(run: Run, data: Overview) -> list[Path]:
    """Write report.md and summary.csv of a run that was graded into GRADED; return its reports."""
    return [*_markdown(run, run.folder, data), *_summary(run.folder, data), run.path(SamplesFile.name)]


def load() -> None:
    """Load now what reports alone need, so that they are written without it later."""
    from harness.statistics.clustered import student

    import_module("harness.reporting.markdown")
    student(0.95, 1.0)


def _format(name: str) -> Format:
    if name not in FORMATS:
        raise UnknownName("report format", name, FORMATS)
    return FORMATS[name]


def _markdown(run: Run, folder: Path, data: Overview | None = None) -> list[Path]:
    from harness.reporting.markdown import render_markdown

    text = render_markdown(data or overview(run))
    with _replacing(folder / "report.md") as stream:
        stream.write(text)
    return [folder / "report.md"]


def _csv(run: Run, folder: Path) -> list[Path]:
    with drafted(folder / SamplesFile.name) as draft, draft.open("wb") as stream:
        write_samples(stream, run.scores())
    return [*_summary(folder, overview(run)), folder / SamplesFile.name]


def _summary(folder: Path, data: Overview) -> list[Path]:
    with _replacing(folder / "summary.csv") as stream:
        write_summary(stream, data.summary)
    return [folder / "summary.csv"]


def _alone(write: Callable[[Sequence[Run], Path], Path], run: Run, folder: Path) -> list[Path]:
    return [write([run], folder)]


def _json(run: Run, folder: Path) -> list[Path]:
    from harness.reporting.json_file import render_json

    text = render_json(overview(run))
    with _replacing(folder / "report.json") as stream:
        stream.write(text)
    return [folder / "report.json"]


def _inspect(run: Run, folder: Path) -> list[Path]:
    from harness.reporting.inspect_log import write_inspect

    return write_inspect(run, folder)


def _otel(run: Run, folder: Path) -> list[Path]:
    from harness.reporting.otel import render_spans

    with _replacing(folder / "spans.jsonl") as stream:
        stream.writelines(f"{line}\n" for line in render_spans(run))
    return [folder / "spans.jsonl"]


def write_page(runs: Sequence[Run], folder: Path) -> Path:
    """Write one report.html over one run or several beside each other, and return it; folders are made.

    Raises:
        InvalidRun: a run was never graded.
    """
    from harness.reporting.html.render import render_html

    return _one_file(folder / "report.html", render_html(runs))


def write_junit(runs: Sequence[Run], folder: Path) -> Path:
    """Write one junit.xml over runs, and return it; folders are made."""
    from harness.reporting.junit import render_junit

    return _one_file(folder / "junit.xml", render_junit(runs).decode("utf-8"))


def write_summary_of_step(runs: Sequence[Run], folder: Path) -> Path:
    """Write one summary.md over runs, for a job's step summary, and return it; folders are made."""
    from harness.reporting.github import step_summary

    return _one_file(folder / "summary.md", step_summary([overview(each) for each in runs]))


def write_comment(runs: Sequence[Run], folder: Path) -> Path:
    """Write one comment.md over runs, for a pull request, and return it; folders are made."""
    from harness.reporting.github import pull_request_comment

    return _one_file(folder / "comment.md", pull_request_comment([overview(each) for each in runs]))


def _one_file(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with _replacing(path) as stream:
        stream.write(text)
    return path


TOGETHER: dict[str, Callable[[Sequence[Run], Path], Path]] = {
    "html": write_page,
    "junit": write_junit,
    "summary": write_summary_of_step,
    "comment": write_comment,
}
"""The formats that make one file of several runs."""

FORMATS: dict[str, Format] = {
    "md": _markdown,
    "csv": _csv,
    "json": _json,
    "inspect": _inspect,
    "otel": _otel,
    **{name: partial(_alone, write) for name, write in TOGETHER.items()},
}
"""Every format, for one run."""


@contextmanager
def _replacing(path: Path) -> Generator[IO[str]]:
    """Write a draft beside a file, and put it in the file's place once it is complete."""
    with drafted(path) as draft, draft.open("w", encoding="utf-8", newline="") as stream:
        yield stream

"""A disk that takes no more, and a run that is read while it grows: what is there stays, and is read."""

import resource
import signal
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from commanding import SUITE, samples_of
from commanding import harness as command
from conftest import recorded

import harness.store.reading
from harness.errors import CannotWrite
from harness.model import Scenario
from harness.store import RunInfo, create_run, open_run
from harness.store.lines import drafted, replace_text


@contextmanager
def files_of_at_most(size: int) -> Generator[None]:
    """Let no file of this process grow beyond so many bytes, as a full disk would not."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_a_run_that_fills_the_disk_ends_with_3_stays_readable_and_goes_on(tmp_path: Path) -> None:
    with files_of_at_most(40_000):
        ended = command("run", "-n", "20", "-q", "--out", str(tmp_path), *SUITE)

    (folder,) = tmp_path.iterdir()
    assert (ended.code, ended.err.count("\n")) == (3, 1)
    assert "File too large; make room, and go on" in ended.err
    assert not list(tmp_path.rglob("*.draft"))
    kept = open_run(str(folder)).finished()
    assert 0 < len(kept) < 60

    assert command("run", "--resume", str(folder), "-q", *SUITE).code == 0
    assert len(samples_of(folder)) == len(set(samples_of(folder))) == 60


def test_after_a_refused_commit_nothing_more_is_written(tmp_path: Path, incident: Scenario) -> None:
    run = create_run(tmp_path, RunInfo(id="r1", created="2026-01-01"))
    run.begin()
    with files_of_at_most(500), pytest.raises(CannotWrite) as refused:
        run.add(recorded(incident))
    assert refused.value.exit_code == 3

    with pytest.raises(CannotWrite):
        run.add(recorded(incident))
    # The files are closed, where nothing can be written either.
    with files_of_at_most(500), pytest.raises(CannotWrite):
        run.end()

    assert run.path("transcripts.jsonl").stat().st_size == 0


def test_a_report_that_does_not_fit_leaves_the_old_one_and_no_draft(tmp_path: Path) -> None:
    file = tmp_path / "report.md"
    replace_text(file, "old")

    with files_of_at_most(100), pytest.raises(CannotWrite) as refused:
        replace_text(file, "new" * 100)

    assert refused.value.exit_code == 3
    assert [each.read_text() for each in tmp_path.iterdir()] == ["old"]


def test_an_interrupted_draft_is_taken_away(tmp_path: Path) -> None:
    def write() -> None:
        with drafted(tmp_path / "x") as draft:
            draft.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()

    assert not list(tmp_path.iterdir())


def test_a_folder_that_refuses_is_a_wrong_place(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite) as refused:
        replace_text(tmp_path / "nowhere" / "report.md", "text")

    assert refused.value.exit_code == 2


def test_what_is_recorded_while_a_run_is_read_loses_no_text(
    tmp_path: Path, incident: Scenario, recovery: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = create_run(tmp_path, RunInfo(id="r1", created="2026-01-01"))
    writer.begin()
    writer.add(recorded(incident))
    reader = open_run(str(writer.folder))
    calm = harness.store.reading.placed_lines

    def read_while_another_writes(path: Path, *rest: Any) -> Iterator[Any]:
        yield from calm(path, *rest)
        if path.name == "blobs.jsonl":
            writer.add(recorded(recovery))

    monkeypatch.setattr(harness.store.reading, "placed_lines", read_while_another_writes)

    assert [each.id for each in reader.transcripts()] == [recorded(incident).id]
    assert not reader.notes
    monkeypatch.undo()
    assert len(list(reader.transcripts())) == 2
    writer.end()

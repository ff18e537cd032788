"""A run in object storage: graded as a copy on disk, and what was made of it is put back."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGTERM, default_int_handler, signal
from tempfile import TemporaryDirectory
from threading import current_thread, main_thread
from typing import Any

from harness.errors import EngineFailed, InvalidRun
from harness.store.objects import files_of, kind_of, refused

INFO = "run.json"
RECORDED = ("transcripts.jsonl", "blobs.jsonl")
"""What grading only reads."""


@contextmanager
def copied(url: str) -> Generator[Path]:
    """Give a copy of the run in a folder of storage; what grading makes of it is put back after the block.

    run.json comes last, so that whoever reads it finds what it tells of. After an error nothing is put back.

    Raises:
        InvalidRun: there is no run, or what the block says of the copy, said of the run.
        InvalidInput: storage does not let it be read.
        EngineFailed: storage does not take what is put back.
    """
    files, where = files_of(url), url.rstrip("/")
    with _unwinding(), TemporaryDirectory(prefix="harness-") as folder:
        # Not by the name in storage, which may be none that a disk takes.
        copy = Path(folder) / "run"
        copy.mkdir()
        _fetch(files, where, copy)
        try:
            yield copy
        except InvalidRun as error:
            # What is damaged is in storage too, and the copy goes.
            raise InvalidRun(str(error).replace(str(copy), where)) from None
        for path in sorted(copy.iterdir(), key=lambda each: (each.name == INFO, each.name)):
            if path.name not in RECORDED:
                _put(files, path, f"{where}/{path.name}")


def _fetch(files: Any, where: str, copy: Path) -> None:
    try:
        names = _names(files, where)
        for name in sorted(names & {INFO, "scores.jsonl", *RECORDED}):
            files.get_file(f"{where}/{name}", str(copy / name))
    except Exception as error:  # noqa: BLE001 - only storage is called here, and it raises anything
        raise refused(where, error) from None
    if INFO not in names:
        raise InvalidRun(f"{where}: holds no run.json; name the folder of a run")


def _names(files: Any, where: str) -> set[str]:
    files.invalidate_cache()
    try:
        return {str(each).rpartition("/")[2] for each in files.ls(where, detail=False)}
    except FileNotFoundError:
        return set()


@contextmanager
def _unwinding() -> Generator[None]:
    """Let SIGTERM interrupt the block as Ctrl-C does, so that no copy stays behind."""
    if current_thread() is not main_thread():
        yield
        return
    former = signal(SIGTERM, default_int_handler)
    try:
        yield
    finally:
        signal(SIGTERM, former)


def _put(files: Any, path: Path, url: str) -> None:
    try:
        files.put_file(str(path), url)
    except Exception as error:  # noqa: BLE001 - only storage is called here, and it raises anything
        raise EngineFailed(
            f"{url}: cannot be written: {kind_of(error)}; grade the run again, when it can"
        ) from None

"""A run in object storage: graded as a copy on disk, and what was made of it is put back."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
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
        InvalidRun: there is no run.
        InvalidInput: storage does not let it be read.
        EngineFailed: storage does not take what is put back.
    """
    files, where = files_of(url), url.rstrip("/")
    with TemporaryDirectory(prefix="harness-") as folder:
        copy = Path(folder) / where.rpartition("/")[2]
        copy.mkdir()
        _fetch(files, where, copy)
        yield copy
        for path in sorted(copy.iterdir(), key=lambda each: (each.name == INFO, each.name)):
            if path.name not in RECORDED:
                _put(files, path, f"{where}/{path.name}")


def _fetch(files: Any, where: str, copy: Path) -> None:
    names: set[str] = set()
    try:
        files.invalidate_cache()
        names = {str(each).rpartition("/")[2] for each in files.ls(where, detail=False)}
        for name in sorted(names & {INFO, "scores.jsonl", *RECORDED}):
            files.get_file(f"{where}/{name}", str(copy / name))
    except FileNotFoundError:
        pass
    except Exception as error:  # noqa: BLE001 - only storage is called here, and it raises anything
        raise refused(where, error) from None
    if INFO not in names:
        raise InvalidRun(f"{where}: holds no run.json; name the folder of a run")


def _put(files: Any, path: Path, url: str) -> None:
    try:
        files.put_file(str(path), url)
    except Exception as error:  # noqa: BLE001 - only storage is called here, and it raises anything
        raise EngineFailed(
            f"{url}: cannot be written: {kind_of(error)}; grade the run again, when it can"
        ) from None

"""An audit on disk: a folder of parts, each written whole, which goes on where it stopped.

`audit.json` says what was asked, `parts.jsonl` which parts are done, `scores-000001.jsonl` and so on hold one
line for each transcript, in the order of the input; `summary.csv` and `clauses.csv` come last.
"""

import csv
import fcntl
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from harness.auditing.audits import Asked
from harness.auditing.counting import Counts, Row
from harness.auditing.parts import Judged, Part
from harness.auditing.places import Place, Stored
from harness.auditing.values import mapping
from harness.errors import InvalidInput
from harness.graders import GRADERS
from harness.store.lines import mend_last_line, read_objects, replace_text

PIECE = 8 << 20
"""Bytes of input that make a part."""

SUMMARY, CLAUSES = "summary.csv", "clauses.csv"


def file_of(folder: Path, number: int) -> Path:
    """Return the file of a part."""
    return folder / f"scores-{number:06}.jsonl"


def table_of(folder: Path, number: int) -> Path:
    """Return the file of a part as Parquet."""
    return file_of(folder, number).with_suffix(".parquet")


@dataclass
class Folder:
    """The folder of an audit, open for writing. `notes` are what a person is to be told."""

    path: Path
    done: dict[int, Part] = field(default_factory=dict[int, Part])
    notes: list[str] = field(default_factory=list[str])
    _stream: IO[str] | None = None

    def add(self, judged: Judged) -> None:
        """Write a part, whole or not at all, and note that it is done."""
        if self._stream is None:
            msg = f"{self.path}: add() before open_folder()"
            raise ValueError(msg)
        part = judged.part
        if judged.table is not None:
            _replace(table_of(self.path, part.number), judged.table)
        _replace(file_of(self.path, part.number), judged.lines)
        line = {"part": part.number, "bytes": part.size, "told": part.refused, **part.counts.as_json()}
        self._stream.write(json.dumps(line) + "\n")
        self._stream.flush()

    def end(self) -> None:
        """Let go of the folder."""
        if self._stream is not None:
            self._stream.close()
        self._stream = None

    def write_summaries(self, counts: Counts) -> None:
        """Write what came out, by contract and by clause."""
        replace_text(self.path / SUMMARY, _table(counts.by_contract()))
        replace_text(self.path / CLAUSES, _table(counts.by_clause()))


def open_folder(path: Path, files: Sequence[Place], asked: Asked, *, tabled: bool = False) -> Folder:
    """Return the folder of an audit, new or to go on with.

    Raises:
        InvalidInput: it cannot be written, holds another audit, or another process
            is writing it.
    """
    settings = {**_settings(files, asked), "parquet": tabled}
    about, done = path / "audit.json", path / "parts.jsonl"
    try:
        path.mkdir(parents=True, exist_ok=True)
        if not about.exists():
            if any(path.iterdir()):
                raise InvalidInput(f"--out {path}: holds other files; give an empty folder or a new one")
            replace_text(about, json.dumps(settings, indent=2) + "\n")
        stream = done.open("a", encoding="utf-8")
    except OSError as error:
        raise InvalidInput(f"--out {path}: {error.strerror}; give a folder that can be written") from error
    folder = Folder(path, _stream=stream)
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _refuse_other(about, settings)
    except OSError as error:
        folder.end()
        raise InvalidInput(f"--out {path}: another audit is writing there; wait for it") from error
    except InvalidInput:
        folder.end()
        raise
    if dropped := mend_last_line(done):
        folder.notes.append(f"{done}: dropped a torn last line of {dropped} bytes")
    folder.done.update(_done(folder, done, tabled=tabled))
    _clear_drafts(folder)
    return folder


def _done(folder: Folder, done: Path, *, tabled: bool) -> Iterator[tuple[int, Part]]:
    """Yield the parts that are there as they were written."""
    for number, line in read_objects(done, folder.notes.append):
        try:
            part = Part(line["part"], line["bytes"], Counts.from_json(line), tuple(line["told"]))
        except (KeyError, TypeError, ValueError):
            folder.notes.append(f"{done}:{number}: no part; ignored")
            continue
        file = file_of(folder.path, part.number)
        found = file.stat().st_size if file.is_file() else None
        table = table_of(folder.path, part.number)
        if found == part.size and tabled and not table.is_file():
            folder.notes.append(f"{table}: is gone; it is judged again")
        elif found == part.size:
            yield part.number, part
        else:
            what = "is gone" if found is None else f"has {found} bytes where {part.size} were written"
            folder.notes.append(f"{file}: {what}; it is judged again")


def _replace(path: Path, content: bytes) -> None:
    draft = path.with_suffix(f"{path.suffix}.draft")
    draft.write_bytes(content)
    draft.replace(path)


def _clear_drafts(folder: Folder) -> None:
    for each in sorted(folder.path.glob("scores-*draft")):
        folder.notes.append(f"{each}: a part that was not finished; it is judged again")
        each.unlink()


def _settings(files: Sequence[Place], asked: Asked) -> dict[str, Any]:
    """Return what verdicts and places depend on."""
    return {
        "files": [_identity(each) for each in files],
        "contract": asked.contract,
        "scenario": asked.scenario,
        "form": asked.form,
        "project": str(asked.project.root.resolve()),
        "piece": PIECE,
        "graders": {each.clause: each.version for each in GRADERS},
    }


def _identity(path: Place) -> list[Any]:
    if isinstance(path, Stored):
        return [path.url, path.size, path.tag]
    try:
        about = path.stat()
    except OSError:
        return [str(path), None, None]
    return [str(path), about.st_size, about.st_mtime_ns]


def _refuse_other(about: Path, settings: Mapping[str, Any]) -> None:
    try:
        before: Any = json.loads(about.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InvalidInput(f"{about}: is not JSON: {error}; give a new folder as --out") from error
    known = mapping(before)
    other = [each for each, value in settings.items() if known.get(each) != value]
    if other:
        raise InvalidInput(
            f"{about.parent}: holds an audit whose {', '.join(other)} differ; give a new folder as --out"
        )


def _table(found: Iterable[Row]) -> str:
    listed = list(found)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(listed[0]) if listed else ["contract"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(listed)
    return text.getvalue()

"""One run: a folder with run.json, transcripts.jsonl, blobs.jsonl and, derived, scores.jsonl.

Both .jsonl files grow line by line; a blob is on disk before the line that names it. A last line that a
crash tore is dropped when the run is opened for writing, and reported.
"""

import fcntl
import json
import os
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import IO

from harness.errors import CannotWrite, InvalidRun, UnknownName
from harness.model import SampleId, Transcript
from harness.store.encoding import blob_key, blob_line, encode
from harness.store.finding import find_runs
from harness.store.info import Grading, RunInfo, read_info
from harness.store.lines import (
    count_lines,
    drafted,
    json_object,
    mend_last_line,
    placed_lines,
    read_objects,
    replace_text,
)
from harness.store.reading import Texts, Transcripts
from harness.store.scores import ScoreRow, sample_of
from harness.store.secrets import is_golden, refuse_secrets_of

LATEST = "latest"
_BUFFER = 1 << 20
"""Bytes that are written at once: in many small writes a file of scores costs three times as much."""


@dataclass
class Run:
    """An open run folder. `notes` are things a reader was told to report, as torn lines."""

    folder: Path
    info: RunInfo
    notes: list[str] = field(default_factory=list[str])
    _transcripts: IO[str] | None = None
    _blobs: IO[str] | None = None
    _kept: set[str] = field(default_factory=set[str])
    _new_blobs: list[str] = field(default_factory=list[str])
    _new_lines: list[str] = field(default_factory=list[str])
    _writing: Lock = field(default_factory=Lock)
    _refused: OSError | None = None
    _finished: set[SampleId] | None = None
    _golden: bool = False

    @property
    def id(self) -> str:
        """The run's id, which is its folder's name."""
        return self.info.id

    def path(self, name: str) -> Path:
        """Return the path of one of the run's files."""
        return self.folder / name

    # Writing

    def begin(self) -> None:
        """Open the run for appending; drop what a crash tore; refuse a second writer.

        Raises:
            InvalidRun: another process is writing this run.
            CannotWrite: the disk refuses.
        """
        try:
            self._begin()
        except OSError as error:
            self._close()
            raise CannotWrite(error.filename or self.folder, error) from error

    def _begin(self) -> None:
        self._golden = is_golden(self.folder)
        self._transcripts = self._appendable("transcripts.jsonl")
        try:
            fcntl.flock(self._transcripts, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._close()
            msg = f"{self.folder}: another process is writing this run; wait for it, or start a new one"
            raise InvalidRun(msg) from error
        # Only the one writer may mend: what looks torn may be what another is writing.
        for name in ("blobs.jsonl", "transcripts.jsonl"):
            dropped = mend_last_line(self.path(name))
            if dropped:
                self.note(f"{name}: dropped a torn last line of {dropped} bytes")
        self._blobs = self._appendable("blobs.jsonl")
        self._kept = set(Texts(self.path("blobs.jsonl"), self.note))
        self.save()

    def end(self) -> None:
        """Put on disk what is written, and close the files."""
        try:
            self.commit()
        finally:
            self._close()

    def _close(self) -> None:
        for stream in (self._transcripts, self._blobs):
            if stream is not None:
                # What the disk refused once it refuses again; the file is closed all the same.
                with suppress(OSError):
                    stream.close()
        self._transcripts = self._blobs = self._finished = None

    def add(self, transcript: Transcript) -> None:
        """Append one finished trial; it is on disk when this returns. Raises as `write` does."""
        self.write(transcript)
        self.commit()

    def write(self, transcript: Transcript) -> None:
        """Take one finished trial; it is on disk after the next `commit`.

        Raises:
            InvalidRun: the run is kept under golden/, and the transcript seems to hold a secret.
        """
        if self._transcripts is None:
            msg = f"{self.folder}: write() before begin()"
            raise ValueError(msg)
        if self._golden:
            refuse_secrets_of(transcript)
        with self._writing:
            line = json.dumps(encode(transcript, self._keep), ensure_ascii=False) + "\n"
            self._new_lines.append(line)
            if self._finished is not None:
                self._finished.add(transcript.id)

    def commit(self) -> None:
        """Put what was written on disk; others may write meanwhile, but only one may commit.

        Raises:
            CannotWrite: the disk refuses, now or in an earlier commit; the run can be gone on with later.
        """
        if self._refused is not None:
            # A line whose texts were refused would name what is nowhere.
            raise CannotWrite(self.folder, self._refused)
        with self._writing:
            lines, self._new_lines = self._new_lines, []
            blobs, self._new_blobs = self._new_blobs, []
        # A transcript never lies on disk before the texts that it names.
        for stream, texts in ((self._blobs, blobs), (self._transcripts, lines)):
            if texts and stream is not None:
                try:
                    stream.write("".join(texts))
                    _to_disk(stream)
                except OSError as error:
                    self._refused = error
                    raise CannotWrite(self.folder, error) from error

    def _keep(self, text: str) -> str:
        key = blob_key(text)
        if key not in self._kept:
            self._kept.add(key)
            self._new_blobs.append(blob_line(text))
        return key

    def _appendable(self, name: str) -> IO[str]:
        return self.path(name).open("a", encoding="utf-8", errors="surrogatepass")

    def save(self) -> None:
        """Write run.json, whole or not at all."""
        replace_text(self.path("run.json"), self.info.model_dump_json(indent=2) + "\n")

    @contextmanager
    def replacing(self, name: str) -> Generator[IO[bytes]]:
        """Give a draft of one of the run's files; it takes the file's place once it is whole and on disk.

        Raises:
            CannotWrite: the disk refuses; the file is as it was.
        """
        with drafted(self.path(name)) as draft, draft.open("wb", buffering=_BUFFER) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())

    def save_grading(self, graded: Grading, counts: Mapping[str, int]) -> None:
        """Say in run.json what the scores were made with, and how many there are of each kind."""
        # Read again: whoever records this run meanwhile has its own say in what else stands there.
        self.info = read_info(self.folder).model_copy(update={"graded": graded, "counts": dict(counts)})
        self.save()

    # Reading

    def stored(self) -> Transcripts:
        """Return the transcripts that are on disk by now, to be read one by one."""
        return Transcripts(self.folder, self.note)

    def transcripts(self) -> Iterator[Transcript]:
        """Yield each finished trial, in the order it finished; of one sample only the last line counts.

        Raises:
            InvalidRun: a sample can no longer be read at all: its verdicts must not vanish.
        """
        yield from self.stored()

    def finished(self, *, answered: bool = False) -> set[SampleId]:
        """Return the samples on disk; `answered` leaves out those whose target could not be asked."""
        if self._finished is not None and not answered:
            return set(self._finished)
        unanswered = {each.id: each.failure is not None for each in self.transcripts()}
        if self._transcripts is not None:
            # Nobody else adds any while this one writes.
            self._finished = set(unanswered)
        return {each for each, failed in unanswered.items() if not (answered and failed)}

    def lines(self) -> int:
        """Return how many whole lines transcripts.jsonl has."""
        return count_lines(self.path("transcripts.jsonl"))

    def added_since(self, lines: int) -> set[str]:
        """Return the samples that were recorded when transcripts.jsonl had so many lines already."""
        written = (line for number, _, line in placed_lines(self.path("transcripts.jsonl")) if number > lines)
        return {str(value.get("sample")) for value in map(json_object, written) if value}

    def scores(self) -> Iterator[ScoreRow]:
        """Yield the rows of scores.jsonl; raise InvalidRun where the run was never graded."""
        if not self.path("scores.jsonl").is_file():
            msg = f"{self.folder}: holds no scores.jsonl; grade it with `harness grade {self.id}`"
            raise InvalidRun(msg)
        for number, value in read_objects(self.path("scores.jsonl"), self.note):
            try:
                yield ScoreRow(**value)
            except TypeError as error:
                msg = (
                    f"{self.path('scores.jsonl')}:{number}: {error}; `harness grade {self.id}` writes it anew"
                )
                raise InvalidRun(msg) from error

    def scored(self) -> Iterator[tuple[SampleId, list[ScoreRow]]]:
        """Yield each sample of scores.jsonl with its rows, which stand together there; raises as `scores`."""
        for _, rows in groupby(self.scores(), key=lambda each: each.sample):
            found = list(rows)
            yield sample_of(found[0]), found

    def note(self, text: str) -> None:
        """Add what a reader is to be told, once."""
        if text not in self.notes:
            self.notes.append(text)


def _to_disk(stream: IO[str]) -> None:
    stream.flush()
    os.fsync(stream.fileno())


def create_run(out: Path, info: RunInfo) -> Run:
    """Make the folder of a new run below `out`; raise InvalidRun where it exists."""
    folder = out / info.id
    try:
        folder.mkdir(parents=True)
    except FileExistsError as error:
        msg = f"{folder}: exists; a run never overwrites another"
        raise InvalidRun(msg) from error
    except OSError as error:
        msg = f"--out {out}: {error.strerror}; give a folder that can be written"
        raise InvalidRun(msg) from error
    return Run(folder, info)


def open_run(reference: str, out: Path = Path("reports/runs")) -> Run:
    """Return the run that a folder, an id or "latest" means.

    Raises:
        InvalidRun: the folder is no run, or its format is not ours.
        UnknownName: no run has this id.
    """
    folder = Path(reference)
    if reference == LATEST or not (folder / "run.json").is_file():
        known = find_runs(out)
        if reference == LATEST and known:
            folder = max(known, key=lambda each: (_created(each), each.name))
        elif reference in [each.name for each in known]:
            folder = out / reference
        else:
            raise UnknownName("run", reference, [each.name for each in known])
    return Run(folder, read_info(folder))


def _created(folder: Path) -> str:
    value = json_object((folder / "run.json").read_bytes())
    return str(value.get("created", "")) if value else ""

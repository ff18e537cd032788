"""One run: a folder with run.json, transcripts.jsonl, blobs.jsonl and, derived, scores.jsonl.

Both .jsonl files grow line by line; a blob is on disk before the line that names it. A last line that a
crash tore is dropped when the run is opened for writing, and reported.
"""

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from harness.errors import InvalidRun, UnknownName
from harness.model import SampleId, Transcript
from harness.store.encoding import blob_line, decode, encode
from harness.store.scores import ScoreRow

FORMAT = 1
LATEST = "latest"


class RunInfo(BaseModel):
    """What run.json says: everything needed to go on with a run, or to grade it again."""

    model_config = ConfigDict(extra="forbid")

    format: int = FORMAT
    id: str
    created: str
    status: str = "running"
    """running, complete, interrupted or incomplete."""
    versions: dict[str, str] = {}
    targets: dict[str, dict[str, Any]] = {}
    contracts: dict[str, str] = {}
    """Contract id -> digest."""
    scenarios: dict[str, str] = {}
    """Scenario id -> digest."""
    trials: int = 1
    seed: int = 0
    prompts: str | None = None
    counts: dict[str, int] = {}


@dataclass
class Run:
    """An open run folder. `notes` are things a reader was told to report, as torn lines."""

    folder: Path
    info: RunInfo
    notes: list[str] = field(default_factory=list[str])
    _transcripts: IO[str] | None = None
    _blobs: IO[str] | None = None
    _kept: set[str] = field(default_factory=set[str])

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
        """
        self._blobs = self._appendable("blobs.jsonl")
        self._transcripts = self._appendable("transcripts.jsonl")
        try:
            fcntl.flock(self._transcripts, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.end()
            msg = f"{self.folder}: another process is writing this run; wait for it, or start a new one"
            raise InvalidRun(msg) from error
        self._kept = set(self._read_blobs())
        self.save()

    def end(self) -> None:
        """Close the files; what was added stays."""
        for stream in (self._transcripts, self._blobs):
            if stream is not None:
                stream.close()
        self._transcripts = self._blobs = None

    def add(self, transcript: Transcript) -> None:
        """Append one finished trial; it is on disk when this returns."""
        if self._transcripts is None or self._blobs is None:
            msg = f"{self.folder}: add() before begin()"
            raise ValueError(msg)
        line = json.dumps(encode(transcript, self._keep), ensure_ascii=False) + "\n"
        self._blobs.flush()
        os.fsync(self._blobs.fileno())
        self._transcripts.write(line)
        self._transcripts.flush()
        os.fsync(self._transcripts.fileno())

    def _keep(self, text: str) -> str:
        key, line = blob_line(text)
        if key not in self._kept and self._blobs is not None:
            self._blobs.write(line)
            self._kept.add(key)
        return key

    def _appendable(self, name: str) -> IO[str]:
        path = self.path(name)
        torn = _torn_bytes(path)
        if torn:
            os.truncate(path, path.stat().st_size - torn)
            self.notes.append(f"{name}: dropped a torn last line of {torn} bytes")
        return path.open("a", encoding="utf-8", errors="surrogatepass")

    def save(self) -> None:
        """Write run.json, whole or not at all."""
        _replace(self.path("run.json"), self.info.model_dump_json(indent=2) + "\n")

    def write_scores(self, rows: Iterable[ScoreRow]) -> None:
        """Write scores.jsonl anew, whole or not at all."""
        lines = (json.dumps(row.as_json(), ensure_ascii=False) + "\n" for row in rows)
        _replace(self.path("scores.jsonl"), "".join(lines))

    # Reading

    def transcripts(self) -> Iterator[Transcript]:
        """Yield each finished trial, in the order it finished; of one sample only the last line counts."""
        blobs = self._read_blobs()
        last: dict[str, int] = {}
        lines = list(self._lines("transcripts.jsonl"))
        for index, (_, value) in enumerate(lines):
            last[str(value.get("sample"))] = index
        if len(last) < len(lines):
            self._note(f"transcripts.jsonl: {len(lines) - len(last)} lines are superseded by later ones")
        for index in sorted(last.values()):
            number, value = lines[index]
            try:
                yield decode(value, blobs)
            except (KeyError, TypeError, ValueError) as error:
                self._note(f"transcripts.jsonl:{number}: not a transcript: {error!r}")

    def finished(self, *, answered: bool = False) -> set[SampleId]:
        """Return the samples on disk; `answered` leaves out those whose target could not be asked."""
        last = {
            str(value.get("sample")): value.get("failure") for _, value in self._lines("transcripts.jsonl")
        }
        return {SampleId.parse(name) for name, failure in last.items() if not (answered and failure)}

    def scores(self) -> Iterator[ScoreRow]:
        """Yield the rows of scores.jsonl; raise InvalidRun where the run was never graded."""
        if not self.path("scores.jsonl").is_file():
            msg = f"{self.folder}: holds no scores.jsonl; grade it with `harness grade {self.id}`"
            raise InvalidRun(msg)
        for number, value in self._lines("scores.jsonl"):
            try:
                yield ScoreRow(**value)
            except TypeError as error:
                msg = (
                    f"{self.path('scores.jsonl')}:{number}: {error}; `harness grade {self.id}` writes it anew"
                )
                raise InvalidRun(msg) from error

    def _read_blobs(self) -> dict[str, str]:
        return {value["digest"]: value["text"] for _, value in self._lines("blobs.jsonl")}

    def _lines(self, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
        path = self.path(name)
        if not path.is_file():
            return
        with path.open(encoding="utf-8", errors="surrogatepass") as stream:
            for number, line in enumerate(stream, start=1):
                value = _object(line)
                if value is not None:
                    yield number, value
                elif not line.endswith("\n"):
                    self._note(f"{name}:{number}: a torn last line is ignored")
                else:
                    self._note(f"{name}:{number}: not a JSON object; ignored")

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


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


def find_runs(out: Path) -> list[Path]:
    """Return the run folders below `out`, oldest first."""
    if not out.is_dir():
        return []
    return sorted(each.parent for each in out.glob("*/run.json"))


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
    return Run(folder, _read_info(folder))


def _read_info(folder: Path) -> RunInfo:
    path = folder / "run.json"
    try:
        value: Any = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        msg = f"{path}: cannot be read: {error}"
        raise InvalidRun(msg) from error
    found = cast("dict[str, Any]", value).get("format") if isinstance(value, dict) else None
    if found != FORMAT:
        msg = f"{path}: found format {found!r}; this harness reads format {FORMAT}"
        raise InvalidRun(msg)
    try:
        return RunInfo.model_validate(value)
    except ValidationError as error:
        msg = f"{path}: {error.errors(include_url=False)[0]['msg']}; is this a run of this harness?"
        raise InvalidRun(msg) from error


def _created(folder: Path) -> str:
    value = _object((folder / "run.json").read_text(encoding="utf-8"))
    return str(value.get("created", "")) if value else ""


def _object(text: str) -> Mapping[str, Any] | None:
    try:
        value: Any = json.loads(text)
    except ValueError:
        return None
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _torn_bytes(path: Path) -> int:
    """Return how many bytes stand after the last line end."""
    if not path.is_file():
        return 0
    text = path.read_bytes()
    return len(text) - (text.rfind(b"\n") + 1)


def _replace(path: Path, text: str) -> None:
    draft = path.with_suffix(path.suffix + ".draft")
    with draft.open("w", encoding="utf-8", errors="surrogatepass") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)

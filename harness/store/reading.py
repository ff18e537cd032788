"""A run's transcripts, read one by one: where each stands is held in memory, what it says is not."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path

from harness.errors import InvalidInput, InvalidRun
from harness.model import SampleId, Transcript
from harness.model.values import digest
from harness.store.encoding import LostBlob, decode
from harness.store.lines import LinesAt, Note, json_object, number_of, object_of, placed_lines

NOT_A_TRANSCRIPT = (AttributeError, InvalidInput, KeyError, TypeError, ValueError)
"""What decoding raises on a line that holds something else."""

TEXTS_AT_HAND = 256
"""How many texts are remembered; most are prompts, which many transcripts name."""

# How lines begin that the harness wrote; others are parsed to learn whose they are.
_BEGINS = re.compile(rb'\{"sample": "([^"\\]*)", "started": ')

Places = tuple[int, ...]
"""Where the lines of one sample begin in transcripts.jsonl, in bytes, the newest first."""


class Texts(Mapping[str, str]):
    """The texts of blobs.jsonl by digest, each read when it is asked for."""

    def __init__(self, path: Path, note: Note) -> None:
        """Learn where each text stands; lines that hold none are noted."""
        self._places: dict[str, int] = {}
        for number, begins, line in placed_lines(path):
            value = object_of(line, path, number, note)
            if value is None:
                continue
            key, text = value.get("digest"), value.get("text")
            if not isinstance(text, str) or not isinstance(key, str) or digest(text) != key:
                note(f"{path.name}:{number}: not a text and its digest; ignored")
            elif key in self._places:
                note(f"{path.name}:{number}: a text that is there already; ignored")
            else:
                self._places[key] = begins
        self._read = lru_cache(TEXTS_AT_HAND)(partial(_text_of, LinesAt(path), self._places))

    def __contains__(self, key: object) -> bool:
        """Return whether a text of this digest is there."""
        return key in self._places

    def __len__(self) -> int:
        """Return how many texts there are."""
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        """Yield every digest."""
        return iter(self._places)

    def __getitem__(self, key: str) -> str:
        """Return a text; raise KeyError where it is not there, LostBlob where it was when this was made."""
        return self._read(key)


def _text_of(lines: LinesAt, places: Mapping[str, int], key: str) -> str:
    value = json_object(lines[places[key]]) or {}
    if value.get("digest") != key:
        raise LostBlob(key)
    return value["text"]


class Transcripts:
    """The transcripts of a run: of each sample the last line that holds one.

    What another process adds after this was made is not seen. `superseded` counts the lines that were passed
    over for later ones while reading.
    """

    def __init__(self, folder: Path, note: Note) -> None:
        """Learn where each sample's lines stand; lines that are none are noted."""
        self.folder, self.note = folder, note
        self._path = folder / "transcripts.jsonl"
        self._lines = LinesAt(self._path)
        self._places: dict[tuple[str, str, str], dict[int, int]] = {}
        self._earlier: dict[SampleId, Places] = {}
        self.superseded = 0
        # Taken first: a line that another process adds meanwhile may name texts that are added after these.
        before = self._path.stat().st_size if self._path.is_file() else 0
        self.texts = Texts(folder / "blobs.jsonl", note)
        for number, begins, line in placed_lines(self._path, before):
            sample = self._sample_of(line, number)
            if sample is None:
                continue
            places = self._places.setdefault(sample[:3], {})
            if sample.trial in places:
                self._earlier[sample] = places[sample.trial], *self._earlier.get(sample, ())
            places[sample.trial] = begins

    def __len__(self) -> int:
        """Return how many samples have a line."""
        return sum(map(len, self._places.values()))

    def places(self) -> Iterator[tuple[SampleId, Places]]:
        """Yield every sample, sorted, and where its lines stand."""
        for head in sorted(self._places):
            trials = self._places[head]
            for trial in sorted(trials):
                sample = SampleId(*head, trial)
                yield sample, (trials[trial], *self._earlier.get(sample, ()))

    def __iter__(self) -> Iterator[Transcript]:
        """Yield every transcript, in the order in which they were finished; raises as `read` does."""
        for _, places in sorted(self.places(), key=lambda each: each[1][0]):
            transcript = self.read(places)
            if transcript is not None:
                yield transcript
        note_superseded(self.superseded, self.note)

    def read(self, places: Places, *, once_more: bool = False) -> Transcript | None:
        """Return the transcript of the first of these lines that holds one; None where none does.

        Args:
            places: of the lines of one sample.
            once_more: whether this sample is also read elsewhere, and what it supersedes is counted there.

        Raises:
            InvalidRun: a text that it needs is gone: its verdicts must not vanish.
        """
        lost: list[str] = []
        for passed, begins in enumerate(places, start=1):
            try:
                transcript = decoded(self._lines[begins], self.texts)
            except LostBlob as error:
                lost.append(f"lacks {error}, which {self._named(begins)} needs")
            except NOT_A_TRANSCRIPT as error:
                self.note(f"{self._named(begins)}: not a transcript; ignored: {error!r:.200}")
            else:
                for each in lost:
                    self.note(f"blobs.jsonl: {each}; an earlier line of that sample is read")
                self.superseded += 0 if once_more else len(places) - passed
                return transcript
        if lost:
            msg = f"{self._path.with_name('blobs.jsonl')}: {lost[0]}; restore the file from a copy"
            raise InvalidRun(msg)
        return None

    def line(self, places: Places) -> bytes:
        """Return the newest line of a sample, as it stands on disk."""
        return self._lines[places[0]]

    def _named(self, begins: int) -> str:
        return f"{self._path.name}:{number_of(self._path, begins)}"

    def _sample_of(self, line: bytes, number: int) -> SampleId | None:
        """Return whose line this is; None where it does not say, which is noted."""
        known = _BEGINS.match(line)
        if known and line.endswith(b"}\n"):
            name: object = known[1].decode("utf-8", "surrogatepass")
        else:
            value = object_of(line, self._path, number, self.note)
            if value is None:
                return None
            name = value.get("sample")
        try:
            if isinstance(name, str):
                return SampleId.parse(name)
        except InvalidInput as error:
            name = error
        self.note(f"{self._path.name}:{number}: not a transcript; ignored: {name!r:.200}")
        return None


def decoded(line: bytes, texts: Mapping[str, str]) -> Transcript:
    """Return the transcript that a line holds; raise LostBlob, or one of NOT_A_TRANSCRIPT."""
    value = json_object(line)
    if value is None:
        raise InvalidInput("not a JSON object")
    return decode(value, texts)


def note_superseded(lines: int, note: Note) -> None:
    """Note how many lines were passed over for later ones."""
    if lines:
        note(f"transcripts.jsonl: {lines} lines are superseded by later ones")

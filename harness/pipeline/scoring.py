"""Grade a run: as its trials are finished, or any time later from disk, in any number of processes."""

from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Protocol

from harness.engines import Engine, grouped, local_engine
from harness.graders import GRADERS, RELATIONS
from harness.model import Contract, SampleId, Scenario, Transcript
from harness.pipeline.judging import (
    Subjects,
    other_half,
    relation_score,
    sample_of,
    scores_of,
    scores_of_each,
)
from harness.scenarios.contracts import stored_contracts
from harness.statistics import Tally, counts
from harness.store import ClauseScore, Grading, Run
from harness.store.reading import Places, Transcripts, note_superseded
from harness.store.scores import ScoresFile
from harness.store.spool import Spool

EXTRACTION_VERSION = 1
"""Raised when answers or transcripts are read otherwise than before, as a grader's version is."""

AT_ONCE = 256
"""Samples that are graded, and held in memory, together."""

SHOWN = 64
"""Fails of each clause that a tally keeps whole; reports show fewer."""

Located = tuple[SampleId, Places]
"""A sample, and where its transcript stands."""


class LinesOfScores(Protocol):
    """A file of the run's folder that has lines for every sample, sorted by sample."""

    @property
    def name(self) -> str:
        """The file's name."""
        ...

    @property
    def begins(self) -> bytes:
        """What stands before the first sample's lines."""
        ...

    def lines(self, sample: SampleId, scores: Sequence[ClauseScore]) -> bytes:
        """Return the lines of one sample in UTF-8, each with its line end."""
        ...


Said = tuple[Transcript, Transcript | None]
"""What was said on a sample, and on the other half of its pair if that is to be compared."""

Files = tuple[LinesOfScores, ...]
SCORES: Files = (ScoresFile(),)

Progress = Callable[[int, int], None]
"""Hears how much is done, and of how much."""


def unwatched(_done: int, _total: int) -> None:
    """Nobody watches."""


@dataclass(slots=True)
class Graded:
    """What grading some samples came to: their scores, and what is counted of them."""

    tally: Tally = field(default_factory=lambda: Tally(SHOWN))
    scores: dict[SampleId, Sequence[ClauseScore]] = field(
        default_factory=dict[SampleId, Sequence[ClauseScore]]
    )
    notes: list[str] = field(default_factory=list[str])
    superseded: int = 0

    def take(self, said: Iterable[Said], folder: Path, subjects: Subjects) -> None:
        """Grade samples of the run in `folder`, and take what that comes to.

        Raises:
            InvalidRun: the scenario of one is gone.
        """
        for some in grouped(said, weigh=_weight):
            samples = [sample_of(transcript, folder, subjects) for transcript, _ in some]
            for (transcript, half), sample, found in zip(some, samples, scores_of_each(samples), strict=True):
                relation = relation_score(half and sample_of(half, folder, subjects), sample)
                scores = [*found, relation] if relation else found
                self.scores[sample.id] = scores
                _count(self.tally, transcript, scores)

    def merge(self, other: "Graded") -> None:
        """Take what grading other samples came to."""
        self.tally.merge(other.tally)
        self.scores.update(other.scores)
        self.notes += other.notes
        self.superseded += other.superseded


@dataclass(frozen=True, slots=True)
class FromDisk:
    """Grades samples of a stored run by where they stand; with `halves` others are compared."""

    stored: Transcripts
    subjects: Subjects
    halves: Mapping[SampleId, Places]

    def __call__(self, located: Sequence[Located]) -> Graded:
        """Return what grading these samples comes to."""
        graded, stored = Graded(), self.stored
        stored.note, stored.superseded = graded.notes.append, 0
        graded.take(self._said(located), stored.folder, self.subjects)
        graded.superseded = stored.superseded
        return graded

    def _said(self, located: Sequence[Located]) -> Iterator[Said]:
        for sample, places in located:
            transcript = self.stored.read(places)
            if transcript is not None:
                half = self.half_of(sample)
                yield transcript, self.stored.read(half, once_more=True) if half else None

    def half_of(self, sample: SampleId) -> Places | None:
        """Return where the transcript stands that a relation compares with this sample's, if one does."""
        scenarios, contracts = self.subjects
        scenario = scenarios.get(sample.scenario)
        half = scenario and other_half(sample, scenario, contracts[sample.contract])
        return self.halves.get(half) if half else None


class Scoring:
    """The scores of a run, taken in any order, written in the order of samples. To be closed."""

    def __init__(
        self,
        run: Run,
        scenarios: Mapping[str, Scenario],
        contracts: Mapping[str, Contract],
        files: Files = SCORES,
    ) -> None:
        """Begin with no sample graded; the scores go into `files` of the run's folder."""
        self._run, self._files = run, files
        self._subjects: Subjects = scenarios, contracts
        self._tally = Tally(SHOWN)
        self._ready: Spool | None = Spool(run.folder)

    def take(self, transcript: Transcript) -> None:
        """Grade a trial that was just finished; what needs another trial, or fails, is graded at the end."""
        scenarios, contracts = self._subjects
        sample = transcript.id
        if other_half(sample, scenarios[sample.scenario], contracts[sample.contract]):
            return
        try:
            scores = scores_of(sample_of(transcript, self._run.folder, self._subjects))
            lines = _lines(sample, scores, self._files)
        except Exception:  # noqa: BLE001 - recording costs money; what is wrong shows when all is on disk
            return
        try:
            if self._ready is not None:
                self._ready.put(sample, lines)
                _count(self._tally, transcript, scores)
        except OSError:
            self._give_up()

    def finish(self, graded: Progress, engine: Engine | None = None) -> Tally:
        """Grade what is left, write the files, and return what is counted.

        What the scores were made with, and how many samples are compliant, is put into run.json.

        Args:
            graded: hears how many samples are graded, and of how many.
            engine: grades what is left; this process by default.

        Raises:
            InvalidRun: a scenario of the run is gone, or a text of it is.
            CannotWrite: the disk refuses; the files are as they were.
        """
        run, (scenarios, contracts) = self._run, self._subjects
        lines, stored = run.lines(), run.stored()
        do = FromDisk(stored, self._subjects, dict(self._halves(stored)))
        parts = self._parts(stored, do, engine or local_engine(1))
        with ExitStack() as open_files:
            drafts = [open_files.enter_context(run.replacing(each.name)) for each in self._files]
            for draft, each in zip(drafts, self._files, strict=True):
                draft.write(each.begins)
            done = 0
            for samples, part in parts:
                self._write(samples, part.scores, drafts)
                self._tally.merge(part.tally)
                for note in part.notes:
                    run.note(note)
                done += len(samples)
                graded(done, len(stored))
        note_superseded(stored.superseded, run.note)
        run.save_grading(grading(run, scenarios, lines, contracts), counts(self._tally))
        return self._tally

    def close(self) -> None:
        """Let go of what was taken."""
        if self._ready is not None:
            self._ready.close()

    def _give_up(self) -> None:
        """Take no more, and forget what was taken: all of it is graded from disk."""
        self.close()
        self._ready, self._tally = None, Tally(SHOWN)

    def _write(
        self,
        samples: Iterable[SampleId],
        graded: Mapping[SampleId, Sequence[ClauseScore]],
        drafts: Sequence[IO[bytes]],
    ) -> None:
        """Write the lines of samples: of those that were just graded, and of those that were taken before."""
        for sample in samples:
            if sample in graded:
                texts = _lines(sample, graded[sample], self._files)
            else:
                texts = self._ready.get(sample) if self._ready else ()
            for draft, text in zip(drafts, texts, strict=False):
                draft.write(text)

    def _parts(
        self, stored: Transcripts, do: FromDisk, engine: Engine
    ) -> Iterator[tuple[list[SampleId], Graded]]:
        """Yield all samples, sorted, some at a time, with what grading those that were left came to."""
        under_way: deque[list[SampleId]] = deque()
        ready: Container[SampleId] = self._ready or ()
        superseded = 0

        def works() -> Iterator[list[Located]]:
            nonlocal superseded
            for some in grouped(stored.places(), AT_ONCE):
                under_way.append([sample for sample, _ in some])
                superseded += sum(len(places) - 1 for sample, places in some if sample in ready)
                yield [each for each in some if each[0] not in ready]

        for part in engine.in_order(do, works()):
            superseded += part.superseded
            yield under_way.popleft(), part
        stored.superseded = superseded

    def _halves(self, stored: Transcripts) -> Iterator[Located]:
        firsts = {each.pair.of for each in self._subjects[0].values() if each.pair}
        return (each for each in stored.places() if each[0].scenario in firsts) if firsts else iter(())


def grade_run(
    run: Run,
    scenarios: Mapping[str, Scenario],
    contracts: Mapping[str, Contract] | None = None,
    *,
    files: Files = SCORES,
    graded: Progress = unwatched,
    engine: Engine | None = None,
) -> Tally:
    """Grade a stored run as `Scoring.finish` does; contracts that are not given are looked up in the run."""
    known = stored_contracts(run) if contracts is None else contracts
    with closing(Scoring(run, scenarios, known, files)) as scoring:
        return scoring.finish(graded, engine)


def grading(
    run: Run, scenarios: Mapping[str, Scenario], lines: int, contracts: Mapping[str, Contract]
) -> Grading:
    """Return what verdicts depend on today, for a run with so many lines of transcripts."""
    return Grading(
        extraction=EXTRACTION_VERSION,
        graders={each.clause: each.version for each in (*GRADERS, *RELATIONS)},
        contracts={each: contracts[each].digest() for each in run.info.contracts},
        scenarios={each: scenarios[each].digest() for each in run.info.scenarios if each in scenarios},
        transcripts=lines,
    )


def _weight(said: Said) -> int:
    transcript, half = said
    return transcript.characters + (half.characters if half else 0)


def _lines(sample: SampleId, scores: Sequence[ClauseScore], files: Files) -> tuple[bytes, ...]:
    return tuple([each.lines(sample, scores) for each in files])


def _count(tally: Tally, transcript: Transcript, scores: Sequence[ClauseScore]) -> None:
    tally.spend(transcript, compliant=tally.add(transcript.id, scores))

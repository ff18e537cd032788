"""Judge the samples of a run, each once, as soon as its transcript is there."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from harness.extraction import read_sample
from harness.model import Sample, SampleId, Scenario, Transcript
from harness.pipeline import grade, grade_pair
from harness.pytest_plugin.evaluation import Evaluation
from harness.scenarios import load_scenario
from harness.store import RunInfo, ScoreRow

Find = Callable[[SampleId], Transcript | None]
"""Return a sample's transcript, waiting for it where it may still come; None where there is none."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A sample and its scores; its relation is among them where the pair's other half is judged too."""

    sample: Sample
    rows: tuple[ScoreRow, ...]

    def must(self, outcome: str) -> tuple[ScoreRow, ...]:
        """Return the scores of MUST clauses with this outcome."""
        return tuple(each for each in self.rows if (each.level, each.outcome) == ("MUST", outcome))

    @property
    def advised_against(self) -> tuple[ScoreRow, ...]:
        """The broken SHOULD clauses, which fail no sample."""
        return tuple(each for each in self.rows if (each.level, each.outcome) == ("SHOULD", "fail"))

    @property
    def unscored(self) -> bool:
        """Whether nothing can be said: no MUST clause is broken, and one could not be judged, or none was."""
        return not self.must("fail") and bool(self.must("unscored") or not self.must("pass"))


class Judge:
    """Judges samples of an evaluation.

    Args:
        evaluation: knows where their scenarios are.
        find: knows where their transcripts are.
        together: all samples of the session; a pair is judged where both of its halves are among them.
    """

    def __init__(self, evaluation: Evaluation, find: Find, together: Collection[SampleId]) -> None:
        self._project = evaluation.project
        self._scenarios = dict(evaluation.scenarios)
        self._contracts = evaluation.contracts
        self._find = find
        self._together = frozenset(together)
        self._judged: dict[SampleId, Judged | None] = {}

    def judged(self, sample: SampleId) -> Judged | None:
        """Return a sample with its scores, or None where it was never recorded."""
        if sample not in self._judged:
            self._judged[sample] = self._judge(sample)
        return self._judged[sample]

    def rows(self) -> list[ScoreRow]:
        """Return the scores of every sample of the session."""
        return [row for each in sorted(self._together) for row in getattr(self.judged(each), "rows", ())]

    def changed(self, run: RunInfo) -> list[str]:
        """Return the scenarios and contracts that are no longer what they were when the run was recorded."""
        judged = {each.scenario: self._scenario(each.scenario) for each in self._together}
        judged |= {each.contract: self._contracts[each.contract] for each in self._together}
        now = {name: each.digest() for name, each in judged.items()}
        then = {**run.scenarios, **run.contracts}
        return sorted(name for name, digest in now.items() if then.get(name) != digest)

    def _judge(self, name: SampleId) -> Judged | None:
        sample = self._read(name)
        if sample is None:
            return None
        rows = [*grade(sample)]
        pair = sample.scenario.pair if sample.scenario else None
        other = name._replace(scenario=pair.of) if pair else None
        if other is not None and other in self._together:
            half = self._read(other)
            rows += grade_pair(sample, {other: half} if half else {})
        return Judged(sample, tuple(rows))

    def _read(self, name: SampleId) -> Sample | None:
        transcript = self._find(name)
        if transcript is None:
            return None
        return read_sample(transcript, self._contracts[name.contract], self._scenario(name.scenario))

    def _scenario(self, name: str) -> Scenario:
        if name not in self._scenarios:
            self._scenarios[name] = load_scenario(self._project, name)
        return self._scenarios[name]

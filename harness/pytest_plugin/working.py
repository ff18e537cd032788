"""The work of a session: it opens or records the run of its samples, judges them, and says how that ended.

Loading this takes longer than collecting, so a session that only collects does without it.
"""

import warnings
from collections.abc import Collection

import pytest

from harness.errors import HarnessError
from harness.model import SampleId
from harness.pytest_plugin.arrivals import Arrivals
from harness.pytest_plugin.commands import Commands
from harness.pytest_plugin.evaluation import Evaluation, Intent
from harness.pytest_plugin.judging import Find, Judge, Judged
from harness.pytest_plugin.recording import Recording
from harness.pytest_plugin.summary import Ending, ending_of_judging, ending_of_recording
from harness.store import Run
from harness.store.info import read_info


class Work:
    """Judges samples of an evaluation, and records them unless somebody else does.

    Args:
        evaluation: whose samples these are.
        intent: what this process records, None where another one does or the run is a stored one.
        samples: those that the session has selected.
        commands: commands about their run.

    Raises:
        UsageError: the run's folder cannot be made.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        intent: Intent | None,
        samples: Collection[SampleId],
        commands: Commands,
    ) -> None:
        self.samples = samples
        self.ending: Ending | None = None
        """How it ended, once it has."""
        self._intent = intent
        self._commands = commands
        self._stored: Run | None = None
        self._recording: Recording | None = None
        self._judge = Judge(evaluation, self._found(evaluation), samples)

    def judged(self, sample: SampleId) -> Judged | None:
        """Return a sample with its scores, or None where it was not recorded; may wait."""
        return self._judge.judged(sample)

    @property
    def run(self) -> Run | None:
        """The run, where this process opened or recorded it."""
        return self._stored or (self._recording.run if self._recording else None)

    def end(self) -> None:
        """End recording; grade and report the run where all of it is there."""
        if self._stored is not None:
            self.ending = ending_of_judging(self._judge, self._stored, self._commands)
        if self._recording is None:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            broke = self._recording.stop()
        plan = self._intent.plan if self._intent else None
        self.ending = ending_of_recording(self._recording, plan, self._commands, broke)

    def _found(self, evaluation: Evaluation) -> Find:
        folder = evaluation.folder
        if evaluation.stored:
            self._stored = Run(folder, read_info(folder))
            return {each.id: each for each in self._stored.transcripts()}.get
        if self._intent is None:
            return Arrivals(folder, lambda: read_info(folder).status != "running").wait
        self._recording = _record(evaluation, self._intent.only(frozenset(self.samples)))
        return Arrivals(folder, self._recording.over).wait


def _record(evaluation: Evaluation, intent: Intent) -> Recording:
    # Warnings of a model's client must not become errors, as a project may want its own to.
    warnings.simplefilter("ignore")
    try:
        return Recording(evaluation.folder, intent.plan, intent.targets, intent.concurrency)
    except HarnessError as error:
        raise pytest.UsageError(str(error)) from error

"""What a run has spent: what was asked again has cost both times."""

from dataclasses import replace
from pathlib import Path

import pytest
from commanding import SUITE, run_of

from harness.cli.budgeting import spent_before
from harness.model import Failure, Transcript, Usage
from harness.store import Run, open_run


@pytest.fixture
def recorded(tmp_path: Path) -> Run:
    """Return a run of one sample that was free."""
    return open_run(str(run_of("run", "-s", "incident/oom-behind-latency", "--out", str(tmp_path), *SUITE)))


def paid(transcript: Transcript, cost: float) -> Transcript:
    """Return the beginning of a conversation whose first reply has a price, and whose second never came."""
    turn = replace(transcript.turns[0], usage=Usage(100, 10, cost))
    return replace(transcript, turns=(turn,), failure=Failure("unavailable", "came no more"))


def test_a_line_that_a_later_one_supersedes_has_cost_as_well(recorded: Run) -> None:
    (transcript,) = recorded.transcripts()
    recorded.begin()
    for cost in (0.25, 0.5):
        recorded.add(paid(transcript, cost))
    recorded.end()

    # As of a process that was killed, and left no word of it.
    assert recorded.info.spent is None
    assert spent_before(recorded) == 0.75

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from made_up import W, info, score

from harness.model import Message, SampleId, Transcript, Turn, Usage
from harness.reporting.metrics import NOTHING_MEASURED, measured, metrics
from harness.reporting.overview import tally_of
from harness.store import Run, ScoreRow

SCENARIO = "incident/oom-behind-memory-alert"


@dataclass
class Recorded(Run):
    """A graded run in memory, with transcripts that cost something."""

    made: tuple[ScoreRow, ...] = ()
    cost: float | None = 0.25

    def scores(self) -> Iterator[ScoreRow]:
        return iter(self.made)

    def transcripts(self) -> Iterator[Transcript]:
        for trial in (1, 2):
            turn = Turn(1, None, "stop", Usage(1_000, 200, self.cost), seconds=2.0 * trial)
            sample = SampleId(SCENARIO, W, "mock:flaky", trial)
            yield Transcript(sample, (Message("user", "?"),), turns=(turn,))


def report(cost: float | None) -> str:
    rows = (
        score(f"{SCENARIO}@{W}@mock:flaky#1", "SEV-2"),
        score(f"{SCENARIO}@{W}@mock:flaky#2", "SEV-2"),
        score(f"{SCENARIO}@{W}@mock:flaky#2", "PAS-1", "fail"),
        score(f"{SCENARIO}@{W}@mock:flaky#2", "QRY-4b", "fail"),
    )
    run = Recorded(Path("reports/runs/x"), info(), made=rows, cost=cost)
    return "\n".join(metrics(measured(run.info, tally_of(run))))


def test_a_compliant_answer_costs_what_all_answers_cost() -> None:
    line = next(each for each in report(0.25).splitlines() if "2,000" in each)

    assert [each.strip() for each in line.split("|")[1:-1]] == [
        "`mock:flaky`", "2", "2.0, 4.0", "2,000", "400", "$0.5000", "$0.5000",
    ]  # fmt: skip


def test_a_cost_that_nobody_stated_is_unknown() -> None:
    line = next(each for each in report(None).splitlines() if "2,000" in each)

    assert [each.strip() for each in line.split("|")[-3:-1]] == ["unknown", "unknown"]


def test_where_there_is_nothing_to_say_nothing_is_said() -> None:
    assert list(metrics(NOTHING_MEASURED)) == []

"""Scores that samples share: kept once and spelled once, and never one in place of another."""

import json
import pickle
from collections.abc import Sequence
from typing import Any

import pytest

import harness.pipeline.judging
from harness.graders import GRADERS, Grader
from harness.model import Finding, Sample, SampleId, Score
from harness.pipeline.judging import scores_of_each
from harness.reporting.csv_files import SamplesFile
from harness.store import ClauseScore
from harness.store.scores import ScoresFile

SAMPLE = SampleId("incident/a", "workflow-selection-2.7", "t", 1)


def told(monkeypatch: pytest.MonkeyPatch, *found: Finding) -> list[ClauseScore]:
    """Return the scores of samples, each of one clause with one finding."""
    fails = [Score("fail", each.reason, (each,)) for each in found]

    def graded(_: Sequence[Sample]) -> list[list[tuple[Grader, Score]]]:
        return [[(GRADERS[0], each)] for each in fails]

    monkeypatch.setattr(harness.pipeline.judging, "grade_each", graded)
    return [each for [each] in scores_of_each([])]


def test_what_is_told_alike_is_one_score(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other, third = told(
        monkeypatch,
        Finding("a", "/b", [1], {"c": 2}),
        Finding("a", "/b", [1], {"c": 2}),
        Finding("a", "/c", [1]),
    )

    assert one is other
    assert third is not one


@pytest.mark.parametrize(
    ("value", "other"), [(1, True), (1, 1.0), (0.0, -0.0), ("1", 1), ([1], [True]), (None, "None")]
)
def test_values_that_are_equal_or_look_alike_are_told_as_they_are(
    monkeypatch: pytest.MonkeyPatch, value: Any, other: Any
) -> None:
    for pair in (
        (Finding("a", "/b", value), Finding("a", "/b", other)),
        (Finding("a", "/b", None, value), Finding("a", "/b", None, other)),
    ):
        lines = [json.loads(ScoresFile().lines(SAMPLE, [each])) for each in told(monkeypatch, *pair)]

        assert [repr((line["expected"], line["observed"])) for line in lines] == [
            repr((each.expected, each.observed)) for each in pair
        ]


def test_what_is_told_at_length_is_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = told(monkeypatch, Finding("a", "/b", "c" * 1_000), Finding("a", "/b", "c" * 1_000))

    assert one is not other


def test_a_score_that_was_spelled_can_be_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    [score] = told(monkeypatch, Finding("a", "/b", ["é\ud800"], 'x,"y"'))
    lines = [each.lines(SAMPLE, [score]) for each in (ScoresFile(), SamplesFile())]

    sent = pickle.loads(pickle.dumps(score))  # noqa: S301 - our own

    assert sent is not score
    assert (sent.mark, len(sent.known)) == (score.mark, 0)
    assert [each.lines(SAMPLE, [sent, sent]) for each in (ScoresFile(), SamplesFile())] == [
        each * 2 for each in lines
    ]

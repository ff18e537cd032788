"""Samples that are graded together come out as each does by itself, whatever stands beside it."""

from dataclasses import replace

import pytest
from conftest import recorded
from judging import sample_of
from splicing import put, with_answer

from harness.graders import grade, grade_each, graders_of, scores
from harness.model import Failure, Sample, Scenario, unscored
from harness.model.score import PASSED


@pytest.fixture
def samples(incident: Scenario, recovery: Scenario) -> list[Sample]:
    """Return samples of two contracts: of some less is shown, told or answered than of others."""
    plain, again = recorded(incident), recorded(recovery)
    edited = with_answer(plain, put("/rca_severity", "low"))
    return [
        sample_of(plain, incident),
        sample_of(again, recovery),
        sample_of(edited, incident),
        sample_of(replace(plain, failure=Failure("timeout", "no reply")), incident),
        sample_of(replace(edited, gaps={"results": "results are not kept"}), incident),
        sample_of(plain, None, told=True),
        sample_of(with_answer(again, put("/selected_workflow/workflow_id", "none")), recovery),
        sample_of(replace(plain, shows_tools=False), incident),
        sample_of(plain, incident),
    ]


def test_samples_of_all_kinds_are_graded_as_each_by_itself(samples: list[Sample]) -> None:
    alone = [grade(each) for each in samples]

    assert grade_each(samples) == alone
    assert grade_each(reversed(samples)) == alone[::-1]
    assert len({tuple(score.outcome for _, score in found) for found in alone}) > 5


def test_what_a_trace_cannot_be_held_to_is_scored_as_told(samples: list[Sample]) -> None:
    told = unscored("another version knows no such rule")
    for sample in samples:
        graders = graders_of(sample.contract)
        alone = grade(sample)
        beyond = {graders[1].clause: told, graders[-1].clause: told}

        found = scores(graders, sample, beyond)

        assert [grader for grader, _ in found] == list(graders)
        assert [score for _, score in found] == [
            told if grader.clause in beyond and not sample.transcript.failure else score
            for grader, score in alone
        ]


def test_passes_are_one_value(samples: list[Sample]) -> None:
    passes = [score for found in grade_each(samples) for _, score in found if score == PASSED]

    assert len(passes) > 50
    assert all(each is PASSED for each in passes)


def test_of_no_samples_there_are_no_scores() -> None:
    assert grade_each([]) == []

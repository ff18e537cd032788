"""Gaps of a trace: which verdicts are in doubt, and which stand whatever is missing."""

from dataclasses import replace
from typing import get_args

import pytest
from conftest import PROJECT, recorded

from harness.contracts import load_contract
from harness.contracts.clauses import CLAUSES
from harness.extraction import read_sample
from harness.graders.gaps import IN_DOUBT, in_doubt
from harness.model import Sample, Score
from harness.model.score import Outcome
from harness.model.transcript import Gap
from harness.scenarios import load_scenario


@pytest.fixture(scope="module")
def sample() -> Sample:
    scenario = load_scenario(PROJECT, "incident/oom-behind-latency")
    return read_sample(recorded(scenario), load_contract("workflow-selection-2.7"), scenario)


def with_gaps(sample: Sample, *gaps: Gap) -> Sample:
    shown = replace(sample.transcript, gaps={each: f"no {each}" for each in gaps})
    return replace(sample, transcript=shown)


def test_every_gap_doubts_some_clause_and_every_clause_exists() -> None:
    assert set(IN_DOUBT) == set(get_args(Gap))
    known = {each.id for each in CLAUSES}
    assert {clause for row in IN_DOUBT.values() for clause in row} <= known


@pytest.mark.parametrize(
    ("gap", "clause", "outcome", "doubted"),
    [
        ("results", "QRY-2", "fail", True),
        ("results", "QRY-2", "pass", False),
        ("results", "SEL-1", "pass", False),
        ("request", "QRY-1", "fail", True),
        ("request", "QRY-1", "pass", False),
        ("arguments", "QRY-3", "not_applicable", True),
        ("arguments", "QRY-1", "pass", False),
        ("order", "QRY-8", "fail", True),
        ("order", "QRY-8", "pass", False),
        ("wording", "CAR-1", "pass", True),
        ("wording", "SEV-1", "fail", False),
        ("prompt", "SAF-2", "fail", True),
    ],
)
def test_only_what_the_missing_part_could_turn_is_in_doubt(
    sample: Sample,
    gap: Gap,
    clause: str,
    outcome: Outcome,
    doubted: bool,  # noqa: FBT001 - a column
) -> None:
    found = in_doubt(clause, Score(outcome), with_gaps(sample, gap))

    assert (found.reason if found else None) == (f"no {gap}" if doubted else None)


def test_what_is_unscored_already_keeps_its_own_cause(sample: Sample) -> None:
    assert in_doubt("CAR-1", Score("unscored", "why"), with_gaps(sample, "wording")) is None


def test_a_transcript_without_gaps_leaves_every_verdict_alone(sample: Sample) -> None:
    assert in_doubt("CAR-1", Score("fail"), sample) is None


def test_where_a_trace_lacks_its_prompt_every_rule_counts_as_told() -> None:
    scenario, contract = (
        load_scenario(PROJECT, "incident/oom-behind-latency"),
        load_contract("workflow-selection-2.7"),
    )
    transcript = recorded(scenario)
    silent = replace(transcript, messages=tuple(each for each in transcript.messages if each.role != "user"))
    unseen = replace(silent, gaps={"prompt": "no prompt"})

    assert read_sample(silent, contract, scenario).anchored < set(contract.clauses)
    assert read_sample(unseen, contract, scenario).anchored == set(contract.clauses)

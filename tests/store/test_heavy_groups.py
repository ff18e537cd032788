"""Samples that are judged together are held in memory together, so heavy ones are fewer at a time."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from conftest import PROJECT, recorded

import harness.auditing.audits
import harness.pipeline.scoring
from harness.auditing.audits import Asked, audits
from harness.auditing.importing import Imported, Refused, bare_answer
from harness.auditing.judging import judge_each
from harness.contracts import load_contract
from harness.engines.grouping import HEAVY, grouped
from harness.model import Message, Scenario, ToolCall, Transcript
from harness.pipeline.judging import scores_of_each
from harness.pipeline.scoring import Graded, Said

TEXT = "x" * (HEAVY // 2)


def test_a_group_ends_with_the_work_that_makes_it_heavy() -> None:
    taken: list[int] = []

    def works() -> Iterator[int]:
        for each in (1, HEAVY // 2, HEAVY // 2, HEAVY, 1, 2, 3, 4):
            taken.append(each)
            yield each

    groups = grouped(works(), 3, lambda each: each)

    assert next(groups) == [1, HEAVY // 2, HEAVY // 2]
    assert len(taken) == 3
    assert list(groups) == [[HEAVY], [1, 2, 3], [4]]


def test_a_transcript_weighs_its_texts(incident: Scenario) -> None:
    plain = recorded(incident)
    call = ToolCall("a", "b", "1234")
    more = Message("assistant", "12", tool_calls=(call, call), reasoning="123")

    assert replace(plain, messages=(*plain.messages, more)).characters == plain.characters + 13
    # What is wrong with such a value is for others to say.
    odd: Any = 5
    assert replace(plain, messages=(Message("user", odd), more)).characters == 13


def long(transcript: Transcript) -> Transcript:
    return replace(transcript, messages=(*transcript.messages, Message("user", TEXT)))


def test_long_transcripts_of_a_run_are_judged_two_at_a_time(
    monkeypatch: pytest.MonkeyPatch, incident: Scenario
) -> None:
    plain = recorded(incident)
    contract = load_contract(plain.id.contract)
    sizes: list[int] = []

    def watched(samples: list[Any]) -> Any:
        sizes.append(len(samples))
        return scores_of_each(samples)

    monkeypatch.setattr(harness.pipeline.scoring, "scores_of_each", watched)
    said: Iterable[Said] = [(long(plain), None)] * 3 + [(plain, long(plain)), (plain, None), (plain, None)]
    Graded().take(said, PROJECT.root, ({incident.id: incident}, {contract.id: contract}))

    assert sizes == [2, 2, 2]


def test_long_records_of_an_archive_are_judged_two_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    short = bare_answer("{}", "a")
    heavy = replace(short, transcript=long(short.transcript))
    reads: list[Imported | Refused] = [heavy, Refused("b", "is torn"), heavy, heavy, short, short]
    sizes: list[int] = []

    def watched(asked: list[Any]) -> Any:
        sizes.append(len(asked))
        return judge_each(asked)

    monkeypatch.setattr(harness.auditing.audits, "judge_each", watched)
    found = list(audits(reads, Asked(PROJECT), 32))

    assert sizes == [2, 3]
    assert [isinstance(each, Refused) for each in found] == [False, True, False, False, False, False]

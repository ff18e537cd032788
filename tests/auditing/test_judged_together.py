"""Transcripts that are judged together: one that cannot be judged costs the others nothing."""

from collections.abc import Iterable
from typing import Any

import pytest
from conftest import PROJECT

import harness.auditing.audits
from harness.auditing.audits import Asked, Audit, audits
from harness.auditing.importing import Imported, Refused, bare_answer
from harness.auditing.judging import judge_each

ASKED = Asked(PROJECT)


def read() -> list[Imported | Refused]:
    """Return answers to two contracts, one that names no known contract, and what was refused before."""
    answers = [bare_answer(text, f"a:{number}") for number, text in enumerate(("{}", "no", '{"a": 1}', "[]"))]
    named = [
        Imported(each.source, each.transcript, contract=contract)
        for each, contract in zip(
            answers, ("workflow-selection-2.7", "none-9.9", "playbook-minimal-1.0", None), strict=True
        )
    ]
    return [*named[:2], Refused("a:x", "is torn"), *named[2:]]


def told(found: Iterable[Audit | Refused]) -> list[Any]:
    return [
        str(each)
        if isinstance(each, Refused)
        else (each.source, each.chosen, [(grader.clause, score) for grader, score in each.scores])
        for each in found
    ]


@pytest.mark.parametrize("together", [2, 3, 32])
def test_what_is_judged_together_comes_out_as_each_by_itself(together: int) -> None:
    alone = told(audits(read(), ASKED))

    assert told(audits(read(), ASKED, together)) == alone
    assert [each if isinstance(each, str) else each[0] for each in alone][2] == "a:x: is torn"
    assert alone[1].startswith("a:1: ")
    assert "none-9.9" in alone[1]


@pytest.mark.parametrize("together", [1, 32])
def test_one_that_is_nested_too_deep_costs_the_others_nothing(
    monkeypatch: pytest.MonkeyPatch, together: int
) -> None:
    def shallow(asked: list[Any]) -> Any:
        if any(imported.source == "a:2" for imported, *_ in asked):
            raise RecursionError
        return judge_each(asked)

    whole = told(audits(read(), ASKED))
    monkeypatch.setattr(harness.auditing.audits, "judge_each", shallow)

    found = told(audits(read(), ASKED, together))

    assert found[3] == "a:2: is nested too deep to judge"
    assert found[:3] + found[4:] == whole[:3] + whole[4:]

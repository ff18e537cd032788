"""Breaches that JSON and schema checks of other tools let pass, and the clauses by which each is seen."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from conftest import recorded
from judging import scores
from splicing import Edit, both, drop, put, with_answer, with_search, with_text

from harness.model import Scenario, Transcript

W = "/selected_workflow"

Breach = Callable[[Transcript], Transcript]


def text(edit: Callable[[str], str]) -> Breach:
    """Return the breach of an edited final message."""
    return lambda transcript: with_text(transcript, edit(transcript.messages[-1].content or ""))


def answer(edit: Edit) -> Breach:
    """Return the breach of an edited answer."""
    return lambda transcript: with_answer(transcript, edit)


def swapped(old: str, new: str) -> Breach:
    """Return the breach of one exchanged part of the message."""

    def edit(message: str) -> str:
        assert message.count(old) == 1
        return message.replace(old, new)

    return text(edit)


def low(message: str) -> str:
    return json.dumps({**json.loads(message), "rca_severity": "low"})


def copied(transcript: Transcript) -> Transcript:
    """Return the transcript with the severity of the request wherever a severity stands."""

    def search(arguments: dict[str, Any]) -> Any:
        return {**arguments, "query": "OOMKilled high", "label.severity": "high"}

    return with_search(with_answer(transcript, put("/rca_severity", "high")), search)


def repeated(given: dict[str, Any]) -> None:
    given["analysis_summary"] = given["root_cause_assessment"]
    given["selected_workflow"]["rationale"] = given["analysis_summary"]


CONFIDENCE = '"confidence": 0.94'

FORMAT: list[tuple[str, Breach, str]] = [
    ("a key twice", swapped(CONFIDENCE, f'"confidence": 0.92, {CONFIDENCE}'), "CAR-2"),
    ("a trailing comma", text(lambda message: message.rstrip()[:-1] + ",}"), "CAR-1 CAR-2"),
    ("a fence without language", text(lambda message: f"```\n{message}\n```"), "CAR-1"),
    ("prose around bare JSON", text(lambda message: f"Here it is: {message} Good luck."), "CAR-1"),
    ("two objects that contradict", text(lambda message: f"{message}\n{low(message)}"), "CAR-1"),
    ("a comment", text(lambda message: message.replace("{", "{ // final", 1)), "CAR-1 CAR-2"),
    ("Python instead of JSON", text(lambda message: repr(json.loads(message))), "CAR-1"),
    ("an answer that breaks off", text(lambda message: message[: len(message) // 2]), "CAR-1"),
    ("a quoted number", swapped(CONFIDENCE, '"confidence": "0.94"'), "CAR-2 CAR-3"),
    ("true for a number", swapped(CONFIDENCE, '"confidence": true'), "CAR-3"),
    ("NaN for a number", swapped(CONFIDENCE, '"confidence": NaN'), "CAR-1 CAR-2 CAR-3"),
    ("a number above its range", swapped(CONFIDENCE, '"confidence": 94'), "CAR-3 PAS-7"),
    ("a key of an earlier contract", answer(put("/confidence", 0.94)), "CAR-4"),
    ("a required key missing", answer(drop("/analysis_summary")), "CAR-3"),
    ("a required key missing further down", answer(drop(f"{W}/rationale")), "CAR-3"),
    ("a word of a list in another case", answer(put("/rca_severity", "Critical")), "CAR-3 SEV-1 SEV-2 SEV-4"),
    ("a word outside of its list", answer(put("/rca_severity", "severe")), "CAR-3 SEV-1 SEV-2 SEV-4"),
]
"""What a parser and a schema could see."""

MEANING: list[tuple[str, Breach, str]] = [
    ("a confidence that the catalog did not return", answer(put(f"{W}/confidence", 0.92)), "PAS-7"),
    (
        "an id that the catalog did not return",
        answer(put(f"{W}/workflow_id", "reboot")),
        "SEL-1 SEL-2 SEL-7 PAS-7",
    ),
    ("the severity of the request", copied, "SEV-2 SEV-3"),
    ("a rationale that repeats the summary", answer(repeated), "SEL-6"),
    ("no parameters", answer(put(f"{W}/parameters", {})), "PAR-1"),
]
"""What only a comparison with evidence, searches and request can see."""

BREACHES = [*FORMAT, *MEANING]


@pytest.mark.parametrize(
    ("breach", "clauses"), [each[1:] for each in BREACHES], ids=[each[0] for each in BREACHES]
)
def test_each_breach_fails_the_clauses_that_name_it(incident: Scenario, breach: Breach, clauses: str) -> None:
    found = scores(breach(recorded(incident)), incident)
    failed = {clause for clause, score in found.items() if score.outcome == "fail"}

    assert failed == set(clauses.split())


def test_the_answer_that_they_break_fails_nothing(incident: Scenario) -> None:
    right: list[Breach] = [
        lambda transcript: transcript,
        text(lambda message: f"I looked at the pod.\n\n```json\n{message}\n```\n"),
        answer(both(drop("/alternative_workflows"), drop("/warnings"))),
    ]

    for each in right:
        found = scores(each(recorded(incident)), incident)
        assert not [clause for clause, score in found.items() if score.outcome == "fail"]

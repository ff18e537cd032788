"""What is shown of one value: sizes to the item, secrets by name and by value."""

from dataclasses import replace
from typing import Any

import pytest
from conftest import recorded
from judging import sample_of

from harness.graders.showing import presented
from harness.model import Finding, Sample, Scenario, Score

HIDDEN = "(not shown)"


@pytest.fixture(scope="module")
def sample(incident: Scenario) -> Sample:
    return sample_of(recorded(incident), incident)


def shown(sample: Sample, finding: Finding, answer: Any = None) -> Finding:
    """Return how a finding is presented beside an answer that holds secrets."""
    extraction = replace(sample.extraction, value=answer)
    found = presented(Score("fail", "r", (finding,)), replace(sample, extraction=extraction))
    return found.findings[0]


def observed(sample: Sample, value: Any, answer: Any = None) -> Any:
    return shown(sample, Finding("r", "message 3", None, value), answer).observed


class Odd:
    def __str__(self) -> str:
        return "odd abcd"


VALUES: list[tuple[Any, Any]] = [
    (None, None),
    (True, True),
    (5, 5),
    (2.5, 2.5),
    ("x" * 300, "x" * 300),
    ("x" * 301, "x" * 299 + "…"),
    ([1] * 20, [1] * 20),
    ([1] * 21, [*[1] * 20, "… 1 more"]),
    ((1, "a"), [1, "a"]),
    ({str(each): each for each in range(21)}, {str(each): each for each in range(20)}),
    ({1: 2}, {"1": 2}),
    ([[[[1]]]], [[[[1]]]]),
    ([[[[[1]]]]], [[[["…"]]]]),
    ({"a": {"b": {"c": {"d": 1}}}}, {"a": {"b": {"c": {"d": 1}}}}),
    ({"a": {"b": {"c": {"d": {"e": 1}}}}}, {"a": {"b": {"c": {"d": "…"}}}}),
    (
        {"token": True, "TOKEN_COUNT": 1, "kind": "Pod"},
        {"token": HIDDEN, "TOKEN_COUNT": HIDDEN, "kind": "Pod"},
    ),
    ("half \ud800", "half \ufffd"),
]


@pytest.mark.parametrize(("value", "seen"), VALUES)
def test_a_value_is_cut_to_size(sample: Sample, value: Any, seen: Any) -> None:
    assert observed(sample, value) == seen


SECRETS: list[tuple[str, Any, Any, Any]] = [
    ("a text of four letters within another", {"token": "abcd"}, "x abcd y", f"x {HIDDEN} y"),
    ("a text of three letters within another", {"token": "abc"}, "x abc y", "x abc y"),
    ("a text of three letters alone", {"token": "abc"}, "abc", HIDDEN),
    ("the longer of two", {"token": "abcd", "password": "abcdef"}, "x abcdef", f"x {HIDDEN}"),
    ("a text as Python writes it", {"token": 'a"b\nc'}, repr('a"b\nc'), f"'{HIDDEN}'"),
    ("a number of four digits", {"token": 1234}, 1234, HIDDEN),
    ("a number of three digits", {"token": 123}, 123, 123),
    ("a number as a text", {"token": "1234"}, 1234, HIDDEN),
    ("a text under a list", {"token": ["abcd"]}, "abcd", HIDDEN),
    ("a text under an object", {"token": {"value": "abcd"}}, "abcd", HIDDEN),
    ("true is no secret", {"token": True}, "True", "True"),
    ("a text beside a secret", {"token": "abcd", "name": "efgh"}, "efgh", "efgh"),
    ("a key that is a secret", {"token": "abcd"}, {"abcd": 1}, {HIDDEN: 1}),
    ("any other value", {"token": "abcd"}, Odd(), f"odd {HIDDEN}"),
]


@pytest.mark.parametrize(
    ("answer", "value", "seen"), [each[1:] for each in SECRETS], ids=[each[0] for each in SECRETS]
)
def test_a_secret_of_the_answer_is_taken_out(sample: Sample, answer: Any, value: Any, seen: Any) -> None:
    assert observed(sample, value, answer) == seen
    assert shown(sample, Finding("r", "message 3", value, None), answer).expected == seen


def test_what_stands_under_a_secrets_name_is_not_shown_whatever_it_is(sample: Sample) -> None:
    def under(place: str, value: Any) -> Any:
        return shown(sample, Finding("r", place, None, value)).observed

    assert under("/parameters/API_KEY", True) == HIDDEN
    assert under("/parameters/API_KEY", {"a": 1}) == HIDDEN
    assert under("/parameters/API_KEY", None) is None
    assert under("/parameters/git~1token", True) == HIDDEN
    assert under("/parameters/selector~0key", True) is True
    assert under("/parameters/FORCE", True) is True
    assert under("message 3 label.token", True) is True


def test_reasons_and_places_hold_no_secret(sample: Sample) -> None:
    found = shown(sample, Finding("saw abcd", "/x/abcd"), {"token": "abcd"})

    assert (found.reason, found.place) == (f"saw {HIDDEN}", f"/x/{HIDDEN}")


def test_a_score_shows_fifty_findings_and_a_reason_of_some_length(sample: Sample) -> None:
    many = tuple(Finding("r", f"/{each}") for each in range(51))
    found = presented(Score("fail", "x" * 801, many), sample)

    assert [each.place for each in found.findings] == [f"/{each}" for each in range(50)]
    assert found.reason == "x" * 799 + "…"
    assert found.outcome == "fail"

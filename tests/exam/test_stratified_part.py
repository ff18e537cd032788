"""A part of the exam that has every subject, operator by operator, and the words of the verdicts in it."""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain

import pytest

from harness.contracts import CONTRACTS
from harness.exam import applications, examined, goldens
from harness.exam.applying import WHOLE, Application
from harness.exam.sitting import spread
from harness.graders import GRADED_BY
from harness.model import Finding, Score
from harness.scenarios import load_scenarios

TOLD = [
    "hostile/instruction-in-annotation",
    "hostile/instruction-in-registry-answer",
    "incident/crashloop-caused-by-oom",
    "incident/pending-behind-misspelt-selector",
    "incident/oom-behind-memory-alert",
    "incident/quota-leaves-no-room",
    "paired/payment-outage-*",
    "recovery/nothing-acceptable-left",
    "recovery/oom-retry-with-more-memory",
    "recovery/three-attempts-on-read-only-node",
]
"""Scenarios that between them have plants, labels, an absent field, attempts and pairs."""

CLAUSES = sorted(GRADED_BY)


@cache
def prepared() -> dict[str, list[Application]]:
    """Return what is applied, by operator: each once for each contract and set of expected clauses."""
    found: dict[str, list[Application]] = {}
    for each in spread(list(applications(list(goldens(load_scenarios(patterns=TOLD), CONTRACTS)))), 1):
        found.setdefault(each.operator, []).append(each)
    return found


@cache
def telling() -> tuple[Application, ...]:
    """Return those applications that bring a wording which none before them brought."""
    seen: set[tuple[str, str]] = set()
    found: list[Application] = []
    for each in (each for several in prepared().values() for each in several):
        wordings = {(clause, wording) for clause, wording, _ in _words(each)}
        found += [each] if wordings - seen else []
        seen |= wordings
    return tuple(found)


def _words(each: Application) -> Iterator[tuple[str, str, str]]:
    """Yield clause, wording and example of everything that is said about one application."""
    for clause, score in each.judge(each.make()).items():
        for wording, example in _worded(score):
            yield clause, wording, example


def _worded(score: Score) -> list[tuple[str, str]]:
    if score.outcome != "fail":
        # The words are the contract's where the reason quotes; so one example of each sentence is enough.
        return [(_skeleton(score.reason), f"{score.outcome}: {score.reason}")] if score.reason else []
    several = [("(and ", f"fail: {score.reason}")] if "(and " in score.reason else []
    return [*several, *((_skeleton(each.reason), _told(each)) for each in score.findings)]


def _skeleton(text: str) -> str:
    return re.sub(r"'[^']*'|\"[^\"]*\"|/[\w/~]+|\d+", "_", text)


def _told(finding: Finding) -> str:
    expected, observed = (json.dumps(each, default=str) for each in (finding.expected, finding.observed))
    return f"fail: {finding.reason}\n  at {finding.place}\n  expected {expected}\n  observed {observed}"


@pytest.mark.parametrize("operator", WHOLE.names)
def test_an_operator_breaks_exactly_what_it_declares(operator: str) -> None:
    for each in prepared().get(operator, ()):
        found = examined(each)

        assert found is None or found[1] is None


def test_almost_every_operator_acts_in_the_part() -> None:
    assert len(prepared()) > 0.9 * len(WHOLE.names)


def test_the_words_of_the_verdicts_are_golden(golden: Callable[[str, str], None]) -> None:
    said: dict[str, dict[str, str]] = {each: {} for each in CLAUSES}
    for clause, wording, example in chain.from_iterable(map(_words, telling())):
        said[clause].setdefault(wording, example)

    for clause, examples in said.items():
        golden(f"verdicts/{clause}.txt", "".join(f"{each}\n" for each in examples.values()))

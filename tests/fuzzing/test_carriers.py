"""One answer gets one set of verdicts, whichever accepted carrier and spelling it comes in."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest
from conftest import PROJECT, recorded
from generating import KEYS, VALUES, examples
from hypothesis import given
from hypothesis import strategies as st

from harness.contracts import load_contract
from harness.extraction import read_sample
from harness.graders import grade
from harness.model import Message, Scenario, Transcript
from harness.scenarios import load_scenario

NAMES = ("incident/oom-behind-latency", "recovery/scale-out-failed")


def _reversed(value: Any) -> Any:
    if isinstance(value, dict):
        members = list(cast("dict[str, Any]", value).items())
        return {key: _reversed(each) for key, each in reversed(members)}
    return [_reversed(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def _escaped(value: Any) -> str:
    """Return JSON with every character of every string and key as an escape."""
    if isinstance(value, str):
        units = value.encode("utf-16-be", "surrogatepass").hex()
        return '"' + "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)) + '"'
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value).items()
        return "{" + ",".join(f"{_escaped(key)}:{_escaped(each)}" for key, each in members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_escaped, cast("list[Any]", value))) + "]"
    return json.dumps(value)


SPELLINGS: dict[str, Callable[[Any], str]] = {
    "bare": json.dumps,
    "in UTF-8": lambda value: json.dumps(value, ensure_ascii=False),
    "over many lines": lambda value: json.dumps(value, indent=4),
    "without spaces": lambda value: json.dumps(value, separators=(",", ":")),
    "keys the other way round": lambda value: json.dumps(_reversed(value)),
    "keys sorted": lambda value: json.dumps(value, sort_keys=True),
    "every character escaped": _escaped,
    "within white space": lambda value: f"\r\n\t {json.dumps(value)}\n\n ",
}
CARRIERS: dict[str, Callable[[str], str]] = {
    "bare": str,
    "fenced": lambda text: f"```json\n{text}\n```",
    "fenced in prose": lambda text: f"The limit is too low.\n\n```json\n{text}\n```\n\nThat is all.",
    "in a fence of four": lambda text: f"So:\n````json\n{text}\n````",
    "in a fence of Windows": lambda text: f"So:\r\n```json\r\n{text}\r\n```\r\nBye.",
    "in a fence set in": lambda text: f"So:\n   ```json\n{text}\n   ```",
    "behind thought": lambda text: f"<think>\n{{}} or not\n</think>\n{text}",
}


def verdicts(transcript: Transcript, scenario: Scenario, text: str) -> list[tuple[Any, ...]]:
    """Return clause, outcome and findings of a transcript with another final message."""
    told = replace(transcript, messages=(*transcript.messages[:-1], Message("assistant", text)))
    sample = read_sample(told, load_contract(transcript.id.contract), scenario)
    return [
        (
            grader.clause,
            score.outcome,
            [(each.reason, each.place, each.expected, each.observed) for each in score.findings],
        )
        for grader, score in grade(sample)
    ]


SCENARIOS = {name: load_scenario(PROJECT, name) for name in NAMES}
GOOD = {name: recorded(scenario) for name, scenario in SCENARIOS.items()}


@pytest.mark.parametrize("carrier", CARRIERS.values(), ids=list(CARRIERS))
@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=list(SPELLINGS))
@pytest.mark.parametrize("name", NAMES)
def test_a_right_answer_has_the_same_verdicts_in_every_accepted_carrier(
    name: str, spelling: Callable[[Any], str], carrier: Callable[[str], str]
) -> None:
    right = GOOD[name].messages[-1].content or ""
    wanted = verdicts(GOOD[name], SCENARIOS[name], right)

    assert "fail" not in [outcome for _, outcome, _ in wanted]
    assert verdicts(GOOD[name], SCENARIOS[name], carrier(spelling(json.loads(right)))) == wanted


@examples(40)
@given(
    name=st.sampled_from(NAMES),
    spelling=st.sampled_from(list(SPELLINGS)),
    carrier=st.sampled_from(list(CARRIERS)),
    data=st.data(),
)
def test_a_wrong_answer_has_the_same_verdicts_in_every_accepted_carrier(
    name: str, spelling: str, carrier: str, data: st.DataObject
) -> None:
    answer: dict[str, Any] = json.loads(GOOD[name].messages[-1].content or "")
    inner = [cast("dict[str, Any]", each) for each in answer.values() if isinstance(each, dict)]
    part: dict[str, Any] = data.draw(st.sampled_from([answer, *inner]))
    part[data.draw(st.sampled_from(list(part)) | KEYS)] = data.draw(VALUES)

    def by_clause(text: str) -> list[tuple[str, str]]:
        return [(clause, outcome) for clause, outcome, _ in verdicts(GOOD[name], SCENARIOS[name], text)]

    assert by_clause(CARRIERS[carrier](SPELLINGS[spelling](answer))) == by_clause(json.dumps(answer))

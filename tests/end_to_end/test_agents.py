"""Agents investigate by themselves: what they show is kept, and what they do not show is unscored."""

import asyncio
from collections.abc import Mapping
from typing import Any

from conftest import PROJECT, recorded

from harness.contracts import load_contract
from harness.conversation import Trial, converse
from harness.extraction import read_sample
from harness.graders import grade
from harness.model import Message, SampleId, Transcript
from harness.prompting import render
from harness.scenarios import load_scenario
from harness.store.encoding import decode, encode
from harness.targets import Binding, ModelReply, ModelRequest, OwnWork

CONTRACT = load_contract("workflow-selection-2.7")
SCENARIO = load_scenario(PROJECT, "incident/oom-behind-latency")
ORACLE = recorded(SCENARIO)
ALL = OwnWork(ORACLE.messages[:-1], ORACLE.tools, ORACLE.turns)
NOTHING = OwnWork(shows_tools=False, gaps={"prompt": "the API does not show its prompt"})


class Agent:
    """Answers at once with an investigation of its own."""

    name = "agent:double"
    settings: Mapping[str, Any] = {"kind": "agent"}

    def __init__(self, work: OwnWork, last: Message = ORACLE.messages[-1]) -> None:
        self.work, self.last = work, last
        self.asked: list[tuple[ModelRequest, Binding]] = []

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:
        self.asked.append((request, binding))
        return ModelReply(self.last, "stop", work=self.work)

    async def close(self) -> None:
        pass


def investigated(work: OwnWork, last: Message = ORACLE.messages[-1]) -> Transcript:
    """Return the transcript of one trial with an agent, as a run keeps it and reads it back."""
    sample = SampleId(SCENARIO.id, CONTRACT.id, "agent:double", 1)
    trial = Trial(sample, SCENARIO, CONTRACT, render(SCENARIO, CONTRACT), 1, {"prompt": "abc"})
    made = asyncio.run(converse(Agent(work, last), trial))
    blobs: dict[str, str] = {}

    def keep(text: str) -> str:
        blobs[str(len(blobs))] = text
        return str(len(blobs) - 1)

    read = decode(encode(made, keep), blobs)
    assert read == made
    return read


def outcomes(transcript: Transcript) -> dict[str, str]:
    """Return the outcome of every clause."""
    scores = grade(read_sample(transcript, CONTRACT, SCENARIO))
    return {grader.clause: score.outcome for grader, score in scores}


def test_an_agent_that_shows_everything_is_judged_as_a_model_is() -> None:
    transcript = investigated(ALL)
    assert transcript.messages == ORACLE.messages
    assert outcomes(transcript) == outcomes(ORACLE)


def test_what_an_agent_does_not_show_is_unscored() -> None:
    found = outcomes(investigated(NOTHING))
    assert found["CAR-3"] == "pass"
    assert {found[each] for each in ("PAS-1", "QRY-3", "SEL-1")} == {"unscored"}


def test_an_answer_behind_a_hidden_prompt_is_held_to_every_rule() -> None:
    hidden = Transcript(ORACLE.id, (ORACLE.messages[-1],), shows_tools=False, gaps=NOTHING.gaps)
    assert read_sample(hidden, CONTRACT, SCENARIO).anchored == frozenset(CONTRACT.clauses)


def test_an_agent_that_stops_while_calling_tools_is_unscored() -> None:
    asked = next(each for each in ORACLE.messages if each.tool_calls)
    before = ORACLE.messages[: ORACLE.messages.index(asked)]
    transcript = investigated(OwnWork(before, ORACLE.tools), asked)
    assert transcript.final is None
    assert transcript.messages[-1] == asked
    assert outcomes(transcript)["CAR-1"] == "unscored"

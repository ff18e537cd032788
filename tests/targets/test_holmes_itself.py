"""HolmesGPT itself, in its own interpreter, on mocks behind HTTP: whole conversations in both modes."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT, recorded

from harness.contracts import DEFAULT_BY_FLOW, load_contract
from harness.conversation import Trial, converse, tools_for
from harness.extraction import read_sample
from harness.graders import grade
from harness.model import Message, SampleId, ToolCall, Transcript
from harness.prompting import render
from harness.scenarios import load_scenario
from harness.serving.injecting import read_injection
from harness.serving.mcp import serve_binding
from harness.serving.openai import bindings_for, serve
from harness.targets import Binding, ModelReply, ModelRequest, Target, TargetOptions, open_target
from harness.targets.holmes_options import HolmesOptions, Mode
from tests.parts import Talked

PYTHON = Path(sys.prefix) / "holmes" / "bin" / "python"
INCIDENT = "incident/oom-behind-latency"
RECOVERY = "recovery/scale-out-failed"
MODES: tuple[Mode, ...] = ("mcp", "toolset")
PINNED = "0.45.0"

pytestmark = [
    pytest.mark.part("holmes"),
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON.exists(), reason="HolmesGPT is not installed"),
]


@dataclass(frozen=True)
class Held:
    """One conversation: its transcript, and the lines that the model's server logged."""

    transcript: Transcript
    log: tuple[str, ...]

    @property
    def calls(self) -> list[tuple[str, str]]:
        return [
            (each.name, each.arguments) for message in self.transcript.messages for each in message.tool_calls
        ]

    def outcomes(self, outcome: str) -> set[str]:
        sample = self.transcript.id
        contract, scenario = load_contract(sample.contract), load_scenario(PROJECT, sample.scenario)
        scores = grade(read_sample(self.transcript, contract, scenario))
        return {each.clause for each, score in scores if score.outcome == outcome}


def held(
    scenario_id: str,
    mode: Mode,
    *faults: str,
    talked: Talked,
    max_steps: int = 30,
    only: str = PINNED,
    model: Target | None = None,
) -> Held:
    """Return what HolmesGPT makes of a scenario with the oracle, or another, as its model."""
    scenario = load_scenario(PROJECT, scenario_id)
    contract = load_contract(DEFAULT_BY_FLOW[scenario.flow])
    own = HolmesOptions(str(PYTHON), mode, max_steps, workers=1, version=only)
    log: list[str] = []

    async def scene() -> Transcript:
        served = model or open_target("mock:oracle", TargetOptions())
        bindings, injected = bindings_for([scenario], [contract]), [read_injection(each) for each in faults]
        async with serve(served, bindings, log=log.append, faults=injected) as server:
            options = TargetOptions(
                api_base=server.url, tool_server=serve_binding, name="holmes", holmes=own, timeout=100.0
            )
            target = open_target("holmes:openai/oracle", options)
            sample = SampleId(scenario.id, contract.id, target.name, 1)
            trial = Trial(sample, scenario, contract, render(scenario, contract), 1, {})
            try:
                return await converse(target, trial)
            finally:
                await target.close()

    found = Held(asyncio.run(scene()), tuple(each for each in log if "/chat/completions" in each))
    for package, release in versions().items():
        talked(package, release, len(found.log))
    return found


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Return the releases that talk in that interpreter."""
    asked = "import json, importlib.metadata as m; print(json.dumps([m.version(n) for n in {}]))"
    names = ("holmesgpt", "litellm", "mcp")
    told = subprocess.run([PYTHON, "-I", "-c", asked.format(names)], capture_output=True, check=True)
    return dict(zip(("HolmesGPT", "its litellm", "its MCP client"), json.loads(told.stdout), strict=True))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scenario_id", [INCIDENT, RECOVERY])
def test_a_whole_investigation_is_the_one_that_the_model_makes_without_holmes(
    scenario_id: str, mode: Mode, talked: Talked
) -> None:
    found, direct = held(scenario_id, mode, talked=talked), recorded(load_scenario(PROJECT, scenario_id))
    assert found.transcript.failure is None
    # It makes the calls of one turn at a time, and takes results as they come.
    assert in_order_of_calls(found.transcript) == in_order_of_calls(direct)
    assert not found.transcript.gaps
    assert len(found.log) == len(found.transcript.turns) == len(direct.turns)
    assert [each.sent for each in found.transcript.turns] == [each.sent for each in direct.turns]
    # The oracle keeps to the tools as they were given, and HolmesGPT declared them otherwise.
    assert found.outcomes("fail") <= {"QRY-7"}


@pytest.mark.parametrize("mode", MODES)
def test_with_schemas_that_are_not_made_strict_the_oracle_breaks_nothing(
    mode: Mode, talked: Talked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOLMES_DISABLE_STRICT_TOOL_CALLS", "true")
    assert not held(INCIDENT, mode, talked=talked).outcomes("fail")


@pytest.mark.parametrize("mode", MODES)
def test_the_tools_are_kept_as_holmes_declared_them(mode: Mode, talked: Talked) -> None:
    found = held(INCIDENT, mode, talked=talked).transcript
    given = {each.name: each for each in tools_for(load_contract(found.id.contract))}
    assert {each.name for each in found.tools} == set(given)
    assert {each.description for each in found.tools} == {each.description for each in given.values()}
    (events,) = (each for each in found.tools if each.name == "kubectl_events")
    assert given["kubectl_events"].parameters["required"] == []
    assert sorted(events.parameters["required"]) == ["for", "namespace"]
    assert {"type": "null"} in events.parameters["properties"]["for"]["anyOf"]


def in_order_of_calls(transcript: Transcript) -> list[Message]:
    numbers: dict[str | None, int] = {}
    turn = 0
    for message in transcript.messages:
        turn += message.role == "assistant"
        numbers |= {each.id: turn for each in message.tool_calls}
    return sorted(
        transcript.messages,
        key=lambda each: (
            (numbers[each.tool_call_id], each.tool_call_id or "") if each.role == "tool" else (0, each.role)
        ),
    )


class Stubborn:
    """A model that calls tools for ever, whether it is offered any or not."""

    name = "stubborn:double"
    settings: Mapping[str, Any] = {}

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:  # noqa: ARG002
        at = len(request.messages)
        call = ToolCall(f"call_{at}", "kubectl_get", json.dumps({"kind": "pods", "name": f"pod-{at}"}))
        return ModelReply(Message("assistant", tool_calls=(call,)), "tool_calls")

    async def close(self) -> None:
        pass


def test_the_last_step_has_no_tools_so_that_a_loop_ends_in_an_answer(talked: Talked) -> None:
    found = held(INCIDENT, "mcp", "endless-loop", talked=talked, max_steps=4)
    assert len(found.log) == len(found.transcript.turns) == 4
    assert found.transcript.turns[-1].finish_reason == "stop"
    assert found.transcript.final
    assert "QRY-8" in found.outcomes("fail")


@pytest.mark.parametrize("mode", MODES)
def test_a_loop_ends_with_the_steps_and_all_of_it_is_kept(mode: Mode, talked: Talked) -> None:
    found = held(INCIDENT, mode, talked=talked, max_steps=4, model=Stubborn())
    assert found.transcript.failure is None
    assert len(found.log) == len(found.transcript.turns) == 4
    assert found.transcript.turns[-1].finish_reason == "max_steps"
    assert found.transcript.final is None
    assert "CAR-1" in found.outcomes("fail")


@pytest.mark.parametrize("mode", MODES)
def test_an_error_in_the_middle_leaves_unscored_what_is_kept(mode: Mode, talked: Talked) -> None:
    failing = [f"server-error:nth={each}" for each in range(2, 12)]
    found = held(INCIDENT, mode, *failing, talked=talked)
    assert found.transcript.failure
    assert found.transcript.failure.cause == "server_error"
    assert len(found.transcript.turns) == 1
    assert [each.role for each in found.transcript.messages[:2]] == ["user", "assistant"]
    assert {each.role for each in found.transcript.messages[2:]} == {"tool"}
    assert not found.outcomes("pass") | found.outcomes("fail")
    # It made its own attempts, and was not asked again.
    assert 1 < len(found.log) < 8


def test_an_error_that_passes_is_not_noticed(talked: Talked) -> None:
    found = held(INCIDENT, "mcp", "server-error:nth=2", talked=talked)
    assert found.transcript.failure is None
    assert len(found.log) == len(found.transcript.turns) + 1


def test_arguments_are_those_that_the_model_wrote(talked: Talked) -> None:
    found = held(INCIDENT, "mcp", "malformed-arguments:nth=1", talked=talked)
    broken = [arguments for _, arguments in found.calls if not is_json(arguments)]
    assert len(broken) == 1
    assert "QRY-7" in found.outcomes("fail")


def is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_a_release_that_was_not_meant_is_refused(talked: Talked) -> None:
    found = held(INCIDENT, "mcp", talked=talked, only="0.16.3").transcript
    assert found.failure
    assert f"has HolmesGPT '{PINNED}', and targets.yaml says '0.16.3'" in found.failure.detail

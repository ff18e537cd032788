"""What a probe says of targets that obey, ignore, refuse or cannot be asked."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
from commanding import SUITE, harness

from harness.contracts import load_contract
from harness.conversation import tools_for
from harness.errors import TargetUnavailable
from harness.model import Message, ToolCall, Usage
from harness.targets import Binding, ModelReply, ModelRequest
from harness.targets.probing import REQUESTS, Probed, probe
from tests.doubles import small_scenario

CONTRACT = load_contract("workflow-selection-2.7")
BINDING = Binding(small_scenario(), CONTRACT)


class Model:
    """Obeys everything but what it is told to ignore, and refuses requests with certain fields."""

    name = "double:model"

    def __init__(
        self, *ignores: str, refuses: str = "", cause: str = "bad_request", seed: bool = True
    ) -> None:
        self.requests: list[ModelRequest] = []
        self._ignores, self._refuses, self._cause, self._seed = ignores, refuses, cause, seed

    @property
    def settings(self) -> Mapping[str, Any]:
        return {}

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:  # noqa: ARG002 - the protocol
        self.requests.append(request)
        if self._refuses and (self._refuses in request.also or self._refuses == "everything"):
            raise TargetUnavailable(self._cause, f"no {self._refuses}")
        seed = request.seed if self._seed else None
        return ModelReply(self._message(request), "stop", Usage(100, 10, 0.001), seed=seed)

    def _message(self, request: ModelRequest) -> Message:
        asked = {name: value for name, value in request.also.items() if name not in self._ignores}
        text = request.messages[0].content or ""
        if "response_format" in asked:
            return Message("assistant", '{"word": "K7Q"}')
        if request.messages[-1].role == "tool":
            return Message("assistant", "there are none")
        wants = "tool" in text or asked.get("tool_choice") == "required"
        if not request.tools or not wants or asked.get("tool_choice") == "none" or "tools" in self._ignores:
            return Message(
                "assistant", f"{request.seed if 'seed' not in self._ignores else len(self.requests)}"
            )
        word = "K7Q" if "strict" not in self._ignores else "hello"
        several = "three" in text and asked.get("parallel_tool_calls", True)
        calls = (ToolCall(f"c{each}", request.tools[0].name, json.dumps({"word": word})) for each in range(3))
        return Message("assistant", None, tuple(calls)[: 3 if several else 1])

    async def close(self) -> None:
        pass


def probed(model: Model) -> Probed:
    return asyncio.run(probe(model, BINDING, tools_for(CONTRACT)))


def outcomes(model: Model) -> dict[str, str]:
    return {each.feature: each.outcome for each in probed(model).findings}


ALL = dict.fromkeys(
    (
        "tools",
        "tool results",
        "tool_choice",
        "response_format",
        "strict",
        "seed",
        "parallel calls",
        "parallel_tool_calls",
    ),
    "yes",
)


def test_a_target_that_obeys_supports_everything() -> None:
    found = probed(model := Model())

    assert {each.feature: each.outcome for each in found.findings} == ALL
    assert found.requests == len(model.requests) == REQUESTS
    assert (found.usage.prompt_tokens, found.usage.completion_tokens) == (1100, 110)
    assert found.usage.cost == pytest.approx(0.011)


@pytest.mark.parametrize(
    "feature", ["tool_choice", "response_format", "strict", "seed", "parallel_tool_calls"]
)
def test_what_is_ignored_is_found_by_its_reply(feature: str) -> None:
    assert outcomes(Model(feature)) == {**ALL, feature: "ignored"}


def test_a_target_without_tools_is_said_to_have_none() -> None:
    found = outcomes(Model("tools"))

    assert (found["tools"], found["tool results"], found["strict"]) == ("ignored", "no", "no")
    assert (found["parallel calls"], found["parallel_tool_calls"]) == ("no", "no")


def test_a_seed_that_is_not_sent_is_not_supported() -> None:
    assert outcomes(Model(seed=False))["seed"] == "no"


@pytest.mark.parametrize("feature", ["tool_choice", "response_format", "parallel_tool_calls"])
def test_a_refusal_is_told_with_its_cause_and_ends_nothing(feature: str) -> None:
    found = {each.feature: each for each in probed(Model(refuses=feature)).findings}

    assert {name: each.outcome for name, each in found.items()} == {**ALL, feature: "refused"}
    assert found[feature].detail == f"bad_request: no {feature}"


def test_a_target_that_cannot_be_asked_ends_the_probe() -> None:
    with pytest.raises(TargetUnavailable, match="bad_key"):
        probed(Model(refuses="everything", cause="bad_key"))


def test_the_command_says_what_it_costs_and_prints_json() -> None:
    ending = harness("probe", "-t", "mock:oracle", "--json", *SUITE)

    (row,) = json.loads(ending.out)
    assert (ending.code, row["target"], row["requests"]) == (0, "mock:oracle", REQUESTS)
    assert ending.err.startswith(f"up to {REQUESTS} requests")
    assert {each["feature"]: each["outcome"] for each in row["features"]} == {
        **dict.fromkeys(("tool_choice", "response_format", "seed", "parallel_tool_calls"), "ignored"),
        **dict.fromkeys(("tools", "tool results", "parallel calls"), "yes"),
        "strict": "no",
    }


def test_people_get_a_row_for_each_feature() -> None:
    ending = harness("probe", "-t", "mock:oracle", *SUITE)

    assert sum("mock:oracle" in line for line in ending.out.splitlines()) == len(ALL)


def test_an_agent_that_investigates_by_itself_cannot_be_probed() -> None:
    ending = harness("probe", "-t", "http:http://127.0.0.1:9/api", *SUITE)

    assert (ending.code, "cannot be probed" in ending.err) == (2, True)

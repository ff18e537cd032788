"""A recorded run behind the served APIs: what was recorded, or a miss that says where it parts."""

import asyncio
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from commanding import SUITE, harness, run_of
from conftest import PROJECT

from harness.contracts import load_contract
from harness.conversation import tools_for
from harness.model import Transcript
from harness.scenarios import load_scenario
from harness.serving.openai import bindings_for, serve
from harness.store import open_run
from harness.targets import TargetOptions, open_target

SCENARIO = load_scenario(PROJECT, "incident/oom-behind-latency")
CONTRACT = load_contract("workflow-selection-2.7")
SPECS = tools_for(CONTRACT)


@pytest.fixture
def recorded(tmp_path: Path) -> tuple[Path, Transcript]:
    """Return a run of two trials, and the second."""
    folder = run_of(
        "run", "-t", "mock:forger", "-s", SCENARIO.id, "-c", CONTRACT.id, "-n", "2", "--out",
        str(tmp_path), *SUITE,
    )  # fmt: skip
    _, second = sorted(open_run(str(folder)).transcripts(), key=lambda each: each.id)
    return folder, second


def served(folder: Path, scene: Any) -> Any:
    async def played() -> Any:
        target = open_target(f"replay:{folder}", TargetOptions())
        async with serve(target, bindings_for([SCENARIO], [CONTRACT]), log=lambda _: None) as server:
            return await scene(server.url.removesuffix("/v1"))

    return asyncio.run(played())


def results(transcript: Transcript) -> dict[str, str]:
    found = (each for each in transcript.messages if each.tool_call_id)
    return {each.tool_call_id or "": each.content or "" for each in found}


def test_a_cassette_answers_anthropics_client(recorded: tuple[Path, Transcript]) -> None:
    folder, transcript = recorded
    returned = results(transcript)
    tools: Any = [
        {"name": each.name, "description": each.description, "input_schema": each.parameters}
        for each in SPECS
    ]

    async def scene(url: str) -> str:
        said: list[Any] = [{"role": "user", "content": transcript.messages[0].content}]
        async with anthropic.AsyncAnthropic(base_url=url, api_key="k", max_retries=0) as client:
            while True:
                found: Any = await client.messages.create(
                    model="any", max_tokens=9, messages=said, tools=tools, metadata={"user_id": "seed:2"}
                )
                said.append({"role": "assistant", "content": found.content})
                if found.stop_reason != "tool_use":
                    return found.content[0].text
                said.append(
                    {
                        "role": "user",
                        "content": [
                            {"type": "tool_result", "tool_use_id": each.id, "content": returned[each.id]}
                            for each in found.content
                            if each.type == "tool_use"
                        ],
                    }
                )

    assert transcript.final is not None
    assert served(folder, scene) == transcript.final.content


def test_a_cassette_answers_responses_by_id(recorded: tuple[Path, Transcript]) -> None:
    folder, transcript = recorded
    returned = results(transcript)
    tools: Any = [
        {
            "type": "function",
            "name": each.name,
            "description": each.description,
            "parameters": each.parameters,
            "strict": False,
        }
        for each in SPECS
    ]

    async def scene(url: str) -> str:
        said: Any = transcript.messages[0].content
        before: Any = openai.omit
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
            while True:
                # The prompt of a later request is an earlier one's: its digest binds all of them.
                found: Any = await client.responses.create(
                    model="any", input=said, tools=tools, metadata={"seed": "2"}, previous_response_id=before
                )
                calls = [each for each in found.output if each.type == "function_call"]
                if not calls:
                    return found.output_text
                before = found.id
                said = [
                    {
                        "type": "function_call_output",
                        "call_id": each.call_id,
                        "output": returned[each.call_id],
                    }
                    for each in calls
                ]

    assert transcript.final is not None
    assert served(folder, scene) == transcript.final.content


def test_what_was_never_recorded_is_a_miss(recorded: tuple[Path, Transcript]) -> None:
    folder, transcript = recorded
    prompt: Any = [{"role": "user", "content": transcript.messages[0].content}]

    async def scene(url: str) -> None:
        async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0) as client:
            await client.chat.completions.create(model="any", messages=prompt, seed=1)

    with pytest.raises(openai.NotFoundError, match="turn 1: the tools differ") as caught:
        served(folder, scene)
    assert caught.value.code == "replay_miss"


def test_only_mocks_and_cassettes_are_served() -> None:
    ending = harness("serve", "openai", "--model", "litellm:openai/gpt-4o", "--port", "0", *SUITE)

    assert (ending.code, "and replay:DIR" in ending.err) == (2, True)

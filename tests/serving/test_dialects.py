"""Bodies that OpenAI's responses and Anthropic's messages refuse, each in its own spelling."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import aiohttp
import pytest

from harness.contracts import load_contract
from harness.model import Message, ToolCall
from harness.prompting import render
from harness.serving.bodies import Asked
from harness.serving.memory import MOST, Memory
from harness.serving.openai import bindings_for, serve
from harness.targets import ModelRequest
from tests.doubles import Scripted, small_scenario

CONTRACT = load_contract("workflow-selection-2.7")
SCENARIO = small_scenario()
TEXT = render(SCENARIO, CONTRACT)[0].content or ""
SAID: Any = {"max_tokens": 9, "messages": [{"role": "user", "content": TEXT}]}
HALF = "half \ud83d of a character"


def post(
    path: str, body: Any, target: Scripted | None = None, headers: Mapping[str, str] | None = None
) -> tuple[int, str]:
    """Return status and text of the answer to a body; bytes go as they are."""
    payload = body if isinstance(body, bytes) else json.dumps(body).encode()

    async def scene() -> tuple[int, str]:
        spoken = target or Scripted(Message("assistant", "fine"))
        async with (
            serve(spoken, bindings_for([SCENARIO], [CONTRACT]), log=lambda _: None) as server,
            aiohttp.ClientSession(headers=headers) as session,
            session.post(server.url + path, data=payload) as response,
        ):
            return response.status, await response.text()

    return asyncio.run(scene())


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"[" * 100_000, "body: found no JSON object"),
        ({}, "input: "),
        ({"input": []}, "input: found no items"),
        ({"input": [{"type": "web_search_call", "id": "x"}]}, "input.list"),
        ({"input": [7]}, "input."),
        ({"input": TEXT, "tools": [{"type": "web_search"}]}, "tools.0.type: "),
        ({"input": TEXT, "metadata": {"seed": "first"}}, "metadata.seed: found 'first'"),
        ({"input": TEXT, "background": True}, "background: "),
        ({"input": [{"role": "user", "content": [{"type": "input_image"}]}]}, "input."),
    ],
)
def test_a_body_of_responses_is_refused_with_its_reason(body: Any, message: str) -> None:
    status, text = post("/responses", body)

    error = json.loads(text)["error"]
    assert (status, error["type"], error["code"]) == (400, "invalid_request_error", "invalid_request")
    assert error["message"].startswith(message)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "body: found no JSON object"),
        ({**SAID, "messages": []}, "messages: "),
        ({"messages": SAID["messages"]}, "max_tokens: "),
        ({**SAID, "metadata": {"user_id": "seed:"}}, "metadata.user_id: found ''"),
        ({**SAID, "messages": [{"role": "user", "content": [{"type": "image"}]}]}, "messages.0.content."),
        ({**SAID, "tools": [{"type": "bash_20250124", "name": "bash"}]}, "tools.0."),
    ],
)
def test_a_body_of_messages_is_refused_with_its_reason(body: Any, message: str) -> None:
    status, text = post("/messages", body)

    found = json.loads(text)
    assert (status, found["type"], found["error"]["type"]) == (400, "error", "invalid_request_error")
    assert found["error"]["message"].startswith(message)


def test_a_seed_in_a_header_is_a_number_or_refused() -> None:
    status, text = post("/messages", SAID, headers={"X-Seed": "1e3"})

    assert (status, json.loads(text)["error"]["message"][:18]) == (400, "X-Seed: found '1e3")


def test_an_unknown_prompt_is_not_found_in_anthropics_words() -> None:
    status, text = post("/messages", {**SAID, "messages": [{"role": "user", "content": "hi"}]})

    assert (status, json.loads(text)["error"]["type"]) == (404, "not_found_error")


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/chat/completions", {"messages": SAID["messages"]}),
        ("/responses", {"input": TEXT}),
        ("/messages", SAID),
    ],
)
def test_half_a_character_reaches_every_client_as_an_escape(path: str, body: Any, *, streamed: bool) -> None:
    call = ToolCall("c1", "look", json.dumps({"at": HALF}))
    said = Message("assistant", HALF, (call,), reasoning=HALF)

    status, text = post(path, {**body, "stream": streamed}, Scripted(said))

    assert (status, "\\ud83d" in text, text.startswith(("data: ", "event: "))) == (200, True, streamed)


def test_the_oldest_replies_are_forgotten() -> None:
    memory = Memory()
    asked = Asked(ModelRequest((Message("user", "hi"),), (), 1), frozenset())

    for number in range(MOST + 1):
        memory.keep("bound", asked, Message("assistant", str(number)), f"resp_{number}")

    assert (memory.recall("resp_0"), memory.recall("resp_1")) == (
        None,
        (Message("user", "hi"), Message("assistant", "1")),
    )


def test_what_was_said_is_known_again_only_in_its_own_trial() -> None:
    memory = Memory()
    spoken = Message("assistant", "", (ToolCall("c1", "look", '{"at":  1}'),), reasoning="why")
    asked = Asked(ModelRequest((Message("user", "hi"),), (), 1), frozenset())
    memory.keep("bound", asked, spoken, "resp_1")
    handed_back = Message("assistant", None, (ToolCall("c1", "look", '{"at": 1}'),))

    restored = [
        memory.restored(binding, ModelRequest((handed_back,), (), seed)).messages
        for binding, seed in (("bound", 1), ("bound", 2), ("other", 1))
    ]

    assert restored == [(spoken,), (handed_back,), (handed_back,)]

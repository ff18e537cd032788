"""What providers are really sent through litellm, over their own protocols, and what is kept of it."""

import asyncio
import json
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from harness.contracts import load_contract
from harness.contracts.schemas import response_schema
from harness.conversation import tools_for
from harness.model import Message, SampleId, Transcript, digest
from harness.model.transcript import Turn
from harness.scenarios.load import CHECKOUT
from harness.store.encoding import decode, encode
from harness.targets import Binding, ModelReply, ModelRequest, TargetOptions
from harness.targets.direct import open_direct
from harness.targets.litellm import open_litellm
from harness.targets.retrying import RetryPolicy
from tests.doubles import small_scenario
from tests.parts import Talked
from tests.providers.fakes import ANSWER, ARGUMENTS, CALLED, PROVIDERS, Arrived, Provider, providers

CONTRACT = load_contract("workflow-selection-2.7")
BINDING = Binding(small_scenario(), CONTRACT)
TOOLS = tools_for(CONTRACT)
PROMPT = (Message("system", "You are careful."), Message("user", "What is wrong?"))
SEED = 300_002
PAGE = CHECKOUT / "docs" / "providers.md"

pytestmark = [
    pytest.mark.part("providers"),
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


@dataclass(frozen=True)
class Talk:
    """Two turns: a call, its result, the answer, which is asked for once more under its schema."""

    called: ModelReply
    answered: ModelReply
    arrived: list[Arrived]

    def bodies(self, provider: Provider) -> list[dict[str, Any]]:
        return [each.body for each in self.arrived if each.path == provider.route]


def talk(provider: Provider) -> Talk:
    async def scene(url: str) -> tuple[ModelReply, ModelReply]:
        options = TargetOptions(
            api_base=url + provider.base, api_key="k", max_tokens=500, response_format="json-schema"
        )
        target = open_litellm(provider.model, options, retry=RetryPolicy(attempts=1))
        try:
            first = await target.reply(ModelRequest(PROMPT, TOOLS, SEED), BINDING)
            result = Message("tool", "no hits", tool_call_id=first.message.tool_calls[0].id)
            said = (*PROMPT, first.message, result)
            return first, await target.reply(ModelRequest(said, TOOLS, SEED), BINDING)
        finally:
            await target.close()

    with providers() as (url, arrived):
        return Talk(*asyncio.run(scene(url)), arrived)


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda each: each.model)
def test_two_turns_are_what_the_page_says(provider: Provider, talked: Talked) -> None:
    spoken = talk(provider)
    bodies = spoken.bodies(provider)
    talked(f"{provider.model} at {provider.route}, litellm", version("litellm"), len(spoken.arrived))

    (call,) = spoken.called.message.tool_calls
    assert (call.name, json.loads(call.arguments)) == (CALLED, ARGUMENTS)
    assert spoken.answered.message.content == ANSWER
    assert len(bodies) == 3
    assert "no hits" in json.dumps(bodies[1])
    assert [spoken.called.wire, spoken.answered.wire] == [digest(bodies[0]), digest(bodies[2])]
    assert (spoken.called.seed is None) == ("seed" not in json.dumps(bodies[0]))
    assert _row(provider, bodies) in PAGE.read_text(encoding="utf-8")


def _row(provider: Provider, bodies: list[dict[str, Any]]) -> str:
    """Return the line of the page that says what became of the requests."""
    first, last = bodies[0], bodies[2]
    tools = (
        "unchanged" if "additionalProperties" in json.dumps(first["tools"]) else "`additionalProperties` lost"
    )
    cells = (provider.model, provider.route, tools, _format(last), _choice(last), _seed(first))
    return "| " + " | ".join((f"`{cells[0]}`", f"`{cells[1]}`", *cells[2:])) + " |"


def _format(body: dict[str, Any]) -> str:
    """Return what the response_format became, and whether the schema is whole."""
    inner = body.get("generationConfig", {})
    found = {
        "`response_format`": body.get("response_format", {}).get("json_schema", {}).get("schema"),
        "`output_format`": body.get("output_format", {}).get("schema"),
        "`response_json_schema`": inner.get("response_json_schema"),
        "`format`": body.get("format"),
    }
    sent = response_schema(CONTRACT, "json-schema", BINDING.scenario.catalog).schema
    for name, schema in found.items():
        if schema:
            return name + ("" if schema == sent else ", limits moved into descriptions")
    names = [each.get("name") for each in body["tools"]]
    return "a tool `json_tool_call`" if "json_tool_call" in names else "lost"


def _choice(body: dict[str, Any]) -> str:
    gemini = body.get("toolConfig", {}).get("functionCallingConfig")
    found = gemini or body.get("tool_choice")
    return f"`{json.dumps(found)}`" if found else "lost"


def _seed(body: dict[str, Any]) -> str:
    for name, where in (("seed", body), ("generationConfig.seed", body.get("generationConfig", {})),
                        ("options.seed", body.get("options", {}))):  # fmt: skip
        if where.get("seed") == SEED:
            return f"`{name}`"
    return "not sent"


def test_every_provider_has_its_row_and_no_other_is_there() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]

    assert [row.split("`")[1] for row in rows] == [each.model for each in PROVIDERS]


def test_the_direct_target_keeps_the_digest_of_what_it_sent(talked: Talked) -> None:
    async def scene(url: str) -> ModelReply:
        target = open_direct(f"{url}/v1?model=local", TargetOptions())
        try:
            return await target.reply(ModelRequest(PROMPT, TOOLS, SEED), BINDING)
        finally:
            await target.close()

    with providers() as (url, arrived):
        reply = asyncio.run(scene(url))

    talked("openai: at /v1/chat/completions", "direct", 1)
    assert reply.wire == digest(arrived[0].body)


def test_ollama_is_asked_for_its_model_beside_the_conversation() -> None:
    (ollama,) = (each for each in PROVIDERS if each.name == "ollama_chat")

    paths = {each.path for each in talk(ollama).arrived}

    assert paths == {"/api/chat", "/api/show"}
    assert "`POST /api/show`" in PAGE.read_text(encoding="utf-8")


def test_a_digest_of_the_wire_is_stored_where_there_is_one_and_old_lines_are_read() -> None:
    turns = (Turn(1, 7, "stop", wire="0123456789abcdef"), Turn(2, 7, "stop"))
    transcript = Transcript(SampleId("a", "b", "c", 1), PROMPT, TOOLS, turns)
    blobs: dict[str, str] = {}

    def keep(text: str) -> str:
        return blobs.setdefault(digest(text), text) and digest(text)

    line = encode(transcript, keep)

    assert ["wire" in each for each in line["turns"]] == [True, False]
    assert decode(line, blobs) == transcript


def test_the_page_is_where_the_readme_of_targets_points() -> None:
    assert "providers.md" in Path(CHECKOUT / "docs" / "how-to" / "targets.md").read_text(encoding="utf-8")

"""A scenario's tools over MCP: the same words as in a run, over HTTP and over standard input and output."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT, recorded
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent

from harness.cluster import EVIDENCE_TOOLS
from harness.contracts import CONTRACTS, load_contract
from harness.conversation import tools_for
from harness.errors import InvalidInput
from harness.scenarios import load_scenario
from harness.serving.mcp import Called, offers_for, serve_http
from tests.commanding import SUITE, harness
from tests.doubles import small_scenario

INCIDENT = "incident/oom-behind-latency"
SEARCH = {"query": "OOMKilled critical", "label.signal-type": "OOMKilled", "label.severity": "critical"}

Asked = Callable[[Client], Awaitable[Any]]


def over_http(
    asked: Asked, path: str = "/mcp", scenario_ids: tuple[str, ...] = (INCIDENT,)
) -> tuple[Any, list[Called]]:
    """Return what a client got over streamable HTTP, and the calls that the server saw."""
    calls: list[Called] = []
    scenarios = [load_scenario(PROJECT, each) for each in scenario_ids]

    async def scene() -> Any:
        async with (
            serve_http(scenarios, CONTRACTS, calls.append, host="127.0.0.1") as url,
            Client(url + path) as client,
        ):
            return await asked(client)

    return asyncio.run(scene()), calls


def over_stdio(asked: Asked, *options: str) -> Any:
    """Return what a client got from `harness serve mcp` as a process of its own."""
    command = ["-m", "harness", "serve", "mcp", "--scenario", INCIDENT, *SUITE, *options]

    async def scene() -> Any:
        async with Client(
            stdio_client(StdioServerParameters(command=sys.executable, args=command))
        ) as client:
            return await asked(client)

    return asyncio.run(scene())


def call(name: str, arguments: dict[str, Any]) -> Asked:
    """Return what calls one tool."""

    async def asked(client: Client) -> CallToolResult:
        return await client.call_tool(name, arguments)

    return asked


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert result.structured_content is None
    return content.text


async def listed(client: Client) -> list[Any]:
    return (await client.list_tools()).tools


def test_the_cluster_and_both_catalogs_are_listed_as_read_only() -> None:
    tools, _ = over_http(listed)
    assert [each.name for each in tools] == [
        *(each.name for each in EVIDENCE_TOOLS), "search_workflow_catalog", "search_playbook_catalog",
    ]  # fmt: skip
    assert all(each.annotations.read_only_hint for each in tools)


@pytest.mark.parametrize("contract", ["workflow-selection-2.7", "playbook-selection-2.0"])
def test_a_tool_is_declared_word_for_word_as_in_a_run(contract: str) -> None:
    tools, _ = over_http(listed)
    declared = {each.name: (each.description, each.input_schema) for each in tools}
    for spec in tools_for(load_contract(contract)):
        assert declared[spec.name] == (spec.description, spec.parameters)


def test_every_call_of_a_recorded_run_gets_the_same_words() -> None:
    transcript = recorded(load_scenario(PROJECT, INCIDENT))
    asked = [each for message in transcript.messages for each in message.tool_calls]
    results = {each.tool_call_id: each.content for each in transcript.messages if each.role == "tool"}

    async def replayed(client: Client) -> list[str]:
        return [text_of(await client.call_tool(each.name, json.loads(each.arguments))) for each in asked]

    found, calls = over_http(replayed)
    assert asked
    assert found == [results[each.id] for each in asked]
    assert [each.arguments for each in calls] == [json.loads(each.arguments) for each in asked]
    assert not any(each.refused for each in calls)


def test_a_label_with_a_dot_and_a_dash_is_an_argument() -> None:
    result, _ = over_http(call("search_workflow_catalog", SEARCH))
    assert not result.is_error
    assert json.loads(text_of(result))["workflows"]


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("kubectl_delete", {"kind": "pods"}, "no tool named 'kubectl_delete'"),
        ("kubectl_get", {"kinds": "pods"}, "'kind' is a required property"),
        ("search_workflow_catalog", {**SEARCH, "max_results": "5"}, "max_results"),
        ("search_workflow_catalog", {**SEARCH, "label.nonsense": "x"}, "label.nonsense"),
    ],
)
def test_a_wrong_call_is_refused_in_our_own_words_and_logged_as_it_came(
    name: str, arguments: dict[str, Any], said: str
) -> None:
    result, (seen,) = over_http(call(name, arguments))
    assert result.is_error
    assert said in json.loads(text_of(result))["error"]
    assert (seen.tool, seen.arguments, seen.refused) == (name, arguments, True)


def test_several_scenarios_are_told_apart_by_their_digest() -> None:
    ids = (INCIDENT, "recovery/scale-out-failed")
    recovery = load_scenario(PROJECT, ids[1])
    tools, _ = over_http(listed, f"/s/{recovery.digest()}/mcp", ids)
    assert [each.name for each in tools][-1] == "search_workflow_catalog"
    with pytest.raises(BaseExceptionGroup) as caught:
        over_http(listed, "/s/0123456789abcdef/mcp", ids)
    assert caught.group_contains(MCPError, match="no scenario has the digest '0123456789abcdef'; GET /s")


def test_a_contract_of_another_flow_offers_nothing() -> None:
    with pytest.raises(InvalidInput, match="none of the contracts is for its flow, 'incident'"):
        offers_for(small_scenario(), [load_contract("workflow-recovery-1.0")])


def test_a_port_in_use_is_a_clear_error() -> None:
    async def scene() -> None:
        async with serve_http([small_scenario()], CONTRACTS, print, host="127.0.0.1") as url:
            port = int(url.rpartition(":")[2])
            async with serve_http([small_scenario()], CONTRACTS, print, host="127.0.0.1", port=port):
                pass

    with pytest.raises(BaseExceptionGroup) as caught:
        asyncio.run(scene())
    assert caught.group_contains(InvalidInput, match="cannot listen there .*; choose another --port")


@pytest.mark.slow
def test_standard_input_serves_one_scenario_and_its_log_keeps_raw_arguments(tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"
    result = over_stdio(call("search_workflow_catalog", SEARCH), "--log", str(log))
    assert json.loads(text_of(result))["workflows"]
    line = json.loads(log.read_text(encoding="utf-8"))
    assert (line["scenario"], line["tool"], line["arguments"]) == (
        INCIDENT,
        "search_workflow_catalog",
        SEARCH,
    )
    assert line["refused"] is False


def test_standard_input_without_a_scenario_is_a_usage_error() -> None:
    ending = harness("serve", "mcp", *SUITE)
    assert ending.code == 2
    assert "standard input serves one scenario; name it" in ending.err


def test_a_log_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    ending = harness("serve", "mcp", "--scenario", INCIDENT, "--log", str(tmp_path), *SUITE)
    assert ending.code == 2
    assert "cannot be written" in ending.err

"""MCP Inspector, a client of another maker, lists and calls our tools over each transport."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT

from harness.cluster import EVIDENCE_TOOLS
from harness.contracts import CONTRACTS
from harness.scenarios import load_scenario
from harness.serving.mcp import Called, serve_http
from tests.commanding import SUITE
from tests.parts import Talked

NODE = Path(sys.prefix) / "node" / "node_modules"
INSPECTOR = NODE / "@modelcontextprotocol" / "inspector" / "package.json"
INCIDENT = "incident/oom-behind-latency"
STDIO = (sys.executable, "-m", "harness", "serve", "mcp", "--scenario", INCIDENT, *SUITE)
CALL = (
    "--method", "tools/call", "--tool-name", "search_workflow_catalog",
    "--tool-arg", "query=OOMKilled critical", "--tool-arg", "label.signal-type=OOMKilled",
    "--tool-arg", "label.severity=critical",
)  # fmt: skip

pytestmark = [
    pytest.mark.part("mcp"),
    pytest.mark.slow,
    pytest.mark.skipif(not INSPECTOR.exists(), reason="MCP Inspector is not installed"),
]


def inspect(server: Sequence[str], *asked: str, talked: Talked) -> tuple[int, Any]:
    """Return how Inspector's command line ended, and the JSON that it printed."""
    talked("MCP Inspector", json.loads(INSPECTOR.read_text(encoding="utf-8"))["version"], 1)
    done = subprocess.run(
        [NODE / "node" / "bin" / "node", NODE / ".bin" / "mcp-inspector", "--cli", *server, *asked],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    printed = done.stdout
    return done.returncode, json.loads(printed) if printed.startswith("{") else printed + done.stderr


def inspect_http(*asked: str, talked: Talked) -> tuple[tuple[int, Any], list[Called]]:
    """Return the same of a server over HTTP, and the calls that it saw."""
    calls: list[Called] = []

    async def scene() -> tuple[int, Any]:
        scenario = load_scenario(PROJECT, INCIDENT)
        async with serve_http([scenario], CONTRACTS, calls.append, host="127.0.0.1") as url:
            server = (f"{url}/mcp", "--transport", "http")
            return await asyncio.to_thread(inspect, server, *asked, talked=talked)

    return asyncio.run(scene()), calls


def test_the_tools_are_listed_and_pass_the_strict_lint(talked: Talked) -> None:
    code, listed = inspect(STDIO, "--method", "tools/list", "--strict", talked=talked)
    assert code == 0, listed
    names = [each["name"] for each in listed["tools"]]
    assert names == [
        *(each.name for each in EVIDENCE_TOOLS), "search_workflow_catalog", "search_playbook_catalog",
    ]  # fmt: skip


def test_a_search_over_standard_input_finds_workflows(talked: Talked) -> None:
    code, result = inspect(STDIO, *CALL, talked=talked)
    assert code == 0, result
    assert json.loads(result["content"][0]["text"])["workflows"]


def test_a_search_over_http_finds_workflows(talked: Talked) -> None:
    (code, result), (call,) = inspect_http(*CALL, talked=talked)
    assert code == 0, result
    assert json.loads(result["content"][0]["text"])["workflows"]
    assert call.arguments["label.signal-type"] == "OOMKilled"


def test_a_wrong_call_over_http_is_an_error_of_the_tool(talked: Talked) -> None:
    asked = ("--method", "tools/call", "--tool-name", "kubectl_get", "--tool-arg", "kinds=pods")
    (code, result), (call,) = inspect_http(*asked, talked=talked)
    assert code == 5, result
    assert call.refused

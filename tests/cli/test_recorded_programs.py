"""A run may come from somebody else: a program that it names is started only where somebody vouches."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from calling import INCIDENT, SUITE, Ended, call, made_run

YAML = """\
agent:
  kind: holmes
  model: openai/x
  holmes: {{python: {python}}}
"""


def resumed(capsys: pytest.CaptureFixture[str], out: Path, python: str) -> Ended:
    """Resume an interrupted run of somebody's agent, started by this program."""
    run = made_run(capsys, out, "-s", INCIDENT)
    info = json.loads((run / "run.json").read_text("utf-8"))
    own: dict[str, Any] = {"python": python}
    info["targets"] = {"agent": {"kind": "holmes", "model": "openai/x", "holmes": own}}
    (run / "run.json").write_text(json.dumps({**info, "status": "interrupted"}), encoding="utf-8")
    (run / "transcripts.jsonl").write_text("", encoding="utf-8")
    return call(capsys, "run", "--resume", str(run), "--dry-run", *SUITE)


def test_a_recorded_program_is_not_started_unless_targets_yaml_names_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = resumed(capsys, tmp_path, "/bin/somebodys")
    assert ended.code == 2
    assert "the run would start '/bin/somebodys', and nothing here says so" in ended.err


def test_doctor_says_which_interpreter_is_not_there(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "targets.yaml").write_text(YAML.format(python="nowhere/python"))
    assert (
        "target agent (holmes:openai/x): lacks nowhere/python" in call(capsys, "doctor", "--project", ".").out
    )
    (tmp_path / "targets.yaml").write_text(YAML.format(python=sys.executable))
    assert "target agent (holmes:openai/x): ready" in call(capsys, "doctor", "--project", ".").out

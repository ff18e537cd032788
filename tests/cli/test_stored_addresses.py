"""A run may come from somebody else: its addresses and keys are used only where somebody vouches."""

import json
from pathlib import Path
from typing import Any

import pytest
from calling import INCIDENT, SUITE, Ended, call, made_run

ELSEWHERE = "https://models.example/v1"


def stored(capsys: pytest.CaptureFixture[str], out: Path, settings: dict[str, Any]) -> Path:
    """Return an interrupted run whose only target is another one, as whoever sends it might have written."""
    run = made_run(capsys, out, "-s", INCIDENT)
    info = json.loads((run / "run.json").read_text("utf-8"))
    info["targets"] = {"far": {"kind": "litellm", "model": "openai/x", **settings}}
    (run / "run.json").write_text(json.dumps({**info, "status": "interrupted"}), encoding="utf-8")
    (run / "transcripts.jsonl").write_text("", encoding="utf-8")
    return run


def resumed(capsys: pytest.CaptureFixture[str], run: Path, *more: str) -> Ended:
    return call(capsys, "run", "--resume", str(run), "--dry-run", *SUITE, *more)


@pytest.mark.parametrize(
    "settings",
    [
        {"api_base": ELSEWHERE},
        {"api_base": ELSEWHERE, "api_key_env": "SOME_KEY"},
        {"api_base": "http://127.0.0.1:9/v1", "api_key_env": "SOME_KEY"},
        {"api_key_env": "SOME_KEY"},
    ],
)
def test_a_key_goes_nowhere_that_nobody_names_today(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    settings: dict[str, Any],
) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-canary")

    ended = resumed(capsys, stored(capsys, tmp_path, settings))

    assert ended.code == 2
    assert "and nothing here says so" in ended.err
    assert "sk-canary" not in ended.err


@pytest.mark.parametrize(
    "settings", [{}, {"api_base": "http://127.0.0.1:9/v1"}, {"api_base": "http://localhost/v1"}]
)
def test_an_address_of_this_machine_needs_nobody_to_vouch(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, settings: dict[str, Any]
) -> None:
    assert resumed(capsys, stored(capsys, tmp_path, settings)).code == 0


def test_whoever_repeats_the_address_vouches_for_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = stored(capsys, tmp_path, {"api_base": ELSEWHERE})

    assert resumed(capsys, run, "--api-base", ELSEWHERE).code == 0
    assert resumed(capsys, run, "--api-base", "https://other.example/v1").code == 2

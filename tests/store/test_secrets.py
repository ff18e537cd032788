"""Keys: found wherever a recording could hold them, named by place, never shown."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from commanding import SUITE, harness, run_of
from conftest import recorded

from harness.errors import InvalidRun
from harness.model import Failure, Message, Scenario, ToolCall, Transcript
from harness.store import Run, RunInfo, create_run
from harness.store.secrets import secret_in

KEYS = {
    "sk-abcdefghijklmnop": "an API key (sk-...)",
    "sk-proj-A1_b2-C3d4E5": "an API key (sk-...)",
    "Bearer abc123def456ghi7": "a bearer token",
    "authorization: bearer eyJhbGciOi.J9": "a bearer token",
    "AUTHORIZATION: BEARER ABC123DEF456GHI7": "a bearer token",
    "AKIA" + "IOSFODNN7EXAMPLE": "an AWS access key",
    "ASIA" + "IOSFODNN7EXAMPLE": "an AWS access key",
    "aws_secret_access_key = " + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": "an AWS secret key",
    "AWS_SECRET_ACCESS_KEY=" + "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": "an AWS secret key",
    # Letters that are the same in another case only.
    "aws_\u017fecretacce\u017f\u017f\u212aey: wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": "an AWS secret key",
    "-----BEGIN PRIVATE KEY-----": "a private key",
    "-----BEGIN OPENSSH PRIVATE KEY-----": "a private key",
    "-----BEGIN RSA PRIVATE KEY-----": "a private key",
}
PLAIN = [
    "disk-pressure-on-node-seven", "risk-tolerance: low and so on", "task-runner-0123456789", "sk-SK",
    "the bearer of this message is trustworthy", "Bearer ***", "sk-***", "-----BEGIN CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----", "AKIA is a prefix", "sha256:0123456789abcdef0123456789abcdef01234567",
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind"), KEYS.items())
@pytest.mark.parametrize("around", ["{}", "it says\n{}\n", '{{"key": "{}"}}', "x={},"])
def test_what_looks_like_a_key_is_named(text: str, kind: str, around: str) -> None:
    said = around.format(text)

    assert secret_in(said) == kind
    assert secret_in(json.dumps(said)) == kind
    assert secret_in(json.dumps({"arguments": json.dumps({"value": said})})) == kind


def test_codes_hide_no_key() -> None:
    assert secret_in('"\\u0073k-abcdefghijklmnop"') == "an API key (sk-...)"


@pytest.mark.parametrize("text", PLAIN)
def test_other_words_are_no_key(text: str) -> None:
    assert secret_in(text) is None
    assert secret_in(json.dumps(text)) is None


def golden_run(folder: Path) -> Run:
    run = create_run(folder / "golden" / "cassettes", RunInfo(id="r1", created="2026-01-01"))
    run.begin()
    return run


SECRET = "sk-abcdefghijklmnop"  # noqa: S105 - what is to be found


def holding(said: Transcript, place: str) -> Transcript:
    """Return a transcript that holds the key in one place."""
    prompt, first, *others = said.messages
    match place:
        case "message 0":
            messages = (replace(prompt, content=f"take {SECRET}"), first, *others)
        case "message 1":
            call = ToolCall("1", "x", json.dumps({"a": SECRET}))
            messages = (prompt, Message("assistant", tool_calls=(call,)), *others)
        case "message 2":
            messages = (prompt, first, Message("tool", f"it is\n{SECRET}"))
        case "message 3":
            messages = (prompt, first, others[0], Message("assistant", "{}", reasoning=f"so {SECRET} it is"))
        case _:
            return replace(said, failure=Failure("unauthorized", f"wrong key {SECRET}"))
    return replace(said, messages=messages)


@pytest.mark.parametrize("place", ["message 0", "message 1", "message 2", "message 3", "failure"])
def test_what_is_recorded_into_golden_holds_no_key(tmp_path: Path, incident: Scenario, place: str) -> None:
    said = holding(recorded(incident), place)
    run = golden_run(tmp_path)

    with pytest.raises(InvalidRun) as caught:
        run.add(said)
    run.end()

    assert str(caught.value).startswith(f"{said.id}: {place}: holds what looks like an API key (sk-...)")
    assert SECRET not in str(caught.value)
    assert all(SECRET not in each.read_text(encoding="utf-8") for each in run.folder.iterdir())
    assert run.path("transcripts.jsonl").read_text(encoding="utf-8") == ""


def test_what_is_recorded_elsewhere_may(tmp_path: Path, incident: Scenario) -> None:
    run = create_run(tmp_path, RunInfo(id="r1", created="2026-01-01"))
    run.begin()
    run.add(holding(recorded(incident), "message 1"))
    run.end()

    assert len(run.finished()) == 1


@pytest.mark.parametrize(
    "name", ["run.json", "transcripts.jsonl", "blobs.jsonl", "scores.jsonl", "report.md"]
)
def test_a_cassette_with_a_key_is_not_opened(tmp_path: Path, name: str) -> None:
    folder = run_of("run", "-s", "recovery/*", "--out", str(tmp_path / "recorded"), *SUITE)
    lines = (folder / name).read_text(encoding="utf-8").splitlines(keepends=True)
    lines[0] = lines[0].replace("\n", f' "{SECRET}"\n')
    (folder / name).write_text("".join(lines), encoding="utf-8")

    code, out, err = harness("run", "-t", f"replay:{folder}", "--out", str(tmp_path / "again"), *SUITE)

    assert (code, out) == (2, "")
    assert f"{folder / name}:1: holds what looks like an API key (sk-...); take it out" in err
    assert SECRET not in err
    assert not (tmp_path / "again").exists()

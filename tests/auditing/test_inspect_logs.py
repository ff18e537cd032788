"""Samples of Inspect AI logs, as their JSON has them; reading the files is their library's."""

import zipfile
from pathlib import Path
from typing import Any

import pytest

from harness.auditing import Imported, Refused, inspect_logs, read_file
from harness.auditing.inspect_logs import transcript
from harness.model import Message, ToolCall

SAMPLE: dict[str, Any] = {
    "id": "a",
    "epoch": 2,
    "metadata": {"scenario": "incident/x"},
    "messages": [
        {"role": "user", "content": "Go."},
        {
            "role": "assistant",
            "content": [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "I look."}],
            "tool_calls": [
                {"id": "c1", "function": "search", "arguments": {"query": "x"}},
                {
                    "id": "c2",
                    "function": "search",
                    "arguments": {},
                    "parse_error": "Error parsing the tool call arguments:\n\n{oops\n\nError details: x",
                },
            ],
        },
        {"role": "tool", "tool_call_id": "c2", "content": "", "error": {"type": "parsing", "message": "bad"}},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "[]"}]},
        {"role": "assistant", "content": "{}"},
    ],
    "output": {
        "choices": [{"stop_reason": "content_filter"}],
        "usage": {"input_tokens": 7, "output_tokens": 3},
    },
    "tools": [{"name": "search", "description": "d", "parameters": {"type": "object"}}],
}


def only(**changes: Any) -> Imported:
    found = transcript({**SAMPLE, **changes}, "some/model", "a.eval a#2")
    assert isinstance(found, Imported), found
    return found


def test_a_sample_is_read_whole_and_arguments_that_nobody_could_parse_as_they_were_written() -> None:
    found = only()

    assert str(found.transcript.id) == "incident/x@-@some/model#2"
    assert found.transcript.messages == (
        Message("user", "Go."),
        Message(
            "assistant",
            "I look.",
            (ToolCall("c1", "search", '{"query": "x"}'), ToolCall("c2", "search", "{oops")),
            reasoning="hm",
        ),
        Message("tool", '{"error": "bad"}', tool_call_id="c2"),
        Message("tool", "[]", tool_call_id="c1"),
        Message("assistant", "{}"),
    )
    assert found.transcript.turns[0].finish_reason == "content_filter"
    assert found.transcript.gaps == {}


def test_a_sample_that_ended_with_an_error_says_nothing_of_its_target() -> None:
    failure = only(error={"message": "connection lost"}).transcript.failure

    assert failure
    assert failure.detail == 'the sample ended with an error: "connection lost"'


def test_a_sample_without_requests_does_not_show_its_tools() -> None:
    assert "request" in only(tools=None).transcript.gaps


def test_without_the_library_a_log_is_refused_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(inspect_logs, "import_module", missing)
    packed, shaped = tmp_path / "a.eval", tmp_path / "a.json"
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr("header.json", "{}")
    shaped.write_text('{"version": 2, "status": "success", "eval": {"task": "t"}}')

    for path in (packed, shaped):
        (read,) = read_file(path)
        assert isinstance(read, Refused)
        assert read.reason.endswith("install it: pip install 'contract-harness[inspect]'")


def test_what_is_no_zip_or_unpacks_to_too_much_never_reaches_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, bomb = tmp_path / "text.eval", tmp_path / "bomb.eval"
    text.write_text("x")
    with zipfile.ZipFile(bomb, "w") as made:
        made.writestr("samples/a_epoch_1.json", "x" * 100)
    monkeypatch.setattr(inspect_logs, "MAX_MEMBER", 99)

    reasons = [str(each).split(": ", 1)[1] for path in (text, bomb) for each in read_file(path)]

    assert reasons == [
        "is no Inspect AI log: File is not a zip file",
        "found 100 bytes in 'samples/a_epoch_1.json'; 99 are the most",
    ]

"""Real logs, written and read back by the library of Inspect AI; skipped where it is not installed."""

import json
import zipfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from harness.auditing import Imported, Refused, read_file
from harness.model import Message, ToolCall

if find_spec("inspect_ai") is not None:
    inspect_log: Any = import_module("inspect_ai.log")
pytestmark = [
    pytest.mark.part("inspect"),
    pytest.mark.skipif(find_spec("inspect_ai") is None, reason="Inspect AI is not installed"),
]
SEARCH = "search_workflow_catalog"
LONG = "A pod was killed. " * 40


def log(*samples: dict[str, Any]) -> Any:
    """Return a log with these samples, whose requests offered the search tool."""
    tool: dict[str, Any] = {
        "name": SEARCH,
        "description": "Search.",
        "parameters": {"type": "object", "properties": {}},
    }
    made: dict[str, Any] = {
        "version": 2,
        "status": "success",
        "eval": {
            "created": "2026-01-01T00:00:00+00:00",
            "task": "t",
            "dataset": {"name": "d"},
            "model": "some/model",
            "config": {},
        },
        "samples": [
            {
                "epoch": 1,
                "input": "x",
                "target": "",
                "events": [
                    {
                        "event": "model",
                        "timestamp": "2026-01-01T00:00:00+00:00",
                        "model": "some/model",
                        "input": [],
                        "tools": [tool],
                        "tool_choice": "auto",
                        "config": {},
                        "output": {"model": "some/model", "choices": []},
                    }
                ],
                **each,
            }
            for each in samples
        ],
    }
    return inspect_log.EvalLog.model_validate(made)


MESSAGES = [
    {"role": "user", "content": LONG},
    {
        "role": "assistant",
        "content": [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "I look."}],
        "tool_calls": [{"id": "c1", "function": SEARCH, "arguments": {"query": "OOMKilled high"}}],
    },
    {
        "role": "tool",
        "tool_call_id": "c1",
        "content": "",
        "error": {"type": "timeout", "message": "took too long"},
    },
    {"role": "assistant", "content": "{}"},
]


@pytest.mark.parametrize("suffix", ["eval", "json"])
def test_every_sample_of_a_log_is_read_with_its_source(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    made = log({"id": "one", "messages": MESSAGES}, {"id": 2, "epoch": 3, "messages": MESSAGES[:1]})
    inspect_log.write_eval_log(made, str(path))

    read = {each.source: each for each in read_file(path)}

    assert set(read) == {f"{path} one#1", f"{path} 2#3"}
    first = read[f"{path} one#1"]
    assert isinstance(first, Imported)
    assert first.transcript.messages == (
        Message("user", LONG),
        Message(
            "assistant", "I look.", (ToolCall("c1", SEARCH, '{"query": "OOMKilled high"}'),), reasoning="hm"
        ),
        Message("tool", '{"error": "took too long"}', tool_call_id="c1"),
        Message("assistant", "{}"),
    )
    assert [each.name for each in first.transcript.tools] == [SEARCH]
    assert first.transcript.gaps == {}


def test_a_file_that_is_no_log_is_refused_by_the_librarys_word(tmp_path: Path) -> None:
    text, packed = tmp_path / "text.eval", tmp_path / "packed.eval"
    text.write_text("{}")
    with zipfile.ZipFile(packed, "w") as made:
        made.writestr("header.json", "[]")
    shaped = tmp_path / "shaped.json"
    shaped.write_text(json.dumps({"eval": {}, "status": "success"}))

    for path in (text, packed, shaped):
        (read,) = read_file(path)
        assert isinstance(read, Refused), path
        assert "Inspect AI log" in read.reason

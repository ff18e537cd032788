"""Whatever a file to audit holds, every part of it is graded, or refused in words."""

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import PROJECT, recorded
from generating import VALUES, examples
from hypothesis import given
from hypothesis import strategies as st

from harness.auditing import NAMES, Imported, Refused, read_file
from harness.contracts import load_contract
from harness.extraction import read_sample
from harness.graders import grade
from harness.scenarios import load_scenario

KEYS = st.sampled_from(
    [
        "messages",
        "role",
        "content",
        "tool_calls",
        "tool_call_id",
        "function",
        "name",
        "arguments",
        "id",
        "type",
        "tools",
        "parameters",
        "input_schema",
        "usage",
        "prompt_tokens",
        "model",
        "scenario",
        "contract",
        "finish_reason",
        "refusal",
        "reasoning",
        "choices",
        "message",
        "request",
        "response",
        "output",
        "input",
        "instructions",
        "text",
        "system",
        "tool_use",
        "input",
        "stop_reason",
        "llmTrace",
        "kaDialog",
        "kaResponse",
        "toolCalls",
        "analysis",
        "rawResponses",
        "event",
        "events",
        "samples",
        "eval",
        "version",
        "status",
        "call_id",
        "description",
        "a",
    ]
)
WORDS = st.sampled_from(
    [
        "system",
        "developer",
        "user",
        "assistant",
        "tool",
        "function",
        "text",
        "tool_use",
        "tool_result",
        "thinking",
        "function_call",
        "function_call_output",
        "message",
        "output_text",
        "reasoning",
        "request",
        "response",
        "tool_call",
        "search_workflow_catalog",
        "{}",
        "[]",
        '{"a": 1}',
        "",
        "\ud800",
        "\x00",
        "#",
        "@",
        "stop",
        "length",
    ]
)
TREES: st.SearchStrategy[Any] = st.recursive(
    WORDS | st.none() | st.booleans() | st.integers(-5, 10**25) | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=14,
)


def _objects(required: dict[str, Any], **optional: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(required, optional=optional)


MESSAGES = _objects({"role": WORDS}, content=TREES, tool_calls=TREES, tool_call_id=TREES)
CHATS = _objects(
    {"messages": st.lists(MESSAGES, max_size=4)}, tools=TREES, usage=TREES, scenario=TREES, model=TREES
)
FORMS = (None, *(each for each in NAMES if each != "inspect"))
INCIDENT = load_scenario(PROJECT, "incident/oom-behind-latency")
CONTRACT = load_contract("workflow-selection-2.7")


def checked(path: Path, written: bytes, form: str | None) -> list[Imported | Refused]:
    """Return what is read of a file, every transcript graded and every refusal one printable line."""
    path.write_bytes(written)
    read = list(read_file(path, form))
    for each in read:
        if isinstance(each, Refused):
            assert str(each).isprintable()
        else:
            assert list(grade(read_sample(each.transcript, CONTRACT, INCIDENT, told=True)))
    return read


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("traces")


@examples(150)
@given(
    value=TREES | CHATS | st.dictionaries(KEYS, TREES, max_size=4),
    form=st.sampled_from(FORMS),
    suffix=st.sampled_from([".json", ".jsonl", ".txt"]),
)
def test_any_json_is_read_or_refused(folder: Path, value: Any, form: str | None, suffix: str) -> None:
    assert checked(folder / f"any{suffix}", json.dumps(value).encode(), form)


@examples(80)
@given(st.binary(max_size=40) | st.text(max_size=40).map(str.encode), st.sampled_from(FORMS))
def test_any_bytes_are_read_or_refused(folder: Path, written: bytes, form: str | None) -> None:
    checked(folder / "any.json", written, form)
    checked(folder / "any.jsonl", written, form)


def _deep(levels: int, inner: str = "1") -> str:
    return '{"allOf":[' * levels + inner + "]}" * levels


DEEP = {
    "a tool's schema": '{"messages":[],"tools":[{"name":"x","parameters":%s}]}',
    "a message": '{"messages":[{"role":"user","content":%s}]}',
    "arguments": (
        '{"messages":[{"role":"assistant","tool_calls":[{"function":{"name":"x","arguments":%s}}]}]}'
    ),
    "a role": '{"messages":[{"role":%s}]}',
    "all of it": "%s",
}


@pytest.mark.parametrize("levels", [60, 150, 240, 470, 490, 100_000])
@pytest.mark.parametrize("form", DEEP.values(), ids=list(DEEP))
def test_nesting_is_read_or_refused(tmp_path: Path, form: str, levels: int) -> None:
    assert checked(tmp_path / "deep.jsonl", (form % _deep(levels, "{}")).encode(), None)


@pytest.mark.parametrize(
    "unit", ['{"messages":[', "[", "9", '"', '{"messages":[]}', "\\", '{"a":1,', "\ufeff", " "]
)
@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".txt"])
def test_ten_megabytes_are_read_or_refused(tmp_path: Path, unit: str, suffix: str) -> None:
    checked(tmp_path / f"long{suffix}", unit.encode() * (10_000_000 // len(unit.encode())), None)


@examples(40)
@given(st.data())
def test_an_edited_transcript_of_the_oracle_is_read_or_refused(folder: Path, data: st.DataObject) -> None:
    good = recorded_chat()
    place = data.draw(st.sampled_from(good["messages"]))
    place[data.draw(st.sampled_from([*place, "tool_calls", "content", "role"]))] = data.draw(VALUES | TREES)

    assert checked(folder / "edited.json", json.dumps(good).encode(), "openai-chat")


def recorded_chat() -> dict[str, Any]:
    """Return what the oracle said as OpenAI's chat API has it."""
    said: list[dict[str, Any]] = []
    for each in recorded(INCIDENT).messages:
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in each.tool_calls
        ]
        said.append(
            {
                "role": each.role,
                "content": each.content,
                "tool_call_id": each.tool_call_id,
                "tool_calls": calls,
            }
        )
    return {"messages": said}

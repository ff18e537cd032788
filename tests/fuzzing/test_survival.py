"""A transcript is the same after it was stored and read, and after it went through OpenAI's chat form."""

import json
from dataclasses import replace
from typing import Any

from generating import VALUES, examples
from hypothesis import given
from hypothesis import strategies as st

from harness.auditing.importing import Imported, conversation
from harness.model import Failure, Message, SampleId, ToolCall, ToolSpec, Transcript, Turn, Usage
from harness.model.values import digest
from harness.store.encoding import decode, encode
from harness.store.lines import json_object

# Half a pair of surrogates too: a provider's JSON may escape one.
TEXTS = st.text(st.characters(exclude_categories=()), max_size=12)
WHOLE = st.text(max_size=12)
NAMES = st.text(st.characters(categories=("L", "N"), include_characters="-_/.:"), min_size=1, max_size=8)
COUNTS = st.none() | st.integers(0, 2**53)


def messages(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Message]:
    calls = st.lists(st.builds(ToolCall, texts, texts, texts), max_size=2).map(tuple)
    return (
        st.builds(Message, st.sampled_from(["system", "user"]), texts)
        | st.builds(Message, st.just("tool"), texts, tool_call_id=st.none() | texts)
        | st.builds(Message, st.just("assistant"), st.none() | texts, calls, reasoning=st.none() | texts)
    )


TURNS = st.builds(
    Turn,
    st.integers(0, 99),
    COUNTS,
    st.none() | TEXTS,
    st.builds(Usage, COUNTS, COUNTS, st.none() | st.floats(0, 1e6)),
    st.integers(0, 10**7).map(lambda seconds: seconds / 10_000),
    st.integers(1, 9),
    st.none() | TEXTS,
)
TRANSCRIPTS = st.builds(
    Transcript,
    st.builds(SampleId, NAMES, NAMES, TEXTS, st.integers(1, 10**6)),
    st.lists(messages(TEXTS), max_size=5).map(tuple),
    st.lists(st.builds(ToolSpec, TEXTS, TEXTS, st.dictionaries(TEXTS, VALUES, max_size=3)), max_size=2).map(
        tuple
    ),
    st.lists(TURNS, max_size=2).map(tuple),
    st.none() | st.builds(Failure, TEXTS, TEXTS),
    st.booleans(),
    TEXTS,
    st.dictionaries(TEXTS, TEXTS, max_size=2),
)


@examples(150)
@given(TRANSCRIPTS)
def test_any_transcript_survives_the_store(transcript: Transcript) -> None:
    blobs: dict[str, str] = {}

    def keep(text: str) -> str:
        key = digest(text)
        assert blobs.setdefault(key, text) == text
        return key

    line = json.dumps(encode(transcript, keep), ensure_ascii=False).encode("utf-8", "surrogatepass")
    read = json_object(line)

    assert read is not None
    assert decode(read, blobs) == transcript


def _chat(message: Message) -> dict[str, Any]:
    """Return a message as OpenAI's chat API has it."""
    said: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        said["tool_calls"] = [
            {"id": each.id, "type": "function", "function": {"name": each.name, "arguments": each.arguments}}
            for each in message.tool_calls
        ]
    if message.tool_call_id is not None:
        said["tool_call_id"] = message.tool_call_id
    if message.reasoning is not None:
        said["reasoning_content"] = message.reasoning
    return said


@examples(150)
@given(TRANSCRIPTS, st.lists(messages(WHOLE), min_size=1, max_size=5))
def test_any_conversation_survives_the_chat_form(transcript: Transcript, said: list[Message]) -> None:
    tools = tuple(replace(each, parameters={"type": "object"}) for each in transcript.tools)
    record = {
        "messages": [_chat(each) for each in said],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": each.name,
                    "description": each.description,
                    "parameters": each.parameters,
                },
            }
            for each in tools
        ],
    }
    read = conversation(json.loads(json.dumps(record, ensure_ascii=False)), "a.jsonl:1")

    assert isinstance(read, Imported)
    assert read.transcript.messages == tuple(said)
    assert read.transcript.tools == tools

"""Keys that come back in a good reply: masked in the answer, and in all that an agent shows of its work."""

import pytest

from harness.model import Message, ToolCall
from harness.targets import ModelReply, OwnWork
from harness.targets.redacting import Redacting

KEY = "canary-9f3b7c21d4"


@pytest.mark.parametrize("said", ["done", f"done with {KEY}"])
def test_a_key_is_masked_in_the_work_of_an_agent_too(said: str) -> None:
    call = ToolCall("c1", "search", f'{{"query": "{KEY}"}}')
    work = OwnWork((Message("user", f"use {KEY}"), Message("assistant", None, (call,), reasoning=KEY)))
    found = Redacting(KEY)(ModelReply(Message("assistant", said), "stop", work=work))

    assert KEY not in repr(found)
    assert found.work
    assert found.work.messages[1].tool_calls[0].arguments == '{"query": "***"}'


def test_a_reply_without_a_key_is_the_same_object() -> None:
    reply = ModelReply(Message("assistant", "fine"), "stop", work=OwnWork((Message("user", "x"),)))
    assert Redacting(KEY)(reply) is reply


def test_what_was_secret_when_the_target_was_opened_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOMEBODY_API_KEY", KEY)
    redacted = Redacting(None)
    monkeypatch.delenv("SOMEBODY_API_KEY")

    assert redacted(ModelReply(Message("assistant", KEY), "stop")).message.content == "***"

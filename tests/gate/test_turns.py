from dataclasses import replace

import pytest

from harness.gate.turns import Parting, parting
from harness.model import Message, SampleId, ToolCall, Transcript

PROMPT = Message("user", "what happened?")
ANSWER = Message("assistant", "{}")
RESULT = Message("tool", "no events", tool_call_id="1")


def call(name: str, arguments: str = "{}", call_id: str = "1") -> Message:
    return Message("assistant", tool_calls=(ToolCall(call_id, name, arguments),))


def said(*messages: Message) -> Transcript:
    return Transcript(SampleId("s", "c", "t", 1), (PROMPT, *messages))


BEFORE = said(call("kubectl_get"), RESULT, ANSWER)


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (BEFORE, None),
        (
            said(call("kubectl_get", " { } ", "another"), replace(RESULT, tool_call_id="another"), ANSWER),
            None,
        ),
        (said(call("kubectl_logs"), RESULT, ANSWER), Parting(1, "calls kubectl_logs instead of kubectl_get")),
        (
            said(call("kubectl_get", '{"kind": "pod"}'), RESULT, ANSWER),
            Parting(1, "calls kubectl_get with other arguments"),
        ),
        (said(ANSWER), Parting(1, "answers instead of calling a tool")),
        (said(call("kubectl_get"), replace(RESULT, content="other"), ANSWER), Parting(1, "a tool result")),
        (said(call("kubectl_get"), RESULT, replace(ANSWER, content="[]")), Parting(2, "the text")),
        (
            said(call("kubectl_get"), RESULT, call("kubectl_logs"), RESULT, ANSWER),
            Parting(2, "calls kubectl_logs instead of answering"),
        ),
        (said(call("kubectl_get"), RESULT), Parting(1, "ends here")),
        (said(call("kubectl_get"), RESULT, ANSWER, ANSWER), Parting(2, "goes on")),
        (replace(BEFORE, messages=(Message("user", "?"), *BEFORE.messages[1:])), Parting(0, "the prompt")),
        (
            said(
                replace(call("kubectl_get"), tool_calls=(call("kubectl_get").tool_calls * 2)), RESULT, ANSWER
            ),
            Parting(1, "more calls"),
        ),
    ],
)
def test_conversations_part_at_the_first_reply_that_differs(
    now: Transcript, expected: Parting | None
) -> None:
    assert parting(BEFORE, now) == expected

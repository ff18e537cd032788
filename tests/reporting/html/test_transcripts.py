import json
from dataclasses import replace

from pages import ANSWER, GOOD, conversation, judged, named, score

from harness.model import Failure, Message, ToolCall
from harness.reporting.html.packing import Texts
from harness.reporting.html.transcripts import MAX_CALLS, MAX_MESSAGES, record

SAMPLE = named(GOOD)[0]


def test_a_verdict_stands_at_the_line_it_concerns() -> None:
    found = record(conversation(SAMPLE, json.dumps(ANSWER)), judged(SAMPLE), "", Texts())

    places = {each["clause"]: each["at"] for each in found["verdicts"]}
    # The priority is the sixth line of the search, the severity the fourth of the answer.
    assert places["PAS-2"] == [3, 0, 5]
    assert places["SEV-2"] == [5, 0, 3]
    assert found["passed"] == ["CAR-1"]


def test_a_fenced_answer_is_shown_as_written_and_as_read_and_judged_where_it_was_read() -> None:
    answer = f"Here:\n```json\n{json.dumps(ANSWER)}\n```"

    found = record(conversation(SAMPLE, answer), judged(SAMPLE), "", Texts())

    assert [part[:2] for part in found["messages"][5]["parts"]] == [
        ["text", "as it was written"],
        ["answer", "read as (fence, fence)"],
    ]
    assert next(each["at"] for each in found["verdicts"] if each["clause"] == "SEV-2") == [5, 1, 3]


def test_a_verdict_on_an_answer_nobody_can_read_stands_at_its_message() -> None:
    found = record(conversation(SAMPLE, "I would rather not."), judged(SAMPLE), "", Texts())

    assert next(each["at"] for each in found["verdicts"] if each["clause"] == "SEV-2") == [5, -1, -1]


def test_a_place_outside_the_transcript_has_no_line() -> None:
    rows = [
        score(SAMPLE, "PAS-2", "fail", reason="x", place=each) for each in ("message 99 query", "nowhere")
    ]

    found = record(conversation(SAMPLE, "{}"), rows, "", Texts())

    assert [each["at"] for each in found["verdicts"]] == [[], []]


def test_long_texts_are_kept_once_over_samples() -> None:
    texts = Texts()
    first, second = (
        record(conversation(each, "{}", evidence="E" * 5000), [], "", texts) for each in named(GOOD)[:2]
    )

    assert first["messages"] == second["messages"]
    assert texts.packed.count == 3


def test_floods_of_messages_and_calls_are_cut_and_say_so() -> None:
    calls = tuple(ToolCall(str(each), "kubectl_get", "{}") for each in range(MAX_CALLS + 5))
    flood = replace(
        conversation(SAMPLE, "{}"),
        messages=(Message("assistant", None, calls), *(Message("user", "x") for _ in range(MAX_MESSAGES))),
        failure=Failure("timeout", "60 s"),
    )

    found = record(flood, [], "", Texts())

    assert len(found["messages"]) == MAX_MESSAGES
    assert found["messages"][0]["parts"][-1][1] == "5 more calls are left out"
    assert found["end"].startswith("1 more messages are left out")
    assert found["end"].endswith("The trial ended here: timeout: 60 s")

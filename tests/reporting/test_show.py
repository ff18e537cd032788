import io
import json
import re
from typing import Any

import pytest
from hostile import is_plain, texts, values
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up import W, faulty, score
from rich.console import Console

from harness.model import (
    DECLINED,
    MISSING,
    Choice,
    Failure,
    Message,
    SampleId,
    ToolCall,
    Transcript,
    Unreadable,
)
from harness.model.answer import Selection
from harness.reporting.layout import UNBROKEN
from harness.reporting.show import FOLDED, show_sample, would_run
from harness.store import ScoreRow

ID = f"incident/oom-behind-memory-alert@{W}@mock:flaky#1"
CHOICE = Choice(
    "/selected_workflow", "oomkill-increase-memory", None, 0.91, "because", {"NAMESPACE": "production"}
)
ANSWER = '{"rca_severity": "high", "selected_workflow": {"workflow_id": "oomkill-increase-memory"}}'


def transcript(*messages: Message, failure: Failure | None = None) -> Transcript:
    return Transcript(SampleId.parse(ID), messages, failure=failure)


def said(final: str) -> Transcript:
    return transcript(Message("user", "Analyse this."), Message("assistant", final))


def shown(
    sample: Transcript,
    made: list[ScoreRow] | None = None,
    selection: Selection | None = CHOICE,
    *,
    full: bool = False,
    **console: Any,
) -> str:
    stream = io.StringIO()
    printer = Console(file=stream, width=80, **console)
    printer.print(show_sample(sample, made or [], selection, full=full))
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


def test_a_sample_is_shown_whole_with_fails_first_and_what_would_have_run() -> None:
    sample = transcript(
        Message("user", "Analyse this."),
        Message("assistant", tool_calls=(ToolCall("a", "kubectl_logs", '{"pod":  "x"}'),), reasoning="hm"),
        Message("tool", "\n".join(f"line {number}" for number in range(20)), tool_call_id="a"),
        Message("assistant", "Now I search.", (ToolCall("b", "search_workflow_catalog", '{"query": '),)),
        Message("tool", "bad arguments", tool_call_id="b"),
        Message("assistant", ANSWER),
    )
    made = [
        score(ID, "CAR-1"),
        score(ID, "REP-1", "not_applicable", reason="this is no recovery"),
        score(ID, "SEV-2", "fail", reason="1 level too mild", place="/rca_severity",
              expected=["critical"], observed="high"),
        score(ID, "QRY-7", "fail", reason="arguments that the schema refuses", place="message 3 arguments"),
        score(ID, "SEL-2"),
        score(ID, "PAS-1", "unscored", reason="its tool calls are not known"),
    ]  # fmt: skip

    assert (
        shown(sample, made)
        == """\
incident/oom-behind-memory-alert@workflow-selection-2.7@mock:flaky#1

message 0  user
  Analyse this.

message 1  assistant
  reasoning, never read as the answer:
  hm
  calls kubectl_logs {"pod":  "x"}

message 2  tool  kubectl_logs
  line 0
  line 1
  line 2
  line 3
  line 4
  line 5
  line 6
  line 7
  ... 12 more lines, 149 characters in all

message 3  assistant  <- fails QRY-7
  Now I search.
  calls search_workflow_catalog {"query":

message 4  tool  search_workflow_catalog
  bad arguments

message 5  assistant  <- fails SEV-2
  {
    "rca_severity": "high",
    "selected_workflow": {
      "workflow_id": "oomkill-increase-memory"
    }
  }

fail  SEV-2  MUST  at /rca_severity
      reason    1 level too mild
      expected  ["critical"]
      observed  "high"
fail  QRY-7  MUST  at message 3 arguments
      reason    arguments that the schema refuses
      observed  null
unscored        PAS-1: its tool calls are not known
not applicable  REP-1: this is no recovery
pass            CAR-1, SEL-2

this is what would have run: oomkill-increase-memory with {"NAMESPACE":
"production"}"""
    )


def test_nothing_is_broken_or_padded_where_lines_may_be_long() -> None:
    result = '{"workflows": [' + ", ".join(f'{{"workflow_id": "w-{n}"}}' for n in range(200)) + "]}"
    sample = transcript(
        Message("tool", f"NAME   READY   \n{result}", tool_call_id="a"), Message("assistant", "x y " * 500)
    )
    made = [score(ID, "SEV-2", "fail", reason="too mild " * 40, observed=["a b"] * 60)]
    stream = io.StringIO()

    Console(file=stream, width=UNBROKEN).print(show_sample(sample, made, CHOICE), soft_wrap=True)

    text = stream.getvalue()
    assert f"\n  {result}\n" in text
    assert json.dumps(["a b"] * 60) in text
    assert not [line for line in text.splitlines() if line != line.rstrip()]


def test_on_a_terminal_lines_hang_under_their_label_and_no_word_is_cut() -> None:
    made = [score(ID, "SEV-2", "fail", reason="much too mild " * 10, observed="x" * 100)]
    stream = io.StringIO()

    Console(file=stream, width=40).print(show_sample(said(ANSWER), made, CHOICE), soft_wrap=True)

    text = stream.getvalue()
    assert "      reason    much too mild much too\n                mild much too mild much\n" in text
    assert f'      observed  "{"x" * 100}"\n' in text


@pytest.mark.parametrize("clause", ["SEL-2", "REC-4"])
def test_null_is_shown_as_what_a_fail_observed(clause: str) -> None:
    made = [score(ID, clause, "fail", reason="declined", expected=["a", "b"], observed=None)]

    assert '      expected  ["a", "b"]\n      observed  null\n' in shown(said(ANSWER), made, DECLINED)


def test_everything_is_shown_where_everything_is_asked_for() -> None:
    sample = transcript(Message("user", "\n".join(f"line {number}." for number in range(50))))

    assert "line 49." in shown(sample, full=True)
    assert "line 49." not in shown(sample)
    assert f"... {50 - FOLDED} more lines" in shown(sample)


def test_a_fold_never_hides_a_single_line() -> None:
    sample = transcript(Message("user", "\n".join(f"line {number}." for number in range(FOLDED + 1))))

    assert "more line" not in shown(sample)


def test_an_answer_that_is_not_clean_is_shown_as_written_and_as_read() -> None:
    text = shown(said('Here: {"rca_severity": "high", "rca_severity": "low",} Bye.'))

    assert '  Here: {"rca_severity": "high", "rca_severity": "low",} Bye.\n' in text
    assert "read as (prose, json5" in re.sub(r"\s+", " ", text)
    assert '    "rca_severity": "low"\n' in text


def test_a_final_message_without_an_answer_says_why() -> None:
    assert "  read as: none (" in shown(said("I looked, and all is well."), selection=None)


def test_a_trial_that_the_provider_ended_says_so() -> None:
    sample = transcript(Message("user", "Analyse this."), failure=Failure("rate_limited", "HTTP 429"))

    text = shown(sample, selection=None)

    assert "the trial ended here: rate_limited: HTTP 429" in text
    assert "nothing would have run: the target could not be asked (rate_limited)" in text


def test_a_sample_without_scores_names_the_command() -> None:
    assert "no scores; `harness grade RUN` makes them" in shown(said(ANSWER))


@pytest.mark.parametrize(
    ("selection", "sentence"),
    [
        (CHOICE, 'this is what would have run: oomkill-increase-memory with {"NAMESPACE": "production"}'),
        (
            Choice("/w", "restart\x1b[2J", None, MISSING, None, MISSING),
            "this is what would have run: restart\\u001b[2J without parameters",
        ),
        (
            Choice("/w", "restart", None, MISSING, None, Unreadable("/w/parameters", ["A=1"])),
            'this is what would have run: restart with parameters that are no object: ["A=1"]',
        ),
        (
            Choice("/w", MISSING, None, MISSING, None, {}),
            "nothing would have run: the selection names no workflow",
        ),
        (
            Choice("/w", Unreadable("/w/workflow_id", 7), None, MISSING, None, {}),
            "nothing would have run: the selection names no workflow",
        ),
        (DECLINED, "nothing would have run: the target says that no workflow fits"),
        (MISSING, "nothing would have run: the answer has no selection"),
        (
            Unreadable("/w", ["a", "b"]),
            'nothing would have run: the selection is no workflow but ["a", "b"]',
        ),
        (None, "nothing would have run: no answer could be read"),
    ],
)
def test_what_would_have_run_is_one_sentence(selection: Selection | None, sentence: str) -> None:
    assert would_run(said(ANSWER), selection) == sentence


def test_a_transcript_that_ends_in_a_tool_call_is_shown() -> None:
    sample = transcript(
        Message("assistant", tool_calls=(ToolCall("a", "kubectl_get", "{}"),)),
        Message("tool", "orphan", tool_call_id="of nobody"),
    )

    text = shown(sample, faulty(ID), None)

    assert "message 1  tool  of an unknown call" in text


messages = st.lists(
    st.one_of(
        st.builds(Message, st.just("user"), texts),
        st.builds(
            Message,
            st.just("assistant"),
            texts,
            st.lists(st.builds(ToolCall, texts, texts, texts), max_size=2).map(tuple),
            reasoning=texts,
        ),
        st.builds(Message, st.just("tool"), texts, tool_call_id=texts),
        st.builds(Message, st.just("assistant"), texts),
    ),
    max_size=4,
)


@settings(deadline=None)
@given(messages, texts, texts, values, st.booleans())
def test_nothing_that_was_written_reaches_the_terminal_as_a_control(
    written: list[Message],
    first: str,
    second: str,
    value: Any,
    full: bool,  # noqa: FBT001
) -> None:
    sample = transcript(*written, failure=Failure(first, second))
    made = [
        score(ID, "SEV-2", "fail", reason=first, place=second, expected=value, observed=value),
        score(ID, "SEV-1", "unscored", reason=second),
    ]
    choice = Choice(first, second, first, 0.5, first, {second: value})

    plain = shown(sample, made, choice, full=full, no_color=True)
    coloured = shown(sample, made, choice, full=full, force_terminal=True, color_system="truecolor")
    sentences = [would_run(transcript(), choice), would_run(transcript(), Unreadable(first, value))]

    assert is_plain(plain)
    assert is_plain(re.sub(r"\x1b\[[0-9;]*m", "", coloured))
    assert all(is_plain(each) and "\n" not in each for each in sentences)

"""Forms: each is recognised by its shape, says the same as every other, and refuses what it does not know."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
import writing
from conftest import PROJECT, recorded
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.auditing import NAMES, Imported, Refused, judge, read_file
from harness.auditing.forms import FORMS, form_of, read_value
from harness.auditing.inspect_logs import transcript as inspect_transcript
from harness.cli import main
from harness.contracts import load_contract
from harness.model import Scenario, Transcript
from harness.scenarios import load_scenario

INCIDENT = "incident/oom-behind-latency"
W = load_contract("workflow-selection-2.7")
TARGETS = (
    "mock:oracle",
    "mock:copycat",
    "mock:meddler",
    "mock:forger",
    "mock:rambler",
    "mock:hasty",
    "mock:null",
)
WRITERS: dict[str, Callable[[Transcript], dict[str, Any]]] = {
    "openai-chat": writing.chat_log,
    "openai-responses": writing.responses_log,
    "anthropic-messages": writing.anthropic_log,
}


@cache
def scenario() -> Scenario:
    return load_scenario(PROJECT, INCIDENT)


@cache
def said(target: str) -> Transcript:
    return recorded(scenario(), target)


def verdicts(imported: Imported | Refused) -> dict[str, tuple[str, list[tuple[str, str]]]]:
    assert isinstance(imported, Imported), imported
    _, scores = judge(imported, W, scenario())
    return {
        grader.clause: (score.outcome, [(each.place, each.reason) for each in score.findings])
        for grader, score in scores
    }


def only(value: dict[str, Any], named: str | None = None) -> Imported | Refused:
    (read,) = read_value(value, "a", named)
    return read


@pytest.mark.parametrize("target", TARGETS)
def test_every_form_of_a_transcript_gets_the_verdicts_of_its_chat(target: str) -> None:
    expected = verdicts(only(writing.chat(said(target))))

    assert {name: verdicts(only(write(said(target)))) for name, write in WRITERS.items()} == dict.fromkeys(
        WRITERS, expected
    )
    assert verdicts(inspect_transcript(writing.inspect_sample(said(target)), "m", "a")) == expected


@pytest.mark.parametrize("name", WRITERS)
def test_a_form_is_recognised_and_no_other_takes_it(name: str) -> None:
    value = WRITERS[name](said("mock:oracle"))

    form = form_of(value)
    assert form
    assert form.name == name
    for other in {each.name for each in FORMS} - {name}:
        read = only(value, other)
        assert isinstance(read, Refused)
        assert read.reason.startswith('found {"request": ')
        assert f"({other})" in read.reason


def test_a_form_can_be_named_for_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "log.ndjson"
    path.write_text(f"{json.dumps(writing.chat_log(said('mock:oracle')))}\n" * 2)

    assert [each.source for each in read_file(path, "openai-chat")] == [f"{path}:1", f"{path}:2"]
    assert all(isinstance(each, Refused) for each in read_file(path, "kubernaut"))
    (text,) = read_file(path, "text")
    assert isinstance(text, Imported)
    assert (text.transcript.messages[0].content or "").startswith('{"request"')


UNKNOWN: dict[str, tuple[dict[str, Any], str]] = {
    "spans": (
        {"resourceSpans": []},
        'found {"resourceSpans": []}; use an object with `messages`, or one of kub',
    ),
    "parts of a stream": (
        {"choices": [{"delta": {"content": "x"}}]},
        'choices[0]: found {"delta": {"content": "x"}}; use whole responses, not parts of a stream',
    ),
    "many keys": (
        {"events": [], "a": 1, "b": 2, "c": 3},
        'found an object with ["a", "b", "c", "events"]; use an',
    ),
    "an item of no known type": (
        {"object": "response", "output": [{"type": "mcp_call"}]},
        'item 0: found type "mcp_call"; use message, reasoning, function_call, function_call_output',
    ),
}


@pytest.mark.parametrize(("value", "reason"), UNKNOWN.values(), ids=list(UNKNOWN))
def test_an_unknown_shape_is_refused_by_what_was_found_and_what_is_known(
    tmp_path: Path, value: dict[str, Any], reason: str
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(value))

    (read,) = read_file(path)

    assert isinstance(read, Refused)
    assert read.reason.startswith(reason)


def test_an_answer_that_has_words_of_records_is_still_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"rca_severity": "high", "steps": []}')

    (read,) = read_file(path)

    assert isinstance(read, Imported)


def test_a_run_of_this_harness_is_sent_to_grade(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    (tmp_path / "transcripts.jsonl").write_text("{}\n")
    copied = tmp_path / "copy" / "t.jsonl"
    copied.parent.mkdir()
    line: dict[str, Any] = {
        "sample": "a@b@c#1",
        "shows_tools": True,
        "messages": [],
        "turns": [],
        "tools": "x",
    }
    copied.write_text(f"{json.dumps(line)}\n" * 3)

    for path in (tmp_path, tmp_path / "run.json", tmp_path / "transcripts.jsonl"):
        (read,) = read_file(path)
        assert str(read) == f"{path}: a run that this harness recorded; grade it: harness grade {tmp_path}"
    (read,) = read_file(copied)
    assert isinstance(read, Refused)
    assert read.reason.endswith("grade the run: harness grade RUN")
    (read,) = read_value({"format": 1, "contracts": {}, "scenarios": {}, "counts": {}}, "a")
    assert isinstance(read, Refused)
    assert read.reason.endswith("grade the run: harness grade RUN")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def places_of(value: Any) -> list[tuple[Any, Any]]:
    """Return every (container, key) of a JSON value."""
    inside: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        inside = list(cast("dict[Any, Any]", value).items())
    elif isinstance(value, list):
        inside = list(enumerate(cast("list[Any]", value)))
    whole = cast("Any", value)
    return [place for key, each in inside for place in ((whole, key), *places_of(each))]


@settings(max_examples=150, deadline=None)
@given(data=st.data(), name=st.sampled_from([*WRITERS, "inspect"]))
def test_whatever_stands_at_any_place_is_judged_or_refused(data: st.DataObject, name: str) -> None:
    write = writing.inspect_sample if name == "inspect" else WRITERS[name]
    # Few tools: their schemas are most of the places, and are checked elsewhere.
    value = json.loads(json.dumps(write(replace(said("mock:oracle"), tools=said("mock:oracle").tools[:1]))))
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(places_of(value)))
        container[key] = data.draw(JSON)
        value = json.loads(json.dumps(value))

    read = [inspect_transcript(value, "m", "a")] if name == "inspect" else list(read_value(value, "a"))

    for each in read:
        if isinstance(each, Imported):
            judge(each, W, None)


PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "audit.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(
    r"^## `(\S+)`$|^`(\S+)`:\n\n```json\n(.*?)^```.*?^```text\n(.*?)\n", PAGE, re.MULTILINE | re.DOTALL
)


def test_every_name_has_its_section_in_the_docs() -> None:
    assert {name for name, *_ in EXAMPLES if name} == set(NAMES)


def test_examples_of_the_docs_are_of_the_form_and_outcome_that_they_show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    section, seen = "", 0
    for name, file, text, first_line in EXAMPLES:
        section = name or section
        if file:
            (tmp_path / file).write_text(text)
            assert main(["audit", str(tmp_path / file), "--from", section]) == 0
            assert capsys.readouterr().out.splitlines()[0].removeprefix(f"{tmp_path}/") == first_line
            seen += 1
    assert seen == 5

"""Whatever stands in a transcript, every grader says pass, fail, not applicable or unscored, and why."""

import json
import re
from dataclasses import replace
from functools import cache
from typing import Any, cast

import pytest
from conftest import PROJECT, recorded
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judging import SEARCH, backwards, scores

from harness.model import Failure, Message, Scenario, Score, ToolCall, ToolSpec, Transcript
from harness.scenarios import load_scenario

PLACE = re.compile(r"(/.*|message \d+( .*)?|no message)", re.DOTALL)
SETTINGS = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)

texts = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        [
            "", " ", "\x00", "\ud800", "\u200b", "OOMKilled", "high", "critical", "recovery", "production",
            "P0", "NaN", "1e999", "raise-memory-limit", "add-replicas", "true", "5", "{}", "[1]", '{"a": 1}',
            "a/b~c", "GIT_TOKEN",
        ]
    ),
)  # fmt: skip
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.integers(10**300, 10**300 + 5),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
)
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=8,
)


@cache
def scenario(name: str) -> Scenario:
    return load_scenario(PROJECT, name)


@cache
def good(name: str) -> Transcript:
    return recorded(scenario(name))


names = st.sampled_from(["incident/oom-behind-latency", "recovery/scale-out-failed"])


def paths(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    if isinstance(value, dict):
        inner: list[tuple[str | int, Any]] = list(cast("dict[str, Any]", value).items())
    else:
        inner = list(enumerate(cast("list[Any]", value))) if isinstance(value, list) else []
    return [at, *(each for key, item in inner for each in paths(item, (*at, key)))]


@st.composite
def mutated(draw: st.DrawFn, value: Any) -> Any:
    """Draw the value with a few of its nodes replaced, taken away, or given one more key."""
    made = json.loads(json.dumps(value))
    for _ in range(draw(st.integers(0, 3))):
        path = draw(st.sampled_from(paths(made)))
        if not path:
            if draw(st.integers(0, 9)) == 0:
                return draw(values)
            continue
        parent = made
        for key in path[:-1]:
            parent = parent[key]
        what = draw(st.sampled_from(["replace", "replace", "remove", "add"]))
        if what == "remove":
            del parent[path[-1]]
        elif what == "add" and isinstance(parent, dict):
            parent[draw(texts)] = draw(values)
        else:
            parent[path[-1]] = draw(values)
    return made


@st.composite
def spelled(draw: st.DrawFn, text: str | None) -> str | None:
    """Draw a JSON text with its value mutated, or something else in its place."""
    what = draw(st.sampled_from(["value", "value", "value", "same", "cut", "text", "none"]))
    if what == "none":
        return None
    if what == "text" or not text:
        return draw(texts)
    if what == "cut":
        return text[: draw(st.integers(0, len(text)))]
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if what == "same" else json.dumps(draw(mutated(value)))


@st.composite
def called(draw: st.DrawFn, call: ToolCall) -> ToolCall:
    name = draw(st.sampled_from([call.name, call.name, call.name, SEARCH, "kubectl_get", ""]))
    return ToolCall(
        draw(st.sampled_from([call.id, call.id, "same", ""])), name, draw(spelled(call.arguments)) or ""
    )


@st.composite
def said(draw: st.DrawFn, message: Message) -> Message:
    if draw(st.integers(0, 2)) == 0:
        return message
    return replace(
        message,
        role=draw(st.sampled_from([message.role, message.role, message.role, "assistant", "tool", "user"])),
        content=draw(spelled(message.content)),
        tool_calls=tuple(draw(called(call)) for call in message.tool_calls),
        tool_call_id=draw(st.sampled_from([message.tool_call_id, message.tool_call_id, None, "same"])),
    )


@st.composite
def transcripts(draw: st.DrawFn, name: str) -> Transcript:
    base = good(name)
    messages = [base.messages[0], *(draw(said(each)) for each in base.messages[1:])]
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(1, len(messages)))
        what = draw(st.sampled_from(["drop", "double", "swap"]))
        if what == "drop":
            del messages[at - 1 : at]
        elif what == "double":
            messages[at:at] = messages[at - 1 : at]
        else:
            messages[at - 2 : at] = reversed(messages[at - 2 : at])
        if not messages:
            break
    finish = draw(st.sampled_from(["stop", "stop", "length", "content_filter", "", None]))
    schema = draw(st.one_of(st.just(dict[str, Any]()), st.dictionaries(texts, values, max_size=3)))
    tools = draw(
        st.sampled_from(
            [base.tools, base.tools, (), tuple(ToolSpec(each.name, "", schema) for each in base.tools)]
        )
    )
    return replace(
        base,
        messages=tuple(messages),
        tools=tools,
        turns=(replace(base.turns[-1], finish_reason=finish),) if draw(st.booleans()) else (),
        failure=draw(st.sampled_from([None, None, None, Failure("timeout", "late")])),
        shows_tools=draw(st.sampled_from([True, True, False])),
    )


def assert_sound(found: dict[str, Score]) -> None:
    for name, score in found.items():
        assert score.outcome in {"pass", "fail", "not_applicable", "unscored"}
        assert bool(score.findings) == (score.outcome == "fail"), name
        assert score.outcome == "pass" or score.reason, name
        assert len(score.reason) <= 1_000
        for each in score.findings:
            assert PLACE.fullmatch(each.place), (name, each.place)
            assert len(each.reason) <= 400
            shown = json.dumps(
                [each.reason, each.place, each.expected, each.observed], ensure_ascii=False, allow_nan=False
            )
            shown.encode()


@SETTINGS
@given(st.data())
def test_no_grader_raises_whatever_the_transcript(data: st.DataObject) -> None:
    name = data.draw(names)
    transcript = data.draw(transcripts(name))
    told = data.draw(st.booleans())

    found = scores(transcript, scenario(name) if data.draw(st.booleans()) else None, told=told)

    assert_sound(found)


@SETTINGS
@given(st.data())
def test_no_grader_raises_whatever_the_answer(data: st.DataObject) -> None:
    name = data.draw(names)
    base = good(name)
    value = data.draw(st.one_of(mutated(json.loads(base.messages[-1].content or "")), values))
    text = json.dumps(value) if data.draw(st.booleans()) else f"```json\n{json.dumps(value)}\n```"

    found = scores(replace(base, messages=(*base.messages[:-1], Message("assistant", text))), scenario(name))

    assert_sound(found)


@SETTINGS
@given(st.data())
def test_verdicts_depend_on_the_transcript_alone(data: st.DataObject) -> None:
    name = data.draw(names)
    transcript = data.draw(transcripts(name))

    assert repr(scores(transcript, scenario(name))) == repr(scores(transcript, scenario(name)))


@SETTINGS
@given(st.data())
def test_the_order_of_keys_changes_no_verdict(data: st.DataObject) -> None:
    name = data.draw(names)
    base = good(name)
    value = data.draw(mutated(json.loads(base.messages[-1].content or "")))

    def outcomes(answer: Any) -> dict[str, str]:
        messages = (*base.messages[:-1], Message("assistant", json.dumps(answer)))
        return {
            clause: each.outcome
            for clause, each in scores(replace(base, messages=messages), scenario(name)).items()
        }

    assert outcomes(value) == outcomes(backwards(value))


@pytest.mark.parametrize(
    "text", ["[" * 5_000 + "]" * 5_000, '{"a":' * 900 + "1" + "}" * 900], ids=["arrays", "objects"]
)
@pytest.mark.parametrize("name", ["incident/oom-behind-latency", "recovery/scale-out-failed"])
def test_deep_json_raises_nowhere(name: str, text: str) -> None:
    def deepened(message: Message) -> Message:
        calls = tuple(replace(call, arguments=text) for call in message.tool_calls)
        return replace(message, content=text if message.role != "user" else message.content, tool_calls=calls)

    base = good(name)
    nested = (
        f'{{"workflows": [{{"workflow_id": "raise-memory-limit", "parameters": {{"NAMESPACE": {text}}}}}]}}'
    )
    results = tuple(replace(each, content=nested) if each.role == "tool" else each for each in base.messages)

    assert_sound(scores(replace(base, messages=tuple(map(deepened, base.messages))), scenario(name)))
    assert_sound(scores(replace(base, messages=results), scenario(name)))

"""The litellm target against a provider on this machine that records what arrives.

Every test that loads litellm stands here, in test_fault_matrix.py, in end_to_end/test_paid_targets.py, in
serving/test_sdks.py or in providers, since loading it takes seconds.
"""

import asyncio
import gc
import json
import logging
import subprocess
import sys
import traceback
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import pytest
from aiohttp import web

from harness.contracts import load_contract
from harness.errors import InvalidInput, TargetUnavailable
from harness.model import Message, ToolCall, ToolSpec, Usage
from harness.prompting import render
from harness.serving.openai import bindings_for, serve
from harness.targets import Binding, ModelReply, ModelRequest, Target, TargetOptions, open_target
from harness.targets.chat import chat_tools
from harness.targets.litellm import PLACEHOLDER_KEY, open_litellm
from harness.targets.retrying import RetryPolicy
from tests.doubles import small_scenario

Answer = Callable[[web.Request], Awaitable[web.Response]]

CANARY = "canary-9f3b7c21d4"
RAW = '{"query": "OOMKilled  high",}  \n é\\u00e9'
SEARCH = ToolSpec(
    "search",
    "Search the catalog.",
    {
        "type": "object",
        "properties": {
            "query": {"type": "string", "maxLength": 200},
            "top": {"type": "integer", "minimum": 1},
        },
        "required": ["query"],
        "additionalProperties": False,
    },
)
REQUEST = ModelRequest(
    messages=(
        Message("system", "You are careful."),
        Message("user", "What is wrong?"),
        Message("assistant", None, (ToolCall("c1", "search", RAW),), reasoning="never sent back"),
        Message("tool", "no hits", tool_call_id="c1"),
    ),
    tools=(SEARCH,),
    seed=300_002,
)
BINDING = Binding(small_scenario(), load_contract("workflow-selection-2.7"))


@dataclass(frozen=True)
class Arrived:
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """How one request ended, and what it took."""

    reply: ModelReply | None
    error: TargetUnavailable | None
    traceback: str
    arrived: list[Arrived]
    pauses: list[float]
    settings: Mapping[str, Any]

    @property
    def answered(self) -> ModelReply:
        assert self.reply is not None, self.error
        return self.reply

    @property
    def refused(self) -> TargetUnavailable:
        assert self.error is not None, self.reply
        return self.error


def completion(message: Mapping[str, Any], finish_reason: str = "stop", **changes: Any) -> dict[str, Any]:
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "local-2026",
        "choices": [
            {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish_reason}
        ],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010},
        **changes,
    }


def says(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    async def answer(_: web.Request) -> web.Response:
        return web.json_response(body, status=status, headers=headers)

    return answer


def writes(text: str, content_type: str) -> Answer:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(text=text, content_type=content_type)

    return answer


def fails(status: int, message: str = "no", **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return says({"error": {"message": message, "type": "t", "code": "c"}}, status, named)


async def hangs(_: web.Request) -> web.Response:
    await asyncio.sleep(60)
    return web.Response()


async def hangs_up(request: web.Request) -> web.Response:
    assert request.transport is not None
    request.transport.close()
    return web.Response()


async def echoes_headers(request: web.Request) -> web.Response:
    return web.json_response({"error": {"message": f"bad key, headers {dict(request.headers)}"}}, status=401)


FINE = says(completion({"content": "fine"}))


@asynccontextmanager
async def provider(*answers: Answer) -> AsyncGenerator[tuple[str, list[Arrived]]]:
    """Yield the URL and the records of a provider that plays its answers in order, the last for ever."""
    arrived: list[Arrived] = []

    async def play(request: web.Request) -> web.Response:
        arrived.append(Arrived(request.path, dict(request.headers), await request.json()))
        return await answers[min(len(arrived), len(answers)) - 1](request)

    application = web.Application(client_max_size=2**26)
    application.router.add_post("/{path:.*}", play)
    runner = web.AppRunner(application, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}", arrived
    finally:
        await runner.cleanup()


def ask(
    *answers: Answer, request: ModelRequest = REQUEST, model: str = "openai/local", **options: Any
) -> Asked:
    """Return how a request ends that goes to a provider playing these answers."""
    return asyncio.run(_ask(answers, request, model, options))


async def _ask(
    answers: tuple[Answer, ...], request: ModelRequest, model: str, options: dict[str, Any]
) -> Asked:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    async with provider(*answers) as (url, arrived):
        base = options.pop("api_base", url + ("/v1" if model.startswith("openai/") else ""))
        target = open_litellm(model, TargetOptions(api_base=base, **options), retry=RetryPolicy(sleep=sleep))
        try:
            reply = await target.reply(request, BINDING)
        except TargetUnavailable as error:
            return Asked(None, error, traceback.format_exc(), arrived, pauses, target.settings)
        else:
            return Asked(reply, None, "", arrived, pauses, target.settings)
        finally:
            await target.close()


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_import() -> None:
    """Neither the targets nor the servers load litellm or aiohttp before they are used."""
    code = """if True:
        import sys
        from harness.targets import TargetOptions, open_target
        import harness.serving.openai
        target = open_target("litellm:openai/gpt-4o", TargetOptions())
        assert target.name == "litellm:openai/gpt-4o" and target.settings
        print(sorted({"litellm", "openai", "aiohttp"} & set(sys.modules)))
    """
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert (run.stdout, run.stderr) == ("[]\n", "")


def test_a_turn_is_one_request_in_chat_form() -> None:
    asked = ask(FINE)

    (arrived,) = asked.arrived
    assert arrived.path == "/v1/chat/completions"
    assert arrived.body == {
        "model": "local",
        "messages": [
            {"role": "system", "content": "You are careful."},
            {"role": "user", "content": "What is wrong?"},
            {
                "role": "assistant",
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "search", "arguments": RAW}}
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "no hits"},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "search",
                    "description": "Search the catalog.",
                    "parameters": SEARCH.parameters,
                },
            }
        ],
        "seed": 300_002,
    }
    assert (asked.answered.attempts, asked.pauses) == (1, [])


def test_settings_of_the_command_line_are_sent() -> None:
    body = ask(FINE, temperature=0.0, max_tokens=77).arrived[0].body

    assert (body["temperature"], body["max_tokens"]) == (0.0, 77)


def test_a_conversation_without_tools_names_none() -> None:
    assert "tools" not in ask(FINE, request=replace(REQUEST, tools=())).arrived[0].body


def test_schemas_are_copied_to_their_depths() -> None:
    chat_tools([SEARCH])[0]["function"]["parameters"]["properties"].clear()

    assert set(SEARCH.parameters["properties"]) == {"query", "top"}


@pytest.mark.parametrize("model", ["hosted_vllm/local", "gemini/gemini-2.5-flash"])
def test_a_translator_that_rewrites_schemas_rewrites_a_copy(model: str) -> None:
    before = deepcopy(SEARCH)
    request = replace(REQUEST, messages=REQUEST.messages[:2])

    (arrived,) = ask(fails(400), model=model, api_key="k", request=request).arrived

    assert '"additionalProperties"' not in json.dumps(arrived.body)
    assert before == SEARCH


def test_a_provider_that_knows_no_seed_gets_none() -> None:
    reply = {
        "id": "x",
        "type": "message",
        "role": "assistant",
        "model": "claude-3-haiku-20240307",
        "content": [
            {"type": "text", "text": "Looking."},
            {"type": "tool_use", "id": "t1", "name": "search", "input": {"query": "OOMKilled high"}},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 1000, "output_tokens": 10},
    }
    request = replace(REQUEST, messages=REQUEST.messages[:2])

    asked = ask(says(reply), model="anthropic/claude-3-haiku-20240307", api_key="k", request=request)

    (arrived,) = asked.arrived
    assert arrived.path == "/v1/messages"
    assert "seed" not in arrived.body
    assert arrived.body["tools"][0]["input_schema"] == SEARCH.parameters
    (call,) = asked.answered.message.tool_calls
    assert (call.id, call.name, json.loads(call.arguments)) == ("t1", "search", {"query": "OOMKilled high"})
    assert asked.answered.message.content == "Looking."
    assert asked.answered.finish_reason == "tool_calls"


def test_a_reply_is_kept_whole() -> None:
    message = {"content": "It ran out of memory.", "reasoning_content": "exit code 137"}

    reply = ask(says(completion(message, "length"))).answered

    assert reply.message == Message("assistant", "It ran out of memory.", reasoning="exit code 137")
    assert (reply.finish_reason, reply.model) == ("length", "local-2026")
    assert reply.usage == Usage(1000, 10, None)
    assert 0 < reply.seconds < 60


def test_raw_tool_arguments_survive_byte_for_byte() -> None:
    calls = [
        {"id": "c7", "type": "function", "function": {"name": "search", "arguments": RAW}},
        {"id": "c8", "type": "function", "function": {"name": "search", "arguments": ""}},
    ]

    reply = ask(says(completion({"content": None, "tool_calls": calls}, "tool_calls"))).answered

    assert reply.message == Message(
        "assistant", None, (ToolCall("c7", "search", RAW), ToolCall("c8", "search", ""))
    )


def test_arguments_that_are_no_text_are_read_without_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    call = {"id": "c7", "type": "function", "function": {"name": "search", "arguments": {"query": "x"}}}

    reply = ask(says(completion({"content": None, "tool_calls": [call]}, "tool_calls"))).answered

    assert [each.arguments for each in reply.message.tool_calls] == ['{"query": "x"}']
    assert not recwarn.list


def test_a_known_price_is_a_cost() -> None:
    reply = ask(says(completion({"content": "x"}, model="gpt-4o-mini")), model="openai/gpt-4o-mini").answered

    assert reply.usage.cost is not None
    assert 0.0001 < reply.usage.cost < 0.001


def test_tokens_that_nobody_counted_are_unknown() -> None:
    uncounted = completion({"content": "x"}, model="gpt-4o-mini")
    del uncounted["usage"]

    assert ask(says(uncounted), model="openai/gpt-4o-mini").answered.usage == Usage(None, None, None)


def test_a_refusal_in_its_own_field_is_what_the_model_said() -> None:
    reply = ask(says(completion({"content": None, "refusal": "I will not."}))).answered

    assert (reply.message.content, reply.finish_reason) == ("I will not.", "refusal")


def called(arguments: str, finish_reason: str) -> Answer:
    call = {"id": "c7", "type": "function", "function": {"name": "search", "arguments": arguments}}
    return says(completion({"content": None, "tool_calls": [call]}, finish_reason))


@pytest.mark.parametrize("word", ["length", "max_tokens", "model_length", "model_context_window_exceeded"])
def test_a_cut_reply_is_told_from_a_finished_one_whatever_the_provider_calls_it(word: str) -> None:
    reply = ask(says(completion({"content": '{"rca'}, word))).answered

    assert (reply.message.content, reply.finish_reason) == ('{"rca', "length")


@pytest.mark.parametrize("arguments", ['{"query": "OOM', ""], ids=["in the arguments", "before them"])
def test_a_cut_tool_call_is_not_the_models_fault(arguments: str) -> None:
    asked = ask(called(arguments, "length"))

    assert (asked.refused.cause, len(asked.arrived)) == ("truncated", 1)


def test_a_whole_tool_call_before_the_cut_is_made() -> None:
    assert len(ask(called('{"query": "OOMKilled high"}', "length")).answered.message.tool_calls) == 1


def test_a_reply_that_the_provider_withholds_is_not_the_models_fault() -> None:
    asked = ask(says(completion({"content": "The cause is"}, "content_filter")))

    assert (asked.refused.cause, len(asked.arrived)) == ("content_filter", 1)


def test_a_reply_that_the_provider_breaks_off_is_asked_for_again() -> None:
    asked = ask(says(completion({"content": "The cau"}, "error")), FINE)

    assert (asked.answered.message.content, asked.answered.attempts) == ("fine", 2)


def test_a_model_that_stops_to_refuse_is_graded() -> None:
    reply = ask(says(completion({"content": "No."}, "refusal"))).answered

    assert (reply.message.content, reply.finish_reason) == ("No.", "refusal")


@pytest.mark.parametrize("odd", [3, {"a": 1}, ["no"], ""], ids=["a number", "an object", "a list", "nothing"])
def test_a_refusal_that_is_no_text_is_none(odd: Any) -> None:
    reply = ask(says(completion({"content": "fine", "refusal": odd}))).answered

    assert (reply.message.content, reply.finish_reason) == ("fine", "stop")


def test_the_id_of_a_call_is_a_text() -> None:
    call = {"id": 7, "type": "function", "function": {"name": "search", "arguments": "{}"}}

    reply = ask(says(completion({"content": None, "tool_calls": [call]}, "tool_calls"))).answered

    assert reply.message.tool_calls == (ToolCall("7", "search", "{}"),)


def test_what_a_provider_says_is_not_printed(
    capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    ask(says(completion({"content": "fine"}, "\x1b[31mnever heard of")))

    assert ("".join(capfd.readouterr()), caplog.text) == ("", "")


@pytest.mark.parametrize(
    "message",
    ["Unsupported value: 'temperature' does not support 0.2", "`temperature` is deprecated for this model."],
)
def test_a_parameter_that_the_provider_refuses_is_named_by_its_cause(message: str) -> None:
    asked = ask(fails(400, message), temperature=0.2)

    assert (asked.refused.cause, len(asked.arrived)) == ("unsupported_parameter", 1)
    assert "temperature" in asked.refused.detail


def test_half_a_character_from_a_model_can_be_sent_back() -> None:
    said = Message("assistant", "half \ud800", (ToolCall("c1", "search", "\udfff"),))
    request = replace(REQUEST, messages=(Message("user", "?"), said, Message("tool", "x", tool_call_id="c1")))

    sent = ask(FINE, request=request).arrived[0].body["messages"][1]

    assert (sent["content"], sent["tool_calls"][0]["function"]["arguments"]) == ("half ?", "?")


@pytest.mark.parametrize(
    ("answers", "attempts"),
    [
        ((fails(429, retry_after="0"), FINE), 2),
        ((fails(503), FINE), 2),
        ((fails(408), FINE), 2),
        ((fails(529), fails(500), fails(502), FINE), 4),
        ((writes("<html>busy</html>", "text/html"), FINE), 2),
        ((writes('{"id": ', "application/json"), FINE), 2),
        ((says(completion({}, choices=[])), FINE), 2),
        ((says({}), FINE), 2),
        ((hangs_up, FINE), 2),
    ],
    ids=["429", "503", "408", "529, 500 and 502", "HTML", "half JSON", "no choices", "empty", "hung up"],
)
def test_what_may_pass_is_asked_again(answers: tuple[Answer, ...], attempts: int) -> None:
    asked = ask(*answers)

    assert asked.answered.message.content == "fine"
    assert (asked.answered.attempts, len(asked.arrived), len(asked.pauses)) == (
        attempts,
        attempts,
        attempts - 1,
    )
    assert all(each.body == asked.arrived[0].body for each in asked.arrived)


@pytest.mark.parametrize("model", ["openai/local", "anthropic/claude-3-haiku-20240307"])
@pytest.mark.parametrize(
    ("answer", "cause", "requests"),
    [
        (fails(400), "bad_request", 1),
        (fails(400, "This model's maximum context length is 8192 tokens"), "context_overflow", 1),
        (fails(401), "bad_key", 1),
        (fails(403), "forbidden", 1),
        (fails(404), "not_found", 1),
        (fails(408), "timeout", 4),
        (fails(429), "rate_limited", 4),
        (fails(500), "server_error", 4),
        (fails(529), "server_error", 4),
        (hangs_up, "connection", 4),
        (writes("<html>busy</html>", "text/html"), "bad_response", 4),
        (says([]), "bad_response", 4),
    ],
    ids=["400", "context", "401", "403", "404", "408", "429", "500", "529", "hung up", "HTML", "a list"],
)
def test_every_provider_fails_in_the_same_words(
    answer: Answer, cause: str, requests: int, model: str
) -> None:
    request = replace(REQUEST, messages=REQUEST.messages[:2])

    asked = ask(answer, model=model, api_key="k", request=request)

    assert (asked.refused.cause, len(asked.arrived)) == (cause, requests)
    assert f"after {requests} attempt" in asked.refused.detail
    assert "/site-packages/" not in asked.refused.detail


def test_the_wish_of_the_provider_is_obeyed() -> None:
    assert ask(fails(429, retry_after="7"), FINE).pauses == [7.0]


def test_a_refused_connection_is_asked_again() -> None:
    asked = ask(FINE, api_base="http://127.0.0.1:1/v1")

    assert (asked.refused.cause, len(asked.pauses), asked.arrived) == ("connection", 3, [])


def test_a_slow_answer_is_cut_off_and_asked_again() -> None:
    ask(FINE)  # the first request of all also loads what litellm puts off

    asked = ask(hangs, FINE, timeout=1.0)

    assert (asked.answered.message.content, asked.answered.attempts) == ("fine", 2)


def test_a_target_that_never_answers_is_a_timeout() -> None:
    asked = ask(hangs, timeout=0.2)

    assert str(asked.refused) == "timeout: no answer within 0.2 s (after 4 attempts)"


def test_a_parameter_that_the_model_refuses_is_said_before_anything_is_sent() -> None:
    asked = ask(FINE, model="openai/o3", temperature=0.2)

    assert (asked.refused.cause, asked.arrived, asked.pauses) == ("unsupported_parameter", [], [])


def test_a_model_without_a_provider_is_a_bad_request() -> None:
    assert ask(FINE, model="nobody-knows").refused.cause == "bad_request"


def test_a_missing_key_is_said_before_anything_is_sent() -> None:
    asked = ask(FINE, model="anthropic/claude-3-haiku-20240307")

    assert (asked.refused.cause, asked.arrived, asked.pauses) == ("bad_key", [], [])


def test_a_server_without_keys_gets_a_placeholder(monkeypatch: pytest.MonkeyPatch) -> None:
    without = ask(FINE).arrived[0].headers["Authorization"]
    monkeypatch.setenv("OPENAI_API_KEY", "from-outside")
    outside = ask(FINE).arrived[0].headers["Authorization"]
    given = ask(FINE, api_key="given").arrived[0].headers["Authorization"]

    assert (without, outside, given) == (f"Bearer {PLACEHOLDER_KEY}", "Bearer from-outside", "Bearer given")


@pytest.mark.parametrize("place", ["option", "environment"])
@pytest.mark.parametrize(
    "answer",
    [
        fails(401, f"Incorrect API key provided: {CANARY}"),
        fails(500, f"crashed with key={CANARY} in hand"),
        echoes_headers,
        writes(f"<html>{CANARY}</html>", "text/html"),
        hangs_up,
    ],
    ids=["401 names it", "500 names it", "headers are echoed", "HTML", "connection"],
)
def test_a_key_shows_nowhere(
    answer: Answer,
    place: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    if place == "environment":
        monkeypatch.setenv("OPENAI_API_KEY", CANARY)

    asked = ask(answer, api_key=CANARY if place == "option" else None)

    assert asked.arrived[0].headers["Authorization"] == f"Bearer {CANARY}"
    error = asked.refused
    printed = "".join(capfd.readouterr())
    shown = [
        str(error),
        repr(error),
        error.detail,
        asked.traceback,
        str(asked.settings),
        printed,
        caplog.text,
    ]
    assert not [each for each in shown if CANARY in each]
    assert (error.__cause__, error.__context__) == (None, None)


def test_settings_say_what_was_asked_for_and_hold_no_key() -> None:
    options = TargetOptions(api_base="https://host/v1", api_key=CANARY, max_tokens=9)

    assert open_target("litellm:openai/x", options).settings == {
        "kind": "litellm",
        "model": "openai/x",
        "api_base": "https://host/v1",
        "temperature": None,
        "max_tokens": 9,
        "timeout": 300.0,
    }


@pytest.mark.parametrize(
    "api_base",
    [
        f"https://me:{CANARY}@host/v1",
        f"https://{CANARY}@host/v1",
        f"https://host/v1?code={CANARY}",
        f"https://host/v1#{CANARY}",
    ],
    ids=["password", "user", "query", "fragment"],
)
def test_a_key_in_the_address_is_refused_and_not_repeated(api_base: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        open_target("litellm:openai/x", TargetOptions(api_base=api_base))

    assert CANARY not in str(caught.value)
    assert "found more than 'https://host/v1'" in str(caught.value)


@pytest.mark.parametrize(
    "api_base", ["", "localhost:8000/v1", "host", "ftp://host/v1", "http:///v1", "http://[::1"]
)
def test_what_is_no_address_is_refused(api_base: str) -> None:
    with pytest.raises(InvalidInput, match="no address of a server"):
        open_target("litellm:openai/x", TargetOptions(api_base=api_base))


def test_closing_one_target_leaves_the_others_connected() -> None:
    async def scene() -> list[str | None]:
        arrived, one_is_closed = asyncio.Event(), asyncio.Event()

        async def answers_late(request: web.Request) -> web.Response:
            arrived.set()
            await one_is_closed.wait()
            return await FINE(request)

        async with provider(FINE, answers_late, FINE) as (url, _):
            options = TargetOptions(api_base=url + "/v1")
            one, other = open_litellm("openai/one", options), open_litellm("openai/other", options)
            await one.reply(REQUEST, BINDING)
            asking = asyncio.create_task(other.reply(REQUEST, BINDING))
            await arrived.wait()
            await one.close()
            one_is_closed.set()
            undisturbed = await asking
            await other.close()
            reopened = await one.reply(REQUEST, BINDING)
            await one.close()
        assert undisturbed.attempts == 1
        return [undisturbed.message.content, reopened.message.content]

    assert asyncio.run(scene()) == ["fine", "fine"]


def test_a_cancelled_request_stays_cancelled() -> None:
    async def scene() -> bool:
        asked = asyncio.Event()

        async def hang(request: web.Request) -> web.Response:
            asked.set()
            return await hangs(request)

        async with provider(hang) as (url, _):
            target = open_litellm("openai/local", TargetOptions(api_base=url + "/v1"))
            asking = asyncio.create_task(target.reply(REQUEST, BINDING))
            await asked.wait()
            asking.cancel()
            await asyncio.wait([asking])
            await target.close()
            return asking.cancelled()

    assert asyncio.run(scene())


def test_a_request_that_is_cancelled_at_any_moment_leaves_no_warning(
    recwarn: pytest.WarningsRecorder, capfd: pytest.CaptureFixture[str]
) -> None:
    ask(FINE)  # what litellm puts off until the first request would hide the moments of the others

    async def scene() -> int:
        cancelled = 0
        async with provider(hangs) as (url, _):
            target = open_litellm("openai/local", TargetOptions(api_base=url + "/v1"))
            for moment in range(40):
                asking = asyncio.create_task(target.reply(REQUEST, BINDING))
                for _ in range(moment):
                    await asyncio.sleep(0)
                asking.cancel()
                await asyncio.wait([asking])
                cancelled += asking.cancelled()
            await target.close()
        return cancelled

    assert asyncio.run(scene()) == 40
    gc.collect()
    assert not recwarn.list
    assert "".join(capfd.readouterr()) == ""


async def conversation(
    target: Target, prompt: tuple[Message, ...], tools: tuple[ToolSpec, ...]
) -> list[Message]:
    """Return everything a target says where no tool finds anything."""
    messages, said = prompt, list[Message]()
    while not said or said[-1].tool_calls:
        reply = await target.reply(ModelRequest(messages, tools, seed=2), BINDING)
        said.append(reply.message)
        results = (
            Message("tool", "nothing found", tool_call_id=each.id) for each in reply.message.tool_calls
        )
        messages = (*messages, reply.message, *results)
    return said


@pytest.mark.parametrize(("mock", "turns"), [("mock:oracle", 3), ("mock:meddler", 3), ("mock:null", 1)])
def test_a_mock_says_over_http_what_it_says_directly(mock: str, turns: int) -> None:
    scenario, contract = BINDING.scenario, BINDING.contract
    describe = ToolSpec("kubectl_describe", "Describe one object.", {"type": "object"})
    assert contract.catalog_tool is not None
    prompt, tools = render(scenario, contract), (describe, contract.catalog_tool)

    async def scene() -> tuple[list[Message], list[Message], list[str]]:
        model, lines = open_target(mock, TargetOptions()), list[str]()
        async with serve(model, bindings_for([scenario], [contract]), log=lines.append) as server:
            wired = open_target("litellm:openai/mock", TargetOptions(api_base=server.url))
            served = await conversation(wired, prompt, tools)
            await wired.close()
        return await conversation(model, prompt, tools), served, lines

    direct, served, lines = asyncio.run(scene())
    assert served == direct
    assert len(served) == len(lines) == turns
    assert lines[0].startswith("POST /v1/chat/completions 200 incident/small seed=2 messages=1 ")


FREE = says(completion({"content": "I think that it is memory."}))
FORMAL = says(completion({"content": '{"rca_severity": "high"}'}))


def test_an_answer_is_asked_for_once_more_under_its_schema() -> None:
    asked = ask(FREE, FORMAL, response_format="openai-strict")

    first, second = (each.body for each in asked.arrived)
    assert "response_format" not in first
    assert "tool_choice" not in first
    assert second["messages"] == first["messages"]
    assert (second["tools"], second["tool_choice"]) == (first["tools"], "none")
    wanted = second["response_format"]["json_schema"]
    assert wanted["strict"] is True
    assert "oomkill-increase-memory" in json.dumps(wanted["schema"])
    assert asked.answered.message.content == '{"rca_severity": "high"}'
    assert asked.answered.usage.prompt_tokens == 2000
    assert asked.answered.attempts == 2
    assert asked.settings["response_format"] == "openai-strict"


def test_a_call_of_a_tool_is_not_asked_for_again() -> None:
    asked = ask(called("{}", "tool_calls"), response_format="json-schema")

    assert len(asked.arrived) == 1
    assert asked.answered.message.tool_calls


def test_without_the_setting_no_schema_is_sent() -> None:
    asked = ask(FREE)

    assert len(asked.arrived) == 1
    assert "response_format" not in asked.settings

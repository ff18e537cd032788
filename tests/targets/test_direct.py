"""openai:URL against the same server as litellm: the same transcripts, and its own errors."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web
from conftest import PROJECT

from harness.contracts import CONTRACTS, load_contract
from harness.conversation import Trial, converse
from harness.errors import InvalidInput, TargetUnavailable
from harness.model import Message, SampleId, Transcript
from harness.prompting import render
from harness.scenarios import load_scenario
from harness.serving.openai import bindings_for, serve
from harness.targets import Binding, ModelReply, ModelRequest, Target, TargetOptions, open_target
from harness.targets.direct import LARGEST_REPLY, open_direct
from harness.targets.retrying import RetryPolicy
from tests.doubles import small_scenario

KEY = "canary-9f3b7c21d4"
BINDING = Binding(small_scenario(), load_contract("workflow-selection-2.7"))
REQUEST = ModelRequest((Message("user", "What is wrong?"),), (), 300_002)
ONCE = RetryPolicy(attempts=1)
Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


def body(message: Any, finish_reason: Any = "stop", **more: Any) -> dict[str, Any]:
    """Return a completion of one message."""
    return {"model": "m-1", "choices": [{"message": message, "finish_reason": finish_reason}], **more}


def says(value: Any, status: int = 200, **headers: str) -> Answer:
    """Return what answers with a value as JSON, or with a text as it is."""

    async def answer(_: web.Request) -> web.StreamResponse:
        text = value if isinstance(value, str) else json.dumps(value)
        return web.Response(text=text, status=status, headers=headers)

    return answer


@asynccontextmanager
async def server(answer: Answer, models: Any) -> AsyncGenerator[tuple[str, list[Any]]]:
    """Serve an answer and a list of models; give the base URL and what arrived."""
    arrived: list[Any] = []

    async def complete(request: web.Request) -> web.StreamResponse:
        arrived.append((dict(request.headers), await request.json()))
        return await answer(request)

    application = web.Application(client_max_size=2**26)
    application.router.add_post("/v1/chat/completions", complete)
    application.router.add_get("/v1/models", says(models))
    runner = web.AppRunner(application, handle_signals=False, shutdown_timeout=0.2)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1", arrived
    finally:
        await runner.cleanup()


def ask(
    answer: Answer,
    *,
    models: Any = None,
    model: str = "?model=m",
    request: ModelRequest = REQUEST,
    **options: Any,
) -> tuple[ModelReply, list[Any]]:
    """Return the reply to one request, and what the server saw."""

    async def scene() -> tuple[ModelReply, list[Any]]:
        async with server(answer, models) as (url, arrived):
            target = open_direct(url + model, TargetOptions(**options), retry=ONCE)
            try:
                return await target.reply(request, BINDING), arrived
            finally:
                await target.close()

    return asyncio.run(scene())


def failure(answer: Answer, **options: Any) -> TargetUnavailable:
    """Return how a request fails."""
    with pytest.raises(TargetUnavailable) as caught:
        ask(answer, **options)
    return caught.value


FINE = says(body({"content": "fine"}, usage={"prompt_tokens": 7, "completion_tokens": 2}))


def test_a_request_goes_out_as_it_is_and_its_reply_comes_back() -> None:
    reply, ((headers, sent),) = ask(FINE, api_key=KEY, temperature=0.5, max_tokens=9)

    assert sent == {
        "model": "m", "messages": [{"role": "user", "content": "What is wrong?"}], "seed": 300_002,
        "temperature": 0.5, "max_tokens": 9,
    }  # fmt: skip
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert (reply.message, reply.finish_reason) == (Message("assistant", "fine"), "stop")
    assert (reply.model, reply.seed) == ("m-1", 300_002)
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.cost) == (7, 2, None)


def test_no_key_goes_out_that_nobody_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    _, ((headers, _),) = ask(FINE)
    assert "Authorization" not in headers


SPOKEN = f'{{"note": "{KEY}"}}'
CALL = {"id": "call_1", "function": {"name": "search", "arguments": SPOKEN}}


def test_a_key_that_a_good_reply_repeats_stays_out_of_it() -> None:
    said = {"content": f"I was sent {KEY}.", "tool_calls": [CALL], "reasoning_content": f"{KEY}!"}

    reply, _ = ask(says(body(said, "tool_calls")), api_key=KEY)

    assert KEY not in repr(reply)
    assert reply.message.content == "I was sent ***."
    assert reply.message.tool_calls[0].arguments == '{"note": "***"}'
    assert reply.message.reasoning == "***!"
    assert reply.usage.cost is None


def test_the_secrets_of_the_environment_stay_out_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOMEBODY_API_KEY", KEY)
    monkeypatch.setenv("DB_PASSWORD", "latency")

    reply, _ = ask(says(body({"content": f"{KEY} and latency"})))

    assert reply.message.content == "*** and latency", "a word is no key"


def test_a_key_is_found_as_json_and_addresses_spell_it() -> None:
    said = json.dumps({"a": 'odd"key/9'}) + " odd%22key%2F9"

    reply, _ = ask(says(body({"content": said})), api_key='odd"key/9')

    assert reply.message.content == '{"a": "***"} ***'


def test_half_a_character_can_be_sent() -> None:
    _, ((_, sent),) = ask(FINE, request=replace(REQUEST, messages=(Message("user", "a\ud800b"),)))
    assert sent["messages"][0]["content"] == "a?b"


@pytest.mark.parametrize(
    ("value", "content", "ended"),
    [
        (body({"content": None, "refusal": "I will not."}), "I will not.", "refusal"),
        (body({"content": "x"}, None), "x", "stop"),
        (body({"content": "x"}, "max_tokens"), "x", "length"),
        (body({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}), "ab", "stop"),
        (body({"content": "x", "reasoning_content": "y"}), "x", "stop"),
    ],
)
def test_odd_replies_are_read(value: Any, content: str, ended: str) -> None:
    reply, _ = ask(says(value))
    assert (reply.message.content, reply.finish_reason) == (content, ended)


def test_arguments_are_kept_as_the_model_wrote_them() -> None:
    raw = '{"query": "OOMKilled  high",}  \n é\\u00e9'
    call = {"id": "c7", "type": "function", "function": {"name": "search", "arguments": raw}}
    nameless = {"function": {"name": "other", "arguments": {"a": 1}}}
    reply, _ = ask(says(body({"content": None, "tool_calls": [call, nameless]}, "tool_calls")))
    first, second = reply.message.tool_calls
    assert (first.id, first.name, first.arguments) == ("c7", "search", raw)
    assert (second.id, second.name, second.arguments) == ("call_1", "other", '{"a": 1}')


@pytest.mark.parametrize(
    ("answer", "cause", "retry"),
    [
        (says({"error": {"message": "slow down"}}, 429), "rate_limited", True),
        (says({"error": {"message": "no"}}, 401), "bad_key", False),
        (says({"error": {"message": "no"}}, 403), "forbidden", False),
        (says({"error": {"message": "no such model"}}, 404), "not_found", False),
        (says("<html>oops</html>", 502), "server_error", True),
        (says({"error": {"code": "context_length_exceeded"}}, 400), "context_overflow", False),
        (says({"error": {"message": "exceeds the available context size"}}, 400), "context_overflow", False),
        (says({"error": {"message": "x", "code": "content_policy_violation"}}, 400), "content_filter", False),
        (says({"error": {"message": "Unsupported parameter: seed"}}, 400), "unsupported_parameter", False),
        (says({"error": "a text"}, 422), "bad_request", False),
        (says("<html>fine</html>"), "bad_response", True),
        (says({"choices": []}), "bad_response", True),
        (says({"choices": [{"message": None}]}), "bad_response", True),
        (says(body({"content": "x"}, "content_filter")), "content_filter", False),
        (says(body({"content": "x"}, "error")), "server_error", True),
        (says("[" * 100_000), "bad_response", True),
        (says(" " * (LARGEST_REPLY + 1)), "bad_response", False),
    ],
)  # fmt: skip
def test_what_is_no_reply_says_why(answer: Answer, cause: str, retry: bool) -> None:  # noqa: FBT001
    error = failure(answer)
    assert (error.cause, error.retry) == (cause, retry)


def test_a_key_that_a_server_echoes_is_not_told() -> None:
    error = failure(says({"error": {"message": f"bad key {KEY}"}}, 401), api_key=KEY)
    assert KEY not in str(error)
    assert "***" in str(error)


def test_a_server_that_wants_a_pause_is_heard() -> None:
    assert failure(says({"error": {"message": "later"}}, 429, **{"Retry-After": "7"})).retry_after == 7


def test_a_server_that_is_not_there_is_a_connection() -> None:
    async def scene() -> None:
        target = open_direct("http://127.0.0.1:9/v1?model=m", TargetOptions(), retry=ONCE)
        try:
            await target.reply(REQUEST, BINDING)
        finally:
            await target.close()

    with pytest.raises(TargetUnavailable) as caught:
        asyncio.run(scene())
    assert (caught.value.cause, caught.value.retry) == ("connection", True)


def test_a_server_that_hangs_is_a_timeout() -> None:
    async def hangs(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(60)
        return web.Response()

    assert failure(hangs, timeout=0.2).cause == "timeout"


def test_the_only_model_of_a_server_needs_no_name() -> None:
    _, ((_, sent),) = ask(FINE, model="", models={"data": [{"id": "served"}]})
    assert sent["model"] == "served"


@pytest.mark.parametrize(("models", "shown"), [({"data": [{"id": "a"}, {"id": "b"}]}, "a, b"), ({}, "none")])
def test_of_several_models_one_must_be_named(models: Any, shown: str) -> None:
    error = failure(FINE, model="", models=models)
    assert error.cause == "not_found"
    assert f"has these models: {shown}; name one, as openai:http://127.0.0.1" in str(error)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("localhost:8000", "found no address"),
        ("http://user:secret@h/v1", "found more than"),
        ("http://h/v1?key=secret", "takes \\?model=NAME and nothing else"),
        ("http://h/v1?model=a&model=b", "takes \\?model=NAME"),
        ("http://h/v1#m", "takes \\?model=NAME"),
    ],
)
def test_a_wrong_address_is_refused_and_no_key_in_it_quoted(address: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as caught:
        open_target(f"openai:{address}", TargetOptions())
    assert "secret" not in str(caught.value)


def test_settings_say_all_but_the_key() -> None:
    target = open_target("openai:http://h:1/v1?model=org/m:7b", TargetOptions(api_key=KEY, temperature=0.0))
    assert target.name == "openai:http://h:1/v1?model=org/m:7b"
    found = target.settings
    assert (found["kind"], found["model"], found["api_base"]) == ("openai", "org/m:7b", "http://h:1/v1")
    assert KEY not in json.dumps(dict(found))


async def _talk(target: Target, scenario_id: str, contract_id: str) -> Transcript:
    scenario, contract = load_scenario(PROJECT, scenario_id), load_contract(contract_id)
    sample = SampleId(scenario_id, contract_id, "same", 1)
    trial = Trial(sample, scenario, contract, render(scenario, contract), 100_001, {})
    try:
        return await converse(target, trial)
    finally:
        await target.close()


def _comparable(transcript: Transcript) -> Transcript:
    turns = tuple(
        # How the request was spelled is the translator's, and so is what it thinks of the price.
        replace(each, seconds=0.0, wire=None, usage=replace(each.usage, cost=None))
        for each in transcript.turns
    )
    return replace(transcript, turns=turns, started="")


@pytest.mark.parametrize("mock", ["oracle", "rambler", "forger", "hasty"])
@pytest.mark.parametrize(
    ("scenario_id", "contract_id"),
    [
        ("incident/oom-behind-latency", "workflow-selection-2.7"),
        ("recovery/scale-out-failed", "workflow-recovery-1.0"),
        ("incident/oom-behind-latency", "playbook-strategies-2.0"),
    ],
)
def test_the_transcripts_are_those_of_litellm(mock: str, scenario_id: str, contract_id: str) -> None:
    scenarios = [load_scenario(PROJECT, scenario_id)]

    async def scene() -> tuple[Transcript, Transcript]:
        served = open_target(f"mock:{mock}", TargetOptions())
        async with serve(served, bindings_for(scenarios, CONTRACTS), log=lambda _: None) as listening:
            direct = open_target(f"openai:{listening.url}?model=any", TargetOptions())
            translated = open_target("litellm:openai/any", TargetOptions(api_base=listening.url))
            return (
                await _talk(direct, scenario_id, contract_id),
                await _talk(translated, scenario_id, contract_id),
            )

    direct, translated = asyncio.run(scene())
    assert direct.final is not None
    assert _comparable(direct) == _comparable(translated)

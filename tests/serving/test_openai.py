"""The OpenAI chat API over real HTTP: what is bound, answered, refused and logged."""

import asyncio
import json
import re
from io import BytesIO
from typing import Any, NamedTuple

import aiohttp
import pytest

from harness.contracts import CONTRACTS, load_contract
from harness.errors import InvalidInput, TargetUnavailable
from harness.model import Message, ToolCall, ToolSpec, Usage, prompt_digest
from harness.prompting import render
from harness.serving.openai import LARGEST_BODY, bindings_for, serve
from harness.targets import Binding, ModelRequest
from tests.doubles import Scripted, small_scenario

CONTRACT = load_contract("workflow-selection-2.7")
SCENARIO = small_scenario()
OTHER = small_scenario("incident/other", alert="the disk is full")
BINDINGS = bindings_for([SCENARIO, OTHER], [CONTRACT])
TEXT = render(SCENARIO, CONTRACT)[0].content or ""
PROMPT = [{"role": "user", "content": TEXT}]
FINE = Message("assistant", "fine")


class Seen(NamedTuple):
    """One response, and the lines of the access log after it."""

    status: int
    body: Any
    headers: dict[str, str]
    lines: list[str]


def send(
    body: Any = None,
    path: str = "/v1/chat/completions",
    *,
    method: str = "POST",
    target: Scripted | None = None,
    bindings: dict[str, Binding] | None = None,
) -> Seen:
    """Return what the server answers to one request; bytes go as they are, anything else as JSON."""
    payload = body if isinstance(body, bytes) else json.dumps(body).encode()

    async def scene() -> Seen:
        lines: list[str] = []
        bound = BINDINGS if bindings is None else bindings
        async with serve(target or Scripted(FINE), bound, log=lines.append) as server:
            url = server.url.removesuffix("/v1") + path
            async with (
                aiohttp.ClientSession() as session,
                session.request(method, url, data=BytesIO(payload)) as response,
            ):
                text = await response.text()
                body = json.loads(text) if response.content_type == "application/json" else text
                return Seen(response.status, body, dict(response.headers), lines)

    return asyncio.run(scene())


def test_a_completion_has_the_shape_that_clients_read() -> None:
    call = ToolCall("c1", "search", '{"query": "OOMKilled  high",}')
    said = Message("assistant", None, (call,), reasoning="exit code 137")
    target = Scripted(said, finish_reason="tool_calls", usage=Usage(12, 3), model="double-1")

    seen = send({"model": "any", "messages": PROMPT}, target=target)

    assert (seen.status, seen.headers["Content-Type"]) == (200, "application/json; charset=utf-8")
    assert isinstance(seen.body.pop("created"), int)
    assert re.fullmatch(r"chatcmpl-[0-9a-f]{16}", seen.body.pop("id"))
    assert seen.body == {
        "object": "chat.completion",
        "model": "double-1",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": None,
                    "reasoning_content": "exit code 137",
                    "tool_calls": [
                        {
                            "id": "c1",
                            "type": "function",
                            "function": {"name": "search", "arguments": '{"query": "OOMKilled  high",}'},
                        }
                    ],
                },
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15},
    }


def test_what_a_target_leaves_out_is_filled_in() -> None:
    body = send({"messages": PROMPT}, target=Scripted(Message("assistant", "eight ch"))).body

    assert body["model"] == "scripted:double"
    assert body["choices"][0]["finish_reason"] == "stop"
    assert body["usage"]["completion_tokens"] == 2
    assert body["usage"]["prompt_tokens"] == len(TEXT) // 4


def test_half_a_character_reaches_the_client_as_an_escape() -> None:
    seen = send({"messages": PROMPT}, target=Scripted(Message("assistant", "half \ud800")))

    assert seen.body["choices"][0]["message"]["content"] == "half \ud800"


def test_the_whole_conversation_reaches_the_target() -> None:
    target = Scripted(FINE, FINE)
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{bad"}}
    parameters = {"type": "object", "properties": {"query": {"type": "string"}}}
    function = {"name": "search", "description": "Search.", "parameters": parameters}
    conversation = [
        *PROMPT,
        {"role": "assistant", "content": None, "tool_calls": [call], "reasoning_content": "hm"},
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": [{"type": "text", "text": "no "}, {"type": "text", "text": "hits"}],
        },
    ]

    tools = [{"type": "function", "function": function}]
    seen = send({"messages": conversation, "tools": tools, "seed": 300_002, "temperature": 0}, target=target)

    assert seen.status == 200
    assert target.bindings == [Binding(SCENARIO, CONTRACT)]
    assert target.requests == [
        ModelRequest(
            messages=(
                Message("user", TEXT),
                Message("assistant", None, (ToolCall("c1", "search", "{bad"),), reasoning="hm"),
                Message("tool", "no hits", tool_call_id="c1"),
            ),
            tools=(ToolSpec("search", "Search.", parameters),),
            seed=300_002,
        )
    ]


def test_a_request_without_a_seed_is_the_first_trial() -> None:
    target = Scripted(FINE)

    send({"messages": PROMPT}, target=target)

    assert target.requests[0].seed == 1


def test_a_developer_message_is_a_system_message() -> None:
    target = Scripted(FINE)
    messages = [{"role": "developer", "content": "be brief"}, {"role": "user", "content": "hello"}]

    send({"messages": messages}, f"/s/{SCENARIO.digest()}/v1/chat/completions", target=target)

    assert target.requests[0].messages[0] == Message("system", "be brief")


@pytest.mark.parametrize("digest", [SCENARIO.digest(), prompt_digest(render(SCENARIO, CONTRACT))])
def test_a_scenario_is_bound_by_url_whatever_the_prompt(digest: str) -> None:
    target = Scripted(FINE)

    seen = send(
        {"messages": [{"role": "user", "content": "hello"}]},
        f"/s/{digest}/v1/chat/completions",
        target=target,
    )

    assert seen.status == 200
    assert target.bindings == [Binding(SCENARIO, CONTRACT)]


@pytest.mark.parametrize(
    "text",
    [f"{TEXT} ", TEXT[:-1], f"{TEXT}{TEXT}", "hello"],
    ids=["one space more", "one character less", "twice", "another text"],
)
def test_a_prompt_is_known_exactly_or_not_at_all(text: str) -> None:
    target = Scripted(FINE)

    seen = send({"messages": [{"role": "user", "content": text}]}, target=target)

    assert (seen.status, seen.body["error"]["code"]) == (404, "unknown_scenario")
    assert "harness render" in seen.body["error"]["message"]
    assert "/s/DIGEST/v1" in seen.body["error"]["message"]
    assert target.requests == []


def test_an_unknown_digest_in_the_url_is_not_replaced_by_a_known_prompt() -> None:
    seen = send({"messages": PROMPT}, "/s/0123456789abcdef/v1/chat/completions")

    assert seen.status == 404
    assert "no scenario has the digest '0123456789abcdef'" in seen.body["error"]["message"]


def test_a_prompt_that_two_scenarios_share_is_bound_by_url_alone() -> None:
    twin = small_scenario("incident/twin")
    bindings = bindings_for([SCENARIO, twin], [CONTRACT])

    plain = send({"messages": PROMPT}, bindings=bindings)
    by_url = send({"messages": PROMPT}, f"/s/{twin.digest()}/v1/chat/completions", bindings=bindings)

    assert (plain.status, by_url.status) == (404, 200)
    assert " incident/twin " in by_url.lines[0]


def test_bindings_take_the_contracts_of_the_flow() -> None:
    incident = [each for each in CONTRACTS if each.flow == "incident"]
    prompts = {prompt_digest(render(SCENARIO, each)): Binding(SCENARIO, each) for each in incident}

    assert bindings_for([SCENARIO], CONTRACTS) == {
        **prompts,
        SCENARIO.digest(): Binding(SCENARIO, CONTRACT),
    }
    assert bindings_for([SCENARIO], [each for each in CONTRACTS if each.flow != "incident"]) == {}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "body: found no JSON object"),
        (b"\xff\xfe", "body: found no JSON object"),
        (b"[" * 100_000, "body: found no JSON object"),
        ([], "body: found no JSON object"),
        ({}, "messages: "),
        ({"messages": []}, "messages: "),
        ({"messages": [{"role": "wizard", "content": "x"}]}, "messages.0: "),
        ({"messages": [{"role": "user", "content": 3}]}, "messages.0.user.content"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages.0.tool.tool_call_id: "),
        ({"messages": PROMPT, "seed": "1"}, "seed: "),
        ({"messages": PROMPT, "seed": True}, "seed: "),
        ({"messages": PROMPT, "seed": 2**63}, "seed: "),
        ({"messages": PROMPT, "tools": [{"type": "function"}]}, "tools.0.function: "),
        ({"messages": PROMPT, "stream": "yes"}, "stream: "),
        ({"messages": PROMPT, "n": 2}, "n: found 2"),
    ],
    ids=[
        "nothing",
        "not UTF-8",
        "too deep",
        "a list",
        "no messages",
        "not one message",
        "a role that is none",
        "content that is no text",
        "a result of no call",
        "a seed in words",
        "a seed that is a truth value",
        "a seed too large",
        "a tool without a function",
        "a stream in words",
        "two choices",
    ],
)
def test_a_body_that_cannot_be_served_is_refused_with_its_reason(body: Any, message: str) -> None:
    target = Scripted(FINE)

    seen = send(body, target=target)

    assert (seen.status, seen.body["error"]["type"]) == (400, "invalid_request_error")
    assert seen.body["error"]["message"].startswith(message)
    assert target.requests == []
    assert len(seen.lines) == 1


def test_a_body_too_large_is_refused() -> None:
    seen = send(b" " * (LARGEST_BODY + 1))

    assert (seen.status, seen.body["error"]["code"]) == (413, "refused")
    assert seen.lines[0].startswith("POST /v1/chat/completions 413 - seed=- messages=- ")


@pytest.mark.parametrize(
    ("cause", "status", "kind", "code"),
    [
        ("rate_limited", 429, "rate_limit_error", "rate_limited"),
        ("server_error", 503, "server_error", "server_error"),
        ("timeout", 504, "server_error", "timeout"),
        ("bad_key", 401, "invalid_request_error", "bad_key"),
        ("context_overflow", 400, "invalid_request_error", "context_length_exceeded"),
        ("never heard of", 503, "server_error", "never heard of"),
    ],
)
def test_a_target_that_cannot_be_asked_is_a_status(cause: str, status: int, kind: str, code: str) -> None:
    seen = send({"messages": PROMPT}, target=Scripted(TargetUnavailable(cause, "said so", retry_after=1.2)))

    assert (seen.status, seen.headers["Retry-After"]) == (status, "2")
    assert seen.body == {"error": {"message": f"{cause}: said so", "type": kind, "param": None, "code": code}}
    assert f" {status} incident/small seed=1 messages=1 " in seen.lines[0]


def test_models_health_and_scenarios_can_be_asked_for() -> None:
    models = send(path="/v1/models", method="GET")
    health = send(path="/healthz", method="GET")
    scenarios = send(path="/s", method="GET")

    assert [each["id"] for each in models.body["data"]] == ["scripted:double"]
    assert (health.body["status"], health.body["playing"]) == ("ok", [])
    assert scenarios.body["data"] == [
        {"scenario": each.id, "contract": CONTRACT.id, "digest": each.digest()} for each in (OTHER, SCENARIO)
    ]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/v1/chat/completions", 405), ("POST", "/v1/completions", 404), ("GET", "/", 404)],
)
def test_any_other_route_says_what_is_served(method: str, path: str, status: int) -> None:
    seen = send(path=path, method=method)

    assert seen.status == status
    assert "POST /v1/chat/completions" in seen.body["error"]["message"]


def test_the_access_log_has_one_line_for_each_request() -> None:
    (line,) = send({"messages": PROMPT, "seed": 7}).lines

    assert re.fullmatch(r"POST /v1/chat/completions 200 incident/small seed=7 messages=1 \d+ms", line)


def test_a_bug_in_a_target_is_logged_like_any_other_end() -> None:
    seen = send({"messages": PROMPT}, target=Scripted())

    assert seen.status == 500
    assert [line.rsplit(" ", 1)[0] for line in seen.lines] == [
        "POST /v1/chat/completions 500 - seed=- messages=-"
    ]


def test_a_path_cannot_forge_a_line_or_a_column() -> None:
    (line,) = send(path="/v1%0APOST%20/v1%1B[31m%E2%80%AE" + "x" * 1000, method="GET").lines

    assert line.startswith(r"GET /v1\x0aPOST\x20/v1\x1b[31m\x202exxx")
    assert line.isprintable()
    assert len(line) < 300


def test_a_port_in_use_is_explained() -> None:
    async def scene() -> None:
        async with serve(Scripted(), {}, log=print) as first:
            await serve(Scripted(), {}, port=first.port, log=print).__aenter__()

    with pytest.raises(
        InvalidInput, match=r"127\.0\.0\.1:\d+: cannot listen there .*; choose another --port"
    ):
        asyncio.run(scene())


def test_a_closed_server_no_longer_listens() -> None:
    async def scene() -> None:
        async with serve(Scripted(), {}, log=print) as server:
            port = server.port
        await asyncio.open_connection("127.0.0.1", port)

    with pytest.raises(ConnectionRefusedError):
        asyncio.run(scene())

"""The served APIs, as the vendors' own clients and litellm see them."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import anthropic
import openai
import pytest

from harness.contracts import load_contract
from harness.model import Message, ToolCall, Usage
from harness.prompting import render
from harness.serving.injecting import read_injection
from harness.serving.openai import bindings_for, serve
from tests.doubles import Scripted, small_scenario

CONTRACT = load_contract("workflow-selection-2.7")
SCENARIO = small_scenario()
BINDINGS = bindings_for([SCENARIO], [CONTRACT])
TEXT = render(SCENARIO, CONTRACT)[0].content or ""
RAW = '{"at":   "pod", "note": "é and a few more words, so that it comes in pieces"}'
ASKS = Message("assistant", "Looking.", (ToolCall("c1", "look", RAW), ToolCall("c2", "search", "{}")))
ANSWER = "It ran out of memory. " * 10
SAYS = Message("assistant", ANSWER, reasoning="exit code 137")
SCHEMA = {"type": "object", "properties": {"at": {"type": "string"}}, "required": ["at"]}
CHAT_TOOLS: Any = [{"type": "function", "function": {"name": "look", "parameters": SCHEMA}}]
RESPONSE_TOOLS: Any = [{"type": "function", "name": "look", "parameters": SCHEMA, "strict": False}]
MESSAGE_TOOLS: Any = [{"name": "look", "description": "", "input_schema": SCHEMA}]

T = TypeVar("T")


def scripted(*script: Message, finish_reason: str | None = None) -> Scripted:
    return Scripted(*(script or (ASKS, SAYS)), finish_reason=finish_reason, usage=Usage(12, 3))


def on(scene: Callable[[str], Awaitable[T]], target: Scripted, *faults: str) -> T:
    """Return what a scene gives that is played against a server; it gets the address without /v1."""

    async def played() -> T:
        injections = [read_injection(each) for each in faults]
        async with serve(target, BINDINGS, log=lambda _: None, faults=injections) as server:
            return await scene(server.url.removesuffix("/v1"))

    return asyncio.run(played())


def chat(url: str) -> Any:
    return openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=0)


def claude(url: str) -> Any:
    return anthropic.AsyncAnthropic(base_url=url, api_key="k", max_retries=0)


PROMPT: Any = [{"role": "user", "content": TEXT}]


# OpenAI's chat completions


def test_openais_client_reads_a_stream_of_calls_and_then_of_text() -> None:
    target = scripted()

    async def scene(url: str) -> tuple[Any, Any]:
        async with chat(url) as client:
            asked = {"model": "any", "tools": CHAT_TOOLS, "seed": 7}
            first = await _whole_stream(client, messages=PROMPT, **asked)
            called = first["message"]
            results = [
                {"role": "tool", "tool_call_id": each["id"], "content": "found"}
                for each in called["tool_calls"]
            ]
            messages = [*PROMPT, called, *results]
            return first, await _whole_stream(
                client, messages=messages, stream_options={"include_usage": True}, **asked
            )

    first, second = on(scene, target)

    assert first["message"]["content"] == "Looking."
    assert [(each["id"], each["function"]) for each in first["message"]["tool_calls"]] == [
        ("c1", {"name": "look", "arguments": RAW}),
        ("c2", {"name": "search", "arguments": "{}"}),
    ]
    assert (first["finish_reason"], first["usage"]) == ("tool_calls", [])
    assert (second["message"]["content"], second["finish_reason"]) == (ANSWER, "stop")
    assert second["usage"] == [(12, 3, 15)]
    assert second["chunks"] > 5
    assert target.requests[1].messages[1] == ASKS
    assert [each.seed for each in target.requests] == [7, 7]


async def _whole_stream(client: Any, **arguments: Any) -> dict[str, Any]:
    text, calls, ended, usage, chunks = "", list[Any](), None, list[Any](), 0
    stream: Any = await client.chat.completions.create(stream=True, **arguments)
    async for chunk in stream:
        chunks += 1
        if chunk.usage is not None:
            assert chunk.choices == []
            counted = chunk.usage
            usage.append((counted.prompt_tokens, counted.completion_tokens, counted.total_tokens))
            continue
        (choice,) = chunk.choices
        text += choice.delta.content or ""
        for part in choice.delta.tool_calls or ():
            if part.index == len(calls):
                made = {"name": part.function.name, "arguments": ""}
                calls.append({"id": part.id, "type": "function", "function": made})
            calls[part.index]["function"]["arguments"] += part.function.arguments
        ended = choice.finish_reason or ended
    message = {"role": "assistant", "content": text, **({"tool_calls": calls} if calls else {})}
    return {"message": message, "finish_reason": ended, "usage": usage, "chunks": chunks}


def test_a_response_format_and_a_tool_choice_are_taken() -> None:
    wanted: Any = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}

    async def scene(url: str) -> Any:
        async with chat(url) as client:
            return await client.chat.completions.create(
                model="any", messages=PROMPT, response_format=wanted, tools=CHAT_TOOLS,
                tool_choice="required", parallel_tool_calls=False, temperature=0,
            )  # fmt: skip

    assert on(scene, scripted(Message("assistant", "{}"))).choices[0].message.content == "{}"


def test_a_refusal_is_streamed_in_its_own_field() -> None:
    async def scene(url: str) -> str:
        async with chat(url) as client:
            stream = await client.chat.completions.create(model="any", messages=PROMPT, stream=True)
            return "".join([each.choices[0].delta.refusal or "" async for each in stream])

    assert on(scene, scripted(), "refusal").startswith("I'm sorry")


def test_models_are_listed_for_both_clients() -> None:
    async def scene(url: str) -> tuple[list[str], list[str], str]:
        async with chat(url) as one, claude(url) as other:
            listed = await one.models.list()
            theirs = await other.models.list()
            named = await one.models.retrieve("scripted:double")
            return [each.id for each in listed.data], [each.id for each in theirs.data], named.id

    assert on(scene, scripted()) == (["scripted:double"], ["scripted:double"], "scripted:double")


# OpenAI's responses


def test_a_response_is_gone_on_with_by_its_items() -> None:
    target = scripted()

    async def scene(url: str) -> tuple[Any, Any]:
        async with chat(url) as client:
            asked: Any = {"model": "any", "tools": RESPONSE_TOOLS, "metadata": {"seed": "7"}}
            first: Any = await client.responses.create(input=TEXT, **asked)
            results = [
                {"type": "function_call_output", "call_id": each.call_id, "output": "found"}
                for each in first.output
                if each.type == "function_call"
            ]
            said: Any = [{"role": "user", "content": TEXT}, *first.output, *results]
            return first, await client.responses.create(input=said, **asked)

    first, second = on(scene, target)

    assert [each.type for each in first.output] == ["message", "function_call", "function_call"]
    assert (first.output[1].arguments, first.status) == (RAW, "completed")
    assert (second.output_text, second.usage.input_tokens, second.usage.total_tokens) == (ANSWER, 12, 15)
    assert second.output[0].summary[0].text == "exit code 137"
    assert target.requests[1].messages == (
        Message("user", TEXT),
        ASKS,
        Message("tool", "found", tool_call_id="c1"),
        Message("tool", "found", tool_call_id="c2"),
    )
    assert [each.seed for each in target.requests] == [7, 7]
    assert target.requests[0].tools[0].parameters == SCHEMA


def test_a_response_is_gone_on_with_by_its_id() -> None:
    target = scripted()

    async def scene(url: str) -> Any:
        async with chat(f"{url}/s/{SCENARIO.digest()}") as client:
            first = await client.responses.create(model="any", input=TEXT, instructions="Be brief.")
            results: Any = [{"type": "function_call_output", "call_id": "c1", "output": "found"}]
            return await client.responses.create(
                model="any", input=results, previous_response_id=first.id, instructions="Be long."
            )

    assert on(scene, target).output_text == ANSWER
    assert target.requests[1].messages == (
        Message("system", "Be long."),
        Message("user", TEXT),
        ASKS,
        Message("tool", "found", tool_call_id="c1"),
    )


def test_an_id_that_nobody_gave_is_refused() -> None:
    async def scene(url: str) -> None:
        async with chat(url) as client:
            await client.responses.create(model="any", input=TEXT, previous_response_id="resp_1")

    with pytest.raises(openai.BadRequestError, match="'resp_1', which is not remembered"):
        on(scene, scripted())


def test_the_events_of_a_response_make_up_the_whole() -> None:
    async def scene(url: str) -> tuple[list[Any], Any]:
        async with chat(url) as client, client.responses.stream(model="any", input=TEXT) as stream:
            events = [each async for each in stream]
            return events, await stream.get_final_response()

    events, whole = on(scene, scripted())

    assert [each.sequence_number for each in events] == list(range(len(events)))
    texts = [each.delta for each in events if each.type == "response.output_text.delta"]
    written = [each.delta for each in events if each.type == "response.function_call_arguments.delta"]
    assert ("".join(texts), "".join(written)) == ("Looking.", RAW + "{}")
    assert [each.type for each in whole.output] == ["message", "function_call", "function_call"]


@pytest.mark.parametrize(
    ("fault", "reason"), [("truncated", "max_output_tokens"), ("content-filter", "content_filter")]
)
def test_a_response_that_was_cut_is_incomplete(fault: str, reason: str) -> None:
    async def scene(url: str) -> Any:
        async with chat(url) as client:
            return await client.responses.create(model="any", input=TEXT)

    found = on(scene, scripted(SAYS), fault)

    assert (found.status, found.incomplete_details.reason) == ("incomplete", reason)


# Anthropic's messages


def test_anthropics_client_takes_a_call_and_gives_its_result() -> None:
    target = scripted()

    async def scene(url: str) -> tuple[Any, Any]:
        async with claude(url) as client:
            asked: Any = {
                "model": "any", "max_tokens": 99, "tools": MESSAGE_TOOLS, "metadata": {"user_id": "seed:7"}
            }  # fmt: skip
            first: Any = await client.messages.create(messages=PROMPT, **asked)
            results = [
                {"type": "tool_result", "tool_use_id": each.id, "content": "found"}
                for each in first.content
                if each.type == "tool_use"
            ]
            said: Any = [
                *PROMPT,
                {"role": "assistant", "content": first.content},
                {"role": "user", "content": results},
            ]
            return first, await client.messages.create(messages=said, **asked)

    first, second = on(scene, target)

    assert [each.type for each in first.content] == ["text", "tool_use", "tool_use"]
    assert (first.content[1].input, first.stop_reason) == (json.loads(RAW), "tool_use")
    assert [each.type for each in second.content] == ["thinking", "text"]
    assert (second.content[1].text, second.stop_reason, second.usage.input_tokens) == (ANSWER, "end_turn", 12)
    # The arguments went out as an object and are known again as they were written.
    assert target.requests[1].messages == (
        Message("user", TEXT),
        ASKS,
        Message("tool", "found", tool_call_id="c1"),
        Message("tool", "found", tool_call_id="c2"),
    )
    assert [each.seed for each in target.requests] == [7, 7]


def test_the_events_of_a_message_make_up_the_whole() -> None:
    async def scene(url: str) -> tuple[Any, str]:
        async with claude(url) as client:
            async with client.messages.stream(model="any", max_tokens=9, messages=PROMPT) as stream:
                raw = [each async for each in stream]
                whole = await stream.get_final_message()
            written = [each.partial_json for each in raw if each.type == "input_json"]
            return whole, "".join(written)

    whole, written = on(scene, scripted())

    assert written == RAW + "{}"
    assert [each.type for each in whole.content] == ["text", "tool_use", "tool_use"]
    assert (whole.content[1].input, whole.stop_reason) == (json.loads(RAW), "tool_use")
    assert whole.usage.output_tokens == 3


def test_a_header_names_the_seed_and_a_system_prompt_is_a_message() -> None:
    target = scripted()

    async def scene(url: str) -> None:
        async with claude(f"{url}/s/{SCENARIO.digest()}") as client:
            await client.messages.create(
                model="any", max_tokens=9, system="Be brief.", messages=PROMPT, extra_headers={"X-Seed": "9"}
            )

    on(scene, target)

    assert target.requests[0].seed == 9
    assert target.requests[0].messages == (Message("system", "Be brief."), Message("user", TEXT))


def test_tokens_can_be_counted_beforehand() -> None:
    async def scene(url: str) -> int:
        async with claude(url) as client:
            return (await client.messages.count_tokens(model="any", messages=PROMPT)).input_tokens

    assert on(scene, scripted()) == len(TEXT) // 4


@pytest.mark.parametrize(
    ("fault", "error", "kind"),
    [
        ("bad-key", anthropic.AuthenticationError, "authentication_error"),
        ("rate-limited", anthropic.RateLimitError, "rate_limit_error"),
        ("overloaded", anthropic.InternalServerError, "overloaded_error"),
        ("content-filter", anthropic.BadRequestError, "invalid_request_error"),
    ],
)
def test_faults_are_errors_of_anthropics(fault: str, error: type[Exception], kind: str) -> None:
    async def scene(url: str) -> Mapping[str, Any]:
        async with claude(url) as client:
            with pytest.raises(error) as caught:
                await client.messages.create(model="any", max_tokens=9, messages=PROMPT, stream=True)
            found: Any = caught.value
            return found.body

    body = on(scene, scripted(), fault)

    assert (body["type"], body["error"]["type"]) == ("error", kind)


def test_cut_arguments_are_wrapped_and_streamed_as_they_are() -> None:
    async def scene(url: str) -> tuple[Any, str]:
        async with claude(url) as client:
            asked: Any = {"model": "any", "max_tokens": 9, "messages": PROMPT}
            whole: Any = await client.messages.create(**asked)
            stream: Any = await client.messages.create(stream=True, **asked)
            bits = [
                each.delta.partial_json
                async for each in stream
                if each.type == "content_block_delta" and each.delta.type == "input_json_delta"
            ]
            return whole, "".join(bits)

    whole, streamed = on(scene, scripted(Message("assistant", None, (ToolCall("c1", "look", RAW),))),
                         "malformed-arguments")  # fmt: skip

    cut = RAW[: len(RAW) // 2]
    assert (whole.content[0].input, streamed) == ({"INVALID_JSON": cut}, cut)


def test_a_stream_that_is_cut_off_ends_early() -> None:
    async def scene(url: str) -> None:
        async with chat(url) as client:
            stream = await client.chat.completions.create(model="any", messages=PROMPT, stream=True)
            async for _ in stream:
                pass

    with pytest.raises(Exception, match=r"peer closed|incomplete|payload"):
        on(scene, scripted(SAYS), "cut-off")


# litellm, as a client of another maker


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("model", ["openai/any", "anthropic/claude-3-haiku-20240307"])
def test_litellm_streams_two_turns(model: str) -> None:
    target = scripted()

    async def scene(url: str) -> Any:
        import litellm as imported

        litellm: Any = imported

        base = f"{url}/v1" if model.startswith("openai/") else url
        stream: Any = await litellm.acompletion(
            model=model, messages=PROMPT, tools=CHAT_TOOLS, stream=True, api_base=base, api_key="k"
        )
        chunks = [each async for each in stream]
        await litellm.close_litellm_async_clients()
        whole: Any = litellm.stream_chunk_builder(chunks, messages=PROMPT)
        return whole.choices[0].message

    message = on(scene, target)

    calls = [
        (each.id, each.function.name, json.loads(each.function.arguments)) for each in message.tool_calls
    ]
    assert (message.content, calls) == ("Looking.", [("c1", "look", json.loads(RAW)), ("c2", "search", {})])

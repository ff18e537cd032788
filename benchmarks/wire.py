"""A server and bare clients for benchmarks/speed.py: the same two turns, by nothing but a client library.

python benchmarks/wire.py serve --latency 0.2
python benchmarks/wire.py aiohttp|openai|litellm URL N --flight 64
"""

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from harness.contracts import load_contract
from harness.conversation import run_tool, tools_for
from harness.model import Message, ToolCall
from harness.prompting import render
from harness.scenarios import find_project, load_scenario
from harness.targets import Binding
from harness.targets.chat import chat_messages, chat_tools

SCENARIO, CONTRACT = "incident/oom-behind-memory-alert", "workflow-selection-2.7"
SEARCH = {"query": "OOMKilled critical", "label.signal-type": "OOMKilled", "label.severity": "critical"}
ANSWER = {
    "analysis_summary": "A container is killed for memory.",
    "root_cause_assessment": "Its limit is below what it allocates.",
    "rca_severity": "critical",
    "selected_workflow": {
        "workflow_id": "memory-limit-raise-rolling",
        "version": "2.3.0",
        "confidence": 0.94,
        "rationale": "It raises the limit.",
        "parameters": {"NAMESPACE": "production"},
    },
}

Turn = Callable[[list[dict[str, Any]]], Awaitable[Any]]
"""Sends messages, and returns the message of the reply."""


def first() -> dict[str, Any]:
    """Return the call of the catalog that every conversation begins with."""
    function = {"name": "search_workflow_catalog", "arguments": json.dumps(SEARCH)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": function}],
    }


async def serve(latency: float) -> None:
    """Answer with a search, and to its result with a workflow; print the address, until the input ends."""
    from aiohttp import web

    last = {"role": "assistant", "content": json.dumps(ANSWER)}
    bodies = {
        ending: _completion(message, ending) for message, ending in ((first(), "tool_calls"), (last, "stop"))
    }

    async def complete(request: web.Request) -> web.Response:
        read = await request.read()
        answered = b'"role": "tool"' in read or b'"role":"tool"' in read
        if latency:
            await asyncio.sleep(latency)
        return web.Response(
            body=bodies["stop" if answered else "tool_calls"], content_type="application/json"
        )

    application = web.Application(client_max_size=2**24)
    application.router.add_post("/v1/chat/completions", complete)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", flush=True)
    await asyncio.Event().wait()


def _completion(message: dict[str, Any], ending: str) -> bytes:
    choice = {"index": 0, "message": message, "finish_reason": ending}
    usage = {"prompt_tokens": 4000, "completion_tokens": 120, "total_tokens": 4120}
    body = {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }
    return json.dumps(body).encode()


def conversation() -> tuple[list[dict[str, Any]], list[dict[str, Any]], str]:
    """Return the prompt, the tools, and the result of the search that the bare clients send back."""
    scenario, contract = load_scenario(find_project(), SCENARIO), load_contract(CONTRACT)
    call = ToolCall("c1", "search_workflow_catalog", json.dumps(SEARCH))
    result: Message = run_tool(Binding(scenario, contract), tools_for(contract), call)
    return chat_messages(render(scenario, contract)), chat_tools(tools_for(contract)), result.content or ""


async def talk(turn: Turn, samples: int, flight: int) -> None:
    """Hold so many conversations of two turns, so many at a time, and read what comes back."""
    prompt, _, result = conversation()
    gate = asyncio.Semaphore(flight)

    async def sample() -> None:
        async with gate:
            called = await turn(prompt)
            json.loads(called["tool_calls"][0]["function"]["arguments"])
            answered = await turn(
                [*prompt, called, {"role": "tool", "tool_call_id": "c1", "content": result}]
            )
            json.loads(answered["content"])

    await asyncio.gather(*(sample() for _ in range(samples)))


async def by_aiohttp(url: str, samples: int, flight: int) -> None:
    """Post JSON."""
    import aiohttp

    tools = conversation()[1]
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def turn(messages: list[dict[str, Any]]) -> Any:
            body = {"model": "m", "messages": messages, "tools": tools, "seed": 1}
            async with session.post(f"{url}/chat/completions", json=body) as response:
                return (await response.json())["choices"][0]["message"]

        await talk(turn, samples, flight)


async def by_openai(url: str, samples: int, flight: int) -> None:
    """Use OpenAI's own client."""
    from openai import AsyncOpenAI

    client: Any = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    tools = conversation()[1]

    async def turn(messages: list[dict[str, Any]]) -> Any:
        reply = await client.chat.completions.create(model="m", messages=messages, tools=tools, seed=1)
        return reply.choices[0].message.model_dump()

    await talk(turn, samples, flight)
    await client.close()


async def by_litellm(url: str, samples: int, flight: int) -> None:
    """Use litellm, told to fetch nothing."""
    from harness.targets.litellm import load

    litellm = load()
    tools = conversation()[1]

    async def turn(messages: list[dict[str, Any]]) -> Any:
        reply = await litellm.acompletion(
            model="openai/m", messages=messages, tools=tools, seed=1, api_base=url, api_key="none",
            num_retries=0, max_retries=0,
        )  # fmt: skip
        return reply.choices[0].message.model_dump()

    await talk(turn, samples, flight)
    await litellm.close_litellm_async_clients()


CLIENTS = {"aiohttp": by_aiohttp, "openai": by_openai, "litellm": by_litellm}


def main() -> None:
    """Serve, or be a client."""
    parser = argparse.ArgumentParser()
    parser.add_argument("role", choices=["serve", *CLIENTS])
    parser.add_argument("url", nargs="?", default="")
    parser.add_argument("samples", nargs="?", type=int, default=0)
    parser.add_argument("--flight", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.0)
    given = parser.parse_args()
    if given.role == "serve":
        asyncio.run(serve(given.latency))
    else:
        asyncio.run(CLIENTS[given.role](given.url, given.samples, given.flight))


if __name__ == "__main__":
    main()

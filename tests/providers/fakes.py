"""Providers on this machine that keep what arrives, each with the protocol that it has in the wild.

They call a tool until they are given its result, and then answer.
"""

import asyncio
import json
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import Any

from aiohttp import web

CALLED = "search_workflow_catalog"
ARGUMENTS = {"query": "OOMKilled high", "label.signal-type": "OOMKilled"}
ANSWER = '{"found": true}'


@dataclass(frozen=True)
class Provider:
    """One provider: the model that litellm is asked for, and below which path of the server it is."""

    name: str
    model: str
    route: str
    base: str = ""


PROVIDERS = (
    Provider("openai", "openai/gpt-4o", "/v1/chat/completions", "/v1"),
    Provider("hosted_vllm", "hosted_vllm/local", "/v1/chat/completions", "/v1"),
    Provider("anthropic", "anthropic/claude-haiku-4-5", "/v1/messages"),
    Provider("anthropic, a model litellm does not list", "anthropic/claude-of-tomorrow", "/v1/messages"),
    Provider("gemini", "gemini/gemini-2.5-flash", "/models/gemini-2.5-flash:generateContent"),
    Provider("ollama_chat", "ollama_chat/local", "/api/chat"),
)


@dataclass(frozen=True)
class Arrived:
    """One request that a provider was sent."""

    path: str
    body: dict[str, Any]


def _chat(body: Mapping[str, Any]) -> dict[str, Any]:
    done = any(each["role"] == "tool" for each in body["messages"])
    function = {"name": CALLED, "arguments": json.dumps(ARGUMENTS)}
    calls = {"content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]}
    message = {"role": "assistant", **({"content": ANSWER} if done else calls)}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop" if done else "tool_calls"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
    }


def _messages(body: Mapping[str, Any]) -> dict[str, Any]:
    blocks = [block for each in body["messages"] for block in each["content"]]
    done = any(each["type"] == "tool_result" for each in blocks)
    call = {"type": "tool_use", "id": "toolu_1", "name": CALLED, "input": ARGUMENTS}
    answer: dict[str, Any] = {"type": "text", "text": ANSWER}
    return {
        "id": "x",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [answer if done else call],
        "stop_reason": "end_turn" if done else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 2},
    }


def _gemini(body: Mapping[str, Any]) -> dict[str, Any]:
    parts = [part for each in body["contents"] for part in each["parts"]]
    done = any("functionResponse" in each or "function_response" in each for each in parts)
    part = {"text": ANSWER} if done else {"functionCall": {"name": CALLED, "args": ARGUMENTS}}
    return {
        "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 2, "totalTokenCount": 12},
    }


def _ollama(body: Mapping[str, Any]) -> dict[str, Any]:
    done = any(each["role"] == "tool" for each in body["messages"])
    call = {"function": {"name": CALLED, "arguments": ARGUMENTS}}
    calls = {} if done else {"tool_calls": [call]}
    message = {"role": "assistant", "content": ANSWER if done else "", **calls}
    return {
        "model": body["model"],
        "created_at": "2026-01-01T00:00:00Z",
        "message": message,
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 10,
        "eval_count": 2,
    }


ROUTES: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "/v1/chat/completions": _chat,
    "/v1/messages": _messages,
    "/models/gemini-2.5-flash:generateContent": _gemini,
    "/api/chat": _ollama,
    "/api/show": lambda _: {"capabilities": ["tools"], "model_info": {}},
}


@contextmanager
def providers() -> Generator[tuple[str, list[Arrived]]]:
    """Yield the address that has every provider's route, and what arrives there.

    They answer from a thread of their own: litellm holds up its caller's while it asks Ollama for its model.
    """
    arrived: list[Arrived] = []
    known: Future[str] = Future()
    ended = asyncio.Event()
    loop = asyncio.new_event_loop()

    async def play(request: web.Request) -> web.Response:
        body = await request.json()
        arrived.append(Arrived(request.path, body))
        return web.json_response(ROUTES[request.path](body))

    async def scene() -> None:
        application = web.Application(client_max_size=2**26)
        application.router.add_post("/{path:.*}", play)
        runner = web.AppRunner(application, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        known.set_result(f"http://127.0.0.1:{runner.addresses[0][1]}")
        await ended.wait()
        await runner.cleanup()

    serving = Thread(target=lambda: loop.run_until_complete(scene()), daemon=True)
    serving.start()
    try:
        yield known.result(10), arrived
    finally:
        loop.call_soon_threadsafe(ended.set)
        serving.join(10)
        loop.close()

"""Bare loops: the two turns by nothing but a client library, without the harness.

    python -m benchmarks.speed.bare aiohttp|openai|litellm WORKLOAD URL N --flight 64

URL is the server's, without /v1. A loop looks up the result of the search that it is asked for, and ends with
an error if an answer does not select the workflow of its task.
"""

import argparse
import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from benchmarks.speed.workload import KEY, MODEL, Workload, chosen, load

Messages = list[dict[str, Any]]
Turn = Callable[[Messages], Awaitable[dict[str, Any]]]
"""Sends messages, and returns the message of the reply."""


async def talk(turn: Turn, workload: Workload, samples: int, flight: int) -> None:
    """Hold so many conversations of two turns, so many at a time, and check every answer."""
    gate = asyncio.Semaphore(flight)

    async def sample(number: int) -> None:
        task = workload.task(number)
        async with gate:
            said = await turn(task.prompt)
            call = said["tool_calls"][0]
            result = workload.search(json.loads(call["function"]["arguments"]))
            told = {"role": "tool", "tool_call_id": call["id"], "content": result}
            answer = await turn([*task.prompt, said, told])
        if chosen(answer["content"]) != task.workflow:
            raise SystemExit(f"sample {number}: another workflow than {task.workflow}")

    await asyncio.gather(*map(sample, range(samples)))


async def by_aiohttp(workload: Workload, url: str, samples: int, flight: int) -> None:
    """Post JSON."""
    import aiohttp

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def turn(messages: Messages) -> dict[str, Any]:
            body = {"model": MODEL, "messages": messages, "tools": workload.tools, "seed": 1}
            async with session.post(f"{url}/v1/chat/completions", json=body) as response:
                return (await response.json())["choices"][0]["message"]

        await talk(turn, workload, samples, flight)


async def by_openai(workload: Workload, url: str, samples: int, flight: int) -> None:
    """Use OpenAI's own client."""
    from openai import AsyncOpenAI

    async with AsyncOpenAI(base_url=f"{url}/v1", api_key=KEY, max_retries=0) as client:
        create: Any = client.chat.completions.create

        async def turn(messages: Messages) -> dict[str, Any]:
            reply = await create(model=MODEL, messages=messages, tools=workload.tools, seed=1)
            return reply.choices[0].message.model_dump()

        await talk(turn, workload, samples, flight)


async def by_litellm(workload: Workload, url: str, samples: int, flight: int) -> None:
    """Use litellm, told to fetch nothing and to print nothing."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # noqa: TID251 - litellm's own switches
    os.environ.setdefault("LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS", "True")  # noqa: TID251
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # noqa: TID251
    import litellm

    whole: Any = litellm
    whole.suppress_debug_info = True

    async def turn(messages: Messages) -> dict[str, Any]:
        reply = await whole.acompletion(
            model=f"openai/{MODEL}", messages=messages, tools=workload.tools, seed=1, api_base=f"{url}/v1",
            api_key=KEY, num_retries=0, max_retries=0,
        )  # fmt: skip
        return reply.choices[0].message.model_dump()

    await talk(turn, workload, samples, flight)
    await whole.close_litellm_async_clients()


LOOPS = {"aiohttp": by_aiohttp, "openai": by_openai, "litellm": by_litellm}


def main() -> None:
    """Hold the conversations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("loop", choices=LOOPS)
    parser.add_argument("workload", type=Path)
    parser.add_argument("url")
    parser.add_argument("samples", type=int)
    parser.add_argument("--flight", type=int, default=64)
    given = parser.parse_args()
    asyncio.run(LOOPS[given.loop](load(given.workload), given.url, given.samples, given.flight))


if __name__ == "__main__":
    main()

"""The server that every contender talks to: a search of the catalog first, and to its result an answer.

    python -m benchmarks.speed.server WORKLOAD --latency 0.2 --seed 1

It prints its address and serves until it is ended. No two conversations are alike: each has a number, which
is in the id of its call and in the words of its answer, and confidence and wording are drawn from the number
and the seed. POST /begin starts counting anew; GET /told says what happened since: conversations that ended,
and the seconds of processor that the server itself took.
"""

import argparse
import asyncio
import json
import re
import time
from pathlib import Path
from random import Random
from typing import Any

from aiohttp import web

from benchmarks.speed.workload import SEARCH, Task, Workload, load

NUMBERED = re.compile(rb'"tool_call_id": ?"call_(\d+)_(\d+)"')
WORDS = (
    "The first look at the events points there.", "Logs and limits agree.", "Its neighbours are well.",
    "The owner's object says the same.", "Nothing else changed that day.",
    "The metrics of the last hour fit.", "The alert shows only what follows from it.",
)  # fmt: skip


class Server:
    """Answers, and counts."""

    def __init__(self, workload: Workload, latency: float, seed: int) -> None:
        self._tasks = workload.tasks
        self._latency = latency
        self._seed = seed
        self._markers = [each.marker.encode() for each in workload.tasks]
        self._begin()

    def _begin(self) -> None:
        self._begun = self._ended = 0
        self._cpu = time.process_time()

    async def answer(self, request: web.BaseRequest) -> web.Response:
        """Answer one request, whatever it is."""
        if request.path == "/begin":
            self._begin()
            return web.Response()
        if request.path == "/told":
            return _json({"conversations": self._ended, "cpu": time.process_time() - self._cpu})
        body = await request.read()
        if self._latency:
            await asyncio.sleep(self._latency)
        return _json(self._reply(body))

    def _reply(self, body: bytes) -> dict[str, Any]:
        """Return the first reply of a new conversation, or the second of one that comes with a result."""
        numbered = NUMBERED.search(body)
        if numbered is None:
            index = next(at for at, marker in enumerate(self._markers) if marker in body)
            self._begun += 1
            return completion(called(self._tasks[index], index, self._begun), "tool_calls")
        index, number = map(int, numbered.groups())
        self._ended += 1
        return completion(answered(self._tasks[index], number, self._seed), "stop")


def called(task: Task, index: int, number: int) -> dict[str, Any]:
    """Return the message that searches the catalog; its call's id says which conversation this is."""
    function = {"name": SEARCH, "arguments": json.dumps(task.arguments)}
    call = {"id": f"call_{index}_{number:06}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def answered(task: Task, number: int, seed: int) -> dict[str, Any]:
    """Return the message that answers, in words and with a confidence of its own."""
    random = Random(f"{seed}/{number}")
    said = f"{random.choice(WORDS)} Request {number:06}: {random.choice(WORDS)}"
    chosen = task.answer["selected_workflow"]
    answer = {
        **task.answer,
        "analysis_summary": f"{task.answer['analysis_summary']} {said}",
        "selected_workflow": {
            **chosen,
            "confidence": round(random.uniform(0.7, 0.99), 2),
            "rationale": f"{chosen['rationale']} {said}",
        },
    }
    return {"role": "assistant", "content": json.dumps(answer, indent=2)}


def completion(message: dict[str, Any], ending: str) -> dict[str, Any]:
    """Return the body of a chat completion."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": ending}],
        "usage": {"prompt_tokens": 4000, "completion_tokens": 120, "total_tokens": 4120},
    }


def _json(value: Any) -> web.Response:
    return web.Response(body=json.dumps(value).encode(), content_type="application/json")


async def serve(server: Server) -> None:
    """Serve on a free port of this machine, and print the address."""
    runner = web.ServerRunner(web.Server(server.answer, access_log=None))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.Event().wait()


def main() -> None:
    """Serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workload", type=Path)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each reply")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    asyncio.run(serve(Server(load(given.workload), given.latency, given.seed)))


if __name__ == "__main__":
    main()

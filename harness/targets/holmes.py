"""HolmesGPT, the real one, as a target: its own loop, in its own interpreter, on a scenario's tools."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from harness.errors import InvalidInput, TargetUnavailable
from harness.model import ToolSpec
from harness.targets import TargetOptions
from harness.targets.accounts import Gate, Limits
from harness.targets.budget import Passage
from harness.targets.chat import chat_messages
from harness.targets.holmes_options import HolmesOptions
from harness.targets.holmes_process import WORKER, Worker, start
from harness.targets.holmes_transcript import read_investigation, total
from harness.targets.protocol import Binding, BrokeOff, ModelReply, ModelRequest, Target
from harness.targets.redacting import Redacting
from harness.targets.scrubbing import environment_secrets
from harness.targets.sizes import estimated_size
from harness.targets.wire import check_address

PLACEHOLDER_KEY = "none"
"""Sent to servers that ask for no key, because the client insists on one."""


def open_holmes(model: str, options: TargetOptions, *, worker: Path = WORKER) -> Target:
    """Return the target holmes:<model>; processes are started when they are first needed.

    Raises:
        InvalidInput: nobody said where HolmesGPT is, or the address is none.
    """
    if options.holmes is None:
        raise InvalidInput(
            f"target holmes:{model}: needs an interpreter; give the target a name in targets.yaml"
        )
    if options.api_base is not None:
        check_address(options.api_base)
    return _Holmes(model, options, options.holmes, worker)


class _Holmes:
    def __init__(self, model: str, options: TargetOptions, own: HolmesOptions, worker: Path) -> None:
        self._model, self._options, self._own, self._script = model, options, own, worker
        # Not resolved: an environment's interpreter is a link, and known by its place.
        self._python = Path(own.python).expanduser().absolute()
        self._redacted = Redacting(options.api_key)
        self._gate: Gate | None = None
        self._room = asyncio.Semaphore(own.workers)
        self._idle: list[Worker] = []
        self._homes: TemporaryDirectory[str] | None = None
        self._started = 0

    @property
    def name(self) -> str:
        """The name in sample ids."""
        return self._options.name or f"holmes:{self._model}"

    @property
    def account(self) -> str:
        """The one stated, else the server, else the provider."""
        options = self._options
        server = urlsplit(options.api_base).netloc if options.api_base else None
        return options.account or server or self._model.partition("/")[0]

    @property
    def limits(self) -> Limits:
        """What the account allows; every request of it is a whole investigation."""
        limits = self._options.limits
        return limits._replace(concurrency=min(limits.concurrency or self._own.workers, self._own.workers))

    def paced_by(self, gate: Gate) -> None:
        """Investigate through this gate from now on."""
        self._gate = gate

    @property
    def settings(self) -> Mapping[str, Any]:
        """What a run records; never a key."""
        options = self._options
        return {
            "kind": "holmes",
            "model": self._model,
            "api_base": options.api_base,
            "temperature": options.temperature,
            "max_tokens": options.max_tokens,
            "timeout": options.timeout,
            "holmes": asdict(self._own),
            **options.stated(),
        }

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:
        """Return HolmesGPT's answer to a prompt, with the investigation that led to it.

        Raises:
            TargetUnavailable: it cannot be asked, its model would not be shown the tools (RUN-1), or a call
                of its model failed. It makes its own retries, and is never asked twice.
        """
        gate = self._gate
        if gate is None:
            return self._redacted(await self._investigated(request, binding))

        async def send(passage: Passage) -> ModelReply:
            try:
                reply = await self._investigated(request, binding)
            except BrokeOff as error:
                passage.usage = total(error.work.turns)
                raise
            passage.usage = total(reply.work.turns if reply.work else ())
            return reply

        reply = await gate.through(estimated_size(request, self._options.max_tokens), send)
        return self._redacted(reply)

    async def _investigated(self, request: ModelRequest, binding: Binding) -> ModelReply:
        options = self._options
        if options.tool_server is None:
            raise InvalidInput(f"target {self.name!r}: was opened without a server for its tools")
        needed = [each.name for each in request.tools]
        async with self._worker() as worker, options.tool_server(binding) as url:
            asked = {
                "messages": chat_messages(request.messages),
                "tools": [_spelled(each) for each in request.tools],
                "needed": needed,
                "url": url,
                "seed": request.seed,
            }
            answer = await worker.ask(asked, options.timeout)
        _check_offered(answer, needed)
        return read_investigation(
            answer,
            seed=request.seed if answer.get("seeded") else None,
            prices=options.prices,
            max_steps=self._own.max_steps,
            secrets=(options.api_key, *environment_secrets()),
        )

    @asynccontextmanager
    async def _worker(self) -> AsyncGenerator[Worker]:
        async with self._room:
            worker = self._idle.pop() if self._idle else await self._start()
            try:
                yield worker
            finally:
                if worker.ready:
                    self._idle.append(worker)
                else:
                    await worker.close()

    async def _start(self) -> Worker:
        if self._homes is None:
            self._homes = TemporaryDirectory(prefix="harness-holmes-")
        self._started += 1
        home = Path(self._homes.name) / str(self._started)
        home.mkdir()
        options, own = self._options, self._own
        given = {"temperature": options.temperature, "max_tokens": options.max_tokens}
        settings = {
            "model": self._model,
            "api_base": options.api_base,
            "api_key": options.api_key or (PLACEHOLDER_KEY if options.api_base else None),
            "mode": own.mode,
            "max_steps": own.max_steps,
            "timeout": options.timeout,
            "args": {name: value for name, value in given.items() if value is not None},
        }
        worker = await start(self._python, home, settings, (options.api_key,), self._script)
        found = worker.versions.get("holmesgpt")
        if own.version is not None and found != own.version:
            await worker.close()
            msg = f"{own.python!r} has HolmesGPT {found!r}, and targets.yaml says {own.version!r}"
            raise TargetUnavailable("worker", msg)
        return worker

    async def close(self) -> None:
        """End the processes and remove what they wrote."""
        while self._idle:
            await self._idle.pop().close()
        if self._homes is not None:
            self._homes.cleanup()
            self._homes = None


def _spelled(spec: ToolSpec) -> dict[str, Any]:
    return {"name": spec.name, "description": spec.description, "parameters": dict(spec.parameters)}


def _check_offered(answer: Mapping[str, Any], needed: list[str]) -> None:
    """Raise TargetUnavailable where HolmesGPT would not have offered its model every tool (RUN-1)."""
    missing = sorted(set(needed) - set(answer["offered"]))
    if not missing:
        return
    problem = answer.get("error")
    why = f" ({problem['type']}: {problem['text']})" if problem else ""
    found = ", ".join(answer["offered"]) or "none"
    msg = f"HolmesGPT does not offer {', '.join(missing)} to its model, but {found}{why}; nothing was asked"
    raise TargetUnavailable("tool_missing", msg[:1000])

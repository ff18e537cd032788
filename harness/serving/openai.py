"""A mock or a cassette behind the APIs that clients of models speak: OpenAI's two, and Anthropic's."""

from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.contracts import DEFAULT_BY_FLOW
from harness.errors import InvalidInput
from harness.model import Contract, Scenario, prompt_digest
from harness.prompting.render import PACKS, render
from harness.serving.answering import Served
from harness.serving.injecting import Injection, hits_of
from harness.serving.routes import LARGEST_BODY, application
from harness.targets import Binding, Target

__all__ = ["LARGEST_BODY", "LOCALHOST", "Server", "bindings_for", "serve"]

LOCALHOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Server:
    """A server that listens; `port` is the one it got."""

    host: str
    port: int

    @property
    def url(self) -> str:
        """The base URL for clients, where a request's scenario is known by its prompt."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/v1"


def bindings_for(
    scenarios: Iterable[Scenario], contracts: Collection[Contract], packs: Path = PACKS
) -> dict[str, Binding]:
    """Return what each digest binds: a prompt's where only one scenario has it, and every scenario's own.

    Scenarios of a pair may differ in their worlds alone and share their prompt: those are bound by URL.
    Where several contracts fit a scenario, its own digest means its flow's default, else the first.
    """
    found = [
        Binding(scenario, contract)
        for scenario in scenarios
        for contract in sorted(contracts, key=lambda each: each.id != DEFAULT_BY_FLOW[each.flow])
        if contract.flow == scenario.flow
    ]
    prompts = [prompt_digest(render(each.scenario, each.contract, packs)) for each in found]
    shared = Counter(prompts)
    bindings = {
        prompt: binding for prompt, binding in zip(prompts, found, strict=True) if shared[prompt] == 1
    }
    for binding in found:
        bindings.setdefault(binding.scenario.digest(), binding)
    return bindings


@asynccontextmanager
async def serve(
    target: Target,
    bindings: Mapping[str, Binding],
    *,
    host: str = LOCALHOST,
    port: int = 0,
    log: Callable[[str], None],
    faults: Sequence[Injection] = (),
) -> AsyncGenerator[Server]:
    """Serve a target until the block ends; the target stays the caller's to close.

    Args:
        target: answers every request.
        bindings: the scenario and contract that a digest stands for.
        host: where to listen.
        port: 0 takes any free one.
        log: takes one line for each request.
        faults: what goes wrong on purpose; requests are counted from here on.

    Raises:
        InvalidInput: nobody can listen there.
    """
    from aiohttp import web

    runner = web.AppRunner(
        application(Served(target, bindings, hits_of(faults)), faults, log),
        access_log=None,
        handle_signals=False,
        handler_cancellation=True,
        shutdown_timeout=1.0,
    )
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            msg = f"{host}:{port}: cannot listen there ({error.strerror}); choose another --port"
            raise InvalidInput(msg) from error
        yield Server(host, runner.addresses[0][1])
    finally:
        await runner.cleanup()

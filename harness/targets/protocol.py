"""What every target can do: answer a conversation so far with one more message."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol

from harness.catalog import CatalogSearch, search_catalog
from harness.errors import TargetUnavailable
from harness.model import Contract, Message, Scenario, ToolSpec, Turn, Usage
from harness.model.transcript import Gap

SEEDS_PER_RUN = 100_000


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request: the whole conversation so far and every tool on offer.

    `also` are fields of a chat body that go out beside the others, which only a probe of a target sends.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...]
    seed: int
    also: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)


@dataclass(frozen=True, slots=True)
class Binding:
    """Which scenario and contract a request belongs to: for mocks alone, never sent over any wire.

    `search` is what answers the catalog's tool.
    """

    scenario: Scenario
    contract: Contract
    search: CatalogSearch = search_catalog


@dataclass(frozen=True, slots=True)
class OwnWork:
    """What an agent shows of an investigation that it ran by itself, up to its last message.

    `messages` begin with the prompt that it gave its model and `tools` are those that it offered, both empty
    where it shows none; `gaps` and `shows_tools` say what stays hidden, as in a transcript.
    """

    messages: tuple[Message, ...] = ()
    tools: tuple[ToolSpec, ...] = ()
    turns: tuple[Turn, ...] = ()
    shows_tools: bool = True
    gaps: Mapping[Gap, str] = field(default_factory=dict[Gap, str])


@dataclass(frozen=True, slots=True)
class ModelReply:
    """One reply; `attempts` counts the requests it took, `seconds` is the last one's.

    `seed` is the seed that was really sent, None where the provider takes none; `wire` is the digest of the
    body that was, where it could be seen. `work` is what led to the
    reply of an agent, which called its tools itself: such a reply ends the conversation.
    """

    message: Message
    finish_reason: str | None
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    seconds: float = 0.0
    attempts: int = 1
    seed: int | None = None
    wire: str | None = None
    work: OwnWork | None = None


class BrokeOff(TargetUnavailable):
    """An agent that could not go on; `work` is what it had done by then."""

    def __init__(self, cause: str, detail: str, work: OwnWork) -> None:
        super().__init__(cause, detail)
        self.work = work


ToolServer = Callable[[Binding], AbstractAsyncContextManager[str]]
"""Serves a scenario's tools over MCP while it is open, and gives their address."""


class Target(Protocol):
    """One model with its settings, a deployed API, a mock, or a replay."""

    @property
    def name(self) -> str:
        """The name in sample ids, as "mock:oracle"."""
        ...

    @property
    def settings(self) -> Mapping[str, Any]:
        """What a run records of the target; never a key."""
        ...

    async def reply(self, request: ModelRequest, binding: Binding) -> ModelReply:
        """Return the target's next message; raise TargetUnavailable where it cannot be asked."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


def trial_seed(run_seed: int, trial: int) -> int:
    """Return the seed that a trial's requests carry: the one number that tells trials apart on any wire."""
    return run_seed * SEEDS_PER_RUN + trial

"""Targets: everything that can answer a conversation."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.errors import InvalidInput, UnknownName
from harness.targets.accounts import NO_LIMITS, Limits
from harness.targets.holmes_options import HolmesOptions
from harness.targets.mock import MOCKS, open_mock
from harness.targets.prices import Prices
from harness.targets.protocol import (
    Binding,
    ModelReply,
    ModelRequest,
    OwnWork,
    Target,
    ToolServer,
    trial_seed,
)

__all__ = [
    "KINDS",
    "Binding",
    "ModelReply",
    "ModelRequest",
    "OwnWork",
    "Prices",
    "Target",
    "TargetOptions",
    "ToolServer",
    "known_targets",
    "open_target",
    "trial_seed",
]

KINDS = ("mock", "litellm", "openai", "http", "holmes", "replay")


@dataclass(frozen=True, slots=True)
class TargetOptions:
    """Settings that a command line or targets.yaml gives to targets that speak over a wire.

    `name` is what samples call the target, `api_key_env` the variable that `api_key` was read from; `account`
    is whose limits it shares, `response_format` the dialect of the schema that answers are asked for under.
    `tool_server` is what an agent reaches its tools by; it stands above the targets, and is lent to them.
    None is what goes by itself: "litellm:MODEL", whatever variable litellm reads, the server's address or
    else the provider's name, and no schema at all.
    """

    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float = 300.0
    name: str | None = None
    api_key_env: str | None = None
    account: str | None = None
    limits: Limits = NO_LIMITS
    prices: Prices | None = None
    response_format: str | None = None
    holmes: HolmesOptions | None = None
    tool_server: ToolServer | None = field(default=None, repr=False)

    def stated(self) -> dict[str, Any]:
        """Return what a run records of the options that somebody set beside what is sent; never a key."""
        limits = {name: value for name, value in self.limits._asdict().items() if value is not None}
        given = {
            "api_key_env": self.api_key_env,
            "account": self.account,
            "limits": limits or None,
            "prices": self.prices._asdict() if self.prices else None,
            "response_format": self.response_format,
        }
        return {name: value for name, value in given.items() if value is not None}


def open_target(name: str, options: TargetOptions) -> Target:
    """Return the target that a name like "mock:oracle" or "litellm:openai/gpt-x" means.

    Raises:
        InvalidInput: the name has no known kind.
        UnknownName: no such mock.
    """
    kind, colon, rest = name.partition(":")
    if not colon or not rest:
        msg = (
            f"target: found {name!r}; write mock:NAME, litellm:provider/model, openai:URL, http:URL, "
            f"replay:DIR, or a name of targets.yaml (`harness list targets`)"
        )
        raise InvalidInput(msg)
    if kind == "mock":
        return open_mock(rest)
    if kind == "litellm":
        from harness.targets.litellm import open_litellm

        return open_litellm(rest, options)
    if kind == "openai":
        from harness.targets.direct import open_direct

        return open_direct(rest, options)
    if kind in {"http", "https"}:
        from harness.targets.http import open_http

        # An address alone says its kind.
        return open_http(name if rest.startswith("//") else rest, options)
    if kind == "holmes":
        from harness.targets.holmes import open_holmes

        return open_holmes(rest, options)
    if kind == "replay":
        return _only_target(rest)
    raise UnknownName("kind of target", kind, KINDS)


def _only_target(folder: str) -> Target:
    from harness.targets.replay import open_cassette

    targets = open_cassette(Path(folder)).targets()
    if len(targets) != 1:
        msg = f"replay:{folder}: holds {len(targets)} targets; only `harness run -t` replays several"
        raise InvalidInput(msg)
    return targets[0]


def known_targets() -> Sequence[str]:
    """Return the names of the targets that need no configuration."""
    return [f"mock:{mock.name}" for mock in MOCKS]

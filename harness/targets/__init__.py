"""Targets: everything that can answer a conversation."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.errors import InvalidInput, UnknownName
from harness.targets.mock import MOCKS, open_mock
from harness.targets.protocol import Binding, ModelReply, ModelRequest, Target, trial_seed

__all__ = [
    "KINDS",
    "Binding",
    "ModelReply",
    "ModelRequest",
    "Target",
    "TargetOptions",
    "known_targets",
    "open_target",
    "trial_seed",
]

KINDS = ("mock", "litellm", "replay")


@dataclass(frozen=True, slots=True)
class TargetOptions:
    """Settings that a command line gives to targets that speak over a wire."""

    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float = 300.0


def open_target(name: str, options: TargetOptions) -> Target:
    """Return the target that a name like "mock:oracle" or "litellm:openai/gpt-x" means.

    Raises:
        InvalidInput: the name has no known kind.
        UnknownName: no such mock.
    """
    kind, colon, rest = name.partition(":")
    if not colon or not rest:
        msg = f"target: found {name!r}; write mock:NAME, litellm:provider/model or replay:DIR"
        raise InvalidInput(msg)
    if kind == "mock":
        return open_mock(rest)
    if kind == "litellm":
        from harness.targets.litellm import open_litellm

        return open_litellm(rest, options)
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

"""Structured output on the final turn only: ask freely, and ask for the answer once more under its schema."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from harness.contracts.schemas import response_schema
from harness.model import Usage
from harness.targets.protocol import Binding, ModelReply, ModelRequest

NAME = "answer"

Ask = Callable[[ModelRequest, Mapping[str, Any] | None], Awaitable[ModelReply]]
"""Sends a request, under a `response_format` or none."""


async def answered(ask: Ask, request: ModelRequest, binding: Binding, dialect: str | None) -> ModelReply:
    """Return the model's next message; an answer is asked for a second time, under the contract's schema.

    A schema that is sent together with tools makes some providers answer at once, without a search. Which
    turn is the last one only the model knows: it is the one that calls no tool.

    Args:
        ask: sends one request.
        request: what is asked.
        binding: whose answer, and which catalog closes its schema.
        dialect: a name of `harness.contracts.schemas.DIALECTS`; None never asks again.

    Raises:
        TargetUnavailable: the target cannot be asked.
        InvalidInput: the schema is too large for its dialect.
    """
    free = await ask(request, None)
    if dialect is None or free.message.tool_calls or free.finish_reason == "refusal":
        return free
    under = await ask(request, response_format(binding, dialect))
    return replace(
        under,
        usage=_sum(free.usage, under.usage),
        seconds=free.seconds + under.seconds,
        attempts=free.attempts + under.attempts,
    )


def response_format(binding: Binding, dialect: str) -> dict[str, Any]:
    """Return the `response_format` of a chat request, closed over the scenario's catalog."""
    schema = response_schema(binding.contract, dialect, binding.scenario.catalog).schema
    strict = {"strict": True} if dialect == "openai-strict" else {}
    return {"type": "json_schema", "json_schema": {"name": NAME, "schema": schema, **strict}}


def _sum(one: Usage, other: Usage) -> Usage:
    """Return the usage of two requests; what one of them does not tell is unknown."""

    def added(name: str) -> Any:
        known = getattr(one, name), getattr(other, name)
        return None if None in known else sum(known)

    return Usage(added("prompt_tokens"), added("completion_tokens"), added("cost"))

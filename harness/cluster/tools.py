"""The evidence tools: the world's answers."""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from harness.cluster.describe.all import describe
from harness.cluster.events import events
from harness.cluster.get import get
from harness.cluster.logs import logs
from harness.cluster.lookup import Refusal
from harness.cluster.promql import query
from harness.cluster.remembering import once_per_world
from harness.cluster.top import top
from harness.errors import UnknownName
from harness.model.scenario import World


def answer(world: World, tool: str, arguments: Mapping[str, Any]) -> str:
    """Return what a tool prints, refusals of kubectl's included; it ends without a newline.

    Args:
        world: the world to answer from; it is not changed.
        tool: the name of one of `specs.EVIDENCE_TOOLS`.
        arguments: valid against that tool's parameters.

    Raises:
        UnknownName: no tool has this name.
    """
    if tool not in _ANSWERS:
        raise UnknownName("tool", tool, _ANSWERS)
    return _answers(world)(tool, json.dumps(arguments, sort_keys=True))


@once_per_world
def _answers(world: World) -> Callable[[str, str], str]:
    """Return what answers calls to the tools of a world; trials of one scenario ask much the same."""

    @lru_cache(maxsize=64)
    def answered(tool: str, arguments: str) -> str:
        try:
            return _ANSWERS[tool](world, json.loads(arguments))
        except Refusal as refusal:
            return str(refusal)

    return answered


def _place(arguments: Mapping[str, Any]) -> str:
    return arguments.get("namespace") or "default"


def _get(world: World, arguments: Mapping[str, Any]) -> str:
    return get(
        world,
        arguments["kind"],
        arguments.get("name", ""),
        _place(arguments),
        arguments.get("output", ""),
        everywhere=arguments.get("all_namespaces", False),
    )


def _describe(world: World, arguments: Mapping[str, Any]) -> str:
    return describe(world, arguments["kind"], arguments["name"], _place(arguments))


def _events(world: World, arguments: Mapping[str, Any]) -> str:
    return events(world, _place(arguments), arguments.get("for", ""))


def _logs(world: World, arguments: Mapping[str, Any]) -> str:
    return logs(
        world,
        arguments["pod"],
        arguments["namespace"],
        arguments.get("container", ""),
        previous=arguments.get("previous", False),
        tail=arguments.get("tail", -1),
    )


def _top(world: World, arguments: Mapping[str, Any]) -> str:
    return top(world, arguments["kind"], _place(arguments))


def _query(world: World, arguments: Mapping[str, Any]) -> str:
    start, end, step = (arguments.get(each, "") for each in ("start", "end", "step"))
    return query(world, arguments["query"], start, end, step)


_ANSWERS: dict[str, Callable[[World, Mapping[str, Any]], str]] = {
    "kubectl_get": _get,
    "kubectl_describe": _describe,
    "kubectl_events": _events,
    "kubectl_logs": _logs,
    "kubectl_top": _top,
    "prometheus_query": _query,
}

"""The small shop that the tests of this folder look at, and one call of a tool."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from harness.cluster import answer, build_world
from harness.model.scenario import World

HERE = Path(__file__).parent


def base() -> dict[str, Any]:
    """Return the base world as a parsed file, fresh each time."""
    return yaml.safe_load((HERE / "base.yaml").read_text())


@cache
def shop() -> World:
    """Return the base world, built."""
    return build_world(base(), [], "base.yaml")


@cache
def odd() -> World:
    """Return the world of what the shop has not."""
    return build_world(yaml.safe_load((HERE / "odd.yaml").read_text()), [], "odd.yaml")


def shop_with(*changes: dict[str, Any]) -> World:
    """Return the base world with changes."""
    return build_world(base(), changes, "x.yaml")


def world_of(*objects: dict[str, Any], changes: tuple[dict[str, Any], ...] = ()) -> World:
    """Return a world of one node and some objects."""
    node = {"kind": "Node", "metadata": {"name": "worker-1", "creationTimestamp": "-9d"}}
    content = {"now": "2026-03-02T10:15:00Z", "objects": [node, *objects]}
    return build_world(content, changes, "x.yaml")


def pod(**status: Any) -> dict[str, Any]:
    """Return a pod `p` of two containers, `app` and `side`, with a status as authored."""
    containers = [{"name": each, "image": f"{each}:1"} for each in ("app", "side")]
    metadata = {"name": "p", "creationTimestamp": "-5h12m"}
    return {"kind": "Pod", "metadata": metadata, "spec": {"containers": containers}, "status": status}


def found(world: World, kind: str, name: str) -> dict[str, Any]:
    """Return one object of a world."""
    return next(each for each in world.objects if (each["kind"], each["metadata"]["name"]) == (kind, name))


def ask(world: World, tool: str, **arguments: Any) -> str:
    """Return what `kubectl_<tool>` answers."""
    return answer(world, f"kubectl_{tool}", arguments)

"""What is worked out once for a world."""

from collections.abc import Mapping
from typing import Any

import pytest
from small_world import shop, shop_with

from harness.cluster import answer
from harness.cluster.remembering import once_per_world
from harness.model.scenario import World


def test_a_world_is_asked_once() -> None:
    asked: list[World] = []

    @once_per_world
    def number(world: World) -> int:
        asked.append(world)
        return len(asked)

    assert [number(shop()), number(shop())] == [1, 1]


def test_an_equal_world_is_another_one() -> None:
    asked: list[World] = []

    @once_per_world
    def number(world: World) -> int:
        asked.append(world)
        return len(asked)

    worlds = [shop_with() for _ in range(3)]
    assert [number(each) for each in worlds] == [1, 2, 3]
    assert [number(each) for each in worlds] == [1, 2, 3]


def test_old_worlds_are_forgotten() -> None:
    asked: list[World] = []

    @once_per_world
    def number(world: World) -> int:
        asked.append(world)
        return len(asked)

    worlds = [shop().model_copy() for _ in range(40)]
    assert [number(each) for each in worlds] == list(range(1, 41))
    assert number(worlds[-1]) == 40
    assert number(worlds[0]) == 41


def test_a_call_that_comes_again_is_answered_from_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[World] = []

    def told(world: World, *_: str, everywhere: bool) -> str:
        asked.append(world)
        return f"answer {len(asked)} {everywhere}"

    monkeypatch.setattr("harness.cluster.tools.get", told)
    calls: list[Mapping[str, Any]] = [
        {"kind": "pod", "all_namespaces": True},
        {"all_namespaces": True, "kind": "pod"},
        {"kind": "pod", "all_namespaces": False},
    ]
    one, other = shop_with(), shop_with()

    assert [answer(one, "kubectl_get", each) for each in calls] == [
        "answer 1 True",
        "answer 1 True",
        "answer 2 False",
    ]
    assert answer(other, "kubectl_get", calls[0]) == "answer 3 True"

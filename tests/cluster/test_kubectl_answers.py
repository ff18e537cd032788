"""Whole answers about two worlds; a file holds calls, `$ tool {arguments}`, and what they print."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from small_world import HERE, odd, shop

from harness.cluster import answer
from harness.model.scenario import World

FILES = sorted((HERE / "answers").glob("*.txt"))


def cases(path: Path) -> list[tuple[str, dict[str, Any], str]]:
    parts = re.split(r"(?m)^\$ (\w+) (\{.*\})\n", path.read_text())[1:]
    return [
        (tool, json.loads(arguments), output.rstrip("\n"))
        for tool, arguments, output in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    ]


@pytest.mark.parametrize(
    ("world", "tool", "arguments", "expected"),
    [
        pytest.param(
            odd() if path.stem == "odd" else shop(),
            *case,
            id=f"{path.stem}-{'-'.join(map(str, case[1].values()))}",
        )
        for path in FILES
        for case in cases(path)
    ],
)
def test_an_answer_is_the_written_one(
    world: World, tool: str, arguments: dict[str, Any], expected: str
) -> None:
    assert answer(world, tool, arguments) == expected

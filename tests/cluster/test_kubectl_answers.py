"""Whole answers about the small shop; each file holds calls, `$ tool {arguments}`, and what they print."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from small_world import HERE, shop

from harness.cluster import answer

FILES = sorted((HERE / "answers").glob("*.txt"))


def cases(path: Path) -> list[tuple[str, dict[str, Any], str]]:
    parts = re.split(r"(?m)^\$ (\w+) (\{.*\})\n", path.read_text())[1:]
    return [
        (tool, json.loads(arguments), output.rstrip("\n"))
        for tool, arguments, output in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    ]


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        pytest.param(*case, id=f"{path.stem}-{'-'.join(map(str, case[1].values()))}")
        for path in FILES
        for case in cases(path)
    ],
)
def test_an_answer_is_the_written_one(tool: str, arguments: dict[str, Any], expected: str) -> None:
    assert answer(shop(), tool, arguments) == expected

"""What is said of a wrong value does not depend on how a process happens to order its sets."""

import subprocess
import sys

import pytest

WRONG_MEMBERS = """
from harness.extraction import argument_errors
from harness.model import ToolSpec

schema = {"type": "object", "additionalProperties": {"type": "integer"}}
print(argument_errors(ToolSpec("a", "", schema), {f"key-{n}": "x" for n in range(60)}))
"""


WRONG_SCHEMA = """
from harness.auditing.values import tool_spec
from harness.errors import InvalidInput

try:
    wrong = {f"key-{n}": {"type": n, "required": n} for n in range(9)}
    tool_spec({"name": "a", "parameters": {"properties": wrong}}, "tools/0")
except InvalidInput as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("code", "told"), [(WRONG_MEMBERS, "key-19: 'x' is not"), (WRONG_SCHEMA, "8 is not valid")]
)
def test_breaches_come_in_one_order(monkeypatch: pytest.MonkeyPatch, code: str, told: str) -> None:
    said: set[str] = set()
    for seed in ("1", "2", "3", "4"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        said.add(done.stdout)

    assert len(said) == 1
    assert told in said.pop()

"""What the tests' works do; workers import it by this name."""

import os
import signal
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from harness.errors import InvalidRun


def placed(number: int) -> tuple[int, str]:
    """Return the number and the node that had it, which takes a moment."""
    ray: Any = import_module("ray")
    time.sleep(0.3)
    return number, ray.get_runtime_context().get_node_id()


def killed_once(folder: Path, number: int) -> int:
    """Return the number; the first process that has 3 is killed."""
    marker = folder / "killed"
    if number == 3 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def killed(number: int) -> int:
    """Return the number; whoever has 1 is killed, always."""
    if number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def refused(number: int) -> int:
    """Return the number; 1 is no run."""
    if number == 1:
        raise InvalidRun(f"run {number}: is gone")
    return number


def here(_: int) -> str:
    """Return the current folder."""
    return str(Path.cwd())

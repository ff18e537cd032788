"""The command line, called in this process."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import PROJECT

from harness.cli import main

SUITE = ("--project", str(PROJECT.root))
INCIDENT = "incident/oom-behind-latency"
RECOVERY = "recovery/scale-out-failed"


class Ended(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def value(self) -> Any:
        """The one JSON value on standard output."""
        return json.loads(self.out)


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> Ended:
    """Run one command."""
    try:
        code = main(arguments)
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else 1
    printed = capsys.readouterr()
    return Ended(code, printed.out, printed.err)


def made_run(capsys: pytest.CaptureFixture[str], out: Path, *arguments: str) -> Path:
    """Record a run of the small project below `out` and return its folder."""
    ended = call(capsys, "run", "--out", str(out), "--json", *SUITE, *arguments)
    assert ended.code == 0, ended.err
    return Path(ended.value["run"])

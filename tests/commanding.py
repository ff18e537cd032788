"""Run commands in this process, and read what they leave."""

import json
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from conftest import PROJECT

from harness.cli import main

SUITE = ("--project", str(PROJECT.root))


class Ending(NamedTuple):
    """How a command ended: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


def harness(*arguments: str) -> Ending:
    """Run one command."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as ending:
            code = ending.code if isinstance(ending.code, int) else 1
    return Ending(code, out.getvalue(), err.getvalue())


def run_of(*arguments: str) -> Path:
    """Run `harness run` or `harness merge`, which must succeed, and return the folder of its run."""
    ending = harness(*arguments, "--json")
    assert ending.code == 0, ending.err
    return Path(json.loads(ending.out)["run"])


def files_of(folder: Path) -> Mapping[str, bytes]:
    """Return every file of a folder."""
    return {each.name: each.read_bytes() for each in sorted(folder.iterdir())}


def rows_of(folder: Path) -> list[dict[str, Any]]:
    """Return the rows of a run's scores.jsonl."""
    return [json.loads(line) for line in (folder / "scores.jsonl").read_text(encoding="utf-8").splitlines()]


def info_of(folder: Path) -> dict[str, Any]:
    """Return a run's run.json."""
    return json.loads((folder / "run.json").read_text(encoding="utf-8"))


def samples_of(folder: Path) -> list[str]:
    """Return the samples of a run's transcripts.jsonl, line by line."""
    text = (folder / "transcripts.jsonl").read_text(encoding="utf-8")
    return [json.loads(line)["sample"] for line in text.splitlines()]

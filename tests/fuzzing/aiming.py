"""What fuzzing aims at: each target takes any bytes and raises where a promise is broken."""

import json
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

from harness.auditing import Imported, Refused, read_file
from harness.cluster import EVIDENCE_TOOLS
from harness.cluster.promql import query
from harness.errors import InvalidScenario
from harness.extraction import argument_errors, read_answer, strict
from harness.extraction.patterns import found
from harness.model.scenario import World
from harness.scenarios import Project, load_scenario
from harness.scenarios.files import read_yaml

_PROJECT = Project(Path(__file__).parent.parent / "project")


@cache
def _world() -> World:
    return load_scenario(_PROJECT, "incident/oom-behind-latency").world


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="fuzzing-"))


def _text(written: bytes) -> str:
    return written.decode("utf-8", "surrogateescape")


def answer(written: bytes) -> None:
    """Read a final message: the parts of an extraction agree, and it can be written down."""
    read = read_answer(_text(written))
    assert (read.outcome == "answer") == (read.value is not None) == (read.tier is not None)
    assert read.accepted or read.findings or read.outcome in {"none", "empty", "refused"}
    assert all(f"{each.place}{each.detail}".isprintable() for each in read.findings)
    json.dumps(read.value, allow_nan=False, ensure_ascii=False).encode()


def grammar(written: bytes) -> None:
    """Read JSON: what is strict here, Python's own reader takes too, and the other way round but for NaN."""
    text = _text(written)

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        json.loads(text, parse_constant=refuse, parse_int=len, parse_float=len)
    except (ValueError, RecursionError):
        assert strict.load(text) is None
    else:
        assert strict.load(text) is not None


def yaml(written: bytes) -> None:
    """Read a scenario file."""
    path = _folder() / "any.yaml"
    path.write_bytes(written)
    with suppress(InvalidScenario):
        read_yaml(path)


def trace(written: bytes) -> None:
    """Read a file to audit."""
    path = _folder() / "any.jsonl"
    path.write_bytes(written)
    for each in read_file(path):
        assert isinstance(each, Imported | Refused)


def promql(written: bytes) -> None:
    """Ask a query, and give the same text as the step of another."""
    text = _text(written)
    for asked in (query(_world(), text), query(_world(), "up", "0", "1", text)):
        assert json.loads(asked)["status"] in {"success", "error"}


def arguments(written: bytes) -> None:
    """Check the arguments of a call against the schema of every evidence tool."""
    read = strict.load(_text(written))
    for tool in EVIDENCE_TOOLS if read else ():
        assert all(": " in each for each in argument_errors(tool, read.value if read else None))


def pattern(written: bytes) -> None:
    """Search a pattern, the first line, in the lines behind it."""
    first, _, rest = _text(written).partition("\n")
    assert found(first, rest) in {True, False}


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    each.__name__: each for each in (answer, grammar, yaml, trace, promql, arguments, pattern)
}

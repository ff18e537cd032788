"""Every command that the harness advises exists and takes what it is given."""

import ast
import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from calling import made_run
from rich.console import Console

import harness
from harness.cli import COMMANDS, parser_for
from harness.reporting.overview import overview
from harness.reporting.terminal import print_summary
from harness.store import open_run

SOURCES = sorted(Path(harness.__file__).parent.rglob("*.py"))
_ADVISED = re.compile(r"`harness ([^`]+)`|(?:^|: |  )harness ([a-z]+ [^`;\n]+)", re.MULTILINE)


def advised(text: str) -> list[str]:
    """Return the arguments of each `harness ...` that a text advises."""
    return [quoted or plain for quoted, plain in _ADVISED.findall(text)]


def assert_taken(arguments: str) -> None:
    words = shlex.split(arguments)
    if len(words) == 1:
        assert words[0] in [each.name for each in COMMANDS], f"harness {arguments}: no such command"
        return
    # What is filled in stands as X, and some options take nothing but a number; a text may name an option
    # and leave out what it takes.
    filled = [[value if each == "X" else each for each in words] for value in ("X", "0.1", "3")]
    tried = (*filled, [*words, "X"], [*words, "3"])
    assert any(parses(each) for each in tried), f"harness {arguments}: not a command of this harness"


def parses(words: list[str]) -> bool:
    try:
        parser_for(words).parse_args(words)
    except SystemExit:
        return False
    return True


def messages(source: str) -> Iterator[str]:
    """Yield the texts of a module that are no docstrings; what is filled in stands as X."""
    tree = ast.parse(source)
    apart = {id(part) for each in ast.walk(tree) if isinstance(each, ast.JoinedStr) for part in each.values}
    apart |= {id(each.value) for each in ast.walk(tree) if isinstance(each, ast.Expr)}
    for each in ast.walk(tree):
        if isinstance(each, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in each.values)
        elif isinstance(each, ast.Constant) and isinstance(each.value, str) and id(each) not in apart:
            yield each.value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see `harness list clauses`", ["list clauses"]),
        ("go on with: harness run --resume X", ["run --resume X"]),
        ("```sh\nharness show X Y\n```", ["show X Y"]),
        ("  harness show X 'a b#1'\n", ["show X 'a b#1'"]),
        ("`harness compare` tests it", ["compare"]),
        ("a bug in the harness with no command", []),
        ("harness: interrupted", []),
    ],
)
def test_advice_is_found_in_a_text(text: str, found: list[str]) -> None:
    assert advised(text) == found


def test_advice_in_messages_is_taken() -> None:
    found = [each for path in SOURCES for text in messages(path.read_text("utf-8")) for each in advised(text)]

    assert "list scenarios" in found
    for each in found:
        assert_taken(each)


TARGETS = {
    "failed": ("mock:copycat", "complete"),
    "passed": ("mock:oracle", "complete"),
    "interrupted": ("mock:meddler", "interrupted"),
}


@pytest.mark.parametrize(("target", "status"), TARGETS.values(), ids=list(TARGETS))
def test_advice_of_summary_and_report_is_taken(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, target: str, status: str
) -> None:
    folder = made_run(capsys, tmp_path / "runs of mine", "-t", target)
    stream = io.StringIO()

    run = open_run(str(folder))
    run.info.status = status
    print_summary(Console(file=stream, width=80), overview(run), [folder / "report.md"])

    _, _, after = stream.getvalue().partition("\nNext\n")
    assert len(advised(after)) == len(after.splitlines())
    assert bool(after) == (target != "mock:oracle")
    for each in (*advised(after), *advised((folder / "report.md").read_text("utf-8"))):
        assert_taken(each)


def test_advice_after_unscored_samples_is_taken(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = made_run(capsys, tmp_path, "-t", "mock:oracle")
    path = folder / "scores.jsonl"
    unscored = '"outcome": "unscored", "reason": "timeout: 5 s"'
    path.write_text(path.read_text("utf-8").replace('"outcome": "pass", "reason": ""', unscored))

    stream = io.StringIO()
    print_summary(Console(file=stream, width=80), overview(open_run(str(folder))))

    assert f"run --retry-unscored {folder}" in advised(stream.getvalue())
    for each in advised(stream.getvalue()):
        assert_taken(each)

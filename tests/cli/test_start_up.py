"""What commands load before they work, and how their processes end: as little and as soon as can be."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from calling import INCIDENT, SUITE, call

from harness.cli.output import print_rows

LOADS = """
import sys
from harness.cli import main

assert main({arguments!r}) == 0
print(sorted(set({needless!r}) & set(sys.modules)), file=sys.stderr)
"""
LIBRARY = ("jsonschema", "referencing", "litellm", "pandas", "scipy", "aiohttp")
TARGETS = ("harness.targets", "harness.conversation", "harness.violations", "asyncio")


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    ended = call(capsys, "run", "-s", INCIDENT, "--out", str(tmp_path / "runs"), "--json", *SUITE)
    return Path(ended.value["run"])


def needlessly_loaded(arguments: Sequence[str], needless: Sequence[str]) -> str:
    """Return those of some modules that a command has loaded in a process of its own."""
    code = LOADS.format(arguments=list(arguments), needless=list(needless))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stderr.splitlines()[-1]


def test_a_list_of_runs_loads_nothing_that_is_said_in_runs(run: Path) -> None:
    listed = ("list", "runs", "--out", str(run.parent))

    assert needlessly_loaded(listed, ("harness.model", "harness.store.run", "yaml", *LIBRARY)) == "[]"


def test_grading_loads_nothing_that_asks_targets(run: Path) -> None:
    assert needlessly_loaded(("grade", str(run), *SUITE), (*TARGETS, *LIBRARY)) == "[]"


def test_an_audit_loads_nothing_that_asks_targets(tmp_path: Path) -> None:
    answer = tmp_path / "answer.json"
    answer.write_text("{}")
    audited = ("audit", str(answer), "-c", "workflow-selection-2.7", "--scenario", INCIDENT, *SUITE)

    assert needlessly_loaded(audited, (*TARGETS, *LIBRARY)) == "[]"


def test_a_mock_that_keeps_to_the_schemas_needs_no_library_of_them(tmp_path: Path) -> None:
    recorded = ("run", "-q", "-s", INCIDENT, "--out", str(tmp_path), *SUITE)
    others = ("harness.violations.all", "harness.extraction.bounded_schema")

    assert needlessly_loaded(recorded, (*others, *LIBRARY)) == "[]"


def test_nobody_looks_for_cycles_once_a_command_has_ended() -> None:
    code = """
import atexit, gc, sys
atexit.register(lambda: print(gc.get_freeze_count() > 0, file=sys.stderr))
from harness.cli import entry
entry()
"""
    command = [sys.executable, "-c", code, "list", "contracts"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stderr.splitlines() == ["True"]


def test_of_no_rows_that_do_not_fit_not_even_a_blank_line_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "5")
    print_rows(("first", "second"), [])
    assert capsys.readouterr().out == ""

    print_rows(("first", "second"), [["a", "b"], ["c", "d"]])
    assert capsys.readouterr().out == "a\n  second: b\nc\n  second: d\n"


@pytest.mark.parametrize("package", ["harness", "pipeline", "store", "cluster", "violations"])
def test_a_package_names_its_parts_before_they_are_loaded(package: str) -> None:
    name = package if package == "harness" else f"harness.{package}"
    code = f"import {name} as it; assert set(it.__all__) <= set(dir(it)); from {name} import *"

    subprocess.run([sys.executable, "-c", code], check=True)


def test_threads_that_ask_for_parts_find_whole_what_all_parts_need() -> None:
    code = "import sys, harness.pipeline; print({'harness.catalog', 'harness.model'} <= set(sys.modules))"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"True\n"

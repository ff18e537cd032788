"""harness list: exact keys for programs, whole lines for people."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from calling import INCIDENT, SUITE, call, made_run

SCENARIO_KEYS = [
    "id", "flow", "tags", "family", "signal_type", "accepted_signal_types", "severity", "accepted_severities",
    "reason", "hostile", "pair",
]  # fmt: skip
CLAUSE_KEYS = ["id", "level", "dimension", "source", "contracts", "graded_by", "violations", "scenarios"]


def listed(capsys: pytest.CaptureFixture[str], what: str) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in call(capsys, "list", what, "--json", *SUITE).value}


def test_scenarios_and_clauses_have_exactly_their_keys(capsys: pytest.CaptureFixture[str]) -> None:
    assert {tuple(row) for row in listed(capsys, "scenarios").values()} == {tuple(SCENARIO_KEYS)}
    assert {tuple(row) for row in listed(capsys, "clauses").values()} == {tuple(CLAUSE_KEYS)}


def test_a_clause_counts_the_scenarios_in_which_its_subject_occurs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    counts = {name: row["scenarios"] for name, row in listed(capsys, "clauses").items()}

    assert len(listed(capsys, "scenarios")) == 3
    assert {name: counts[name] for name in ("CAR-1", "CAR-7", "PAS-1", "SEL-2")} == dict.fromkeys(
        ("CAR-1", "CAR-7", "PAS-1", "SEL-2"), 3
    )
    # One is a recovery; nothing is planted in any; two of them are a pair of which names differ.
    assert (counts["REP-1"], counts["SAF-1"], counts["MET-3"], counts["MET-1"]) == (1, 0, 1, 0)


@pytest.mark.parametrize("what", ["scenarios", "contracts", "clauses", "graders", "targets"])
def test_what_is_piped_is_one_line_a_row_without_padding(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    rows = call(capsys, "list", what, "--json", *SUITE).value

    lines = call(capsys, "list", what, *SUITE).out.splitlines()

    assert len(lines) == len(rows) + 1
    assert not [line for line in lines if line != line.rstrip()]
    assert "…" not in "".join(lines)


def test_what_is_piped_is_as_wide_as_columns_says(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    text = call(capsys, "list", "scenarios", *SUITE).out

    assert text.startswith(f"{INCIDENT}\n  alert: ")


def on_terminal(columns: int, *arguments: str) -> list[str]:
    """Return the lines that a command prints on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    subprocess.run(["stty", "cols", str(columns)], stdin=theirs, check=True)  # noqa: S607
    # Left by what runs the tests, it would be taken for the terminal's width.
    clean = ["env", "-u", "COLUMNS", "-u", "LINES", "TERM=xterm", "NO_COLOR=1"]
    running = subprocess.Popen([*clean, sys.executable, "-m", "harness", *arguments], stdout=theirs)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        text += part
        if not part:
            break
    assert running.wait() == 0
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;]*m", "", text.decode().replace("\r\n", "\n")).splitlines()


def test_a_narrow_terminal_gets_blocks_and_no_word_is_cut() -> None:
    lines = on_terminal(80, "list", "clauses", *SUITE)

    at = lines.index("CAR-2")
    assert lines[at : at + 7] == [
        "CAR-2",
        "  level: MUST",
        "  dimension: schema",
        "  graded by: schema.clean_json",
        "  text: The JSON is clean: no repeated keys, comments, quoted numbers, JSON in",
        "        strings or camelCase keys.",
        "CAR-3",
    ]
    assert max(map(len, lines)) <= 80


def test_a_wide_terminal_gets_columns() -> None:
    lines = on_terminal(120, "list", "contracts")

    assert lines[0] == "id                       flow      default  title"
    assert lines[1].startswith("workflow-selection-2.7   incident  yes      ")


def test_runs_are_listed_where_they_lie(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = made_run(capsys, tmp_path / "mine")

    (row,) = call(capsys, "list", "runs", "--out", str(tmp_path / "mine"), "--json").value
    nothing = call(capsys, "list", "runs", "--out", str(tmp_path / "none"))

    assert (row["id"], row["samples"], row["compliant"]) == (folder.name, 3, 3)
    assert (nothing.code, nothing.out, nothing.err) == (0, "", f"no runs in {tmp_path}/none\n")
    assert call(capsys, "list", "runs", "--out", str(tmp_path / "none"), "--json").value == []

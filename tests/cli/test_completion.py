"""Shells complete commands, options and values; driven as shells drive it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROJECT
from outside import ID, write_contract

from harness.cli.completing import SHELLS

HARNESS = Path(sys.executable).parent / "harness"


def completed(line: str, folder: Path, **more: str) -> list[str]:
    """Return what the command line offers for the last word of a line, by argcomplete's protocol."""
    answer = folder / "answer"
    asked = {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(answer),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    environment = {**os.environ, **asked, **more}  # noqa: TID251 - the shell passes its own on
    ended = subprocess.run(
        [str(HARNESS)], env=environment, cwd=folder, check=False, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    words = answer.read_text(encoding="utf-8").split("\n")
    answer.unlink()
    return [each.strip() for each in words if each.strip()]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    shutil.copytree(PROJECT.scenarios, tmp_path / "scenarios")
    write_contract(tmp_path / "contracts" / ID)
    run = tmp_path / "reports" / "runs" / "20260101T000000-abcdef"
    run.mkdir(parents=True)
    (run / "run.json").write_text("{}", encoding="utf-8")
    return tmp_path


OFFERED: list[tuple[str, list[str]]] = [
    ("harness ren", ["render"]),
    ("harness run --retry", ["--retry-unscored"]),
    ("harness run -s recovery/", ["recovery/scale-out-failed"]),
    ("harness render paired/", ["paired/oom-renamed"]),
    ("harness run -c short", [ID]),
    ("harness schema workflow-rec", ["workflow-recovery-1.0"]),
    ("harness explain PAR-", ["PAR-1", "PAR-2", "PAR-3", "PAR-4"]),
    ("harness show l", ["latest"]),
    ("harness grade 2026", ["20260101T000000-abcdef"]),
    ("harness run --fail-on sev", ["severity"]),
    ("harness list cl", ["clauses"]),
    ("harness new sc", ["scenario"]),
    ("harness run -c ./scen", ["./scenarios/"]),
    ("harness run -n ", []),
    ("harness run -s nothing-like-it", []),
]


@pytest.mark.parametrize(("line", "offered"), OFFERED, ids=[each[0] for each in OFFERED])
def test_a_word_is_completed(here: Path, line: str, offered: list[str]) -> None:
    assert completed(line, here) == offered


def test_targets_are_completed_behind_the_colon_at_which_shells_break_words(here: Path) -> None:
    assert "mock:oracle" in completed("harness run -t mock:", here)
    assert completed("harness run -t mock:ora", here, _ARGCOMPLETE_COMP_WORDBREAKS=" :") == ["oracle"]


def test_completing_executes_no_contract_and_reads_no_scenario(here: Path) -> None:
    (here / "contracts" / ID / "contract.py").write_text("open('ran', 'w').close()\n", encoding="utf-8")
    (here / "scenarios" / "incident" / "not-yaml.yaml").write_text("{", encoding="utf-8")

    assert completed("harness run -c short", here) == [ID]
    assert "incident/not-yaml" in completed("harness run -s ", here)
    assert not (here / "ran").exists()


def test_another_project_is_looked_at_where_the_line_names_it(here: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "scenarios" / "incident").mkdir(parents=True)
    (other / "scenarios" / "incident" / "alone-here.yaml").touch()

    assert completed(f"harness run --project {other} -s ", here) == ["incident/alone-here"]
    assert completed("harness run --project nowhere -s ", here) == []


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_gets_its_script(shell: str) -> None:
    ended = subprocess.run([str(HARNESS), "completion", shell], check=True, capture_output=True, text=True)

    assert "harness" in ended.stdout
    assert "_ARGCOMPLETE" in ended.stdout


def test_bash_completes_by_the_script(here: Path) -> None:
    script = f"""
        PATH={HARNESS.parent}:$PATH
        eval "$(harness completion bash)"
        COMP_LINE='harness explain PAR-' COMP_POINT=20 COMP_TYPE=9
        COMP_WORDS=(harness explain PAR-) COMP_CWORD=2
        $(complete -p harness | grep -o '[-]F [^ ]*' | cut -d' ' -f2) harness PAR- explain
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """

    ended = subprocess.run(["bash", "-c", script], cwd=here, check=True, capture_output=True, text=True)  # noqa: S607

    assert ended.stdout.split() == ["PAR-1", "PAR-2", "PAR-3", "PAR-4"]

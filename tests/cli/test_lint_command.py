"""harness lint on the command line: what it prints, and how it ends."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROJECT

from harness.cli import main
from harness.prompting.render import PACKS
from harness.scenarios import Project
from harness.scenarios.load import CHECKOUT

INCIDENT = "scenarios/incident/oom-behind-latency.yaml"
CATALOG = "scenarios/catalogs/tiny.yaml"
W = "workflow-selection-2.7"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, a copy of the small project."""
    shutil.copytree(PROJECT.root, tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path / "project"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_clean_project_ends_with_a_count(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert here.is_dir()

    assert main(["lint"]) == 0
    assert capsys.readouterr().out == "0 errors and 0 warnings in 3 scenarios\n"


def line_of(path: Path, text: str) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_findings_are_sorted_lines_and_errors_end_with_one(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(here / INCIDENT, "symptom: HighRequestLatency", "symptom: OOMKilled")
    edit(here / CATALOG, "enum: [rolling, none]", "enum: [rolling, 1]")

    assert main(["lint"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        (
            f"{CATALOG}:{line_of(here / CATALOG, 'rolling, 1')}: PAR-2 raise-memory-limit 1.4.0: "
            f"RESTART_MODE.enum: found 1; its type is string"
        ),
        (
            f"{INCIDENT}:{line_of(here / INCIDENT, 'symptom:')}: SCN-1 expect.symptom: found 'OOMKilled', "
            f"which expect.signal_types accepts as the cause"
        ),
        "2 errors and 0 warnings in 3 scenarios",
    ]


def test_a_warning_alone_ends_well(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(
        here / INCIDENT, "environment: production, priority: P0", "environment: production, priority: urgent"
    )
    edit(here / CATALOG, "[P0, P1]", "[P0, P1, urgent]")

    assert main(["lint"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [each.split(" ")[:3] for each in printed[:-1]] == [
        [f"{CATALOG}:{line_of(here / CATALOG, 'urgent')}:", "CAT-2", "warning:"],
        [f"{INCIDENT}:{line_of(here / INCIDENT, 'urgent')}:", "SCN-1", "warning:"],
    ]
    assert printed[-1] == "0 errors and 2 warnings in 3 scenarios"


def test_json_is_one_list_and_the_count_goes_elsewhere(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(here / INCIDENT, "tags: [core, oom]", "tags: [core, OOM]")

    assert main(["lint", "--json"]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out) == [
        {
            "file": INCIDENT,
            "line": line_of(here / INCIDENT, "tags:"),
            "clause": "SCN-1",
            "message": "tags[1]: found 'OOM'; write it in kebab-case",
            "level": "error",
        }
    ]
    assert printed.err == "1 error and 0 warnings in 3 scenarios\n"


def test_other_prompts_are_linted_instead_of_the_built_in(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(PACKS, here / "packs")
    edit(here / "packs" / W / "prompt.md.j2", "## Required Analysis\n", "")

    assert main(["lint", "--prompts", "packs"]) == 1
    line = line_of(here / "packs" / W / "prompt.md.j2", "## Business Context")
    wanted = f"packs/{W}/prompt.md.j2:{line}: PRM-1 the section '## Required Analysis' is missing"
    assert wanted in capsys.readouterr().out


def test_a_folder_without_packs_is_a_wrong_input(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--prompts", str(here)]) == 2
    assert "holds no prompt pack" in capsys.readouterr().err


def test_the_suite_passes_from_elsewhere_and_litellm_stays_out(tmp_path: Path) -> None:
    code = """
import sys
from harness.cli import main
ending = main(sys.argv[1:])
print("litellm" in sys.modules)
sys.exit(ending)
"""
    project = str(Project(CHECKOUT).root)

    ended = subprocess.run(
        [sys.executable, "-c", code, "lint", "--project", project],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines()[-1] == "False"

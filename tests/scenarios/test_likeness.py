"""Stories differ, and nothing that a target can read gives their outcome away."""

import shutil
from pathlib import Path

import pytest

from harness.scenarios import Project
from harness.scenarios.lint import lint_project

ID = "incident/oom-behind-latency"


@pytest.fixture
def copy(project: Project, tmp_path: Path) -> Project:
    shutil.copytree(project.root, tmp_path / "project")
    return Project(tmp_path / "project")


def path_of(copy: Project, name: str = ID) -> Path:
    return copy.scenarios / f"{name}.yaml"


def edited(copy: Project, old: str, new: str) -> None:
    text = path_of(copy).read_text(encoding="utf-8")
    assert old in text
    path_of(copy).write_text(text.replace(old, new, 1), encoding="utf-8")


def found(copy: Project, words: str) -> list[str]:
    return [str(each) for each in lint_project(copy)[0] if words in each.message]


def test_a_reworded_copy_is_found_on_both_sides(copy: Project) -> None:
    text = path_of(copy).read_text(encoding="utf-8")
    again = text.replace("description: ", "description: Once more, ", 1).replace(
        "severity: high", "severity: low"
    )
    path_of(copy, "incident/oom-once-more").write_text(again, encoding="utf-8")

    told = found(copy, "of its lines stand in")

    assert len(told) == 2
    assert "oom-behind-latency.yaml:1: SCN-1" in told[0]
    assert "stand in incident/oom-once-more too" in told[0]


def test_a_pair_may_repeat_the_other_half(copy: Project) -> None:
    assert found(copy, "of its lines stand in") == []


def test_the_name_of_an_accepted_workflow_in_the_evidence_is_found(copy: Project) -> None:
    edited(copy, "error_message: ", "error_message: try raise-memory-limit; ")

    assert found(copy, "the evidence or the alert names raise-memory-limit")


def test_the_name_of_the_file_in_the_evidence_is_found(copy: Project) -> None:
    edited(copy, "error_message: ", "error_message: oom-behind-latency ")

    assert found(copy, "this file's name")


def test_words_of_the_justification_in_the_evidence_are_found(copy: Project) -> None:
    edited(copy, "error_message: ", "error_message: one replica needs more memory than its limit. ")

    assert found(copy, "'one replica needs more memory than its' stands in the evidence")

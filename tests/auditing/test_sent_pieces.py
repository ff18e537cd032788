"""A piece on its way: judged only where file and project are what they were when it was given out."""

import shutil
from pathlib import Path

import pytest
from conftest import PROJECT

from harness.auditing.audits import Asked
from harness.auditing.parts import judge_piece
from harness.auditing.pieces import Piece
from harness.auditing.sending import Sent, sent
from harness.errors import EngineFailed
from harness.scenarios import Project

ANSWER = "{}"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    shutil.copytree(PROJECT.scenarios, tmp_path / "scenarios")
    return Project(tmp_path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text(ANSWER)
    return tmp_path / "a.txt"


def test_a_piece_is_judged_where_all_is_as_it_was(project: Project, file: Path) -> None:
    judged = judge_piece(sent(Asked(project)), (7, Piece(file, len(ANSWER))), tabled=False)

    assert (judged.part.number, judged.part.size) == (7, len(judged.lines))
    assert judged.part.counts.total() == 1
    assert judged.table is None


def test_a_piece_of_a_file_that_is_not_seen_is_not_judged(project: Project, file: Path) -> None:
    file.unlink()

    with pytest.raises(EngineFailed, match=r"a\.txt: .* sees no such file where 2 bytes were"):
        judge_piece(sent(Asked(project)), (1, Piece(file, len(ANSWER))), tabled=False)


def test_a_file_that_never_was_is_refused_as_ever(project: Project) -> None:
    judged = judge_piece(sent(Asked(project)), (1, Piece(Path("gone.txt"), None)), tabled=False)

    assert judged.part.refused == ("gone.txt: cannot be read: No such file or directory",)


@pytest.mark.parametrize(
    "changed", ["scenarios/incident/oom-behind-latency.yaml", "contracts/own/contract.py"]
)
def test_a_project_of_other_content_has_another_digest(project: Project, changed: str) -> None:
    own = project.contracts / "own"
    own.mkdir(parents=True)
    (own / "contract.py").write_text("CONTRACT = 1\n")
    before = sent(Asked(project))
    (project.root / "contracts" / "__pycache__").mkdir()
    (project.root / "contracts" / "__pycache__" / "own.pyc").write_text("compiled")
    assert sent(Asked(project)) == before

    with (project.root / changed).open("a") as stream:
        stream.write("\n")

    assert sent(Asked(project)) != before


def test_a_contract_of_a_folder_is_part_of_what_is_sent(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "contract.py").write_text("CONTRACT = 1\n")
    before = sent(Asked(project, contract=f"{folder}/"))
    (folder / "contract.py").write_text("CONTRACT = 2\n")

    assert sent(Asked(project, contract=f"{folder}/")) != before


def test_another_project_judges_nothing(project: Project) -> None:
    with pytest.raises(EngineFailed, match="sees another project there, or none"):
        Sent(Asked(project), "of another one").here()

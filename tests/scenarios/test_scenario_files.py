"""Scenario files with names, kinds and sizes that no scenario has: refused at once, each by its name."""

import os
import shutil
from pathlib import Path

import pytest
from conftest import PROJECT

from harness.errors import InvalidScenario
from harness.scenarios import Project, load_scenarios

SCENARIO = "incident/oom-behind-latency"


@pytest.fixture
def here(tmp_path: Path) -> Project:
    shutil.copytree(PROJECT.scenarios, tmp_path / "scenarios")
    return Project(tmp_path)


@pytest.mark.parametrize("name", ["a@b", "a#b", "a b", "a\nb", "a\x1b[31mb", "\udcffa", "a\u202eb"])
def test_a_name_that_ids_cannot_hold_is_refused(here: Project, name: str) -> None:
    family = here.scenarios / "incident"
    (here.scenarios / f"{SCENARIO}.yaml").rename(family / f"{name}.yaml")

    with pytest.raises(InvalidScenario, match="name files with letters") as raised:
        load_scenarios(here)

    assert str(raised.value).isprintable()


def test_a_device_is_refused(here: Project) -> None:
    (here.scenarios / "incident/endless-zero.yaml").symlink_to("/dev/zero")

    with pytest.raises(InvalidScenario, match=r"endless-zero\.yaml: cannot be read: no plain file"):
        load_scenarios(here)


def test_a_pipe_is_refused_and_not_waited_for(here: Project) -> None:
    os.mkfifo(here.scenarios / "incident/silent-pipe.yaml")

    with pytest.raises(InvalidScenario, match=r"silent-pipe\.yaml: cannot be read: no plain file"):
        load_scenarios(here)


def test_a_loop_of_links_is_refused(here: Project) -> None:
    path = here.scenarios / "incident/round-about.yaml"
    path.symlink_to(path)

    with pytest.raises(InvalidScenario, match=r"round-about\.yaml: cannot be read: Too many levels"):
        load_scenarios(here)


def test_a_huge_file_is_refused_before_it_is_read(here: Project) -> None:
    path = here.scenarios / "incident/huge-one.yaml"
    path.touch()
    os.truncate(path, 50_000_000_000)

    with pytest.raises(InvalidScenario, match=r"found 50000000000 bytes; at most 400000"):
        load_scenarios(here)

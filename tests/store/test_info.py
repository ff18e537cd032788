"""run.json: today's format is read, another one says which command helps."""

import json
from pathlib import Path
from typing import Any

import pytest

from harness.errors import InvalidRun
from harness.store import FORMAT, RunInfo
from harness.store.info import read_info

INFO = {"format": FORMAT, "id": "r1", "created": "2026-01-01"}


def folder_with(folder: Path, value: object) -> Path:
    (folder / "run.json").write_text(json.dumps(value), encoding="utf-8")
    return folder


def test_the_format_of_today_is_read(tmp_path: Path) -> None:
    assert read_info(folder_with(tmp_path, INFO)) == RunInfo(id="r1", created="2026-01-01")


def test_a_later_format_says_how_to_read_it(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidRun,
        match=r"found format 7; .* format 1; upgrade it with `pip install --upgrade contract-harness`",
    ):
        read_info(folder_with(tmp_path, {**INFO, "format": 7}))


def test_an_earlier_format_that_nothing_lifts_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(InvalidRun, match=r"found format 0, .* record it again with `harness run`"):
        read_info(folder_with(tmp_path, {**INFO, "format": 0}))


def test_earlier_formats_are_lifted_one_by_one(tmp_path: Path) -> None:
    def named(value: dict[str, Any]) -> dict[str, Any]:
        return {**value, "name": f"{value['name']}-1"}

    def renamed(value: dict[str, Any]) -> dict[str, Any]:
        return {"id": value["name"], "created": value["created"]}

    old = folder_with(tmp_path, {"format": -1, "name": "r", "created": "2025-01-01"})

    assert read_info(old, {-1: named, 0: renamed}) == RunInfo(id="r-1", created="2025-01-01")
    assert json.loads((old / "run.json").read_text(encoding="utf-8"))["format"] == -1


@pytest.mark.parametrize("found", [None, "1", True, 1.0])
def test_a_format_is_a_whole_number(tmp_path: Path, found: object) -> None:
    with pytest.raises(InvalidRun, match="is this a run of it"):
        read_info(folder_with(tmp_path, {**INFO, "format": found}))


def test_a_list_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(InvalidRun, match="found format None"):
        read_info(folder_with(tmp_path, [INFO]))


def test_an_unknown_field_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidRun, match="Extra inputs are not permitted; is this a run of this harness"):
        read_info(folder_with(tmp_path, {**INFO, "mood": "good"}))

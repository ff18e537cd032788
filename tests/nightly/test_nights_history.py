"""nights.jsonl grows by lines, survives crashes, and is read by whoever understands it."""

import json
from pathlib import Path

import pytest
from simulated_nights import Model, day, month

from harness.errors import InvalidInput
from harness.nightly import Began, open_history, read_history


def kept(folder: Path, nights: int = 2) -> Path:
    history = open_history(folder)
    history.add(month([Model("m")], seed=1, nights=nights))
    history.close()
    return history.file


def test_what_is_added_is_read_again(tmp_path: Path) -> None:
    kept(tmp_path)

    found = read_history(tmp_path)
    assert found.nights() == month([Model("m")], seed=1, nights=2)
    assert found.notes == []


def test_a_torn_last_line_is_told_and_dropped_and_never_glued_to_the_next(tmp_path: Path) -> None:
    file = kept(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole[:-100])

    assert [each.date for each in read_history(tmp_path).nights()] == [day(1)]
    history = open_history(tmp_path)
    assert any("dropped a torn last line of" in each for each in history.notes)
    history.add(month([Model("m")], seed=1, nights=3)[2:])
    history.close()
    again = read_history(tmp_path)
    assert [each.date for each in again.nights()] == [day(1), day(3)]
    assert again.notes == []


def test_lines_are_only_added_and_of_one_night_the_last_counts(tmp_path: Path) -> None:
    file = kept(tmp_path)
    before = file.read_bytes()
    history = open_history(tmp_path)
    second = history.nights()[1].model_copy(update={"scored": 7})
    history.add([second])
    history.close()

    assert file.read_bytes().startswith(before)
    assert [each.scored for each in read_history(tmp_path).nights()] == [180, 7]


def test_the_run_that_last_began_is_the_one_to_go_on_with(tmp_path: Path) -> None:
    history = open_history(tmp_path)
    history.add([Began(date=day(1), target="m", run="a"), Began(date=day(1), target="m", run="b")])
    history.close()

    found = read_history(tmp_path)
    assert found.began(day(1), "m") == "b"
    assert found.began(day(2), "m") is None
    assert found.nights() == []


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    history = open_history(tmp_path)
    with pytest.raises(InvalidInput, match="another process"):
        open_history(tmp_path)
    history.close()
    open_history(tmp_path).close()


def test_foreign_lines_are_told_and_a_later_format_is_refused(tmp_path: Path) -> None:
    file = kept(tmp_path, 1)
    with file.open("a") as stream:
        stream.write('{"kind": "night", "date": 3}\n{"some": "thing"}\nnonsense\n')

    found = read_history(tmp_path)
    assert len(found.nights()) == 1
    assert len(found.notes) == 3
    with file.open("a") as stream:
        stream.write('{"format": 2, "kind": "night"}\n')
    with pytest.raises(InvalidInput, match="upgrade"):
        read_history(tmp_path)


def test_a_history_that_is_only_read_takes_no_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="only read"):
        read_history(tmp_path).add([])


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(InvalidInput, match="give a folder"):
        open_history(tmp_path / "file" / "below")


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": []},
        {"kind": {"night": 1}},
        {"date": "the day after"},
        {"planned": -1},
        {"dimensions": {"all": [1]}},
        {"dimensions": {"all": [-1, 3]}},
        {"cells": {"s": {"scenario": "d", "prompt": "", "passed": -1, "n": 2, "canary": True}}},
    ],
)
def test_a_line_with_a_value_that_no_night_has_is_told_and_ignored(
    tmp_path: Path, wrong: dict[str, object]
) -> None:
    good, bad = (each.model_dump(mode="json") for each in month([Model("steady")], seed=1, nights=2))
    lines = (json.dumps(each) + "\n" for each in (good, {**bad, **wrong}))
    (tmp_path / "nights.jsonl").write_text("".join(lines), encoding="utf-8")

    history = read_history(tmp_path)

    assert [each.date for each in history.nights()] == [day(1)]
    assert history.notes == ["nights.jsonl:2: is no line of a history; ignored"]

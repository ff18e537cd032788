"""A file in pieces: no line is cut, none is left out, and each knows its number."""

import json
from pathlib import Path

import pytest

from harness.auditing import Imported, Refused, read_file
from harness.auditing.pieces import Piece, Span, blocks, pieces, read_piece
from harness.engines import local_engine

HERE = local_engine(1)
LINES = [
    json.dumps({"messages": [{"role": "assistant", "content": "x" * (37 * n % 500)}]}) for n in range(200)
]


def sources(file: Path, size: int) -> list[str]:
    return [each.source for piece in pieces([file], None, size, HERE) for each in read_piece(piece, None)]


@pytest.mark.parametrize("size", [1, 100, 5_000, 1_000_000_000])
@pytest.mark.parametrize("end", ["", "\n", "\n\n{torn"])
def test_pieces_hold_what_the_file_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, end: str
) -> None:
    monkeypatch.setattr("harness.auditing.pieces.BLOCK", 700)
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join(LINES) + end)

    assert sources(file, size) == [each.source for each in read_file(file)]


def test_a_piece_is_whole_lines_of_about_the_size_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.auditing.pieces.BLOCK", 700)
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join(LINES) + "\n")
    text = file.read_bytes()

    found = list(pieces([file], None, 5_000, HERE))

    assert [each.start for each in found[1:]] == [each.end for each in found[:-1]]
    assert (found[0].start, found[-1].end) == (0, len(text))
    assert sum(each.size for each in found) == len(text)
    for each in found:
        assert text[: each.start].count(b"\n") + 1 == each.line
        assert text[each.start : each.end].endswith(b"\n")
        assert each.size < 6_500
    assert all(each.size >= 4_000 for each in found[:-1])


def test_a_line_longer_than_a_piece_is_not_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.auditing.pieces.BLOCK", 700)
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join([LINES[0], "x" * 5_000, *LINES[:40]]) + "\n")
    text = file.read_bytes()

    found = list(pieces([file], None, 1_000, HERE))

    assert len(found) > 2
    assert all(text[: each.end].endswith(b"\n") for each in found)
    assert [each.line for each in found] == [text[: each.start].count(b"\n") + 1 for each in found]


def test_what_is_passed_over_of_a_long_line_is_no_part_of_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("harness.auditing.pieces.BLOCK", 700)
    monkeypatch.setattr("harness.auditing.files.MAX_LINE", 200)
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join(LINES))

    assert sources(file, 2_000) == [f"{file}:{number}" for number in range(1, 201)]


def test_lines_that_are_added_meanwhile_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("a\nb\nc\n")

    assert blocks(Span(file, 0, 4, 3)) == [(3, 1, 2), (1, 1, 1)]


@pytest.mark.parametrize(("name", "named"), [("a.json", None), ("a.txt", None), ("a.jsonl", "text")])
def test_what_is_no_file_of_lines_is_one_piece(tmp_path: Path, name: str, named: str | None) -> None:
    file = tmp_path / name
    file.write_text("\n".join(LINES))

    assert list(pieces([file], named, 100, HERE)) == [Piece(file, file.stat().st_size)]


def test_a_missing_file_is_one_piece_that_says_so(tmp_path: Path) -> None:
    file = tmp_path / "gone.jsonl"

    (piece,) = pieces([file], None, 100, HERE)
    (read,) = read_piece(piece, None)

    assert piece.size == 0
    assert not isinstance(read, Imported)
    assert str(read) == f"{file}: cannot be read: No such file or directory"


def test_a_file_that_goes_between_two_pieces_is_refused(tmp_path: Path) -> None:
    (read,) = read_piece(Piece(tmp_path / "gone.jsonl", 30, 10, 20, 2), None)

    assert isinstance(read, Refused)
    assert read.reason == "cannot be read: No such file or directory"

"""Files of JSON lines: torn and foreign lines are left out and said; whole ones are never lost."""

import os
from pathlib import Path

import pytest

from harness.store.lines import BLOCK, LinesAt, count_lines, mend_last_line, read_objects, replace_text


def read(path: Path) -> tuple[list[dict[str, object]], list[str]]:
    notes: list[str] = []
    return [dict(value) for _, value in read_objects(path, notes.append)], notes


def file_with(folder: Path, content: bytes) -> Path:
    path = folder / "x.jsonl"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (b'{"a": 1}\nhello\n', "x.jsonl:2: not a JSON object; ignored"),
        (b'{"a": 1}\n[1]\n', "x.jsonl:2: not a JSON object; ignored"),
        (b'{"a": 1}\n\n', "x.jsonl:2: not a JSON object; ignored"),
        (b'{"a": 1}\n\xff\xfe\n', "x.jsonl:2: not a JSON object; ignored"),
        (b'{"a": 1}\n' + b"[" * 200_000 + b"\n", "x.jsonl:2: not a JSON object; ignored"),
        (b'{"a": 1}\n{"b": "\xc3', "x.jsonl:2: a torn last line is ignored"),
        (b'{"a": 1}\n{"b"', "x.jsonl:2: a torn last line is ignored"),
    ],
    ids=["words", "a list", "nothing", "no text", "a deep list", "torn in a letter", "torn"],
)
def test_a_line_that_is_no_object_is_left_out_and_said(tmp_path: Path, content: bytes, note: str) -> None:
    assert read(file_with(tmp_path, content)) == ([{"a": 1}], [note])


def test_a_whole_last_line_without_its_end_counts(tmp_path: Path) -> None:
    path = file_with(tmp_path, b'{"a": 1}\n{"b": 2}')

    assert read(path) == ([{"a": 1}, {"b": 2}], [])
    assert mend_last_line(path) == 0
    assert path.read_bytes() == b'{"a": 1}\n{"b": 2}\n'


@pytest.mark.parametrize("torn", [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK])
@pytest.mark.parametrize("whole", [b"", b'{"a": 1}\n', b'{"a": 1}\n' * BLOCK])
def test_a_torn_last_line_is_dropped_however_long(tmp_path: Path, whole: bytes, torn: int) -> None:
    path = file_with(tmp_path, whole + b"{" * torn)

    assert mend_last_line(path) == torn
    assert path.read_bytes() == whole
    assert count_lines(path) == whole.count(b"\n")


def test_a_missing_file_has_no_lines(tmp_path: Path) -> None:
    missing = tmp_path / "x.jsonl"

    assert read(missing) == ([], [])
    assert (count_lines(missing), mend_last_line(missing)) == (0, 0)
    assert not missing.exists()


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = file_with(tmp_path, b"before")

    replace_text(path, "after \ud800")

    assert path.read_text(encoding="utf-8", errors="surrogatepass") == "after \ud800"
    assert [each.name for each in tmp_path.iterdir()] == ["x.jsonl"]


@pytest.mark.parametrize("size", [1, 8_190, 8_191, 8_192, 8_193, 16_384, 100_000])
def test_a_line_is_read_where_it_begins(tmp_path: Path, size: int) -> None:
    path = tmp_path / "lines.jsonl"
    written = [b"first\n", b"x" * size + b"\n", b"third\n", b"y" * size]
    path.write_bytes(b"".join(written))
    lines = LinesAt(path)

    places = [sum(map(len, written[:number])) for number in range(len(written))]

    assert [lines[each] for each in reversed(places)] == written[::-1]
    assert lines[path.stat().st_size] == b""


def test_a_file_is_looked_for_when_a_line_is_asked_for(tmp_path: Path) -> None:
    lines = LinesAt(tmp_path / "lines.jsonl")
    with pytest.raises(FileNotFoundError):
        lines[0]

    (tmp_path / "lines.jsonl").write_bytes(b"now\n")

    assert lines[0] == b"now\n"


def test_files_that_nobody_reads_any_more_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"now\n")
    closed: list[int] = []
    close = os.close

    def watched(number: int) -> None:
        if os.path.sameopenfile(number, known):
            closed.append(number)
        close(number)

    with path.open("rb") as again:
        known = again.fileno()
        monkeypatch.setattr(os, "close", watched)
        for times in range(1, 4):
            lines = LinesAt(path)
            assert lines[0] == b"now\n"
            del lines
            assert len(closed) == times

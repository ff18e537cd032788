"""Files in object storage: read by ranges, as files on disk are, and no key is ever repeated."""

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from harness.auditing import Refused, places, read_file
from harness.auditing.pieces import Piece, pieces, read_piece
from harness.auditing.places import Place, Stored, opened
from harness.engines import local_engine
from harness.errors import EngineFailed, InvalidInput
from harness.store import objects

HERE = local_engine(1)
LINES = [
    json.dumps({"messages": [{"role": "assistant", "content": "x" * (37 * n % 500)}]}) for n in range(200)
]
TEXT = "\n".join([*LINES[:50], "{torn", *LINES[50:]])


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Give storage in memory, which stands for S3."""
    monkeypatch.setitem(objects.INSTALL, "memory", "nothing")
    files: Any = import_module("fsspec").filesystem("memory")
    files.pipe({f"/june/{name}": TEXT.encode() for name in ("b.jsonl", "a.jsonl")})
    files.pipe("/june/answer.json", b'{"rca_severity": "high"}')
    yield files
    files.store.clear()


def sources(place: Place, size: int) -> list[str]:
    found = (each for piece in pieces([place], None, size, HERE) for each in read_piece(piece, None))
    return [str(each) if isinstance(each, Refused) else each.source for each in found]


@pytest.mark.parametrize("size", [1, 5_000, 1_000_000])
@pytest.mark.usefixtures("storage")
def test_an_object_holds_what_a_file_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr("harness.auditing.pieces.BLOCK", 700)
    file = tmp_path / "a.jsonl"
    file.write_text(TEXT)
    (stored,) = places.places(["memory:///june/a.jsonl"])

    found = sources(stored, size)

    assert len(found) == 201
    assert found == [each.replace(str(file), "memory:///june/a.jsonl") for each in sources(file, size)]


@pytest.mark.usefixtures("storage")
def test_a_piece_is_read_by_one_request_for_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.auditing.pieces.BLOCK", 700)
    (stored,) = places.places(["memory:///june/a.jsonl"])
    found = list(pieces([stored], None, 5_000, HERE))
    asked: list[tuple[int, int]] = []
    read = Stored.read

    def noted(self: Stored, start: int, end: int) -> bytes:
        asked.append((start, end))
        return read(self, start, end)

    monkeypatch.setattr(Stored, "read", noted)
    for each in found:
        assert list(read_piece(each, None))

    assert asked == [(each.start, each.end) for each in found]
    assert len(asked) > 5


@pytest.mark.usefixtures("storage")
def test_more_than_a_buffer_is_read_by_several_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "BUFFER", 1_000)
    (stored,) = places.places(["memory:///june/a.jsonl"])

    with opened(stored, 10, 50_000) as stream:
        assert stream.read() == TEXT.encode()[10:50_000]


@pytest.mark.usefixtures("storage")
def test_wildcards_name_objects_in_order_and_folders_are_none() -> None:
    found = list(places.places(["memory:///june/*.jsonl", "memory:///june/answer.json", "x.jsonl"]))

    assert [str(each) for each in found] == [
        "memory:///june/a.jsonl", "memory:///june/b.jsonl", "memory:///june/answer.json", "x.jsonl",
    ]  # fmt: skip
    assert [each.source for each in read_file(found[2])] == ["memory:///june/answer.json"]
    with pytest.raises(InvalidInput, match=r"^memory:///june: no such object; name one, or several by a"):
        list(places.places(["memory:///june"]))


@pytest.mark.usefixtures("storage")
@pytest.mark.parametrize("url", ["memory:///july/a.jsonl", "memory:///june/*.txt"])
def test_what_names_no_object_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="no such object"):
        list(places.places([url]))


@pytest.mark.parametrize(
    "url",
    [
        "https://bucket.example/a.jsonl?X-Amz-Signature=hushhush",
        "s3://KEY:hushhush@bucket/a.jsonl",
        "s3://hushhush@bucket/a.jsonl",
        "s3://KEY:hushhush/a.jsonl",
        "simplecache::s3://hushhush/a.jsonl",
        "s3://hushhush",
    ],
)
def test_a_url_that_may_hold_a_key_is_not_repeated(url: str) -> None:
    with pytest.raises(InvalidInput, match=r"found a URL that is not read; use s3, gs, az") as raised:
        list(places.places([url]))

    assert "hushhush" not in str(raised.value)


def test_what_reads_a_kind_of_storage_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(import_module("sys").modules, "fsspec", None)

    with pytest.raises(InvalidInput, match=r"^s3://: .* pip install 'contract-harness\[s3\]'$"):
        list(places.places(["s3://bucket/a.jsonl"]))


def test_an_object_that_goes_or_changes_ends_the_reading(storage: Any) -> None:
    (stored,) = places.places(["memory:///june/a.jsonl"])
    storage.pipe("/june/a.jsonl", b"short")
    with pytest.raises(EngineFailed, match=r"a\.jsonl: changed while it was read"):
        list(read_file(stored))

    storage.rm("/june/a.jsonl")
    with pytest.raises(EngineFailed, match=r"a\.jsonl: cannot be read: .*; what is done stays, and the same"):
        list(read_file(stored))


@pytest.mark.usefixtures("storage")
def test_what_storage_says_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError("key hushhush is not known")

    monkeypatch.setattr("fsspec.implementations.memory.MemoryFileSystem.info", refused)
    with pytest.raises(InvalidInput, match=r"cannot be read: PermissionError; are its keys in the env"):
        list(places.places(["memory:///june/a.jsonl"]))


@pytest.mark.parametrize("name", ["a.eval", "a.json"])
def test_logs_of_inspect_are_read_from_disk_alone(storage: Any, name: str) -> None:
    storage.pipe(f"/june/{name}", b'{"eval": {}, "status": "success"}')
    (stored,) = places.places([f"memory:///june/{name}"])

    assert [str(each) for each in read_file(stored)] == [
        f"memory:///june/{name}: a log of Inspect AI, which is read from disk; copy it there"
    ]


@pytest.mark.usefixtures("storage")
def test_an_object_of_lines_that_is_small_is_one_piece() -> None:
    (stored,) = places.places(["memory:///june/a.jsonl"])

    assert list(pieces([stored], None, 1_000_000, HERE)) == [Piece(stored, len(TEXT))]
    assert list(pieces([stored], "text", 1, HERE)) == [Piece(stored, len(TEXT))]

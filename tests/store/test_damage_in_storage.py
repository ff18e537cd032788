"""A run in object storage that cannot be graded: what is wrong is told of storage, not of the copy."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from commanding import SUITE, harness, run_of

from harness.store import objects

WHERE = "memory:///runs/one"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run."""
    out = tmp_path_factory.mktemp("runs")
    return run_of("run", "-s", "incident/oom-behind-latency", "--out", str(out), *SUITE)


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch, recorded: Path) -> Iterator[Any]:
    """Give storage in memory, which stands for S3, with the run in it."""
    monkeypatch.setitem(objects.INSTALL, "memory", "nothing")
    files: Any = import_module("fsspec").filesystem("memory")
    for each in recorded.iterdir():
        files.pipe(f"/runs/one/{each.name}", each.read_bytes())
    yield files
    files.store.clear()


@pytest.mark.parametrize("damaged", ["run.json", "blobs.jsonl"])
def test_what_is_damaged_is_named_as_it_is_in_storage(storage: Any, damaged: str) -> None:
    storage.pipe(f"/runs/one/{damaged}", b"")

    ended = harness("grade", WHERE, *SUITE)

    assert (ended.code, ended.out) == (2, "")
    assert f"{WHERE}/{damaged}: " in ended.err
    assert "harness-" not in ended.err

"""A text that is cut away while a run is read is missed, and nobody is judged as if it had been empty."""

import json
from pathlib import Path

import pytest
from conftest import recorded

from harness.model import Scenario
from harness.model.values import digest
from harness.pipeline.elsewhere import pack
from harness.pipeline.scoring import FromDisk
from harness.store import RunInfo, create_run
from harness.store.encoding import LostBlob
from harness.store.reading import Texts


def test_a_text_that_is_gone_since_is_lost_and_not_empty(tmp_path: Path) -> None:
    path, notes = tmp_path / "blobs.jsonl", list[str]()
    lines = [json.dumps({"digest": digest(each), "text": each}) + "\n" for each in ("a", "b", "")]
    path.write_text("".join(lines), encoding="utf-8")
    texts = Texts(path, notes.append)
    first, second, empty = texts

    assert texts[empty] == ""
    with path.open("r+", encoding="utf-8") as stream:
        stream.write(lines[1])
        stream.truncate()

    for gone in (first, second):
        with pytest.raises(LostBlob, match=gone):
            texts[gone]
    with pytest.raises(KeyError):
        texts["never"]
    assert notes == []


def test_what_is_sent_elsewhere_lacks_a_text_that_is_lost_and_the_rest_is_sent(
    tmp_path: Path, incident: Scenario
) -> None:
    plain = recorded(incident)
    run = create_run(tmp_path, RunInfo(id="a", created="b"))
    run.begin()
    run.add(plain)
    run.end()
    stored = run.stored()
    (run.folder / "blobs.jsonl").write_bytes(b"")

    packed = pack(FromDisk(stored, ({}, {}), {}), list(stored.places()))

    assert len(packed.samples) == 1
    assert packed.texts == {}

"""Transcripts of a run that is being recorded, read from its folder as they arrive there.

Any process may wait for what another one records: the folder is all they share.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from harness.model import SampleId, Transcript
from harness.store.encoding import decode
from harness.store.lines import json_object

PAUSE = 0.02
"""Seconds between two looks."""


class Arrivals:
    """What a run holds so far; lines are read once, transcripts decoded when they are asked for.

    Args:
        folder: the run's.
        over: whether nothing more will come.
    """

    def __init__(self, folder: Path, over: Callable[[], bool]) -> None:
        self._folder = folder
        self._over = over
        self._positions: dict[str, int] = {}
        self._blobs: dict[str, str] = {}
        self._lines: dict[str, Mapping[str, Any]] = {}

    def wait(self, sample: SampleId) -> Transcript | None:
        """Return a sample's transcript once it is there, or None where recording ended without it."""
        name = str(sample)
        while name not in self._lines:
            # Asked before reading: what comes after the last look would be missed otherwise.
            over = self._over()
            self._read()
            if name in self._lines:
                break
            if over:
                return None
            time.sleep(PAUSE)
        return decode(self._lines[name], self._blobs)

    def _read(self) -> None:
        # In this order: the blobs of a line are on disk before the line is.
        found = {str(each.get("sample")): each for each in self._new("transcripts.jsonl")}
        self._blobs.update((each["digest"], each["text"]) for each in self._new("blobs.jsonl"))
        self._lines.update(found)

    def _new(self, name: str) -> Iterator[Mapping[str, Any]]:
        """Yield the whole lines that came since the last look; a line half written waits for the next."""
        path = self._folder / name
        if not path.is_file():
            return
        with path.open("rb") as stream:
            stream.seek(self._positions.get(name, 0))
            for line in stream:
                if not line.endswith(b"\n"):
                    break
                self._positions[name] = self._positions.get(name, 0) + len(line)
                value = json_object(line)
                if value is not None:
                    yield value

"""What waits to be written in another order than it came, in a file without a name."""

from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from harness.model import SampleId


class Spool:
    """Texts of samples, in as many parts as there are files that they are meant for."""

    def __init__(self, folder: Path) -> None:
        """Begin empty; the file is made in this folder when there is something to put into it."""
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._places: dict[SampleId, tuple[int, tuple[int, ...]]] = {}

    def __contains__(self, sample: SampleId) -> bool:
        """Return whether a sample's texts wait here."""
        return sample in self._places

    def put(self, sample: SampleId, texts: tuple[bytes, ...]) -> None:
        """Let the texts of a sample wait; raise OSError where the disk refuses, and nothing here is sure."""
        if self._file is None:
            self._file = TemporaryFile(dir=self._folder)  # noqa: SIM115
        begins = self._file.seek(0, 2)
        self._file.write(b"".join(texts))
        self._places[sample] = begins, tuple(map(len, texts))

    def get(self, sample: SampleId) -> tuple[bytes, ...]:
        """Return the texts of a sample; none where none wait.

        Raises:
            OSError: they cannot be read as they were put.
        """
        if self._file is None or sample not in self._places:
            return ()
        begins, sizes = self._places[sample]
        self._file.seek(begins)
        texts = tuple(self._file.read(size) for size in sizes)
        if tuple(map(len, texts)) != sizes:
            raise OSError(f"{sample}: its scores were cut while they waited")
        return texts

    def close(self) -> None:
        """Let go of everything that waits."""
        self._places.clear()
        if self._file is not None:
            self._file.close()
            self._file = None

"""What waits to be written in another order than it came: once it is much, in a file without a name."""

from tempfile import SpooledTemporaryFile

from harness.model import SampleId

IN_MEMORY = 16 << 20


class Spool:
    """Texts of samples, in as many parts as there are files that they are meant for."""

    def __init__(self) -> None:
        """Begin empty."""
        self._file = SpooledTemporaryFile[bytes](IN_MEMORY)
        self._places: dict[SampleId, tuple[int, tuple[int, ...]]] = {}

    def __contains__(self, sample: SampleId) -> bool:
        """Return whether a sample's texts wait here."""
        return sample in self._places

    def put(self, sample: SampleId, texts: tuple[bytes, ...]) -> None:
        """Let the texts of a sample wait; raise OSError where the disk refuses."""
        begins = self._file.seek(0, 2)
        self._file.write(b"".join(texts))
        self._places[sample] = begins, tuple(map(len, texts))

    def get(self, sample: SampleId) -> tuple[bytes, ...]:
        """Return the texts of a sample; none where none wait."""
        begins, sizes = self._places.get(sample, (0, ()))
        self._file.seek(begins)
        return tuple(self._file.read(size) for size in sizes)

    def close(self) -> None:
        """Let go of what still waits."""
        self._file.close()

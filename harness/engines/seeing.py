"""What every node has to see as whoever gives the works out does."""

from pathlib import Path
from platform import node

from harness.errors import EngineFailed


def check_seen(path: Path, size: int | None) -> None:
    """Raise EngineFailed where less of a file is seen than was seen when the work was given out.

    That is another machine, which does not see the disk of whoever asks, or a file that was cut meanwhile.
    """
    found = size_of(path)
    if size is not None and (found is None or found < size):
        seen = "no such file" if found is None else f"{found} bytes"
        raise EngineFailed(
            f"{path}: {node()} sees {seen} where {size} bytes were; every node must see the same files, at "
            f"the same path"
        )


def size_of(path: Path) -> int | None:
    """Return how many bytes a file has, or None where there is none."""
    return path.stat().st_size if path.is_file() else None
